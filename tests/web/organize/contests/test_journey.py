"""From a new series to a published rating and a correction, as an organizer does it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.urls import reverse

from contests.models import Contest, Series
from ratings.models import RatingChange
from ratings.publishing.refresh import refresh_series
from tests.factories import make_contest, rate
from tests.pages import Page
from tests.web.organize.forms import CONTEST, SERIES, confirm, finalize, press, save, upload
from web.shared import projected_rows as organize_rows

pytestmark = pytest.mark.django_db

BROKEN = "rank,handle,score\n1,ann,30\nsecond,bob,20\n3,ANN,10\n"
FIXED = "rank,handle,score\n1,ann,30\n2,bob,20\n3,eve,10\n"


def test_the_whole_way_from_a_series_to_a_disqualification(organizer, club, ida):
    organizer.post(reverse("organize:series-create"), SERIES)
    series = Series.objects.get(slug="harbour-cup")
    assert list(series.organizers.all()) == [ida]
    organizer.post(reverse("organize:contest-create", args=[series]), CONTEST)
    contest = series.contests.get()

    refused = upload(organizer, contest, BROKEN)
    assert [problem.row for problem in refused.context["errors"].problems] == [3, 4]
    assert not series.uploads.saved().exists()

    preview = upload(organizer, contest, FIXED)
    rows = preview.context["table"].rows
    assert [row.handle for row in rows] == ["ann", "bob", "eve"]
    assert all(row.player_id is None for row in rows)
    assert [row.preview.change > 0 for row in rows] == [True, False, False]
    assert "new player" in preview.content.decode()
    assert not contest.standings.exists()

    draft = save(organizer, preview)
    assert draft.context["table"].total == 3
    assert contest.standings.count() == 3

    effect = organizer.get(reverse("organize:finalize", args=[contest.pk]), follow=True).content.decode()
    assert "3 ranked participants will be rated" in effect
    assert "Newly rated" in effect
    waiting = finalize(organizer, contest)
    assert waiting.context["progress"].state == "waiting"

    refresh_series(series.pk)
    published = organizer.get(reverse("organize:progress", args=[series]))
    assert "Published as run 1" in published.content.decode()
    before = {change.player.handle: change for change in RatingChange.objects.current().select_related("player")}
    assert before["ann"].mu > before["bob"].mu > before["eve"].mu

    ann = contest.standings.get(player__handle="ann")
    said = {"status": "disqualified", "score": "30", "reason": "used a hammer"}
    confirm(organizer, organizer.post(reverse("organize:correct", args=[ann.pk]), said))
    refresh_series(series.pk)
    after = {change.player.handle: change for change in RatingChange.objects.current().select_related("player")}
    assert set(after) == {"bob", "eve"}
    assert after["bob"].rank == 1
    assert after["bob"].mu > before["bob"].mu
    history = organizer.get(reverse("organize:contest", args=[contest.pk])).content.decode()
    assert "used a hammer" in history


def test_the_preview_shows_what_the_run_then_publishes(organizer, series):
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("eve", 3)])
    rate(series)
    draft = make_contest(series, finalized=False)
    preview = upload(organizer, draft, "rank,handle\n1,eve\n2,bob\n3,zoe\n")
    table, view = preview.context["table"], preview.context["snapshot"]
    expected = {row.handle: (row.preview.before, row.preview.after) for row in table.rows}
    save(organizer, preview)
    finalize(organizer, draft)
    rate(series)
    changes = RatingChange.objects.current().filter(contest=draft).select_related("player")
    published = {change.player.handle: view.rating_of(change.mu, change.sigma) for change in changes}
    assert published == {handle: after for handle, (_, after) in expected.items()}
    assert expected["zoe"][0] is None
    assert expected["eve"][0] is not None


def test_a_draft_in_the_past_says_how_many_contests_would_be_replayed(organizer, series):
    for day in (5, 6):
        make_contest(series, standings=[("ann", 1), ("bob", 2)], day=day)
    rate(series)
    draft = make_contest(series, standings=[("bob", 1), ("ann", 2)], day=1, finalized=False)
    assert organizer.get(reverse("organize:contest", args=[draft.pk])).context["table"].preview.later_contests == 2
    page = organizer.get(reverse("organize:finalize", args=[draft.pk]), follow=True)
    (effect,) = page.context["preview"].content["series"]
    assert effect["contests_rated"] == 3


def test_a_replay_of_very_many_results_waits_until_it_is_asked_for(organizer, series, monkeypatch):
    monkeypatch.setattr(organize_rows, "REPLAYED_AT_ONCE", 3)
    for day in (0, 1, 5):
        make_contest(series, standings=[("ann", 1), ("bob", 2)], day=day)
    rate(series)
    draft = make_contest(series, standings=[("bob", 1), ("ann", 2)], day=2, finalized=False)
    address = reverse("organize:contest", args=[draft.pk])
    page = organizer.get(address)
    assert not page.context["table"].moves_ratings
    assert "rate 4 earlier results again" in " ".join(page.content.decode().split())
    assert '<a href="?whole">' in page.content.decode()
    assert organizer.get(address + "?whole").context["table"].moves_ratings


def test_a_draft_with_standings_warns_that_a_file_replaces_them(organizer, series):
    draft = make_contest(series, standings=[("ann", 1), ("bob", 2)], finalized=False)
    preview = upload(organizer, draft, "rank,handle\n1,eve\n2,bob\n")
    assert "Saving replaces all of them" in " ".join(preview.content.decode().split())
    save(organizer, preview)
    assert sorted(draft.standings.values_list("player__handle", flat=True)) == ["bob", "eve"]


def test_discarding_a_file_leaves_the_draft_and_no_trace_of_the_file(organizer, series, stored_files):
    draft = make_contest(series, standings=[("ann", 1), ("bob", 2)], finalized=False)
    preview = upload(organizer, draft, "rank,handle\n1,eve\n2,bob\n")
    assert b"rank,handle\n1,eve\n2,bob\n" in [path.read_bytes() for path in stored_files()]
    press(organizer, preview, "discard")
    assert not series.uploads.saved().exists()
    assert not stored_files()
    assert draft.standings.filter(player__handle="ann").exists()


def test_deleting_a_finalized_contest_needs_a_reason_and_rates_the_others_without_it(organizer, series):
    kept = make_contest(series, standings=[("ann", 1), ("bob", 2)])
    wrong = make_contest(series, standings=[("bob", 1), ("ann", 2)])
    rate(series)
    address = reverse("organize:contest-delete", args=[wrong.pk])
    assert organizer.post(address, {"reason": " "}).status_code == 422
    assert Contest.objects.finalized().filter(pk=wrong.pk).exists()
    confirm(organizer, organizer.post(address, {"reason": "entered twice"}))
    rate(series)
    assert set(RatingChange.objects.current().values_list("contest_id", flat=True)) == {kept.pk}
    gone = organizer.get(reverse("organize:contest", args=[wrong.pk]))
    assert gone["Location"] == reverse("organize:series", args=[series])
    assert "entered twice" in organizer.get(reverse("organize:series", args=[series])).content.decode()


def test_a_pasted_table_is_read_like_a_file(organizer, series):
    draft = make_contest(series, finalized=False)
    pasted = {"text": "rank\thandle\n1\tann\n2\tbob\n"}
    preview = organizer.post(reverse("organize:upload", args=[draft.pk]), pasted, follow=True)
    assert [row.handle for row in preview.context["table"].rows] == ["ann", "bob"]


def test_organizers_see_the_penalties_that_order_equal_scores(organizer, series):
    draft = make_contest(series, finalized=False)
    review = upload(organizer, draft, "handle,score,penalty\nbob,8,468\nann,8,387\neve,7,0\n")
    said = [["8", "387"], ["8", "468"], ["7", "0"]]
    for page in (review, save(organizer, review)):
        heads, *rows = next(table for table in Page(page).tables if "Penalty" in table[0])
        at = heads.index("Penalty")
        assert heads[at - 1] == "Score"
        assert [row[at - 1 : at + 1] for row in rows] == said
    finalize(organizer, draft)
    page = Page(organizer.get(reverse("organize:contest", args=[draft.pk])))
    heads, *rows = page.tables[0]
    at = heads.index("Penalty")
    assert [row[at - 1 : at + 1] for row in rows] == said
    assert "Score 8, penalty 387" in page.text
    ann = draft.standings.get(player__handle="ann")
    assert "score 8, penalty 387." in Page(organizer.get(reverse("organize:correct", args=[ann.pk]))).text


@pytest.mark.parametrize("name", ["standings.csv", "standings.tsv", "standings.json", "standings.xlsx"])
def test_the_example_files_are_accepted_without_remarks(organizer, series, name):
    draft = make_contest(series, finalized=False)
    content = (Path(__file__).resolve().parents[4] / "static/examples" / name).read_bytes()
    preview = upload(organizer, draft, content, name)
    assert preview.context["table"].ranked == 6
    assert not preview.context["warnings"].count


def test_doing_everything_twice_does_it_once(organizer, series, stored_files):
    draft = make_contest(series, finalized=False)
    first = upload(organizer, draft, FIXED)
    for _ in range(2):
        save(organizer, first)
        organizer.post(reverse("organize:finalize", args=[draft.pk]), follow=True)
    proposal = organizer.post(reverse("organize:finalize", args=[draft.pk]))
    for _ in range(2):
        confirm(organizer, proposal)
    assert series.uploads.count() == 1
    assert len(stored_files()) == 1
    assert draft.standings.count() == 3
    assert series.stale_marks.count() == 1
    bob = draft.standings.get(player__handle="bob")
    address = reverse("organize:correct", args=[bob.pk])
    form = {"status": "unofficial", "score": "20", "reason": "guest"}
    proposal = organizer.post(address, form)
    for _ in range(2):
        confirm(organizer, proposal)
    assert series.stale_marks.count() == 2
    assert len(re.findall("guest", organizer.get(reverse("organize:contest", args=[draft.pk])).content.decode())) == 1


def test_pressing_create_twice_makes_one_draft(organizer, series):
    answers = [organizer.post(reverse("organize:contest-create", args=[series]), CONTEST) for _ in range(2)]
    contest = series.contests.get()
    assert [answer["Location"] for answer in answers] == [reverse("organize:upload", args=[contest.pk])] * 2


def test_a_second_contest_with_the_same_name_and_end_keeps_what_was_entered(organizer, series):
    for weight in ("1", "2"):
        organizer.post(reverse("organize:contest-create", args=[series]), CONTEST | {"weight": weight})
    assert sorted(Contest.objects.values_list("weight", flat=True)) == [1, 2]


def test_a_new_display_takes_effect_without_a_run(organizer, series):
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    form = {"mapping": "fermi", "range": "1000", "system": "elo-mmr", "version": 1}
    page = organizer.post(reverse("organize:scheme", args=[series]), form, follow=True)
    assert "did not have to rate anything again" in page.content.decode()
    assert not series.stale_marks.exists()
    assert series.schemes.get(version=2).display == {"mapping": "fermi", "range": 1000}


def test_another_rating_system_shows_its_effect_and_then_rates_the_series_again(organizer, series):
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    form = {"mapping": "suited", "system": "elo-mmr-infinity", "version": 1, "reason": "shorter rules"}
    page = organizer.post(reverse("organize:scheme", args=[series]), form, follow=True)
    assert "Rate Harbour Cup with Elo-MMR(∞)?" in page.content.decode()
    assert not series.stale_marks.exists()
    page = organizer.post(page.redirect_chain[-1][0], follow=True)
    assert "being rated again with Elo-MMR(∞)" in page.content.decode()
    assert series.stale_marks.get().cause == "New rating scheme: Elo-MMR(∞): shorter rules"


def test_a_contest_cannot_start_after_its_end(organizer, series):
    wrong = {**CONTEST, "starts_at": "2025-05-01T19:00"}
    refused = organizer.post(reverse("organize:contest-create", args=[series]), wrong)
    assert "Enter a start before the end, 1 May 2025 18:00 UTC." in Page(refused).text
    assert not series.contests.exists()
    address = reverse("organize:contest-create", args=[series])
    refused = organizer.post(address, wrong, headers={"accept-language": "de"})
    assert "Der Beginn muss vor dem Ende liegen, 1. Mai 2025, 18:00 UTC." in Page(refused).text
