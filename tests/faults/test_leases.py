"""A worker that dies or freezes loses its series to another one, and publishes nothing afterwards."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.db import connection
from django.urls import reverse

from podium import celery_app
from ratings.models import Lease, Run, RunState
from ratings.publishing.refresh import refresh_series
from tests.factories import make_contest, make_series, make_user
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
from tests.processes import PgBouncer, until

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.processes import Process

pytestmark = pytest.mark.django_db(transaction=True)


def long_series(contests: int = 90):
    """A series with one published run and many results that wait: rating them takes a worker several seconds."""
    series = make_series()
    make_contest(series, players=300)
    refresh_series(series.pk)
    for _ in range(contests):
        make_contest(series, players=300)
    return series


def children(worker: Process) -> list[int]:
    """The processes in which a worker runs its tasks, whichever of its threads started them."""
    lists = Path(f"/proc/{worker.process.pid}/task").glob("*/children")
    return [int(child) for each in lists for child in each.read_text().split()]


def test_the_series_of_a_frozen_worker_is_taken_over_and_what_it_computed_is_not_published(workers):
    series = long_series()
    running = Run.objects.filter(series=series, state=RunState.RUNNING)
    frozen = workers()
    until(running.exists, what="the run has begun")
    frozen.send(signal.SIGSTOP)
    assert running.exists(), "the worker was too quick: it published before it was stopped"
    workers()
    sweep_until(lambda: not is_stale(series), seconds=60, what="the second worker publishes")
    after = published(series)
    assert states(series) == ["published", "failed", "published"]
    frozen.send(signal.SIGCONT)
    frozen.wait_for("another worker has taken over")
    assert published(series) == after
    assert states(series) == ["published", "failed", "published"]


@pytest.mark.postgres_only
@pytest.mark.parametrize("moment", ["start", "end"])
def test_a_worker_that_freezes_inside_its_publication_does_not_stop_others(moment, workers):
    series = rated_series()
    finalize(draft(series))
    with publication_held_up(series, at=moment):
        frozen = workers()
        until(lambda: waiting_sessions() == 1, what="the worker publishes and has to wait")
        frozen.send(signal.SIGSTOP)
    # Its transaction has got the lock now, and no one will end it.
    workers()
    sweep_until(lambda: not is_stale(series), seconds=60, what="the second worker publishes")
    after = published(series)
    assert states(series) == ["published", "failed", "published"]
    frozen.send(signal.SIGCONT)
    time.sleep(3)
    assert published(series) == after
    assert states(series) == ["published", "failed", "published"]
    assert after[1:] == replayed(series)


@pytest.mark.one_database
def test_a_run_that_kills_its_worker_waits_longer_each_time_and_is_left_alone_after_five(workers, client):
    series, ida = long_series(), make_user("ida")
    series.organizers.add(ida)
    client.force_login(ida)
    worker, kills = workers(), 0

    def die() -> None:
        nonlocal kills
        # Between its death and the start of the next one there is no child.
        if _running(series).filter(number__gt=1 + kills).exists() and (alive := children(worker)):
            os.kill(alive[0], signal.SIGKILL)
            kills += 1

    def die_for(seconds: float) -> None:
        ends = time.monotonic() + seconds
        sweep_until(lambda: die() or time.monotonic() > ends, seconds=60)

    until(_running(series).exists, seconds=60, what="the run has begun")
    die_for(20)
    assert 1 <= kills <= 2, "it is retried at once after the first death, and a minute after the second"
    sweep_until(lambda: die() or _wait_is_over(series) or kills == 5, seconds=100, what="five attempts")
    sweep_until(lambda: not _running(series).exists(), what="it is left alone")
    finalize(draft(series, day=0.5))
    die_for(5)
    assert (kills, _running(series).count()) == (5, 0), "new results do not reset the count of deaths"
    assert "after five attempts" in client.get(reverse("organize:progress", args=[series])).content.decode()
    client.post(reverse("organize:ring", args=[series]))
    until(lambda: not is_stale(series), what="someone asked for it, and this time it ends")
    assert Run.objects.current(series.pk).contest_count == 92


def _running(series):
    return Run.objects.filter(series=series, state=RunState.RUNNING)


def _wait_is_over(series) -> None:
    """End the waiting time of the series."""
    Lease.objects.filter(series=series, attempts__range=(2, 4)).update(not_before=None)


def test_a_worker_that_is_asked_to_stop_finishes_its_run(workers):
    """What `KillMode=mixed` relies on: only the main process is sent SIGTERM."""
    series = long_series(60)
    running = Run.objects.filter(series=series, state=RunState.RUNNING)
    worker = workers()
    until(running.exists, what="the run has begun")
    os.kill(worker.process.pid, signal.SIGTERM)
    assert running.exists(), "the worker was too quick: it published before it was asked to stop"
    worker.process.wait(60)
    assert states(series) == ["published", "published"]
    assert not is_stale(series)


def test_a_run_whose_worker_is_killed_at_a_restart_is_taken_up_as_soon_as_its_lease_ends(workers):
    """What happens without `KillMode=mixed`: the processes that compute are ended, too."""
    series = long_series()
    running = Run.objects.filter(series=series, state=RunState.RUNNING)
    worker = workers()
    until(running.exists, what="the run has begun")
    worker.send(signal.SIGSTOP)
    assert running.exists(), "the worker was too quick: it published before it was stopped"
    # Celery's children end by raising SystemExit, which Python ignores inside a weak reference's callback.
    for child in children(worker):
        os.kill(child, signal.SIGKILL)
    worker.send(signal.SIGTERM)
    worker.send(signal.SIGCONT)
    worker.process.wait(60)
    assert is_stale(series)
    workers()
    sweep_until(lambda: not is_stale(series), seconds=30, what="the next worker publishes")
    assert states(series) == ["published", "failed", "published"]


@pytest.mark.postgres_only
def test_through_a_pooler_in_transaction_mode_everything_is_rated(workers: Callable[..., Process], tmp_path):
    series = [rated_series() for _ in range(4)]
    with PgBouncer(tmp_path) as pooler:
        for _ in range(2):
            workers(DATABASE_URL=pooler.url, PODIUM_POOLED="1")
        for day in range(3, 9):
            for each in series:
                finalize(draft(each, day=day))
            sweep_until(lambda: not any(map(is_stale, series)), seconds=30, what=f"day {day} is published")
        for each in series:
            assert set(states(each)) == {"published"}
            assert Run.objects.current(each.pk).contest_count == 8
    for each in series:
        assert published(each)[1:] == replayed(each)


@pytest.mark.postgres_only
def test_a_session_that_is_ended_in_the_middle_of_a_publication_delays_it_by_seconds(workers):
    series = rated_series()
    finalize(draft(series))
    with publication_held_up(series, at="end"):
        workers()
        until(lambda: waiting_sessions() == 1, what="the worker publishes and has to wait")
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
                "AND wait_event_type = 'Lock'"
            )
    until(lambda: not is_stale(series), seconds=20, what="the same worker tries again, without a sweep")
    assert states(series) == ["published", "failed", "published"]
    assert published(series)[1:] == replayed(series)


@pytest.mark.postgres_only
def test_workers_of_two_sites_on_one_redis_do_not_take_each_others_messages(workers):
    series = rated_series()
    celery_app.control.purge()
    other = workers(PODIUM_SITE="elsewhere")
    finalize(draft(series))
    time.sleep(3)
    assert is_stale(series)
    assert not other.said("refresh_series[")
    workers()
    until(lambda: not is_stale(series), what="the worker of this site publishes")
