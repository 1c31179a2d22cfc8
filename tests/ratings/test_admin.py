"""Staff inspect ratings under /admin/, and change them through the services only."""

from __future__ import annotations

import pytest

from contests.models import AuditEntry
from ratings.models import Run, RunState
from ratings.publishing import queue as marks
from tests.contests.test_admin import act, told
from tests.factories import make_contest, make_series, make_user, rate

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def boss(client):
    """A browser in which a superuser is logged in."""
    client.force_login(make_user("boss", is_staff=True, is_superuser=True))
    return client


@pytest.fixture
def series():
    """A series of two contests and two runs."""
    series = make_series("harbour-cup")
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    make_contest(series, standings=[("bob", 1), ("ann", 2)])
    rate(series)
    return series


def test_a_series_is_rated_again_from_its_first_contest_on(boss, series):
    assert "“" not in act(boss, "rate_again", series).content.decode(), "nothing is refused on the page in between"
    assert not series.stale_marks.exists()
    act(boss, "rate_again", series, _do="Rate again")
    mark = series.stale_marks.get()
    assert mark.since == series.contests.in_order()[0].ends_at
    assert mark.actor.username == "boss"
    run = rate(series)
    assert (run.kind, run.contests_total, run.changed_count) == ("replay", 2, 0)


def test_a_series_without_contests_has_nothing_to_rate(boss):
    answer = act(boss, "rate_again", make_series(name="Quiet Cup"), _do="Rate again")
    assert told(answer) == ["“Quiet Cup” has no rated contest."]


def test_a_run_of_a_dead_worker_is_cancelled(boss, series):
    run = Run.objects.create(series=series, number=3, scheme=series.schemes.get(), state=RunState.RUNNING, cause="x")
    act(boss, "cancel", run, _do="Cancel the runs")
    run.refresh_from_db()
    assert (run.state, run.cancelled_by.username) == (RunState.CANCELLED, "boss")


def test_a_published_run_is_not_cancelled(boss, series):
    run = series.runs.get(number=2)
    assert len(told(act(boss, "cancel", run, _do="Cancel the runs"))) == 1
    run.refresh_from_db()
    assert run.state == RunState.PUBLISHED


def test_a_series_is_rolled_back_with_a_reason(boss, series):
    first = series.runs.get(number=1)
    assert "reason" in told(act(boss, "roll_back", first, _do="Roll back"))[0]
    assert series.runs.count() == 2
    act(boss, "roll_back", first, _do="Roll back", reason="the second contest was a joke")
    run = rate(series) or series.runs.latest("number")
    assert (run.restores, run.state) == (1, RunState.PUBLISHED)
    assert "joke" in run.cause
    assert AuditEntry.objects.filter(actor__username="boss").exists()


def test_the_current_run_is_not_rolled_back_to(boss, series):
    answer = act(boss, "roll_back", series.runs.get(number=2), _do="Roll back", reason="why not")
    assert "done" not in told(answer)[0]
    assert series.runs.count() == 2


def test_a_worker_is_woken_for_a_series_that_waits(boss, series, monkeypatch):
    rung = []
    monkeypatch.setattr("ratings.admin.notify_worker", rung.append)
    marks.mark_stale(series.pk, since=series.created_at, cause="x", actor=None)
    act(boss, "wake_worker", series.stale_marks.get(), _do="Rate now")
    assert rung == [series.pk]
