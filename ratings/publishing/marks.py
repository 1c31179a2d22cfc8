"""The queue of record: stale marks in the database; a message only tells a worker to look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from ratings.models import StaleMark, Work
from ratings.publishing.notifying import notify

if TYPE_CHECKING:
    from datetime import datetime

    from django.contrib.auth.models import User


def mark_stale(series_id: int, *, since: datetime, cause: str, actor: User | None) -> None:
    """Note, in the caller's transaction, that the series has to be rated from `since` on; ring after the commit."""
    StaleMark.objects.create(series_id=series_id, since=since, cause=cause, actor=actor)
    # robust: the results are committed by then, so a broker that is away must not become an error page. The sweep
    # rings again.
    transaction.on_commit(lambda: notify_worker(series_id), robust=True)


def notify_worker(series_id: int) -> None:
    """Wake a worker for the series, if the broker can be reached."""
    notify(series_id, Work.RATE)
