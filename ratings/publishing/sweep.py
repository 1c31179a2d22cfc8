"""
What a sweep does, a few times a minute: end what belongs to dead workers, and ring for what is due.

It costs a fixed number of queries, whatever the number of series. It makes up for lost messages, dead and frozen
workers, and brokers that were away.
"""

from __future__ import annotations

from datetime import timedelta

from django.db.models.functions import Now

from ratings.models import Lease, Work
from ratings.publishing.deriving import series_to_derive
from ratings.publishing.due import series_to_rate
from ratings.publishing.leases import note_death
from ratings.publishing.notifying import notify_all, waiting_messages

#: A message that was sent so long ago is lost, if none wait in the queue.
_LOST_AFTER = timedelta(seconds=30)
#: A message that was sent so long ago is lost in any case.
_FORGOTTEN_AFTER = timedelta(hours=1)
#: So many messages of sweeps wait in each queue at most, and the others in the database, so that results that someone
#: has just finalized do not wait behind all series of a site, when a new version rates them again.
_QUEUED = {Work.RATE: 200, Work.DERIVE: 250}


def sweep() -> None:
    """End what belongs to dead workers, and ring for each series that is due and for which no message is under way."""
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
