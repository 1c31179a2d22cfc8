"""The hall of fame of a series: its records, derived from the whole history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import get_object_or_404, render

from contests.queries.visibility import visible_series
from ratings.database import consistent_read
from ratings.derived import derived
from ratings.derived.records import DERIVATION
from ratings.queries.snapshot import snapshot_of, wait_state
from web.public.records.rows import records_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


def records(request: HttpRequest, slug: str) -> HttpResponse:
    """Show peaks, number ones and the other records of a series."""
    with consistent_read():
        series = get_object_or_404(visible_series(request.user), slug=slug)
        snapshot = snapshot_of(series)
        content = derived(snapshot, DERIVATION)
        context = {
            "series": series,
            "snapshot": snapshot,
            "waiting": wait_state(series.pk)[0],
            "records": records_of(content) if content is not None else None,
        }
    return render(request, "records/records.html", context)
