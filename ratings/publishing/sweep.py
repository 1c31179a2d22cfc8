"""
The sweep: a few times a minute, end the runs of dead workers and notify workers of every series that is due.

It makes up for lost messages, dead and frozen workers, and brokers that could not be reached. It takes a fixed number
of queries, however many series there are.
"""

from __future__ import annotations

from datetime import timedelta

from django.db.models.functions import Now

from ratings.models import Lease, Work
from ratings.publishing.deriving import series_to_derive
from ratings.publishing.leases import note_death, series_to_rate
from ratings.publishing.queue import notify_all, waiting_messages

#: A message sent longer ago is lost if the queue is empty.
_LOST_AFTER = timedelta(seconds=30)
#: A message sent longer ago is lost in any case.
_FORGOTTEN_AFTER = timedelta(hours=1)
#: The most messages of sweeps in each queue. Other series wait in the database, so that results that someone has just
#: finalized don't wait behind all series of the site when a new version rates them again.
_QUEUED = {Work.RATE: 200, Work.DERIVE: 250}


def sweep() -> None:
    """End the work of dead workers, and notify workers of each series that is due and has no message on its way."""
    end_dead_work()
    for work, due in ((Work.RATE, series_to_rate), (Work.DERIVE, series_to_derive)):
        unsent = _without_message(due(), work)
        if unsent:
            room = _QUEUED[work] - (waiting_messages(work) or 0)
            notify_all(unsent[: max(0, room)], work)


def end_dead_work() -> None:
    """Take expired leases from the processes that held them."""
    for row in Lease.objects.filter(expires_at__lte=Now()):
        note_death(row)


def _without_message(series_ids: list[int], work: Work) -> list[int]:
    """Return the series for which no message is on its way, as far as can be known."""
    if not series_ids:
        return []
    lost_after = _LOST_AFTER if waiting_messages(work) == 0 else _FORGOTTEN_AFTER
    recent = Lease.objects.filter(work=work, rung_at__gt=Now() - lost_after)
    rung = set(recent.values_list("series_id", flat=True))
    return [series_id for series_id in series_ids if series_id not in rung]
