"""What a Celery worker does: call one service with an id, preview a change, or try parameters on files."""

from __future__ import annotations

import functools
import time
from typing import Any

from celery import Task, shared_task

from ratings.backtests.candidates import evaluate_on_files
from ratings.database import is_transient
from ratings.models import Work
from ratings.publishing.change_previews import TASK, read_and_preview
from ratings.publishing.deriving import derive_in_turn
from ratings.publishing.engine import mark_outdated
from ratings.publishing.leases import seconds_until_next
from ratings.publishing.queue import TASKS, heard
from ratings.publishing.refresh import REPORT_SECONDS, refresh_series
from ratings.publishing.sweep import sweep

#: After so many passing errors in a row, within about five minutes, the sweep takes over.
_RETRIES = 10


@shared_task(bind=True, name=TASKS[Work.RATE], max_retries=_RETRIES)
def refresh_series_task(self: Task, series_id: int) -> None:
    """Bring the series' ratings up to its results; finds nothing to do when another delivery was quicker."""
    try:
        heard(series_id, Work.RATE)
        refresh_series(series_id)
    except Exception as error:
        _again_if_it_passes(self, error)
        raise


@shared_task(bind=True, name=TASKS[Work.DERIVE], max_retries=_RETRIES)
def derive_series_task(self: Task, series_id: int) -> None:
    """Compute what follows from the series' current run and takes longer than a page may."""
    try:
        heard(series_id, Work.DERIVE)
        derive_in_turn(series_id)
    except Exception as error:
        _again_if_it_passes(self, error)
        raise


def _again_if_it_passes(task: Task, error: Exception) -> None:
    """Try again after seconds, then longer, what a database that was away or busy for a moment has stopped."""
    if is_transient(error) and task.request.retries < _RETRIES:
        raise task.retry(exc=error, countdown=seconds_until_next(error, task.request.retries))


@shared_task(name="ratings.sweep")
def sweep_task() -> None:
    """Notify workers of every series that is due: for lost messages, dead workers, brokers that were away."""
    _compare_engine_versions()
    sweep()


@functools.cache
def _compare_engine_versions() -> None:
    """Mark what an older engine rated; once in each process, because a new version comes with new processes."""
    mark_outdated()


# The page or the command that asked waits, and asks again if need be: what a dead worker leaves undone is worth nothing
# to anyone later.
@shared_task(name="ratings.evaluate_candidate", ignore_result=False, acks_late=False, reject_on_worker_lost=False)
def evaluate_candidate_task(files: list[str], digest: str, candidate: dict[str, Any]) -> dict[str, Any]:
    """Backtest one candidate on files that the worker reads itself; both are plain values that JSON knows."""
    return evaluate_on_files(files, digest, candidate)


# Likewise for a preview: its page asks for another one.
@shared_task(bind=True, name=TASK, ignore_result=False, acks_late=False, reject_on_worker_lost=False)
def preview_task(self: Task, token: str) -> dict[str, Any]:
    """Preview a signed change; nothing is stored. Tells how far it is at most twice a second."""
    told = time.monotonic()

    def tell(done: int, total: int) -> None:
        nonlocal told
        if time.monotonic() - told >= REPORT_SECONDS:
            told = time.monotonic()
            self.update_state(state="PROGRESS", meta={"done": done, "total": total})

    return read_and_preview(token, tell)
