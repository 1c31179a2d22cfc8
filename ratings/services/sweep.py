"""Which series a sweep rings for."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from ratings.models import Run, RunState, StaleMark
from ratings.services.lifecycle import is_due

#: A series whose last run failed is tried again this much later, or as soon as its results change again.
PATIENCE = timedelta(minutes=10)


def series_to_ring() -> list[int]:
    """
    Return the series with something to do, without those that failed a short while ago and have no news since.

    A run at work counts as something to do: its worker may have died. If it has not, whoever is rung goes home.
    """
    marked = StaleMark.objects.values_list("series_id", flat=True)
    unfinished = Run.objects.filter(state__in=[RunState.QUEUED, RunState.RUNNING]).values_list("series_id", flat=True)
    candidates = sorted({*marked, *unfinished})
    return [series_id for series_id in candidates if is_due(series_id) and not _failed_lately(series_id)]


def _failed_lately(series_id: int) -> bool:
    last = Run.objects.filter(series_id=series_id).order_by("-number").first()
    if last is None or last.state != RunState.FAILED or last.created_at < timezone.now() - PATIENCE:
        return False
    return not StaleMark.objects.filter(series_id=series_id, created_at__gt=last.created_at).exists()
