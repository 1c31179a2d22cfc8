"""Real workers publish finalized contests, although they may die, run too often, or run at the same time."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.db import connection, connections

from contests.services.correcting import Correction, correct_standing
from podium import celery_app
from ratings.models import Rating, Run, RunState, StaleMark
from ratings.publishing.refresh import refresh_series
from ratings.tasks import refresh_series_task
from tests.factories import make_contest, make_series
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
from tests.processes import until

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.processes import Process

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_finalized_contest_is_published_by_a_worker(worker):
    series = rated_series()
    contest = draft(series)
    finalize(contest)
    until(lambda: not is_stale(series), what="the worker publishes")
    assert states(series) == ["published", "published"]
    run = Run.objects.current(series.pk)
    assert (run.number, run.kind, run.contest_count) == (2, "append", 3)
    assert published(series)[1:] == replayed(series)


@pytest.mark.sqlite_only
def test_the_worker_listens_to_files(worker):
    assert worker.said("filesystem://")
    assert "DATABASE_URL" not in os.environ
    assert Path(connection.settings_dict["NAME"]) == Path(os.environ["PODIUM_VAR"]) / "podium.sqlite3"


@pytest.mark.postgres_only
def test_the_worker_listens_to_redis(worker):
    assert worker.said("redis://")


def test_a_correction_is_published_by_a_worker(worker):
    series = rated_series()
    last = series.contests.newest_first().first().standings.get(rank=1)
    before = published(series)
    correct_standing(last.pk, correction=Correction(status="disqualified"), reason="copied")
    until(lambda: not is_stale(series), what="the worker publishes")
    assert states(series) == ["published", "published"]
    assert published(series) != before
    assert published(series)[1:] == replayed(series)


@pytest.mark.postgres_only
@pytest.mark.parametrize("moment", ["start", "end"])
def test_a_worker_killed_while_publishing_changes_nothing_and_the_next_one_completes(moment, workers):
    series = rated_series()
    before = published(series)
    finalize(draft(series, day=0.5))
    with publication_held_up(series, at=moment):
        victim = workers()
        until(lambda: waiting_sessions() == 1, what="the worker publishes and has to wait")
        assert states(series) == ["published", "running"]
        assert published(series) == before, "what is not committed must not be seen"
        victim.kill()
        assert published(series) == before
        assert is_stale(series)
    until(lambda: waiting_sessions() == 0)
    assert published(series) == before, "what the dead worker had written is gone"
    workers()
    sweep_until(lambda: not is_stale(series), what="the second worker publishes")
    assert states(series) == ["published", "failed", "published"]
    assert Run.objects.get(series=series, number=2).error == "The worker stopped before this run was published."
    assert published(series)[1:] == replayed(series)


def test_a_worker_killed_while_computing_changes_nothing_and_the_next_one_completes(workers):
    series = make_series()
    make_contest(series, players=300)
    refresh_series(series.pk)
    before = published(series)
    for _ in range(90):
        make_contest(series, players=300)
    running = Run.objects.filter(series=series, state=RunState.RUNNING)
    victim = workers()
    until(running.exists, what="the run has begun")
    victim.kill()
    assert running.exists(), "the worker was too quick: it published before it was killed"
    assert published(series) == before
    assert is_stale(series)
    workers()
    sweep_until(lambda: not is_stale(series), what="the second worker publishes")
    assert states(series) == ["published", "failed", "published"]
    assert Run.objects.current(series.pk).contest_count == 91


@pytest.mark.postgres_only
def test_a_worker_that_loses_only_its_child_gets_the_message_again(worker):
    series = rated_series()
    with publication_held_up(series, at="start"):
        finalize(draft(series))
        until(lambda: waiting_sessions() == 1, what="the worker publishes and has to wait")
        os.kill(_child(worker), signal.SIGKILL)
        worker.wait_for("WorkerLostError")
    sweep_until(lambda: not is_stale(series), what="the same worker publishes")
    assert states(series)[-1] == "published"


def _child(worker: Process) -> int:
    """The process in which a worker runs its tasks."""
    children = Path(f"/proc/{worker.process.pid}/task/{worker.process.pid}/children").read_text().split()
    assert len(children) == 1, children
    return int(children[0])


@pytest.mark.postgres_only
def test_ten_messages_at_once_to_two_workers_make_one_run(workers):
    series = rated_series()
    celery_app.control.purge()
    two = workers(), workers()
    finalize(draft(series))
    for _ in range(10):
        refresh_series_task.apply_async((series.pk,))
    until(lambda: sum(w.said("succeeded in") for w in two) == 11, what="all eleven messages have been processed")
    assert states(series) == ["published", "published"]
    assert Run.objects.current(series.pk).contest_count == 3
    assert not is_stale(series)


def test_two_threads_that_refresh_at_once_make_one_run():
    series = rated_series()
    make_contest(series, standings=[("p4", 1), ("p0", 2)])
    barrier = threading.Barrier(2)
    runs: list[Run | None] = []
    errors: list[BaseException] = []

    def refresh() -> None:
        try:
            barrier.wait()
            runs.append(refresh_series(series.pk))
        except BaseException as error:
            errors.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=refresh) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert [run for run in runs if run is not None], "one of them has to do the work"
    assert states(series) == ["published", "published"]
    assert not is_stale(series)


@pytest.mark.postgres_only
@pytest.mark.parametrize("moment", ["start", "end"])
def test_finalizing_does_not_wait_for_a_publication(moment, workers):
    series = rated_series()
    first, second = draft(series, day=8), draft(series, day=9)
    finalize(first)
    with publication_held_up(series, at=moment):
        workers()
        until(lambda: waiting_sessions() == 1, what="the worker publishes and has to wait")
        began = time.monotonic()
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '3s'")  # if it does wait, say so instead of hanging
        finalize(second)
        assert time.monotonic() - began < 3.0
        assert StaleMark.objects.filter(series=series).count() == 2
    until(lambda: not is_stale(series), what="both are published")
    assert Run.objects.current(series.pk).contest_count == 4
    assert "failed" not in states(series)


def test_the_order_of_messages_does_not_matter(worker):
    series, twin = make_series(), make_series()
    late, middle, early = (draft(series, day=day) for day in (3, 2, 1))
    for contest in (late, early, middle):
        finalize(contest)
        refresh_series_task.apply_async((series.pk,))
    for day in (1, 2, 3):
        finalize(draft(twin, day=day))
    until(lambda: not is_stale(series) and not is_stale(twin), what="both are published")
    assert _by_handle(series) == _by_handle(twin)
    assert published(series)[1:] == replayed(series)


def _by_handle(series) -> list[tuple[object, ...]]:
    ratings = Rating.objects.filter(series=series).order_by("player__handle")
    return list(ratings.values_list("player__handle", "mu", "sigma", "contest_count", "peak"))


def test_a_run_that_fails_says_why_and_is_tried_again_when_results_change(workers: Callable[..., Process], monkeypatch):
    series = rated_series()
    before = published(series)
    finalize(draft(series))
    with monkeypatch.context() as patch:
        patch.setattr("ratings.publishing.refresh.publish", _full_disk)
        with pytest.raises(OSError, match="No space left"):
            refresh_series(series.pk)
    assert states(series) == ["published", "failed"]
    assert "The server’s disk is full" in Run.objects.get(series=series, number=2).error
    assert published(series) == before
    assert is_stale(series)
    workers()
    finalize(draft(series))
    until(lambda: not is_stale(series), what="the worker publishes")
    assert states(series)[-1] == "published"


def _full_disk(*arguments: object, **named: object) -> None:
    raise OSError(28, "No space left on device")
