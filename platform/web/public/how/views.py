"""How ratings work in a series: rules, display, and how well they foretell its own contests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import get_object_or_404, render

from contests.queries.visibility import visible_series
from ratings.database import consistent_read
from ratings.derived import accuracy, newest_derived
from ratings.publishing.refresh import wait_state
from ratings.queries.snapshot import snapshot_of
from web.public.how.rows import (
    calibration,
    calibration_words,
    judged_count,
    judged_systems,
    mapping_curve,
    parameter_rows,
)
from web.shared.tier_counts import tier_counts

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


def how(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the rules by which the numbers of a series are made, and what they are worth."""
    with consistent_read():
        series = get_object_or_404(visible_series(request.user), slug=slug)
        snapshot = snapshot_of(series)
        measured = newest_derived(snapshot, accuracy.DERIVATION)
        context = {
            "series": series,
            "snapshot": snapshot,
            "waiting": wait_state(series.pk)[0],
            "parameters": parameter_rows(snapshot),
            "curve": mapping_curve(snapshot),
            "tiers": tier_counts(snapshot),
            "measured": measured[1] if measured else None,
        }
        if measured:
            content = measured[0]
            points = calibration(snapshot, content)
            context |= {
                "accuracy": content,
                "judged": judged_systems(snapshot, content),
                "judged_count": judged_count(content),
                "calibration": points,
                "calibration_words": calibration_words(points),
            }
    return render(request, "how/how.html", context)
