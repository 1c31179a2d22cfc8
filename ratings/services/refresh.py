"""
From stale marks to a published run.

The lock is taken without waiting. A delivery that finds it taken goes home, because the one who holds it looks for
marks once more after letting go: so of ten deliveries one works, and no mark is left behind. Reading happens in one
snapshot, computing in no transaction at all (progress can be seen, nothing waits), publishing in one transaction of
its own.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Max

from ratings.locks import refresh_lock, snapshot
from ratings.models import Run, RunState, Scheme, StaleMark
from ratings.services.planning import make_plan
from ratings.services.publishing import Overtaken, publish
from ratings.services.schemes import scheme_of
from ratings.systems import ENGINE_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)

#: How often the progress of a run is written down.
REPORT_SECONDS = 0.5


def refresh_series(
    series_id: int, *, full: bool = False, progress: Callable[[int, int], None] | None = None
) -> Run | None:
    """
    Rate what is stale in a series, or with `full` everything, and publish it; return the last run, or None.

    None means that there was nothing to do, or that another process is doing it. Safe to call at any time, any number
    of times. What goes wrong is kept in the run's error and raised; the marks stay, so that it can be tried again.

    progress
        Called with the contests done and their total.
    """
    run = None
    while full or StaleMark.objects.filter(series_id=series_id).exists():
        with refresh_lock(series_id) as free:
            if not free:
                return run
            run = _run_once(series_id, full, progress) or run
        full = False
    return run


def _run_once(series_id: int, full: bool, progress: Callable[[int, int], None] | None) -> Run | None:
    marks = list(StaleMark.objects.filter(series_id=series_id).order_by("id"))
    if not marks and not full:
        return None
    _bury_orphans(series_id)
    run = _begin(series_id, scheme_of(series_id), marks)
    try:
        return _rate(run, full, _Reporter(run, progress))
    except Overtaken as error:
        _end(run, RunState.CANCELLED, str(error))
        logger.info("series %s, run %s: %s", series_id, run.number, error)
        return None
    except Exception as error:
        _end(run, RunState.FAILED, f"{type(error).__name__}: {error}")
        raise


def _rate(run: Run, full: bool, report: _Reporter) -> Run:
    started = time.perf_counter()
    with snapshot():
        # Marks and rules once more, as of the moment of the results: what came since the run began is part of it.
        marks = list(StaleMark.objects.filter(series_id=run.series_id).order_by("id"))
        run.scheme = Scheme.objects.newest(run.series_id) or run.scheme
        since = None if full else min((mark.since for mark in marks), default=None)
        plan = make_plan(run.series_id, run.scheme, since=since)
    run.kind, run.contests_total, run.cause = plan.kind, len(plan.fields), _cause(marks)
    run.save(update_fields=["scheme", "kind", "contests_total", "cause"])
    outcome = plan.compute(report)
    publish(run, plan, outcome, marks, started=started)
    logger.info(
        "series %s, run %s published: %s, %s changes, %.2f s",
        run.series_id,
        run.number,
        run.kind,
        run.changed_count,
        run.seconds,
    )
    return run


def _cause(marks: list[StaleMark]) -> str:
    causes = list(dict.fromkeys(mark.cause for mark in marks)) or ["All rated again"]
    return "; ".join(causes[:3]) + (f"; and {len(causes) - 3} more" if len(causes) > 3 else "")


def _begin(series_id: int, scheme: Scheme, marks: list[StaleMark]) -> Run:
    with transaction.atomic():
        last = Run.objects.filter(series_id=series_id).aggregate(number=Max("number"))["number"] or 0
        return Run.objects.create(
            series_id=series_id, number=last + 1, scheme=scheme, state=RunState.RUNNING, cause=_cause(marks),
            actor=marks[-1].actor if marks else None, engine_version=ENGINE_VERSION,
        )  # fmt: skip


def _end(run: Run, state: RunState, error: str) -> None:
    Run.objects.filter(pk=run.pk).update(state=state, error=error)


def _bury_orphans(series_id: int) -> None:
    """Whoever holds the lock is the only one at work: runs that still say so belong to workers that died."""
    running = Run.objects.filter(series_id=series_id, state__in=[RunState.RUNNING, RunState.QUEUED])
    running.update(state=RunState.FAILED, error="The worker stopped before this run was published.", published_at=None)


class _Reporter:
    """Writes a run's progress down now and then, where pages can see it."""

    def __init__(self, run: Run, progress: Callable[[int, int], None] | None) -> None:
        self.run, self.progress = run, progress
        self.last = time.monotonic()

    def __call__(self, done: int) -> None:
        if self.progress is not None:
            self.progress(done, self.run.contests_total)
        now = time.monotonic()
        if now - self.last >= REPORT_SECONDS:
            self.last = now
            Run.objects.filter(pk=self.run.pk).update(contests_done=done)


def wait_state(series_id: int) -> tuple[bool, Run | None]:
    """Return whether anything of the series still waits to be rated, and the run at work or last ended."""
    stale = StaleMark.objects.filter(series_id=series_id).exists()
    return stale, Run.objects.filter(series_id=series_id).order_by("-number").first()
