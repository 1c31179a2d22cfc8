"""What a Celery worker does: call one service with an id, preview a change, or try parameters on files."""

from __future__ import annotations

import functools
import time
from typing import Any

from celery import Task, shared_task

from ratings.evaluating import evaluate_on_files
from ratings.services.deriving import TASK as DERIVE
from ratings.services.deriving import derive_series, series_to_derive
from ratings.services.outdated import mark_outdated
from ratings.services.refresh import REPORT_SECONDS, refresh_series
from ratings.services.rehearsals import TASK, read_and_rehearse
from ratings.services.sweep import series_to_ring


@shared_task(name="ratings.refresh_series")
def refresh_series_task(series_id: int) -> None:
    """Bring the series' ratings up to its results; finds nothing to do when another delivery was quicker."""
    refresh_series(series_id)


@shared_task(name=DERIVE)
def derive_series_task(series_id: int) -> None:
    """Compute what follows from the series' current run and takes longer than a page may."""
    derive_series(series_id)


@shared_task(name="ratings.sweep")
def sweep_task() -> None:
    """Ring again for every series that has marks: for lost messages, dead workers, brokers that were away."""
    _compare_engine_versions()
    for series_id in series_to_ring():
        refresh_series_task.apply_async((series_id,), retry=False)
    for series_id in series_to_derive():
        derive_series_task.apply_async((series_id,), retry=False)


@functools.cache
def _compare_engine_versions() -> None:
    """Mark what an older engine rated; once in each process, because a new version comes with new processes."""
    mark_outdated()


# Whoever asked waits, and asks again if need be: what a dead worker leaves undone is worth nothing to anybody later.
@shared_task(name="ratings.evaluate_candidate", ignore_result=False, acks_late=False, reject_on_worker_lost=False)
def evaluate_candidate_task(files: list[str], digest: str, candidate: dict[str, Any]) -> dict[str, Any]:
    """Backtest one candidate on files that the worker reads itself; both are plain values that JSON knows."""
    return evaluate_on_files(files, digest, candidate)


# Likewise for a preview: its page asks for another one.
@shared_task(bind=True, name=TASK, ignore_result=False, acks_late=False, reject_on_worker_lost=False)
def rehearse_task(self: Task, token: str) -> dict[str, Any]:
    """Preview a signed change; nothing is stored. Tells how far it is at most twice a second."""
    told = time.monotonic()

    def tell(done: int, total: int) -> None:
        nonlocal told
        if time.monotonic() - told >= REPORT_SECONDS:
            told = time.monotonic()
            self.update_state(state="PROGRESS", meta={"done": done, "total": total})

    return read_and_rehearse(token, tell)
