"""
Telling workers that there is something to do: one message per series and kind of work until a worker has heard it.

A message is only a doorbell. A lost one costs the time until the next sweep, so what goes wrong here is logged and no
more. `Lease.rung_at` says since when a message is on its way.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING

from celery import current_app
from django.db.models import Q
from django.db.models.functions import Now

from ratings.models import Lease, Work

if TYPE_CHECKING:
    from collections.abc import Collection

logger = logging.getLogger(__name__)

TASKS = {Work.RATE: "ratings.refresh_series", Work.DERIVE: "ratings.derive_series"}
#: A second piece of news does not ring again so soon after the first.
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
        except Exception as error:  # whatever a broker's client raises: the sweep will ring again
            logger.warning("series %s: no worker could be told to %s it (%s); a sweep will", series_id, work, error)
            return series_ids[at:]
    return []
