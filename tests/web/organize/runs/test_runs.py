"""The pages of runs: what happened, who moved, how to stop it, and how to go back."""

from __future__ import annotations

import csv
import io
from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from ratings.models import Rating, RunState
from ratings.publishing.queue import begin_run, is_paused, mark_stale
from ratings.publishing.refresh import refresh_series
from ratings.publishing.schemes import choose_scheme, scheme_of
from tests.factories import make_contest, make_series, make_user, rate, roll_back
from tests.pages import Page

pytestmark = pytest.mark.django_db


def address(name, series, *arguments):
    return reverse(f"organize:{name}", args=[series, *arguments])


def begun(series, **fields):
    return begin_run(series.pk, scheme=scheme_of(series.pk), **{"cause": "Finalized it", **fields})


def test_every_run_is_listed_with_what_became_of_it(organizer, two_runs, ida):
    begun(two_runs, state=RunState.FAILED, error="MemoryError: too <large>", actor=ida)
    begun(two_runs, state=RunState.CANCELLED, cancelled_by=ida, cancel_asked_at=timezone.now())
    page = Page(organizer.get(address("runs", two_runs)))
    rows = page.tables[0][1:]
    assert [row[0].split(" ")[1] for row in rows] == ["4", "3", "2", "1"]
    assert "cancelled by ida" in rows[0][0]
    assert "MemoryError: too <large>" in rows[1][0]
    assert "two accounts" in rows[2][0]
    assert "current" in rows[2][0]
    assert page.links["Roll back… to run 1"] == address("run-roll-back", two_runs, 1)
    assert "Roll back… to run 2" not in page.links
    assert page.links["View changes in run 2"].endswith("runs/compare/?from=1&to=2")
    assert "Compare two runs" in page.links


def test_runs_keep_the_names_of_deleted_accounts(organizer, two_runs, ida):
    begun(two_runs, state=RunState.CANCELLED, actor=ida, cancelled_by=make_user("bo"), cancel_asked_at=timezone.now())
    make_contest(two_runs, players=3)
    mark_stale(two_runs.pk, since=two_runs.contests.newest_first()[0].ends_at, cause="Finalized it", actor=ida)
    get_user_model().objects.filter(username__in=["ida", "bo"]).delete()
    refresh_series(two_runs.pk)
    staff = Client()
    staff.force_login(make_user("boss", is_staff=True, is_superuser=True))
    rows = Page(staff.get(address("runs", two_runs))).tables[0][1:]
    assert "ida (account deleted)" in rows[0][0], "ida's account was deleted before the run began"
    assert "ida (account deleted); cancelled by bo (account deleted)" in rows[1][0]
    assert "Podium" in rows[2][0]
    page = Page(staff.get(address("run", two_runs, 3))).text
    assert "by ida (account deleted)" in page
    assert "by bo (account deleted)" in page
    assert "ida (account deleted)" in Page(staff.get(reverse("admin:ratings_run_changelist"))).text


def test_a_series_without_runs_says_so(organizer, series):
    answer = organizer.get(address("runs", series))
    assert "Nothing has been rated yet" in Page(answer).text
    assert organizer.get(address("runs-compare", series)).status_code == 404


def test_a_series_with_one_run_offers_no_comparison(organizer, series):
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    runs = Page(organizer.get(address("runs", series)))
    assert "Compare two runs" not in runs.links
    assert "1 run " in runs.text
    begun(series, state=RunState.FAILED)
    assert "Compare two runs" not in Page(organizer.get(address("runs", series))).links
    comparison = organizer.get(address("runs-compare", series))
    assert "only one published run" in Page(comparison).text
    assert 'name="from"' not in comparison.content.decode()


def test_a_run_has_a_page_of_its_own(organizer, two_runs):
    text = Page(organizer.get(address("run", two_runs, 2))).text
    assert "two accounts" in text
    assert "Results rated" in text
    assert organizer.get(address("run", two_runs, 9)).status_code == 404
    assert organizer.get(address("run", two_runs, 2**40)).status_code == 404


def test_a_run_at_work_has_a_bar_and_can_be_cancelled(organizer, two_runs, ida):
    make_contest(two_runs, standings=[("ann", 1), ("bob", 2)])
    run = begun(two_runs, contests_done=3, contests_total=4)
    for page in (organizer.get(address("runs", two_runs)), organizer.get(address("run", two_runs, 3))):
        assert 'value="3" max="4"' in page.content.decode()
        assert address("run-cancel", two_runs, 3) in page.content.decode()
        assert address("progress-json", two_runs) in page.content.decode()
    answer = organizer.post(address("run-cancel", two_runs, 3), follow=True)
    assert "Run 3 is cancelled." in Page(answer).text
    assert "Run 3 was cancelled by ida" in Page(answer).text
    run.refresh_from_db()
    assert (run.state, run.cancelled_by) == (RunState.CANCELLED, ida)
    numbers = organizer.get(address("progress-json", two_runs)).json()
    assert (numbers["state"], numbers["run"]) == ("cancelled", 3)
    assert is_paused(two_runs.pk)
    assert "last run cancelled" in Page(organizer.get(reverse("organize:home"))).text


def test_cancelled_results_are_rated_when_someone_asks(organizer, two_runs, monkeypatch):
    make_contest(two_runs, standings=[("ann", 1), ("bob", 2)])
    organizer.post(address("run-cancel", two_runs, begun(two_runs).number))
    rung = []
    monkeypatch.setattr("web.organize.runs.views.notify_worker", rung.append)
    page = organizer.get(address("progress", two_runs)).content.decode()
    assert "Rate now" in page
    organizer.post(address("ring", two_runs))
    assert rung == [two_runs.pk]
    assert refresh_series(two_runs.pk).state == RunState.PUBLISHED
    assert "Published as run 4" in Page(organizer.get(address("progress", two_runs))).text


def test_a_run_that_has_ended_is_not_cancelled(organizer, two_runs):
    answer = organizer.post(address("run-cancel", two_runs, 2), follow=True)
    assert "Run 2 has already ended (published)" in Page(answer).text
    assert organizer.get(address("run-cancel", two_runs, 2)).status_code == 405
    assert organizer.post(address("run-cancel", two_runs, 7)).status_code == 404


def test_a_run_that_its_worker_still_has_is_shown_as_cancelling(organizer, two_runs):
    begun(two_runs, cancel_asked_at=timezone.now())
    assert organizer.get(address("progress-json", two_runs)).json()["state"] == "cancelling"
    page = Page(organizer.get(address("runs", two_runs)))
    assert "Run 3 is being cancelled" in page.text
    assert "being cancelled" in page.tables[0][1][0]


def test_two_runs_side_by_side(organizer, two_runs):
    page = Page(organizer.get(address("runs-compare", two_runs), {"from": "1", "to": "2"}))
    assert page.headings == ["From run 1 to run 2"]
    moves = {row[0].split(" ")[0]: row for row in page.tables[0][1:]}
    ratings = {row.player.handle: round(row.mu) for row in Rating.objects.select_related("player")}
    assert f"{ratings['bob']:,}" in moves["bob"][2]
    assert moves["eve"][3].startswith("new – → "), "on phones, both ratings are in one cell"
    assert set(moves) == {"ann", "bob", "cem", "eve"}
    kinds = page.text.partition("Up ")[2].partition("Tier changed")[0].split()
    assert sum(int(word) for word in kinds if word.isdigit()) == len(moves), "every row is counted as one kind"
    assert Page(organizer.get(address("runs-compare", two_runs))).headings == page.headings


def test_a_comparison_says_that_the_settings_changed(organizer, two_runs):
    choose_scheme(two_runs.pk, system="glicko2", reason="Fewer surprises")
    refresh_series(two_runs.pk)
    text = Page(organizer.get(address("runs-compare", two_runs), {"from": "2", "to": "3"})).text
    assert "The rating scheme differs between these runs" in text
    assert "Rating system Elo-MMR → Glicko-2" in text
    text = Page(organizer.get(address("runs-compare", two_runs), {"from": "1", "to": "2"})).text
    assert "The rating scheme differs" not in text


def test_the_comparison_can_be_searched_and_filtered_by_kind(organizer, two_runs):
    page = Page(organizer.get(address("runs-compare", two_runs), {"from": "1", "to": "2", "q": "BO"}))
    assert [row[0].split(" ")[0] for row in page.tables[0][1:]] == ["bob"]
    page = Page(organizer.get(address("runs-compare", two_runs), {"from": "2", "to": "1", "kind": "left"}))
    assert [row[0].split(" ")[0] for row in page.tables[0][1:]] == ["eve"]
    page = Page(organizer.get(address("runs-compare", two_runs), {"from": "1", "to": "2", "q": "nobody"}))
    assert "contains “nobody”" in page.text
    page = Page(organizer.get(address("runs-compare", two_runs), {"from": "1", "to": "1"}))
    assert "the same in both runs" in page.text


def test_the_comparison_as_a_file(organizer, two_runs):
    answer = organizer.get(address("runs-compare-csv", two_runs), {"from": "1", "to": "2"})
    assert 'filename="harbour-cup-run-1-to-2.csv"' in answer["Content-Disposition"]
    rows = {row["handle"]: row for row in csv.DictReader(io.StringIO(answer.content.decode()))}
    assert (rows["eve"]["rating_from"], rows["eve"]["change"], rows["eve"]["rank_from"]) == ("", "", "")
    bob = rows["bob"]
    assert int(bob["rating_to"]) - int(bob["rating_from"]) == int(bob["change"])
    answer = organizer.get(address("runs-compare-csv", two_runs), {"from": "1", "to": "2", "kind": "entered"})
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
def test_runs_that_are_not_there_are_not_compared(organizer, two_runs, query):
    expected = 404 if query != {"from": "\0"} else 200
    for name in ("runs-compare", "runs-compare-csv"):
        assert organizer.get(address(name, two_runs), query).status_code == expected


def test_odd_queries_give_pages(organizer, two_runs):
    for query in ({"kind": "x" * 9_999}, {"q": "\0" * 99}, {"page": "minus"}, {"page": "99"}, {"kind": "\0"}):
        assert organizer.get(address("runs-compare", two_runs), query).status_code in (200, 404)
        assert organizer.get(address("runs", two_runs), query).status_code in (200, 404)


def test_others_see_and_stop_nothing(client, two_runs):
    run = begun(two_runs)
    client.force_login(make_user("stranger"))
    for name, arguments in (
        ("runs", ()), ("run", (1,)), ("runs-compare", ()), ("runs-compare-csv", ()), ("run-roll-back", (1,)),
    ):  # fmt: skip
        assert client.get(address(name, two_runs, *arguments)).status_code == 403
    for name, arguments in (("run-cancel", (3,)), ("run-roll-back", (1,)), ("rate-results", ())):
        assert client.post(address(name, two_runs, *arguments), {"reason": "mine"}).status_code == 403
    run.refresh_from_db()
    assert run.cancel_asked_at is None
    hidden = make_series("hidden-cup", is_public=False)
    assert client.get(address("runs", hidden)).status_code == 404


@pytest.mark.parametrize("size", [2, 200])
def test_pages_of_runs_take_as_many_queries_for_many_rows_as_for_two(
    organizer, two_runs, django_assert_num_queries, size
):
    make_contest(two_runs, players=size)
    rate(two_runs)
    for _ in range(size - 2):
        begun(two_runs, state=RunState.FAILED, created_at=timezone.now() - timedelta(days=1))
    # session, user, series, right; count and rows of runs, current run; marks, newest and shown run; community
    with django_assert_num_queries(11):
        organizer.get(address("runs", two_runs))
    # session, user, series, right; run, current run; marks, newest and shown run; community
    with django_assert_num_queries(11):
        organizer.get(address("run", two_runs, 3))
    with django_assert_num_queries(15):
        first = organizer.get(address("runs-compare", two_runs), {"from": "2", "to": "3"})
    assert first.context["page"].paginator.count >= size
    with django_assert_num_queries(23):
        organizer.get(address("run-roll-back", two_runs, 2))
    roll_back(two_runs.pk, 2, reason="too early")
    with django_assert_num_queries(15):
        organizer.get(address("runs", two_runs))
