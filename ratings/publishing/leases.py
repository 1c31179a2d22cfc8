"""
One process at a time per series and kind of work, by a row that expires (docs/decisions/0011-leases.md).

All moments are the database's, so the clocks of the workers need not agree. No lock is held between statements, so a
connection pooler in transaction mode may stand in between.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.models import F, Max
from django.db.models.functions import Now

from ratings.database import is_transient, renew_session
from ratings.models import ROLLBACK, Lease, Run, RunState, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from ratings.models import RunQuerySet


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


logger = logging.getLogger(__name__)

#: After this many attempts whose process died, Podium stops until someone asks for another.
ATTEMPTS = 5
#: Seconds to wait after the first such attempt, the second, and so on.
_AFTER_DEATH = (0, 60, 300, 900)
#: Seconds after which an attempt that failed with an error is repeated, if the error is not of the passing kind.
PATIENCE_SECONDS = 600
_PASSING_SECONDS = 60
#: First key of the locks that a publication holds, so that they meet no other application's ("podi" in ASCII).
_NAMESPACE = 0x706F6469


class LeaseLost(Exception):
    """Another process has taken over, because this one did not extend its lease in time."""


@dataclass(frozen=True, slots=True)
class Held:
    """A lease that this process holds, or held."""

    pk: int
    series_id: int
    work: str
    fence: int

    def check(self) -> None:
        """Raise LeaseLost if another process has taken over."""
        if not self._mine().exists():
            raise LeaseLost(self._words())

    def confirm(self) -> None:
        """
        Raise LeaseLost if another process has taken over, and keep all others from doing so until the transaction ends.

        The last thing in a transaction that publishes: others wait for the row from here on.
        """
        if not self._mine().update(expires_at=_later(settings.PODIUM_LEASE_SECONDS)):
            raise LeaseLost(self._words())

    def _mine(self) -> Any:
        return Lease.objects.filter(pk=self.pk, fence=self.fence)

    def _words(self) -> str:
        return f"series {self.series_id}: another worker has taken over; nothing of this attempt is published"


@contextmanager
def lease(series_id: int, work: str = Work.RATE, *, counted: bool = True) -> Iterator[Held | None]:
    """
    Take a lease without waiting, extend it while the block runs, and give it back; yield None if it is not to be had.

    An exception that leaves the block counts as a failure: after a passing error of the database the next try comes
    within seconds, after any other in ten minutes.

    counted
        False for looking after a series without rating it: it changes nothing of what is known about attempts, and does
        not wait because of them.
    """
    held = _take(series_id, work, counted=counted)
    if held is None:
        yield None
        return
    with _beating(held):
        try:
            yield held
        except Exception as error:
            _give_back(held, error if counted else None, counted=counted)
            raise
        except BaseException:
            _give_back(held, None, counted=counted)
            raise
    _give_back(held, None, counted=counted)


def row_of(series_id: int, work: str) -> Lease | None:
    """Return the row with the database's moment as `now`; None if nobody has ever worked on it."""
    return Lease.objects.filter(series=series_id, work=work).annotate(now=Now()).first()


def is_parked(row: Lease | None) -> bool:
    """Whether nobody tries any more, because the process died in each of five attempts."""
    return row is not None and row.expires_at is None and row.attempts >= ATTEMPTS


def forgive(series_id: int, work: str = Work.RATE) -> bool:
    """Forget failed attempts, because someone wants another one now; return whether nobody would have tried."""
    was_parked = is_parked(row_of(series_id, work))
    Lease.objects.filter(series=series_id, work=work, expires_at=None).update(attempts=0, failures=0, not_before=None)
    return was_parked


def note_death(row: Lease) -> bool:
    """
    Take an expired lease from a process that died or froze; False if it has been extended or taken meanwhile.

    What the process has begun in the database ends with it: its publication, if it stopped in the middle of one, and
    its run.
    """
    if row.work == Work.RATE:
        _end_publication_of_another(row.series_id)
    wait = _AFTER_DEATH[min(row.attempts, len(_AFTER_DEATH)) - 1] if row.attempts else 0
    with transaction.atomic():
        same = Lease.objects.filter(pk=row.pk, fence=row.fence, expires_at__lte=Now())
        if not same.update(fence=F("fence") + 1, expires_at=None, holder="", not_before=_later(wait)):
            return False
        if row.work == Work.RATE:
            fail_abandoned_runs(row.series_id)
    logger.warning(
        "series %s: %s did not answer any more while it was to %s; attempt %s", row.series_id, row.holder, row.work,
        row.attempts,
    )  # fmt: skip
    return True


def mark_publication(series_id: int) -> None:
    """Let others find the session that publishes a series, should its process freeze; call it in the transaction."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_NAMESPACE, series_id % 2**31])


def _end_publication_of_another(series_id: int) -> None:
    """End the session that publishes the series for a process that does not answer any more, if there is one."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2 "
            "AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
            "AND classid = %s AND objid = %s AND pid <> pg_backend_pid()",
            [_NAMESPACE, series_id % 2**31],
        )


def _take(series_id: int, work: str, *, counted: bool) -> Held | None:
    row = row_of(series_id, work)
    if row is None:
        Lease.objects.bulk_create([Lease(series_id=series_id, work=work)], ignore_conflicts=True)
        row = row_of(series_id, work)
    if row is not None and row.expires_at is not None:
        if row.expires_at > _moment(row) or not note_death(row):
            return None
        row = row_of(series_id, work)
    if row is None or row.expires_at is not None or (counted and must_wait(row)):
        return None
    taken = Lease.objects.filter(pk=row.pk, fence=row.fence, expires_at=None).update(
        fence=row.fence + 1, holder=f"{socket.gethostname()} {os.getpid()}"[:120], taken_at=Now(),
        expires_at=_later(settings.PODIUM_LEASE_SECONDS), attempts=F("attempts") + int(counted),
    )  # fmt: skip
    return Held(row.pk, series_id, work, row.fence + 1) if taken else None


def must_wait(row: Lease) -> bool:
    """Whether its process died so often that it is too early, or too late, for another attempt."""
    return is_parked(row) or (row.attempts > 0 and row.not_before is not None and row.not_before > _moment(row))


def _give_back(held: Held, error: Exception | None, *, counted: bool) -> None:
    fields: dict[str, Any] = {"expires_at": None, "holder": ""}
    if isinstance(error, LeaseLost):
        return
    if counted:
        fields |= {"attempts": 0, "failures": 0, "not_before": None}
    try:
        if error is not None:
            renew_session()
            failures = Lease.objects.values_list("failures", flat=True).get(pk=held.pk)
            fields |= {"failures": failures + 1, "not_before": _later(seconds_until_next(error, failures))}
        held._mine().update(**fields)
    except DatabaseError as problem:
        if error is None:
            raise
        logger.warning("series %s: the lease could not be given back (%s); it expires", held.series_id, problem)


def seconds_until_next(error: Exception, failures: int) -> float:
    """Return how long to wait after an error that follows so many others."""
    return min(2.0**failures, _PASSING_SECONDS) if is_transient(error) else PATIENCE_SECONDS


@contextmanager
def _beating(held: Held) -> Iterator[None]:
    """
    Extend the lease four times as often as it would expire, from a thread, whatever this one is busy with.

    A process that is stopped, or whose machine is, stops all its threads and so loses its lease.
    """
    if connection.in_atomic_block:  # nobody else can see the row
        yield
        return
    stop = threading.Event()
    thread = threading.Thread(target=_beat, args=(held, stop.wait), daemon=True, name=f"lease {held.pk}")
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _beat(held: Held, wait: Callable[[float], bool]) -> None:
    seconds = settings.PODIUM_LEASE_SECONDS
    try:
        while not wait(seconds / 4):
            try:
                if connection.vendor == "sqlite" and connection.connection is None:
                    with connection.cursor() as cursor:
                        # The next beat comes soon; giving the lease back must not wait for this one.
                        cursor.execute("PRAGMA busy_timeout = 1000")
                if not held._mine().update(expires_at=_later(seconds)):
                    return
            except DatabaseError as error:
                logger.warning("series %s: the lease could not be extended (%s)", held.series_id, error)
                connection.close()
    finally:
        connection.close()


def _later(seconds: float) -> Any:
    return Now() + timedelta(seconds=seconds)


def _moment(row: Lease) -> datetime:
    now: datetime = row.now  # type: ignore[attr-defined]  # annotated by row_of
    return now


class Cancelled(Exception):
    """Somebody has asked for the run to be cancelled."""


def stop_if_asked(run: Run) -> None:
    """Raise Cancelled if somebody has asked for it."""
    if Run.objects.filter(pk=run.pk, cancel_asked_at__isnull=False).exists():
        raise Cancelled(f"Run {run.number} is to be cancelled.")
