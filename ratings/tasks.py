"""Celery tasks: rate a series, compute derived numbers, sweep, preview a change, evaluate parameters on files."""

from __future__ import annotations

import functools
import time
from typing import Any

from celery import Task, shared_task
from django.utils.translation import override

from ratings.backtests.candidates import evaluate_on_files
from ratings.database import is_transient
from ratings.models import Work
from ratings.publishing.change_previews import TASK, read_and_preview
from ratings.publishing.deriving import derive_in_turn
from ratings.publishing.engine import mark_outdated
from ratings.publishing.leases import seconds_until_next
from ratings.publishing.queue import TASKS, note_arrival
from ratings.publishing.refresh import REPORT_SECONDS, refresh_series
from ratings.publishing.sweep import sweep

#: After this many transient errors in a row, within about five minutes, the sweep takes over.
_RETRIES = 10


@shared_task(bind=True, name=TASKS[Work.RATE], max_retries=_RETRIES)
def refresh_series_task(self: Task, series_id: int) -> None:
    """Rate the series and publish a run; do nothing if another worker has done it."""
    try:
        note_arrival(series_id, Work.RATE)
        refresh_series(series_id)
    except Exception as error:
        _retry_if_transient(self, error)
        raise


@shared_task(bind=True, name=TASKS[Work.DERIVE], max_retries=_RETRIES)
def derive_series_task(self: Task, series_id: int) -> None:
    """Compute the derived numbers of the series' current run."""
    try:
        note_arrival(series_id, Work.DERIVE)
        derive_in_turn(series_id)
    except Exception as error:
        _retry_if_transient(self, error)
        raise


def _retry_if_transient(task: Task, error: Exception) -> None:
    """Retry after a transient database error, within seconds at first, then after longer waits."""
    if is_transient(error) and task.request.retries < _RETRIES:
        raise task.retry(exc=error, countdown=seconds_until_next(error, task.request.retries))


@shared_task(name="ratings.sweep")
def sweep_task() -> None:
    """Notify workers of every series that is due, after lost messages, dead workers and broker outages."""
    _compare_engine_versions()
    sweep()


@functools.cache
def _compare_engine_versions() -> None:
    """Mark series that an older engine rated, once per process, because a new version starts new processes."""
    mark_outdated()


# The page or the command waits for the result, and asks again if necessary. Later, no one needs a result that a dead
# worker has not delivered.
@shared_task(name="ratings.evaluate_candidate", ignore_result=False, acks_late=False, reject_on_worker_lost=False)
def evaluate_candidate_task(files: list[str], digest: str, candidate: dict[str, Any]) -> dict[str, Any]:
    """Backtest one candidate on files that the worker reads itself; both are plain JSON values."""
    return evaluate_on_files(files, digest, candidate)


# Likewise for a preview: its page asks again.
@shared_task(bind=True, name=TASK, ignore_result=False, acks_late=False, reject_on_worker_lost=False)
def preview_task(self: Task, token: str, language: str = "en") -> dict[str, Any]:
    """
    Preview a signed change without storing anything; report the progress at most twice a second.

    language
        The language of its texts: that of the person who asked for the preview.
    """
    reported = time.monotonic()

    def report(done: int, total: int) -> None:
        nonlocal reported
        if time.monotonic() - reported >= REPORT_SECONDS:
            reported = time.monotonic()
            self.update_state(state="PROGRESS", meta={"done": done, "total": total})

    with override(language):
        return read_and_preview(token, report)
