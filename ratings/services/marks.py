"""The queue of record: stale marks in the database; Celery is only the doorbell."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from celery import current_app
from django.db import transaction

from ratings.models import StaleMark

if TYPE_CHECKING:
    from datetime import datetime

    from django.contrib.auth.models import User

logger = logging.getLogger(__name__)


def mark_stale(series_id: int, *, since: datetime, cause: str, actor: User | None) -> None:
    """Note, in the caller's transaction, that the series has to be rated from `since` on; ring after the commit."""
    StaleMark.objects.create(series_id=series_id, since=since, cause=cause, actor=actor)
    # robust: the results are committed by then, so a broker that is away must not become an error page. The sweep
    # rings again.
    transaction.on_commit(lambda: ring(series_id), robust=True)


def ring(series_id: int) -> None:
    """Wake a worker for the series, if the broker can be reached."""
    try:
        # By name: the task's module imports the services, so the services cannot import it.
        current_app.send_task("ratings.refresh_series", (series_id,), retry=False, ignore_result=True)
    except Exception as error:  # whatever a broker's client raises: the mark is stored, and the sweep will ring again
        logger.warning("series %s: the worker could not be rung (%s); the next sweep will", series_id, error)
