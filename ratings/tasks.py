"""What a Celery worker does: call one service with an id."""

from __future__ import annotations

from celery import shared_task

from ratings.services.refresh import refresh_series
from ratings.services.sweep import series_to_ring


@shared_task(name="ratings.refresh_series")
def refresh_series_task(series_id: int) -> None:
    """Bring the series' ratings up to its results; finds nothing to do when another delivery was quicker."""
    refresh_series(series_id)


@shared_task(name="ratings.sweep")
def sweep_task() -> None:
    """Ring again for every series that has marks: for lost messages, dead workers, brokers that were away."""
    for series_id in series_to_ring():
        refresh_series_task.apply_async((series_id,), retry=False)
