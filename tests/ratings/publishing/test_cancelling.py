"""Cancelling: a run is either published or cancelled, and its marks wait for new results or a resumption."""

from __future__ import annotations

import threading
import time
from unittest.mock import patch

import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from contests.errors import ContestError
from contests.models import AuditEntry
from ratings.models import Rating, Run, RunState, StaleMark
from ratings.publishing import refresh
from ratings.publishing.leases import cancel_run, lease, resume, series_to_rate
from ratings.publishing.queue import WORKER_STOPPED, begin_run, digest_of_marks, fail_abandoned_runs, is_due, is_paused
from ratings.publishing.refresh import refresh_series
from ratings.publishing.schemes import scheme_of
from tests.factories import make_contest, make_series, make_user, rate

pytestmark = pytest.mark.django_db


@pytest.fixture
def rung():
    """The series for which a worker was notified."""
    with patch("ratings.publishing.leases.notify_worker") as ring:
        yield ring


@pytest.fixture
def series():
    """A series with one published run."""
    series = make_series()
    make_contest(series, players=4)
    rate(series)
    return series


def stale(series):
    """The series with results that are not rated yet."""
    make_contest(series, standings=[("p3", 1), ("p0", 2)])
    return series


def shown_now(series):
    return Run.objects.current(series.pk).number, sorted(Rating.objects.values_list("player_id", "mu"))


def begun(series, **fields):
    return begin_run(series.pk, scheme=scheme_of(series.pk), **fields)


def ask(run):
    """Change the row of the run as a request to cancel it does."""
    fields = {"cancel_asked_at": run.created_at, "input_hash": digest_of_marks(run.series_id)}
    Run.objects.filter(pk=run.pk).update(**fields)


def cancelled_while(monkeypatch, series, module, name):
    """Rate the series, and have the run cancelled just before the named function is called."""
    original, end = getattr(module, name), refresh.end_run

    def cancel_first(*args, **kwargs):
        ask(Run.objects.filter(series=series).latest("number"))
        return original(*args, **kwargs)

    def end_for_good(run, *args):
        # A real request is committed by another session. Here the publication's roll-back undid it, so repeat it.
        ask(run)
        end(run, *args)

    with monkeypatch.context() as patched:
        patched.setattr(module, name, cancel_first)
        patched.setattr(refresh, "end_run", end_for_good)
        return refresh_series(series.pk)


@pytest.mark.parametrize(
    ("module", "name"),
    [
        (refresh, "stop_if_asked"),
        (refresh, "publish"),
        (refresh, "close_changes"),
        (refresh, "open_changes"),
        (refresh, "_write_ratings"),
        (refresh, "_describe"),
    ],
)
def test_a_run_that_is_cancelled_at_any_moment_publishes_nothing(monkeypatch, series, module, name):
    before = shown_now(stale(series))
    run = cancelled_while(monkeypatch, series, module, name)
    assert (run.number, run.state, run.error, run.published_at) == (2, RunState.CANCELLED, "", None)
    assert shown_now(series) == before
    assert StaleMark.objects.filter(series=series).count() == 1


def test_the_worker_notices_a_cancellation_while_it_computes(monkeypatch, series):
    monkeypatch.setattr(refresh, "REPORT_SECONDS", 0.0)
    before = shown_now(stale(series))
    computed = []

    def cancel(done, total):
        computed.append(done)
        if done == 2:
            cancel_run(Run.objects.filter(series=series).latest("number").pk, actor=None)

    for _ in range(5):
        make_contest(series, standings=[("p3", 1), ("p0", 2)])
    run = refresh_series(series.pk, full=True, progress=cancel)
    assert run.state == RunState.CANCELLED
    assert computed == [1, 2]
    assert shown_now(series) == before


def test_a_run_records_who_cancelled_it(series, rung):
    ida = make_user("ida")
    run = begun(stale(series))
    cancelled = cancel_run(run.pk, actor=ida)
    assert (cancelled.state, cancelled.cancelled_by, cancelled.error) == (RunState.CANCELLED, ida, "")
    assert cancel_run(run.pk, actor=make_user("bo")).cancelled_by == ida
    assert [(e.action, e.actor) for e in AuditEntry.objects.filter(action="run.cancel")] == [("run.cancel", ida)]
    assert not rung.called


def test_neither_sweep_nor_refresh_takes_up_what_was_cancelled(series):
    cancel_run(begun(stale(series)).pk, actor=None)
    assert is_paused(series.pk)
    assert series_to_rate() == []
    assert refresh_series(series.pk) is None
    assert Run.objects.current(series.pk).number == 1
    assert StaleMark.objects.count() == 1


def test_new_results_end_the_pause(series):
    cancel_run(begun(stale(series)).pk, actor=None)
    stale(series)
    assert series_to_rate() == [series.pk]
    run = refresh_series(series.pk)
    assert (run.number, run.state, run.contest_count) == (3, RunState.PUBLISHED, 3)
    assert not StaleMark.objects.exists()


def test_a_request_ends_the_pause(series):
    ida = make_user("ida")
    run = cancel_run(begun(stale(series)).pk, actor=None)
    resume(series.pk, actor=ida)
    resume(series.pk, actor=ida)
    run.refresh_from_db()
    assert run.cancel_asked_at is not None
    assert AuditEntry.objects.get(action="run.resume").actor == ida
    assert series_to_rate() == [series.pk]
    assert refresh_series(series.pk).state == RunState.PUBLISHED


def test_a_pause_is_for_one_series_only(series):
    other = stale(make_series("other-cup"))
    cancel_run(begun(stale(series)).pk, actor=None)
    assert series_to_rate() == [other.pk]
    resume(other.pk, actor=None)
    assert is_paused(series.pk)


def test_the_command_ends_a_pause_and_says_when_its_run_is_cancelled(series, monkeypatch, capsys):
    cancel_run(begun(stale(series)).pk, actor=None)
    call_command("rate", "--series", series.slug)
    assert "Published run 3" in capsys.readouterr().out
    stale(series)
    before = shown_now(series)
    original = refresh.publish

    def cancel_first(run, *args, **kwargs):
        ask(run)
        original(run, *args, **kwargs)

    monkeypatch.setattr(refresh, "publish", cancel_first)
    with pytest.raises(CommandError, match="Run 4 was cancelled"):
        call_command("rate", "--series", series.slug)
    assert shown_now(series) == before


@pytest.mark.parametrize("state", [RunState.QUEUED, RunState.RUNNING])
def test_a_run_whose_worker_died_is_cancelled_at_once(series, state, rung):
    run = cancel_run(begun(stale(series), state=state).pk, actor=None)
    assert run.state == RunState.CANCELLED
    assert is_paused(series.pk)


def test_a_run_whose_worker_dies_after_it_was_cancelled_is_cancelled_by_the_next(series):
    run = begun(stale(series))
    with patch("ratings.publishing.leases.lease") as taken:
        taken.return_value.__enter__.return_value = None
        assert cancel_run(run.pk, actor=None).state == RunState.RUNNING
    assert series_to_rate() == [series.pk]
    assert refresh_series(series.pk) is None
    run.refresh_from_db()
    assert run.state == RunState.CANCELLED
    assert series_to_rate() == []


def test_a_run_that_fails_before_it_notices_its_cancellation_is_cancelled(series, monkeypatch):
    def broken(run, *args, **kwargs):
        Run.objects.filter(pk=run.pk).update(cancel_asked_at=run.created_at)
        raise OSError("disk full")

    monkeypatch.setattr(refresh, "publish", broken)
    stale(series)
    with pytest.raises(OSError, match="disk full"):
        refresh_series(series.pk)
    run = Run.objects.get(series=series, number=2)
    assert (run.state, run.error[:19]) == (RunState.CANCELLED, "An unexpected error")


def test_runs_that_have_ended_are_not_cancelled(series):
    failed = begun(series, state=RunState.FAILED)
    for run, words in (
        (Run.objects.current(series.pk), r"Run 1 has already ended \(published\)"),
        (failed, r"Run 2 has already ended \(failed\)"),
    ):
        with pytest.raises(ContestError, match=words):
            cancel_run(run.pk, actor=None)
        run.refresh_from_db()
        assert run.cancel_asked_at is None
    with pytest.raises(ContestError, match="does not exist"):
        cancel_run(0, actor=None)


def test_a_dead_run_that_no_one_cancelled_is_marked_as_failed(series):
    run = begun(series)
    assert series_to_rate() == [series.pk], "there are no marks, but a worker must end the run"
    assert refresh_series(series.pk) is None
    run.refresh_from_db()
    assert (run.state, run.error) == (RunState.FAILED, WORKER_STOPPED)


def test_marks_that_came_while_the_lock_was_held_notify_a_worker(series, rung):
    run = begun(stale(series))
    original = fail_abandoned_runs

    def fail_slowly(series_id):
        original(series_id)
        stale(series)

    with patch("ratings.publishing.leases.fail_abandoned_runs", fail_slowly):
        cancel_run(run.pk, actor=None)
    rung.assert_called_once_with(series.pk)


@pytest.mark.django_db(transaction=True)
def test_a_worker_keeps_its_lease_while_it_works_and_stops_within_a_second_of_a_cancellation(monkeypatch):
    series = make_series()
    make_contest(series, players=4)
    rate(series)
    for _ in range(60):
        make_contest(series, players=4)
    ended: list[object] = []
    slow = threading.Event()

    def work():
        def at_leisure(done, total):
            slow.set()
            time.sleep(0.1)

        try:
            ended.append(refresh_series(series.pk, full=True, progress=at_leisure))
        except BaseException as error:
            ended.append(error)
        finally:
            connections.close_all()

    worker = threading.Thread(target=work)
    worker.start()
    assert slow.wait(20)
    with lease(series.pk) as held:
        assert held is None
    asked = time.monotonic()
    run = cancel_run(Run.objects.filter(series=series).latest("number").pk, actor=None)
    assert run.cancel_asked_at is not None
    worker.join()
    assert time.monotonic() - asked < 1.0
    assert [(end.number, end.state) for end in ended] == [(2, RunState.CANCELLED)]
    assert Run.objects.current(series.pk).number == 1
    assert is_paused(series.pk)
    assert not is_due(series.pk)
