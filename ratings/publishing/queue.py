"""
The queue of record, in the database: which series wait to be rated, and how workers are told.

Stale marks say what has to be rated; a message only tells a worker to look. Each series and kind of work has one
message until a worker has heard it (`Lease.rung_at` says since when it is on its way). A lost message costs the time
until the next sweep, so an error here is logged and no more.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from celery import current_app
from django.db import transaction
from django.db.models import OuterRef, Q
from django.db.models.functions import Now
from django.utils import timezone

from contests.errors import ContestError
from contests.models import Series
from contests.services.transactions import record
from ratings.models import Lease, Run, RunState, StaleMark, Work
from ratings.publishing.leases import at_work, fail_abandoned_runs, forgive, lease, must_wait

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import datetime

    from django.contrib.auth.models import User


def mark_stale(series_id: int, *, since: datetime, cause: str, actor: User | None) -> None:
    """Note, in the caller's transaction, that the series must be rated from `since` on; then tell a worker."""
    StaleMark.objects.create(series_id=series_id, since=since, cause=cause, actor=actor)
    # robust: the results are committed by then, so a broker that is away must not become an error page. The sweep
    # sends another message.
    transaction.on_commit(lambda: notify_worker(series_id), robust=True)


def notify_worker(series_id: int) -> None:
    """Wake a worker for the series, if the broker can be reached."""
    notify(series_id, Work.RATE)


@dataclass(slots=True)
class _Waiting:
    """What waits for one series: ids of its marks and the moment of the newest, or a run that nobody has ended."""

    marks: list[int] = field(default_factory=list)
    newest: datetime | None = None
    has_run: bool = False


def series_to_rate() -> list[int]:
    """
    Return the series with something to rate, to roll back or to end, in order.

    Left out are those at work, those whose results wait because someone has cancelled their run, those that failed a
    short while ago and have no news since, and those whose workers died until it is time for another attempt.
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
    held = _paused_digests()
    return sorted(
        series_id
        for series_id, one in waiting.items()
        if (one.has_run or (one.marks and held.get(series_id) != digest_of(one.marks)))
        and _may_try(rows.get(series_id), one)
    )


def _may_try(row: Lease | None, waiting: _Waiting) -> bool:
    if row is None:
        return True
    if row.expires_at is not None or must_wait(row):
        return False
    if row.not_before is None or row.not_before <= row.now:  # type: ignore[attr-defined]  # annotated
        return True
    # It failed, and that would be repeated; unless results have changed since.
    return waiting.newest is not None and row.taken_at is not None and waiting.newest > row.taken_at


def _paused_digests() -> dict[int, str]:
    """Return the digest of the marks that are held because the newest run of their series was cancelled."""
    newest = Run.objects.filter(series=OuterRef("series")).order_by("-number").values("pk")[:1]
    cancelled = Run.objects.filter(state=RunState.CANCELLED, series__in=StaleMark.objects.values("series"))
    return dict(cancelled.exclude(cancel_asked_at=None).filter(pk=newest).values_list("series_id", "input_hash"))


logger = logging.getLogger(__name__)

TASKS = {Work.RATE: "ratings.refresh_series", Work.DERIVE: "ratings.derive_series"}
#: A second piece of news is not sent again so soon after the first.
_ONCE_IN = {Work.RATE: timedelta(seconds=5), Work.DERIVE: timedelta(hours=1)}


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
    """Wake workers for many series, whether or not messages were sent for them before; return how many were sent."""
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


def heard(series_id: int, work: str) -> None:
    """Note that a message has arrived, so that the next piece of news is worth another one."""
    Lease.objects.filter(series=series_id, work=work).exclude(rung_at=None).update(rung_at=None)


def waiting_messages(work: Work) -> int | None:
    """Return how many messages of the kind wait in their queue; None if the broker does not answer."""
    try:
        queue = current_app.amqp.router.route({}, TASKS[work])["queue"].name
        with current_app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, timeout=2)
            # As workers declare it. Asking only (passive) would not find it behind the prefix of a site's keys.
            declared = connection.default_channel.queue_declare(queue=queue, durable=True, auto_delete=False)
            return int(declared.message_count)
    except Exception as error:  # whatever a broker's client raises
        logger.warning("the broker does not say how many messages wait: %s", error)
        return None


def _send(series_ids: list[int], work: Work) -> list[int]:
    """Send a message for each series; return those that could not be sent."""
    for at, series_id in enumerate(series_ids):
        try:
            # By name: the tasks' module imports the services, so the services cannot import it.
            current_app.send_task(TASKS[work], (series_id,), retry=False, ignore_result=True)
        except Exception as error:  # whatever a broker's client raises: the sweep sends another message
            logger.warning("series %s: no worker could be told to %s it (%s); a sweep will", series_id, work, error)
            return series_ids[at:]
    return []


def cancel_run(run_id: int, *, actor: User | None) -> Run:
    """
    Cancel a run that waits or is at work; what is published stays, and so do the marks.

    Returns the run: cancelled, if nobody is at work on it; else it is as soon as its worker looks, within a second of
    computing. Asking twice changes nothing. ContestError if the run has ended otherwise.
    """
    run = _ask(run_id, actor)
    if run.is_at_work:
        with lease(run.series_id, counted=False) as held:
            if held is not None:
                # Its worker died, or has not begun.
                fail_abandoned_runs(run.series_id)
        # A delivery that came in between found the lease taken and did nothing.
        if held is not None and is_due(run.series_id):
            notify_worker(run.series_id)
        run.refresh_from_db()
    return run


@transaction.atomic
def resume(series_id: int, *, actor: User | None) -> None:
    """Let marks that are held be rated, and series that were given up be tried again; the caller rings, or rates."""
    series = Series.objects.select_for_update(no_key=True).get(pk=series_id)
    if forgive(series_id):
        record("series.try_again", subject=series.slug, series=series, actor=actor)
    if is_paused(series_id):
        run = Run.objects.filter(series_id=series_id).latest("number")
        Run.objects.filter(pk=run.pk).update(input_hash="")
        record("run.resume", subject=f"run {run.number} of {series.slug}", series=series, actor=actor)


@transaction.atomic
def _ask(run_id: int, actor: User | None) -> Run:
    run = Run.objects.select_for_update(of=("self",)).select_related("series").filter(pk=run_id).first()
    if run is None:
        raise ContestError("This run is not there.")
    if run.cancel_asked_at is not None:
        return run
    if not run.is_at_work:
        raise ContestError(f"Run {run.number} is {run.get_state_display()} already; there is nothing to cancel.")
    run.cancel_asked_at, run.cancelled_by = timezone.now(), actor
    run.input_hash = digest_of_marks(run.series_id)
    run.save(update_fields=["cancel_asked_at", "cancelled_by", "input_hash"])
    record("run.cancel", subject=f"run {run.number} of {run.series.slug}", series=run.series, actor=actor)
    return run


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
