"""How runs begin and end short of publication, and which series have something to do."""

from __future__ import annotations

import hashlib
import logging
from typing import TYPE_CHECKING, Any

from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import Max

from ratings.database import renew_session
from ratings.models import Run, RunState, StaleMark
from ratings.models.run import ROLLBACK

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ratings.models.run import RunQuerySet

logger = logging.getLogger(__name__)

WORKER_STOPPED = "The worker stopped before this run was published."
#: Somebody who asks for a roll-back may take the number that a worker is about to give; hardly twice in a row.
_ATTEMPTS = 5


def begin_run(series_id: int, **fields: Any) -> Run:
    """Create the next run of the series, running unless said otherwise."""
    # Without a lock on the series: a publication holds that for long. Whoever comes second takes the next number.
    for attempt in range(_ATTEMPTS):
        last = Run.objects.filter(series_id=series_id).aggregate(number=Max("number"))["number"] or 0
        try:
            with transaction.atomic():
                return Run.objects.create(series_id=series_id, number=last + 1, **{"state": RunState.RUNNING, **fields})
        except IntegrityError:
            if attempt == _ATTEMPTS - 1:
                raise
    raise AssertionError("the last attempt returns or raises")


def end_run(run: Run, state: RunState, error: str) -> None:
    """End a run that was not published; who wanted it cancelled meanwhile gets that, whatever else went wrong."""
    unfinished = at_work(run.series_id).filter(pk=run.pk)
    if not unfinished.filter(cancel_asked_at=None).update(state=state, error=error):
        unfinished.update(state=RunState.CANCELLED, error=error)


def fail_run(run: Run, error: Exception) -> None:
    """End a run with its error, as far as the database still answers; else the next process ends it."""
    try:
        renew_session()
        end_run(run, RunState.FAILED, f"{type(error).__name__}: {error}")
    except DatabaseError as problem:
        logger.warning("series %s, run %s: the error could not be stored (%s)", run.series_id, run.number, problem)


def fail_abandoned_runs(series_id: int) -> None:
    """
    End the runs of workers that died; call it with the lease of the series held, or with an expired one ended.

    Only the holder of the lease is at work, so all other runs that seem to be belong to the dead. A roll-back that
    waits has not begun and goes on waiting, unless it is to be cancelled.
    """
    orphans = at_work(series_id)
    orphans.filter(cancel_asked_at__isnull=False).update(state=RunState.CANCELLED, published_at=None)
    begun = orphans.exclude(kind=ROLLBACK, state=RunState.QUEUED)
    begun.update(state=RunState.FAILED, error=WORKER_STOPPED, published_at=None)


def at_work(series_id: int) -> RunQuerySet:
    """The runs of the series that wait for a worker, or have one, or had one that died."""
    return Run.objects.filter(series_id=series_id, state__in=[RunState.QUEUED, RunState.RUNNING])


def is_due(series_id: int) -> bool:
    """Whether a worker has something to do for the series: rate what is stale, roll back, or bury the dead."""
    stale = StaleMark.objects.filter(series_id=series_id).exists()
    return (stale and not is_paused(series_id)) or at_work(series_id).exists()


def is_paused(series_id: int) -> bool:
    """
    Whether the marks of the series wait because somebody has cancelled the run that would have mended them.

    Nobody has to keep that up to date: the cancelled run knows which marks these were, so any other mark ends it, and
    so does any later run.
    """
    last = Run.objects.filter(series_id=series_id).order_by("-number").first()
    if last is None or last.state != RunState.CANCELLED or last.cancel_asked_at is None:
        return False
    return last.input_hash == digest_of_marks(series_id)


def digest_of_marks(series_id: int) -> str:
    """Return a hash of the marks that wait now; what a cancelled run has for its inputs."""
    return digest_of(StaleMark.objects.filter(series_id=series_id).order_by("id").values_list("id", flat=True))


def digest_of(marks: Iterable[int]) -> str:
    """Return a hash of these marks' ids, which rise."""
    # Not the newest id or moment: a mark may have been made before these, and be committed after them.
    return hashlib.sha256(("held:" + ",".join(map(str, marks))).encode()).hexdigest()
