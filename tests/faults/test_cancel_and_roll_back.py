"""Cancelling and rolling back while workers work, die or compete: the published ratings stay correct."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest

from contests.errors import ContestError
from contests.models import AuditEntry
from ratings.models import Run, RunState
from ratings.publishing.leases import cancel_run, resume, series_to_rate
from ratings.publishing.queue import WORKER_STOPPED, is_paused, notify_worker
from ratings.publishing.refresh import refresh_series
from ratings.publishing.rolling_back import ask_roll_back
from ratings.tasks import sweep_task
from tests.factories import make_contest, roll_back
from tests.faults.watching import (
    draft,
    finalize,
    is_stale,
    publication_held_up,
    published,
    rated_series,
    replayed,
    states,
    sweep_until,
    waiting_sessions,
)
from tests.processes import at_once, until

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.processes import Process

pytestmark = pytest.mark.django_db(transaction=True)


def seen(series):
    """The visible parts of the current run except its number; the system's memory of the players is not shown."""
    return [tuple(value for value in row if not isinstance(value, bytes)) for row in published(series)[1:]]


def twice_rated():
    """Return a series with two runs, and what people saw of the first."""
    series = rated_series()
    then = seen(series)
    with patch("ratings.publishing.queue.notify_worker"):
        make_contest(series, standings=[(f"p{i}", 5 - i) for i in range(5)], day=0.5)
    refresh_series(series.pk)
    assert seen(series) != then
    return series, then


def test_a_roll_back_is_carried_out_by_a_worker(worker):
    series, then = twice_rated()
    ask_roll_back(series.pk, 1, reason="too early")
    until(lambda: Run.objects.current(series.pk).number == 3, what="the worker rolls back")
    assert seen(series) == then
    assert states(series) == ["published"] * 3


def test_a_roll_back_whose_message_is_lost_is_found_by_the_sweep(workers):
    series, then = twice_rated()
    with patch("ratings.publishing.rolling_back.notify_worker"):
        ask_roll_back(series.pk, 1, reason="too early")
    workers()
    assert series_to_rate() == [series.pk]
    sweep_task()
    until(lambda: Run.objects.current(series.pk).number == 3, what="the worker rolls back")
    assert seen(series) == then


@pytest.mark.postgres_only
def test_a_worker_killed_while_it_rolls_back_changes_nothing(workers: Callable[..., Process]):
    series, then = twice_rated()
    before = published(series)
    ask_roll_back(series.pk, 1, reason="too early")
    with publication_held_up(series, at="start"):
        victim = workers()
        until(lambda: waiting_sessions() == 1, what="the worker publishes and has to wait")
        assert states(series)[-1] == "running"
        victim.kill()
        assert published(series) == before
    until(lambda: waiting_sessions() == 0)
    workers()
    sweep_until(lambda: states(series)[-1] == "failed", what="the second worker finds the dead one's run")
    assert Run.objects.get(series=series, number=3).error == WORKER_STOPPED
    assert published(series) == before
    assert series_to_rate() == []
    ask_roll_back(series.pk, 1, reason="once more")
    until(lambda: states(series)[-1] == "published", what="the second worker rolls back")
    assert seen(series) == then


def test_two_simultaneous_roll_backs_make_one_run():
    series, then = twice_rated()
    ends = at_once(*[lambda: roll_back(series.pk, 1, reason="too early")] * 2)
    errors = [end for end in ends if not isinstance(end, Run)]
    assert len(errors) == 1, ends
    assert isinstance(errors[0], ContestError), errors
    assert states(series) == ["published"] * 3
    assert seen(series) == then
    assert AuditEntry.objects.filter(action="run.roll_back").count() == 1


def test_the_new_results_count_after_a_simultaneous_roll_back():
    series, _ = twice_rated()

    def more():
        with patch("ratings.publishing.queue.notify_worker"):
            make_contest(series, standings=[("p0", 2), ("p1", 1)])

    ends = at_once(more, lambda: roll_back(series.pk, 1, reason="too early"))
    assert all(end is None or isinstance(end, Run | ContestError) for end in ends), ends
    refresh_series(series.pk)
    assert not is_stale(series)
    assert published(series)[1:] == replayed(series)


@pytest.mark.postgres_only
@pytest.mark.parametrize("moment", ["start", "end"])
def test_a_run_cancelled_while_it_publishes_is_not_published(moment, workers: Callable[..., Process]):
    series = rated_series()
    before = published(series)
    finalize(draft(series, day=0.5))
    with publication_held_up(series, at=moment):
        workers()
        until(lambda: waiting_sessions() == 1, what="the worker publishes and has to wait")
        run = cancel_run(Run.objects.get(series=series, number=2).pk, actor=None)
        assert run.state == RunState.RUNNING, "its worker still holds the run"
        assert published(series) == before
    until(lambda: states(series) == ["published", "cancelled"], what="the worker has noticed")
    assert published(series) == before
    assert is_stale(series)
    assert is_paused(series.pk)
    sweep_task()
    refresh_series(series.pk)
    assert states(series) == ["published", "cancelled"]
    resume(series.pk, actor=None)
    notify_worker(series.pk)
    until(lambda: not is_stale(series), what="the worker rates what was paused")
    assert states(series) == ["published", "cancelled", "published"]
    assert published(series)[1:] == replayed(series)


@pytest.mark.postgres_only
def test_a_worker_killed_after_its_run_was_cancelled_leaves_it_cancelled(workers: Callable[..., Process]):
    series = rated_series()
    before = published(series)
    finalize(draft(series, day=0.5))
    with publication_held_up(series, at="start"):
        victim = workers()
        until(lambda: waiting_sessions() == 1, what="the worker publishes and has to wait")
        cancel_run(Run.objects.get(series=series, number=2).pk, actor=None)
        victim.kill()
    until(lambda: waiting_sessions() == 0)
    workers()
    sweep_until(lambda: states(series) == ["published", "cancelled"], what="the second worker finds the dead one's run")
    assert published(series) == before
    assert series_to_rate() == []


@pytest.mark.postgres_only
def test_the_run_of_a_killed_worker_is_cancelled_at_once(workers: Callable[..., Process]):
    series = rated_series()
    before = published(series)
    finalize(draft(series, day=0.5))
    with publication_held_up(series, at="start"):
        victim = workers()
        until(lambda: waiting_sessions() == 1, what="the worker publishes and has to wait")
        victim.kill()
    until(lambda: waiting_sessions() == 0)
    assert states(series) == ["published", "running"]
    until(
        lambda: cancel_run(Run.objects.get(series=series, number=2).pk, actor=None).state == RunState.CANCELLED,
        what="the dead worker's lease has ended",
    )
    assert published(series) == before
    assert is_paused(series.pk)


def test_a_simultaneous_cancellation_and_publication_end_in_one_of_the_two():
    series = rated_series()
    for _ in range(6):
        with patch("ratings.publishing.queue.notify_worker"):
            make_contest(series, standings=[("p4", 1), ("p0", 2)])
        before = published(series)
        newest = Run.objects.filter(series=series).latest("number").number

        def cancel(after=newest):
            until(Run.objects.filter(series=series, number=after + 1).exists, seconds=5)
            return cancel_run(Run.objects.get(series=series, number=after + 1).pk, actor=None)

        at_once(cancel, lambda: refresh_series(series.pk))
        run = Run.objects.get(series=series, number=newest + 1)
        if run.state == RunState.CANCELLED:
            assert published(series) == before
            assert is_paused(series.pk)
        else:
            assert run.state == RunState.PUBLISHED
            assert run.cancel_asked_at is None
            assert not is_stale(series)
        resume(series.pk, actor=None)
        refresh_series(series.pk)
        assert published(series)[1:] == replayed(series)
