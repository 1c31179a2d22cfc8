"""
The queue of record, in the database: stale marks, unfinished runs, and the messages that wake workers for them.

Stale marks record what must be rated again; a message only tells a worker to look. For each series and kind of work,
one message at a time is on its way (`Lease.rung_at` is the time when it was sent). A lost message delays the work until
the next sweep, so a failure to send one is only logged.
"""

from __future__ import annotations

import hashlib
import logging
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from celery import current_app
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import Max, Q
from django.db.models.functions import Now

from contests.failures import failure_in_words
from contests.wording import stored_language
from ratings.database import renew_session
from ratings.models import ROLLBACK, Lease, Run, RunState, StaleMark, Work

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import datetime

    from django.contrib.auth.models import User

    from ratings.models import RunQuerySet

logger = logging.getLogger(__name__)

TASKS = {Work.RATE: "ratings.refresh_series", Work.DERIVE: "ratings.derive_series"}
#: At most one message for a series is sent within this time, unless a worker has received the previous one.
_ONCE_IN = {Work.RATE: timedelta(seconds=5), Work.DERIVE: timedelta(hours=1)}
#: A roll-back may be requested with the same number that a worker is giving to its run, but almost never twice in a
#: row.
_NUMBERING_ATTEMPTS = 5
WORKER_STOPPED = "The worker stopped before this run was published."


class Cancelled(Exception):
    """Raised in a worker when someone has asked to cancel its run."""


def mark_stale(series_id: int, *, since: datetime, cause: str, actor: User | None) -> None:
    """Record, in the caller's transaction, that the series must be rated from `since` on; then notify a worker."""
    StaleMark.objects.create(series_id=series_id, since=since, cause=cause, actor=actor)
    # robust: the results are committed by then, so a broker that cannot be reached must not cause an error page. The
    # sweep sends another message.
    transaction.on_commit(lambda: notify_worker(series_id), robust=True)


def is_due(series_id: int) -> bool:
    """Return whether a worker has anything to do for the series: rate, roll back, or end an abandoned run."""
    stale = StaleMark.objects.filter(series_id=series_id).exists()
    return (stale and not is_paused(series_id)) or unfinished_runs(series_id).exists()


def is_paused(series_id: int) -> bool:
    """
    Return whether the marks of the series wait because someone cancelled the run that would have rated them.

    This state is not stored. The cancelled run keeps a digest of its marks, so any new mark ends the pause, and so does
    any later run.
    """
    last = Run.objects.filter(series_id=series_id).order_by("-number").first()
    if last is None or last.state != RunState.CANCELLED or last.cancel_asked_at is None:
        return False
    return last.input_hash == digest_of_marks(series_id)


def digest_of_marks(series_id: int) -> str:
    """Return a hash of the marks that are waiting now, which a cancelled run stores as its input hash."""
    return digest_of(StaleMark.objects.filter(series_id=series_id).order_by("id").values_list("id", flat=True))


def digest_of(marks: Iterable[int]) -> str:
    """Return a hash of the ids of marks, given in ascending order."""
    # Not the newest id or time: a mark may be created before the others and committed after them.
    return hashlib.sha256(("held:" + ",".join(map(str, marks))).encode()).hexdigest()


def unfinished_runs(series_id: int) -> RunQuerySet:
    """Return the runs of the series that wait for a worker, are running, or were abandoned by a dead worker."""
    return Run.objects.filter(series_id=series_id, state__in=[RunState.QUEUED, RunState.RUNNING])


def begin_run(series_id: int, **fields: Any) -> Run:
    """Create the next run of the series, in state running unless `fields` has another state."""
    # Without a lock on the series, which a publication holds for a long time. The loser of a race takes the next
    # number.
    for attempt in range(_NUMBERING_ATTEMPTS):
        last = Run.objects.filter(series_id=series_id).aggregate(number=Max("number"))["number"] or 0
        try:
            with transaction.atomic():
                return Run.objects.create(series_id=series_id, number=last + 1, **{"state": RunState.RUNNING, **fields})
        except IntegrityError:
            if attempt == _NUMBERING_ATTEMPTS - 1:
                raise
    raise AssertionError("the last attempt returns or raises")


def stop_if_asked(run: Run) -> None:
    """Raise Cancelled if someone has asked to cancel the run."""
    if Run.objects.filter(pk=run.pk, cancel_asked_at__isnull=False).exists():
        raise Cancelled(f"Run {run.number} is to be cancelled.")


def end_run(run: Run, state: RunState, error: str) -> None:
    """End a run that was not published; if someone has asked to cancel it, it becomes cancelled in any case."""
    unfinished = unfinished_runs(run.series_id).filter(pk=run.pk)
    if not unfinished.filter(cancel_asked_at=None).update(state=state, error=error):
        unfinished.update(state=RunState.CANCELLED, error=error)


def fail_run(run: Run, error: Exception) -> None:
    """
    End a run with a message about its error, which is logged.

    If the database doesn't answer, the next process that takes the lease ends the run.
    """
    try:
        renew_session()
        with stored_language():
            words = failure_in_words(error, f"series {run.series_id}, run {run.number}")
        end_run(run, RunState.FAILED, words)
    except DatabaseError as problem:
        logger.warning("series %s, run %s: the error could not be stored (%s)", run.series_id, run.number, problem)


def fail_abandoned_runs(series_id: int) -> None:
    """
    End the runs of workers that died; call it while holding the lease of the series, or after ending an expired one.

    Only the holder of the lease works on the series, so all other unfinished runs belong to dead workers. A queued
    roll-back has not begun and keeps waiting, unless someone has asked to cancel it.
    """
    abandoned = unfinished_runs(series_id)
    abandoned.filter(cancel_asked_at__isnull=False).update(state=RunState.CANCELLED, published_at=None)
    begun = abandoned.exclude(kind=ROLLBACK, state=RunState.QUEUED)
    begun.update(state=RunState.FAILED, error=WORKER_STOPPED, published_at=None)


def notify_worker(series_id: int) -> None:
    """Wake a worker to rate the series, if the broker can be reached."""
    notify(series_id, Work.RATE)


def notify(series_id: int, work: Work) -> None:
    """Wake a worker for one series, unless a message for it has just been sent."""
    rows = Lease.objects.filter(series=series_id, work=work)
    if not rows.filter(Q(rung_at=None) | Q(rung_at__lt=Now() - _ONCE_IN[work])).update(rung_at=Now()):
        if rows.exists():
            return
        Lease.objects.bulk_create([Lease(series_id=series_id, work=work, rung_at=Now())], ignore_conflicts=True)
    if _send([series_id], work):
        rows.update(rung_at=None)


def notify_all(series_ids: Collection[int], work: Work) -> int:
    """Wake workers for many series, even if messages for them are on their way; return the number of messages sent."""
    if not series_ids:
        return 0
    rows = [Lease(series_id=series_id, work=work, rung_at=Now()) for series_id in series_ids]
    Lease.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["series", "work"], update_fields=["rung_at"], batch_size=300
    )
    unsent = _send(list(series_ids), work)
    if unsent:
        Lease.objects.filter(series__in=unsent, work=work).update(rung_at=None)
    return len(series_ids) - len(unsent)


def note_arrival(series_id: int, work: str) -> None:
    """Record that a message has arrived, so that the next change sends another one."""
    Lease.objects.filter(series=series_id, work=work).exclude(rung_at=None).update(rung_at=None)


def waiting_messages(work: Work) -> int | None:
    """Return how many messages of this kind wait in their queue; None if the broker doesn't answer."""
    try:
        queue = current_app.amqp.router.route({}, TASKS[work])["queue"].name
        with current_app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, timeout=2)
            # With the same arguments as workers: a passive declaration would not find it behind the site's key prefix.
            declared = connection.default_channel.queue_declare(queue=queue, durable=True, auto_delete=False)
            return int(declared.message_count)
    except Exception as error:  # a broker's client may raise anything
        logger.warning("the broker does not report how many messages wait: %s", error)
        return None


def _send(series_ids: list[int], work: Work) -> list[int]:
    """Send a message for each series; return the series whose messages could not be sent."""
    for at, series_id in enumerate(series_ids):
        try:
            # By name: the module of the tasks imports this one.
            current_app.send_task(TASKS[work], (series_id,), retry=False, ignore_result=True)
        except Exception as error:  # a broker's client may raise anything: the sweep sends another message
            logger.warning("series %s: no worker could be notified to %s it (%s); a sweep will", series_id, work, error)
            return series_ids[at:]
    return []
