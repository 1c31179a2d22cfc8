"""The progress page between finalizing and publication."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from contests.services.correcting import Correction, correct_standing
from ratings.models import Run, RunState
from ratings.publishing.schemes import scheme_of
from tests.factories import make_contest, make_series, rate
from tests.pages import Page

pytestmark = pytest.mark.django_db


@pytest.fixture
def look(organizer, series):
    """Look at the page and at the numbers behind it, which must agree."""

    def at_progress():
        numbers = organizer.get(reverse("organize:progress-json", args=[series])).json()
        page = organizer.get(reverse("organize:progress", args=[series]))
        assert page.context["progress"].state == numbers["state"]
        return numbers, page.content.decode()

    return at_progress


def begin(series, **fields):
    last = Run.objects.filter(series=series).count()
    return Run.objects.create(series=series, number=last + 1, scheme=scheme_of(series.pk), **fields)


def marked_seconds_ago(series, seconds):
    series.stale_marks.update(created_at=timezone.now() - timedelta(seconds=seconds))


def test_a_series_without_contests_has_nothing_to_rate(look):
    numbers, page = look()
    assert numbers["state"] == "idle"
    assert "http-equiv" not in page


def test_a_series_that_waits_says_so_and_asks_again(look, series):
    make_contest(series, players=2)
    numbers, page = look()
    assert numbers["state"] == "waiting"
    assert not numbers["is_late"]
    assert '<noscript><meta http-equiv="refresh"' in page
    assert reverse("organize:progress-json", args=[series]) in page


def test_after_a_minute_without_an_answer_it_says_what_to_check(look, series):
    make_contest(series, players=2)
    marked_seconds_ago(series, 59)
    assert not look()[0]["is_late"]
    marked_seconds_ago(series, 62)
    numbers, page = look()
    assert numbers["is_late"]
    assert "data-late>" in page
    assert "perhaps no worker is running" in page


def test_a_run_at_work_shows_how_far_it_is(look, series):
    make_contest(series, players=2)
    begin(series, state=RunState.RUNNING, contests_done=30, contests_total=120, cause="Finalized it")
    numbers, page = look()
    assert (numbers["contests_done"], numbers["contests_total"]) == (30, 120)
    assert 'value="30" max="120"' in page


def test_a_failed_run_shows_its_error_and_can_be_tried_again(look, organizer, series, monkeypatch):
    make_contest(series, players=2)
    marked_seconds_ago(series, 5)
    begin(series, state=RunState.FAILED, error="MemoryError: too <large>", cause="Finalized it")
    numbers, page = look()
    assert numbers["state"] == "failed"
    assert "MemoryError: too &lt;large&gt;" in page
    rung = []
    monkeypatch.setattr("web.organize.runs.views.notify_worker", rung.append)
    organizer.post(reverse("organize:ring", args=[series]))
    assert rung == [series.pk]
    assert "last run failed" in organizer.get(reverse("organize:home")).content.decode()


def test_new_results_after_a_failure_wait_for_the_next_run(look, series):
    begin(series, state=RunState.FAILED, error="MemoryError", cause="Finalized it")
    make_contest(series, players=2)
    assert look()[0]["state"] == "waiting"


def test_what_is_published_leads_back_to_the_contest(look, organizer, series):
    contest = make_contest(series, players=2)
    elsewhere = make_contest(make_series("other-cup"), players=2, name="Elsewhere")
    rate(series)
    numbers, page = look()
    assert (numbers["state"], numbers["run"]) == ("published", 1)
    assert "http-equiv" not in page
    assert contest.name not in page.split("<h1>")[1].split("Leaderboard")[1]
    address = reverse("organize:progress", args=[series])
    page = organizer.get(f"{address}?contest={contest.pk}").content.decode()
    assert f'href="{reverse("contest", args=[contest.pk])}"' in page
    assert "Elsewhere" not in organizer.get(f"{address}?contest={elsewhere.pk}").content.decode()


def test_a_run_that_was_overtaken_is_not_taken_for_the_published_one(look, series):
    make_contest(series, players=2)
    rate(series)
    begin(series, state=RunState.CANCELLED, error="Run 1 was published in the meantime", cause="Finalized it")
    numbers, _ = look()
    assert (numbers["state"], numbers["run"]) == ("published", 1)


def test_the_cause_of_the_run_is_in_the_readers_language_and_ends_as_the_reason_does(organizer, series):
    contest = make_contest(series, standings=[("ann", 1), ("bob", 2)], name="Round 1")
    rate(series)
    row = contest.standings.get(player__handle="bob")
    correct_standing(row.pk, correction=Correction.of(row, status="disqualified"), reason="Two accounts!")
    rate(series)
    address = reverse("organize:progress", args=[series])
    assert "Corrected bob in Round 1: Two accounts! " in Page(organizer.get(address)).text
    german = Page(organizer.get(address, headers={"accept-language": "de"})).text
    assert "Corrected" not in german
    assert "bob" in german
