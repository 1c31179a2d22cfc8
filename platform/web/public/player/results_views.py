"""The list of all results on a player's page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from web.public.player.results import result_rows, results_of, series_of, years_of
from web.shared.paging import page_of, text_of

if TYPE_CHECKING:
    from django.http import HttpRequest

    from contests.models import Player

PAGE_SIZE = 50


def results_context(request: HttpRequest, player: Player) -> tuple[dict[str, object], int]:
    """Return the results on the page, of the series and the year asked for, and the HTTP status of the answer."""
    results = results_of(player, request.user)
    years, listed = years_of(results), series_of(results)
    slug, year = text_of(request, "series"), text_of(request, "year")
    series = next((one for one in listed if one.slug == slug), None)
    found = results.filter(contest__series=series) if series is not None else results
    known_year = year if year in map(str, years) else ""
    if known_year:
        found = found.filter(contest__ends_at__year=int(known_year))
    page, status = page_of(request, found, PAGE_SIZE)
    rows = result_rows(list(page.object_list))
    context: dict[str, object] = {
        "page": page,
        "rows": rows,
        "snapshots": list({row.snapshot.series.pk: row.snapshot for row in rows if row.snapshot is not None}.values()),
        "years": years,
        "year": known_year,
        "listed": listed,
        "chosen": series,
        "unknown_series": slug if slug and series is None else "",
        "unknown_year": year if year != known_year else "",
    }
    return context, 404 if context["unknown_series"] or context["unknown_year"] else status
