"""The pages of runs: what happened, who moved, how to stop it, and how to go back."""

from __future__ import annotations

import csv
import io
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from contests.services.correcting import Correction, correct_standing
from contests.services.finalizing import delete_contest
from ratings.models import Rating, Run, RunState, StaleMark
from ratings.services.lifecycle import begin_run, is_held
from ratings.services.refresh import refresh_series
from ratings.services.rolling_back import ask_roll_back, roll_back
from ratings.services.schemes import choose_scheme, scheme_of
from tests.factories import make_contest, make_series, make_user, rate
from tests.pages import Page

pytestmark = pytest.mark.django_db


def address(name, series, *arguments):
    return reverse(f"organize:{name}", args=[series.slug, *arguments])


@pytest.fixture
def rated(series):
    """The series with two runs: somebody was disqualified in between, and somebody came."""
    first = make_contest(series, standings=[("ann", 1), ("bob", 2), ("cem", 3)], name="Spring")
    make_contest(series, standings=[("bob", 1), ("ann", 2)], name="Summer")
    rate(series)
    correct_standing(
        first.standings.get(rank=1).pk, correction=Correction("disqualified", place=1), reason="two accounts"
    )
    make_contest(series, standings=[("eve", 1), ("bob", 2)], name="Autumn")
    rate(series)
    return series


def begun(series, **fields):
    return begin_run(series.pk, scheme=scheme_of(series.pk), **{"cause": "Finalized it", **fields})


def test_every_run_is_listed_with_what_became_of_it(organizer, rated, ida):
    begun(rated, state=RunState.FAILED, error="MemoryError: too <large>", actor=ida)
    begun(rated, state=RunState.CANCELLED, cancelled_by=ida, cancel_asked_at=timezone.now())
    page = Page(organizer.get(address("runs", rated)))
    rows = page.tables[0][1:]
    assert [row[0].split(" ")[1] for row in rows] == ["4", "3", "2", "1"]
    assert "cancelled by ida" in rows[0][0]
    assert "MemoryError: too <large>" in rows[1][0]
    assert "two accounts" in rows[2][0]
    assert "shown now" in rows[2][0]
    assert page.links["Roll back… to run 1"] == address("run-roll-back", rated, 1)
    assert "Roll back… to run 2" not in page.links
    assert page.links["Who moved in run 2"].endswith("runs/compare/?from=1&to=2")


def test_a_series_without_runs_says_so(organizer, series):
    answer = organizer.get(address("runs", series))
    assert "Nothing has been rated yet" in Page(answer).text
    assert organizer.get(address("runs-compare", series)).status_code == 404


def test_a_run_has_a_page_of_its_own(organizer, rated):
    text = Page(organizer.get(address("run", rated, 2))).text
    assert "two accounts" in text
    assert "Results rated" in text
    assert organizer.get(address("run", rated, 9)).status_code == 404
    assert organizer.get(address("run", rated, 2**40)).status_code == 404


def test_a_run_at_work_has_a_bar_and_can_be_cancelled(organizer, rated, ida):
    make_contest(rated, standings=[("ann", 1), ("bob", 2)])
    run = begun(rated, contests_done=3, contests_total=4)
    for page in (organizer.get(address("runs", rated)), organizer.get(address("run", rated, 3))):
        assert 'value="3" max="4"' in page.content.decode()
        assert address("run-cancel", rated, 3) in page.content.decode()
        assert address("progress-json", rated) in page.content.decode()
    answer = organizer.post(address("run-cancel", rated, 3), follow=True)
    assert "Run 3 is cancelled." in Page(answer).text
    assert "Run 3 was cancelled by ida" in Page(answer).text
    run.refresh_from_db()
    assert (run.state, run.cancelled_by) == (RunState.CANCELLED, ida)
    numbers = organizer.get(address("progress-json", rated)).json()
    assert (numbers["state"], numbers["run"]) == ("cancelled", 3)
    assert is_held(rated.pk)
    assert "last run cancelled" in Page(organizer.get(reverse("organize:home"))).text


def test_what_was_cancelled_is_rated_when_somebody_wants_it(organizer, rated, monkeypatch):
    make_contest(rated, standings=[("ann", 1), ("bob", 2)])
    organizer.post(address("run-cancel", rated, begun(rated).number))
    rung = []
    monkeypatch.setattr("ratings.views.organize_progress.ring", rung.append)
    page = organizer.get(address("progress", rated)).content.decode()
    assert "Rate now" in page
    organizer.post(address("ring", rated))
    assert rung == [rated.pk]
    assert refresh_series(rated.pk).state == RunState.PUBLISHED
    assert "Published as run 4" in Page(organizer.get(address("progress", rated))).text


def test_a_run_that_has_ended_is_not_cancelled(organizer, rated):
    answer = organizer.post(address("run-cancel", rated, 2), follow=True)
    assert "Run 2 is published already" in Page(answer).text
    assert organizer.get(address("run-cancel", rated, 2)).status_code == 405
    assert organizer.post(address("run-cancel", rated, 7)).status_code == 404


def test_a_run_that_its_worker_still_has_is_said_to_be_being_cancelled(organizer, rated):
    begun(rated, cancel_asked_at=timezone.now())
    assert organizer.get(address("progress-json", rated)).json()["state"] == "cancelling"
    page = Page(organizer.get(address("runs", rated)))
    assert "Run 3 is being cancelled" in page.text
    assert "being cancelled" in page.tables[0][1][0]


def test_two_runs_side_by_side(organizer, rated):
    page = Page(organizer.get(address("runs-compare", rated), {"from": "1", "to": "2"}))
    assert page.headings == ["From run 1 to run 2"]
    moves = {row[0].split(" ")[0]: row for row in page.tables[0][1:]}
    ratings = {row.player.handle: round(row.mu) for row in Rating.objects.select_related("player")}
    assert f"{ratings['bob']:,}" in moves["bob"][2]
    assert "new" in moves["eve"][3]
    assert set(moves) == {"ann", "bob", "cem", "eve"}
    assert Page(organizer.get(address("runs-compare", rated))).headings == page.headings


def test_the_comparison_can_be_searched_and_cut_by_kind(organizer, rated):
    page = Page(organizer.get(address("runs-compare", rated), {"from": "1", "to": "2", "q": "BO"}))
    assert [row[0].split(" ")[0] for row in page.tables[0][1:]] == ["bob"]
    page = Page(organizer.get(address("runs-compare", rated), {"from": "2", "to": "1", "kind": "left"}))
    assert [row[0].split(" ")[0] for row in page.tables[0][1:]] == ["eve"]
    page = Page(organizer.get(address("runs-compare", rated), {"from": "1", "to": "2", "q": "nobody"}))
    assert "Nobody with “nobody”" in page.text
    page = Page(organizer.get(address("runs-compare", rated), {"from": "1", "to": "1"}))
    assert "the same in both runs" in page.text


def test_the_comparison_as_a_file(organizer, rated):
    answer = organizer.get(address("runs-compare-csv", rated), {"from": "1", "to": "2"})
    assert 'filename="harbour-cup-run-1-to-2.csv"' in answer["Content-Disposition"]
    rows = {row["handle"]: row for row in csv.DictReader(io.StringIO(answer.content.decode()))}
    assert (rows["eve"]["rating_from"], rows["eve"]["change"], rows["eve"]["rank_from"]) == ("", "", "")
    bob = rows["bob"]
    assert int(bob["rating_to"]) - int(bob["rating_from"]) == int(bob["change"])
    answer = organizer.get(address("runs-compare-csv", rated), {"from": "1", "to": "2", "kind": "entered"})
    assert answer.content.decode().splitlines()[1].startswith("eve,")
    assert len(answer.content.decode().splitlines()) == 2


def test_a_handle_that_a_spreadsheet_would_run_is_text_in_the_file(organizer, series):
    make_contest(series, standings=[("=cmd()", 1), ("bob", 2)])
    rate(series)
    make_contest(series, standings=[("bob", 1), ("=cmd()", 2)])
    rate(series)
    assert "'=cmd()," in organizer.get(address("runs-compare-csv", series)).content.decode()


@pytest.mark.parametrize(
    "query",
    [{"from": "9"}, {"to": "9"}, {"from": "x"}, {"to": "-1"}, {"from": "1" * 30}, {"to": "1" * 17}, {"from": "\0"}],
)
def test_runs_that_are_not_there_are_not_compared(organizer, rated, query):
    expected = 404 if query != {"from": "\0"} else 200
    for name in ("runs-compare", "runs-compare-csv"):
        assert organizer.get(address(name, rated), query).status_code == expected


def test_odd_queries_give_pages(organizer, rated):
    for query in ({"kind": "x" * 9_999}, {"q": "\0" * 99}, {"page": "minus"}, {"page": "99"}, {"kind": "\0"}):
        assert organizer.get(address("runs-compare", rated), query).status_code in (200, 404)
        assert organizer.get(address("runs", rated), query).status_code in (200, 404)


def test_the_preview_of_a_roll_back_says_what_it_does(organizer, rated):
    delete_contest(rated.contests.get(name="Summer").pk, reason="a rehearsal")
    rate(rated)
    before = list(Rating.objects.order_by("pk").values_list("mu"))
    page = Page(organizer.get(address("run-roll-back", rated, 1)))
    assert page.headings == ["Roll back to run 1?"]
    assert "1 contest rated since does not count until then: Autumn." in page.text
    assert "1 contest corrected since counts as before the correction: Spring." in page.text
    assert "1 contest deleted or taken out of the rating since counts again: Summer." in page.text
    assert {row[0].split(" ")[0] for row in page.tables[0][1:]} == {"ann", "bob", "cem", "eve"}
    assert list(Rating.objects.order_by("pk").values_list("mu")) == before
    assert Run.objects.count() == 3


def test_a_roll_back_is_made_for_a_reason_and_shown_until_results_count_again(organizer, rated, ida):
    refused = organizer.post(address("run-roll-back", rated, 1), {"reason": " "})
    assert refused.status_code == 422
    answer = organizer.post(address("run-roll-back", rated, 1), {"reason": "too early"})
    assert answer["Location"] == address("progress", rated)
    waiting = organizer.get(address("progress-json", rated)).json()
    assert (waiting["state"], waiting["run"]) == ("waiting", 3)
    run = refresh_series(rated.pk)
    assert (run.number, run.state, run.actor) == (3, RunState.PUBLISHED, ida)
    for page in (organizer.get(address("progress", rated)), organizer.get(address("runs", rated))):
        text = Page(page).text
        assert "Run 3 shows run 1 again" in text
        assert "1 contest rated since does not count until then: Autumn." in text
    text = Page(organizer.get(address("run", rated, 3))).text
    assert "Rolled back to run 1: too early" in text
    history = Page(organizer.get(reverse("organize:series", args=[rated.slug]))).text
    assert "ida rolled back to run 1 of harbour-cup" in history
    autumn = rated.contests.get(name="Autumn")
    text = Page(organizer.get(reverse("contest", args=[autumn.pk]))).text
    assert "count in no rating for now: run 3 shows the ratings of run 1 again" in text
    assert "as run 1 had them" in Page(organizer.get(reverse("leaderboard", args=[rated.slug]))).text
    organizer.post(address("rate-results", rated))
    assert StaleMark.objects.count() == 1
    assert refresh_series(rated.pk).number == 4
    assert "shows run 1 again" not in Page(organizer.get(address("runs", rated))).text


def test_a_roll_back_that_is_not_possible_says_why(organizer, rated):
    for number, words in ((2, "what everybody sees now"), (1, "")):
        answer = organizer.get(address("run-roll-back", rated, number))
        assert answer.status_code == (409 if words else 200)
        assert words in Page(answer).text
    make_contest(rated, standings=[("ann", 1), ("bob", 2)])
    answer = organizer.post(address("run-roll-back", rated, 1), {"reason": "too early"})
    assert answer.status_code == 409
    assert "Results have changed and are not rated yet" in Page(answer).text
    assert Run.objects.count() == 2
    assert organizer.get(address("run-roll-back", rated, 9)).status_code == 404


def test_a_roll_back_to_another_system_says_whose_rules_come_next(organizer, rated):
    choose_scheme(rated.pk, system="elo")
    rate(rated)
    text = Page(organizer.get(address("run-roll-back", rated, 1))).text
    assert "by the scheme in force, not by that of run 1" in text


def test_others_see_and_stop_nothing(client, rated):
    run = begun(rated)
    client.force_login(make_user("stranger"))
    for name, arguments in (
        ("runs", ()), ("run", (1,)), ("runs-compare", ()), ("runs-compare-csv", ()), ("run-roll-back", (1,)),
    ):  # fmt: skip
        assert client.get(address(name, rated, *arguments)).status_code == 403
    for name, arguments in (("run-cancel", (3,)), ("run-roll-back", (1,)), ("rate-results", ())):
        assert client.post(address(name, rated, *arguments), {"reason": "mine"}).status_code == 403
    run.refresh_from_db()
    assert run.cancel_asked_at is None
    hidden = make_series("hidden-cup", is_public=False)
    assert client.get(address("runs", hidden)).status_code == 404


@pytest.mark.parametrize("size", [2, 200])
def test_pages_of_runs_take_as_many_queries_for_many_rows(organizer, rated, django_assert_num_queries, size):
    make_contest(rated, players=size)
    rate(rated)
    for _ in range(size - 2):
        begun(rated, state=RunState.FAILED, created_at=timezone.now() - timedelta(days=1))
    # session, user, series, right; count and rows of runs, current run; marks, newest and shown run
    with django_assert_num_queries(10):
        organizer.get(address("runs", rated))
    # session, user, series, right; run, current run; marks, newest and shown run
    with django_assert_num_queries(9):
        organizer.get(address("run", rated, 3))
    with django_assert_num_queries(14):
        first = organizer.get(address("runs-compare", rated), {"from": "2", "to": "3"})
    assert first.context["page"].paginator.count >= size
    with django_assert_num_queries(18):
        organizer.get(address("run-roll-back", rated, 2))
    roll_back(rated.pk, 2, reason="too early")
    with django_assert_num_queries(14):
        organizer.get(address("runs", rated))


def test_pressing_twice_rolls_back_once(organizer, rated):
    ask_roll_back(rated.pk, 1, reason="too early")
    answer = organizer.post(address("run-roll-back", rated, 1), {"reason": "too early"})
    assert answer.status_code == 409
    assert "Run 3 is at work" in Page(answer).text


def test_a_roll_back_that_came_to_nothing_says_so(organizer, rated, monkeypatch):
    choose_scheme(rated.pk, system="kreimeier", parameters={"decay": 0.5})
    rate(rated)
    make_contest(rated, standings=[("ann", 1), ("bob", 2)])
    rate(rated)
    rated.contests.filter(name="Spring").update(weight=3.0)
    answer = organizer.get(address("run-roll-back", rated, 3))
    assert answer.status_code == 409
    assert "Run 3 cannot be shown again. Under kreimeier" in Page(answer).text
    monkeypatch.setattr("ratings.views.organize_compare.TRIED_PLAYERS", 0)
    assert organizer.get(address("run-roll-back", rated, 3)).status_code == 200
    organizer.post(address("run-roll-back", rated, 3), {"reason": "too early"})
    refresh_series(rated.pk)
    numbers = organizer.get(address("progress-json", rated)).json()
    assert (numbers["state"], numbers["is_over"], numbers["run"]) == ("refused", True, 5)
    page = Page(organizer.get(address("progress", rated)))
    assert page.headings == ["Not rolled back to run 3"]
    assert "Run 3 cannot be shown again. Under kreimeier" in page.text
    cancelled = ask_roll_back(rated.pk, 2, reason="then this")
    organizer.post(address("run-cancel", rated, cancelled.number))
    assert "Run 6 was cancelled by ida" in Page(organizer.get(address("progress", rated))).text
