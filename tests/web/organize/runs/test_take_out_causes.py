"""A roll-back that also undoes its causes, so that the next result does not bring them back."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from django.urls import reverse

from contests.models import AuditEntry, Contest, ContestState, StandingStatus
from contests.services.contests import delete_contest
from contests.services.correcting import Correction, correct_result, correct_standing
from contests.services.describing import ContestDescription, describe_contest, description_as_json
from contests.services.participants import add_standing, reassign_standing, remove_standing
from ratings.models import RatingChange, Run, Scheme
from ratings.publishing.schemes import choose_scheme
from tests.factories import make_contest, rate
from tests.pages import Page
from tests.web.organize.runs.test_runs import address

pytestmark = pytest.mark.django_db


def numbers(run: int) -> list[tuple]:
    """All rating changes as of a run, to the last bit."""
    changes = RatingChange.objects.as_of(run).values_list("contest__name", "player__handle", "rank", "mu", "sigma")
    return sorted(changes)


def offered(organizer, series, number=1) -> dict[str, str]:
    """What the page of the roll-back offers to undo: key by what was done."""
    context = organizer.get(address("run-roll-back", series, number)).context
    return {cause.words: cause.key for cause in context["causes"]}


def take_out(organizer, series, keys, number=1):
    answer = organizer.post(address("run-roll-back", series, number), {"reason": "under protest", "undo": keys})
    assert answer.status_code == 302, Page(answer).text
    return answer["Location"]


def confirm(organizer, location):
    return organizer.post(location, {}, follow=True)


def test_a_roll_back_lists_later_changes_with_their_authors_and_the_effect_of_undoing_them(organizer, two_runs):
    page = Page(organizer.get(address("run-roll-back", two_runs, 1)))
    assert set(offered(organizer, two_runs)) == {"Finalized Autumn", "Corrected the results of ann in Spring"}
    assert "Undoing this deletes the contest, which you can restore later." in page.text
    assert "Undoing this restores these rows as they were." in page.text
    assert "Changes that you don’t undo come back as soon as results change." in page.text
    assert "not listed" not in page.text


def test_older_changes_that_are_not_listed_are_counted(organizer, two_runs, monkeypatch):
    monkeypatch.setattr("web.organize.runs.rolling_back.MOST_CAUSES", 1)
    page = Page(organizer.get(address("run-roll-back", two_runs, 1)))
    assert "1 older change is not listed. Undo the changes above first, then come back for the rest." in page.text


def test_undoing_everything_gives_the_ratings_of_the_run_and_the_next_result_builds_on_them(organizer, two_runs, ida):
    before = numbers(1)
    location = take_out(organizer, two_runs, list(offered(organizer, two_runs).values()))
    preview = Page(organizer.get(location + "&here=1"))
    assert "Roll back to run 1 and undo 2 changes?" in preview.headings
    assert (Run.objects.count(), two_runs.contests.existing().count()) == (2, 3), "nothing is changed by a preview"
    confirm(organizer, location)
    delete_contest(make_contest(two_runs, standings=[("bob", 1), ("cem", 2)], name="Trial").pk, reason="a trial")
    rate(two_runs)
    assert Run.objects.current(two_runs.pk).number == 3
    undone = "Rolled back to run 1, undoing 2 changes: under protest"
    assert Run.objects.current(two_runs.pk).cause == f"{undone}; Finalized Trial; Deleted Trial: a trial"
    assert numbers(3) == before
    make_contest(two_runs, standings=[("bob", 1), ("cem", 2)], name="Winter")
    rate(two_runs)
    assert [row for row in numbers(4) if row[0] != "Winter"] == before
    told = AuditEntry.objects.filter(reason="Rolled back to run 1: under protest")
    assert sorted(told.values_list("action", "actor__username")) == [
        ("contest.delete", "ida"), ("standing.correct", "ida"),
    ]  # fmt: skip
    assert Contest.objects.get(name="Autumn").state == ContestState.DELETED
    assert numbers(2), "published runs stay as they were"


def test_some_of_the_causes_can_be_undone(organizer, two_runs):
    location = take_out(organizer, two_runs, [offered(organizer, two_runs)["Finalized Autumn"]])
    confirm(organizer, location)
    rate(two_runs)
    assert Run.objects.current(two_runs.pk).cause == "Deleted Autumn: Rolled back to run 1: under protest"
    assert {row[0] for row in numbers(3)} == {"Spring", "Summer"}
    ann = two_runs.contests.get(name="Spring").standings.get(player__handle="ann")
    assert ann.status == StandingStatus.DISQUALIFIED


@pytest.mark.parametrize("cause", ["deleted", "weight", "rules", "added", "removed", "moved"])
def test_every_kind_of_change_is_undone(organizer, series, cause):
    first = make_contest(series, standings=[("ann", 1), ("bob", 2), ("cem", 3)], name="Spring")
    make_contest(series, standings=[("bob", 1), ("ann", 2)], name="Summer")
    rate(series)
    before = numbers(1)
    if cause == "deleted":
        delete_contest(first.pk, reason="a rehearsal")
    elif cause == "weight":
        fields = {**description_as_json(Contest.objects.get(pk=first.pk)), "weight": 3.0}
        describe_contest(first.pk, description=ContestDescription(**fields), reason="a final")
    elif cause == "rules":
        choose_scheme(series.pk, system="elo", reason="simpler")
    elif cause == "added":
        add_standing(first.pk, handle="eve", correction=Correction("ranked", place=4), reason="forgotten")
    elif cause == "moved":
        reassign_standing(first.standings.get(player__handle="bob").pk, handle="eve", reason="a namesake")
    else:
        remove_standing(first.standings.get(player__handle="cem").pk, reason="never took part")
    rate(series)
    assert numbers(2) != before
    keys = list(offered(organizer, series).values())
    assert len(keys) == 1
    confirm(organizer, take_out(organizer, series, keys))
    rate(series)
    assert numbers(3) == before
    assert Scheme.objects.newest(series.pk).system == "elo-mmr"


def test_undoing_another_system_keeps_tiers_and_seasons_chosen_before_and_since(organizer, series):
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("cem", 3)], name="Spring")
    rate(series)
    first = Scheme.objects.newest(series.pk)
    tiers = [{**tier, "name": f"Our {tier['name']}"} for tier in first.tiers]
    choose_scheme(series.pk, tiers=tiers, reason="our names")
    choose_scheme(series.pk, system="glicko2", reason="a trial")
    choose_scheme(series.pk, season={"length": "quarter"}, reason="points")
    rate(series)
    chosen = offered(organizer, series)
    assert set(chosen) == {"Chose Glicko-2 (version 3)"}
    page = Page(organizer.get(address("run-roll-back", series, 1)))
    assert "Undoing this restores the rating system, display and tiers of version 2 of the rating scheme." in page.text
    confirm(organizer, take_out(organizer, series, list(chosen.values())))
    newest = Scheme.objects.newest(series.pk)
    assert (newest.system, newest.display) == (first.system, first.display)
    assert [tier["name"] for tier in newest.tiers] == [tier["name"] for tier in tiers]
    assert newest.season["length"] == "quarter"


def test_a_game_awarded_without_play_is_one_that_was_played_again(organizer, series):
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("cem", 3)], name="Spring")
    game = make_contest(series, standings=[("bob", 1), ("ann", 2)], name="Summer")
    rate(series)
    before = numbers(1)
    correct_result(game.pk, scores=(0.0, 1.0), is_walkover=True, reason="the wrong player")
    rate(series)
    assert {row[0] for row in numbers(2)} == {"Spring"}
    keys = list(offered(organizer, series).values())
    assert len(keys) == 2
    confirm(organizer, take_out(organizer, series, keys))
    rate(series)
    assert numbers(3) == before
    game.refresh_from_db()
    assert (game.is_walkover, game.is_rated) == (False, True)


def test_corrections_that_cancel_out_leave_no_public_trace_when_undone(organizer, series):
    first = make_contest(series, standings=[("ann", 1), ("bob", 2), ("cem", 3)], name="Spring")
    rate(series)
    row = first.standings.get(place=3)
    for status in ("disqualified", "ranked"):
        correct_standing(row.pk, correction=Correction.of(row, status=status), reason="a mistake")
        rate(series)
        row.refresh_from_db()
    before = AuditEntry.objects.filter(action="standing.correct").count()
    (key,) = offered(organizer, series).values()
    confirm(organizer, take_out(organizer, series, [key]))
    assert AuditEntry.objects.filter(action="standing.correct").count() == before
    row.refresh_from_db()
    assert (row.status, row.rank) == ("ranked", 3)


@pytest.mark.parametrize(("place", "to"), [(3, 1), (2, 1), (1, 3), (2, 3)])
def test_a_place_that_pushed_others_is_given_back(organizer, series, place, to):
    first = make_contest(series, standings=[("ann", 1), ("bob", 2), ("cem", 3)], name="Spring")
    rate(series)
    then = {row.player_id: row.mu for row in RatingChange.objects.current()}
    row = first.standings.get(place=place)
    correct_standing(row.pk, correction=Correction("ranked", place=to, shares_place=False), reason="recount")
    rate(series)
    confirm(organizer, take_out(organizer, series, list(offered(organizer, series).values())))
    assert list(first.standings.order_by("player__handle").values_list("place", "rank")) == [(1, 1), (2, 2), (3, 3)]
    rate(series)
    assert {row.player_id: row.mu for row in RatingChange.objects.current()} == then


def test_a_tie_with_a_player_who_is_not_ranked_survives(organizer, series):
    """The ranks of the run don't tell of such a tie."""
    rows = [("ann", 1), ("bob", 2, None, "unofficial"), ("cem", 2), ("dee", 4), ("eva", 5)]
    first = make_contest(series, standings=rows, name="Spring")
    rate(series)
    for handle, correction in (
        ("ann", Correction("ranked", place=5, shares_place=False)),
        ("cem", Correction("disqualified", place=1, shares_place=True)),
    ):
        correct_standing(first.standings.get(player__handle=handle).pk, correction=correction, reason="recount")
    assert first.standings.get(player__handle="bob").place == 1
    rate(series)
    confirm(organizer, take_out(organizer, series, list(offered(organizer, series).values())))
    assert list(first.standings.order_by("player__handle").values_list("place", flat=True)) == [1, 2, 2, 4, 5]


def test_a_tie_is_restored_although_the_others_moved(organizer, series):
    rows = [("ann", 1), ("bob", 2), ("cem", 3), ("dan", 3), ("eve", 5)]
    first = make_contest(series, standings=rows, name="Spring")
    rate(series)
    for handle, place in (("dan", 1), ("eve", 3)):
        row = first.standings.get(player__handle=handle)
        correct_standing(row.pk, correction=Correction("ranked", place, shares_place=True), reason="recount")
    ranks = dict(first.standings.values_list("player__handle", "rank"))
    assert ranks == {"ann": 1, "dan": 1, "bob": 3, "eve": 3, "cem": 5}
    rate(series)
    confirm(organizer, take_out(organizer, series, list(offered(organizer, series).values())))
    assert dict(first.standings.values_list("player__handle", "place")) == dict(rows)


def test_rows_whose_neighbours_moved_are_left_to_the_organizer(organizer, series):
    first = make_contest(series, standings=[("ann", 1), ("bob", 2), ("cem", 2)], name="Spring")
    rate(series)
    cem = first.standings.get(player__handle="cem")
    correct_standing(cem.pk, correction=Correction("ranked", place=1, shares_place=False), reason="recount")
    first.standings.filter(player__handle="bob").update(place=1, rank=1)
    rate(series)
    keys = list(offered(organizer, series).values())
    answer = organizer.post(address("run-roll-back", series, 1), {"reason": "under protest", "undo": keys})
    assert answer.status_code == 422
    assert "“Spring” cannot be restored on their own" in Page(answer).text
    assert "correct them on the page of the contest" in Page(answer).text


def test_causes_undone_meanwhile_and_unknown_causes_are_refused(organizer, two_runs):
    location = take_out(organizer, two_runs, [offered(organizer, two_runs)["Finalized Autumn"]])
    delete_contest(two_runs.contests.get(name="Autumn").pk, reason="by someone else")
    refused = organizer.get(location)
    assert refused.status_code == 409
    assert "more changes since you opened this page" in Page(refused).text
    rate(two_runs)
    answer = organizer.post(address("run-roll-back", two_runs, 1), {"reason": "x", "undo": ["delete-1", "nonsense"]})
    assert answer.status_code == 422
    assert "Open the roll-back page again" in Page(answer).text


def test_it_needs_a_reason_and_an_organizer(organizer, two_runs, client):
    keys = list(offered(organizer, two_runs).values())
    assert organizer.post(address("run-roll-back", two_runs, 1), {"reason": "", "undo": keys}).status_code == 422
    location = take_out(organizer, two_runs, keys)
    assert parse_qs(urlsplit(location).query)["change"]
    organizer.logout()
    assert organizer.get(location).status_code == 302
    assert reverse("login") in organizer.get(location)["Location"]
