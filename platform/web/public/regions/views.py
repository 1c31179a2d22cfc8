"""The strongest countries and affiliations of a series."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.utils.translation import gettext as _

from contests.models import Series
from ratings.database import consistent_read
from ratings.queries.boards import board_of
from ratings.queries.filters import WINDOWS
from ratings.queries.snapshot import snapshot_of, wait_state
from web.shared.params import page_of, series_at, text_of, whole_number
from web.shared.regions import ACTIVE_DAYS, BEST, regions_of, table_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from web.shared.params import SeriesPath

PAGE_SIZE = 100
#: Value of `?active=` for all players, however long ago they played.
EVER = "ever"


def countries(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Show the countries of a series, best first."""
    return _page_of_regions(request, at, "countries")


def affiliations(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Show the affiliations of a series, best first."""
    return _page_of_regions(request, at, "affiliations")


def _page_of_regions(request: HttpRequest, at: SeriesPath, kind: str) -> HttpResponse:
    problems: list[str] = []
    active = _active(request, problems)
    with consistent_read():
        series = series_at(request, at)
        snapshot = snapshot_of(series)
        table = table_of(snapshot, kind, active)
        page, status = page_of(request, range(len(table.names)), PAGE_SIZE)
        own = Series.objects.organized_by(request.user).filter(pk=series.pk)
        context = {
            "series": series,
            "snapshot": snapshot,
            "waiting": wait_state(series.pk)[0],
            "table": table,
            "is_mostly_unknown": 2 * table.unknown > len(snapshot.index),
            "is_organizer": not table.names and own.exists(),
            "page": page,
            "regions": regions_of(snapshot, table, list(page.object_list)),
            "newest_day": board_of(snapshot).newest_day,
        }
    context |= {"problems": problems, "active": active, "windows": WINDOWS, "best": BEST, "year": ACTIVE_DAYS}
    return render(request, f"regions/{kind}.html", context, status=404 if problems else status)


def _active(request: HttpRequest, problems: list[str]) -> int | None:
    """Return the number of days within which players must have taken part; None for any time."""
    text = text_of(request, "active")
    if text == EVER:
        return None
    return whole_number(text, _("“Active in the last … days”"), problems) or ACTIVE_DAYS
