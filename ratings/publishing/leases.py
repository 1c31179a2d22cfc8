"""
Leases: rows that expire, so that one process at a time works on a series (docs/decisions/0011-leases.md).

All times are the database's, so the clocks of the workers need not agree. No lock is held between statements, so a
connection pooler in transaction mode may stand in between.

The leases also decide which series a sweep may try next, and how to cancel a run: someone's request is stored in the
database, and the worker sees it within a second, and again in the very statement that would publish the run. So a run
is either published or cancelled, never both. Its marks stay and are *paused* (`queue.is_paused`) until another mark
arrives or someone resumes them.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import F, OuterRef, Q
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext

from contests.errors import ContestError
from contests.models import Series
from contests.services.audit import record
from ratings.database import is_transient, renew_session
from ratings.models import Lease, Run, RunState, StaleMark, Work
from ratings.publishing.queue import (
    digest_of,
    digest_of_marks,
    fail_abandoned_runs,
    is_due,
    is_paused,
    notify_worker,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from django.contrib.auth.models import User

logger = logging.getLogger(__name__)

#: After this many attempts whose process died, Podium stops until someone asks for another one.
ATTEMPTS = 5
#: Seconds to wait after the first such attempt, the second, and so on.
_AFTER_DEATH = (0, 60, 300, 900)
#: Seconds after which an attempt that failed with an error is repeated, unless the error was transient.
PATIENCE_SECONDS = 600
_TRANSIENT_SECONDS = 60
#: First key of the advisory locks that publications hold ("podi" in ASCII), so that no other application uses it.
_NAMESPACE = 0x706F6469


class LeaseLost(Exception):
    """Raised when another process has taken over, because this one did not extend its lease in time."""


@dataclass(frozen=True, slots=True)
class Held:
    """A lease that this process holds, or held until it was lost."""

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
        Raise LeaseLost if another process has taken over, and keep others from doing so until the transaction ends.

        Call it last in a transaction that publishes: from here on others wait for the row.
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
    Take a lease without waiting, extend it while the block runs, and give it back; yield None if it is not available.

    An exception that leaves the block counts as a failure: after a transient database error the next attempt comes
    within seconds, after any other error in ten minutes.

    counted
        False to look at the series without rating it, which neither counts as an attempt nor waits after failed ones.
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
    """Return the row with the database's time as `now`; None if no process has ever worked on the series."""
    return Lease.objects.filter(series=series_id, work=work).annotate(now=Now()).first()


def is_parked(row: Lease | None) -> bool:
    """Return whether Podium has stopped trying, because the process died in each of five attempts."""
    return row is not None and row.expires_at is None and row.attempts >= ATTEMPTS


def forgive(series_id: int, work: str = Work.RATE) -> bool:
    """Forget failed attempts, because someone wants another one now; return whether Podium had stopped trying."""
    was_parked = is_parked(row_of(series_id, work))
    Lease.objects.filter(series=series_id, work=work, expires_at=None).update(attempts=0, failures=0, not_before=None)
    return was_parked


def note_death(row: Lease) -> bool:
    """
    Take an expired lease from a process that died or froze; return False if it was extended or taken meanwhile.

    This also ends what the process has begun in the database: a publication that it has not finished, and its run.
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
        "series %s: %s stopped answering while it was to %s; attempt %s", row.series_id, row.holder, row.work,
        row.attempts,
    )  # fmt: skip
    return True


def mark_publication(series_id: int) -> None:
    """Let others find the session that publishes a series if its process freezes; call it in the transaction."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_NAMESPACE, series_id % 2**31])


def _end_publication_of_another(series_id: int) -> None:
    """End the database session of a frozen process that is still publishing the series, if there is one."""
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
    """Return whether processes died so often that the next attempt must wait, or wait for someone to ask."""
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
    """Return how long to wait after an error that follows this many others."""
    return min(2.0**failures, _TRANSIENT_SECONDS) if is_transient(error) else PATIENCE_SECONDS


@contextmanager
def _beating(held: Held) -> Iterator[None]:
    """
    Extend the lease four times as often as it would expire, from a thread that runs whatever this one is doing.

    If the process or its machine stops, all its threads stop, and it loses its lease.
    """
    if connection.in_atomic_block:  # no other process can see the row
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


@dataclass(slots=True)
class _Waiting:
    """The waiting work of one series: ids of its marks, the time of the newest, and whether a run is unfinished."""

    marks: list[int] = field(default_factory=list)
    newest: datetime | None = None
    has_run: bool = False


def series_to_rate() -> list[int]:
    """
    Return the series with something to rate, to roll back or to end, in order.

    It leaves out series that a process is working on, series whose run someone has cancelled, series whose last attempt
    failed a short while ago and whose results haven't changed since, and series whose workers died, until the next
    attempt is due.
    """
    unfinished = Run.objects.filter(state__in=[RunState.QUEUED, RunState.RUNNING])
    waiting: dict[int, _Waiting] = {}
    for series_id, pk, created in StaleMark.objects.order_by("id").values_list("series_id", "id", "created_at"):
        one = waiting.setdefault(series_id, _Waiting())
        one.marks.append(pk)
        one.newest = max(created, one.newest or created)
    for series_id in unfinished.values_list("series_id", flat=True):
        waiting.setdefault(series_id, _Waiting()).has_run = True
    if not waiting:
        return []
    candidates = Q(series__in=StaleMark.objects.values("series")) | Q(series__in=unfinished.values("series"))
    rows = {row.series_id: row for row in Lease.objects.filter(candidates, work=Work.RATE).annotate(now=Now())}
    paused = _paused_digests()
    return sorted(
        series_id
        for series_id, one in waiting.items()
        if (one.has_run or (one.marks and paused.get(series_id) != digest_of(one.marks)))
        and _may_try(rows.get(series_id), one)
    )


def _may_try(row: Lease | None, waiting: _Waiting) -> bool:
    if row is None:
        return True
    if row.expires_at is not None or must_wait(row):
        return False
    if row.not_before is None or row.not_before <= _moment(row):
        return True
    # The last attempt failed, and the next one would fail too, unless results have changed since.
    return waiting.newest is not None and row.taken_at is not None and waiting.newest > row.taken_at


def _paused_digests() -> dict[int, str]:
    """Return, for each series whose newest run was cancelled, the digest of the marks that are paused."""
    newest = Run.objects.filter(series=OuterRef("series")).order_by("-number").values("pk")[:1]
    cancelled = Run.objects.filter(state=RunState.CANCELLED, series__in=StaleMark.objects.values("series"))
    return dict(cancelled.exclude(cancel_asked_at=None).filter(pk=newest).values_list("series_id", "input_hash"))


def cancel_run(run_id: int, *, actor: User | None) -> Run:
    """
    Cancel a run that is queued or running; the published ratings and the marks stay.

    Returns the run. If no process is working on it, it is cancelled; otherwise its worker cancels it within a second.
    Calling this twice changes nothing. Raises ContestError if the run has already ended.
    """
    run = _request_cancellation(run_id, actor)
    if run.is_at_work:
        with lease(run.series_id, counted=False) as held:
            if held is not None:
                # Its worker died, or has not begun.
                fail_abandoned_runs(run.series_id)
        # A message that arrived in between found the lease taken and did nothing.
        if held is not None and is_due(run.series_id):
            notify_worker(run.series_id)
        run.refresh_from_db()
    return run


@transaction.atomic
def _request_cancellation(run_id: int, actor: User | None) -> Run:
    run = Run.objects.select_for_update(of=("self",)).select_related("series").filter(pk=run_id).first()
    if run is None:
        raise ContestError(gettext("This run does not exist."))
    if run.cancel_asked_at is not None:
        return run
    if not run.is_at_work:
        state = run.get_state_display()
        raise ContestError(
            gettext("Run %(number)s has already ended (%(state)s); there is nothing to cancel.")
            % {"number": run.number, "state": state}
        )
    run.cancel_asked_at, run.cancelled_by = timezone.now(), actor
    run.input_hash = digest_of_marks(run.series_id)
    run.save(update_fields=["cancel_asked_at", "cancelled_by", "input_hash"])
    record("run.cancel", subject=f"run {run.number} of {run.series.slug}", series=run.series, actor=actor)
    return run


@transaction.atomic
def resume(series_id: int, *, actor: User | None) -> None:
    """Resume paused marks, and forget failed attempts of a parked series; the caller notifies a worker, or rates."""
    series = Series.objects.select_for_update(no_key=True).get(pk=series_id)
    if forgive(series_id):
        record("series.try_again", subject=series.slug, series=series, actor=actor)
    if is_paused(series_id):
        run = Run.objects.filter(series_id=series_id).latest("number")
        Run.objects.filter(pk=run.pk).update(input_hash="")
        record("run.resume", subject=f"run {run.number} of {series.slug}", series=series, actor=actor)
