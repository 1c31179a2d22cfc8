"""Which series have something to rate now: found by a fixed number of queries, whatever their number."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.db.models import OuterRef, Q
from django.db.models.functions import Now

from ratings.models import Lease, Run, RunState, StaleMark, Work
from ratings.publishing.leases import must_wait
from ratings.publishing.lifecycle import digest_of

if TYPE_CHECKING:
    from datetime import datetime


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
