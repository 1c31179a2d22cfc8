"""
What no one has asked for: a few times a minute, end the runs of dead workers and notify workers of what is due.

A sweep costs a fixed number of queries, whatever the number of series. It makes up for lost messages, dead and frozen
workers, and brokers that were away. After an update it marks what an older version of the engine has rated.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

from django.db.models import Exists, OuterRef, Subquery
from django.db.models.functions import Now

from contests.models import Contest, Series
from ratings.models import ROLLBACK, Lease, Run, StaleMark, Work
from ratings.publishing.deriving import series_to_derive
from ratings.publishing.leases import note_death
from ratings.publishing.queue import notify_all, series_to_rate, waiting_messages
from ratings.systems import ENGINE_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable

#: A message that was sent so long ago is lost, if none wait in the queue.
_LOST_AFTER = timedelta(seconds=30)
#: A message that was sent so long ago is lost in any case.
_FORGOTTEN_AFTER = timedelta(hours=1)
#: So many messages of sweeps wait in each queue at most, and the others in the database, so that results that someone
#: has just finalized do not wait behind all series of a site, when a new version rates them again.
_QUEUED = {Work.RATE: 200, Work.DERIVE: 250}


def sweep() -> None:
    """End what belongs to dead workers, and tell workers of each series that is due and has no message under way."""
    end_the_dead()
    for work, due in ((Work.RATE, series_to_rate), (Work.DERIVE, series_to_derive)):
        unrung = _unrung(due(), work)
        if unrung:
            room = _QUEUED[work] - (waiting_messages(work) or 0)
            notify_all(unrung[: max(0, room)], work)


def end_the_dead() -> None:
    """Take the leases that have expired from the processes that held them."""
    for row in Lease.objects.filter(expires_at__lte=Now()):
        note_death(row)


def _unrung(series_ids: list[int], work: Work) -> list[int]:
    """Return those for which no message is under way, as far as that can be known."""
    if not series_ids:
        return []
    lost_after = _LOST_AFTER if waiting_messages(work) == 0 else _FORGOTTEN_AFTER
    recent = Lease.objects.filter(work=work, rung_at__gt=Now() - lost_after)
    rung = set(recent.values_list("series_id", flat=True))
    return [series_id for series_id in series_ids if series_id not in rung]


CAUSE = "New version of the rating engine"


def mark_outdated(series_ids: Iterable[int] | None = None) -> int:
    """
    Mark the series that an older engine rated as stale, all or some; return how many. Two queries.

    A run that follows such a mark is a replay, because its rules are others. A series that shows an older run again
    after a roll-back keeps showing it, and one that has marks is rated anew anyway. Ratings of a newer engine stay:
    while a site is updated, processes of both versions are at work.
    """
    current = Run.objects.published().filter(series=OuterRef("pk")).order_by("-number")
    oldest = Contest.objects.rated().filter(series=OuterRef("pk")).order_by("ends_at")
    found = Series.objects.annotate(
        version=Subquery(current.values("engine_version")[:1]),
        kind=Subquery(current.values("kind")[:1]),
        since=Subquery(oldest.values("ends_at")[:1]),
    ).filter(~Exists(StaleMark.objects.filter(series=OuterRef("pk"))), version__isnull=False, since__isnull=False)
    if series_ids is not None:
        found = found.filter(pk__in=list(series_ids))
    rows = found.exclude(kind=ROLLBACK).exclude(version=ENGINE_VERSION).values_list("pk", "since", "version")
    marks = [
        StaleMark(series_id=pk, since=since, cause=CAUSE)
        for pk, since, version in rows
        if _number(version) < _number(ENGINE_VERSION)
    ]
    StaleMark.objects.bulk_create(marks)
    return len(marks)


def _number(version: str) -> int:
    """Return the whole number that a version begins with, 0 if it begins with none."""
    digits = re.match(r"\d+", version)
    return int(digits[0]) if digits else 0
