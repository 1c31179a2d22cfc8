"""Who is best in a series, 100 a page: each page costs the same, because it is cut from the run's sorted array."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from django.shortcuts import get_object_or_404, render

from contests.queries.visibility import visible_series
from ratings.database import consistent_read
from ratings.derived import derived
from ratings.derived.previous_run import DERIVATION as BEFORE
from ratings.queries import filters as filtering
from ratings.queries.audiences import audience_of
from ratings.queries.boards import board_of
from ratings.queries.origins import UNKNOWN_COUNTRY
from ratings.queries.snapshot import snapshot_of, wait_state
from web.public.leaderboard.row_lookup import jump_of
from web.public.leaderboard.rows import board_rows
from web.shared.leagues import leagues_in_rows
from web.shared.params import filters_of, page_of

if TYPE_CHECKING:
    import numpy as np
    from django.core.paginator import Page
    from django.http import HttpRequest, HttpResponse
    from numpy.typing import NDArray

    from ratings.queries.audiences import Audience
    from ratings.queries.snapshot import SeriesSnapshot
    from web.public.leaderboard.row_lookup import Jump

PAGE_SIZE = 100
#: Rows shown on either side of somebody who was asked for, even beyond the page.
AROUND = 5


def leaderboard(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a page of the leaderboard, of all or of those who match."""
    with consistent_read():
        series = get_object_or_404(visible_series(request.user), slug=slug)
        snapshot = snapshot_of(series)
        filters = filters_of(request, snapshot)
        audience, jump = _audience(request, snapshot, filters)
        among = audience.rows
        page, status = _page(request, among, jump)
        context = {
            "series": series,
            "snapshot": snapshot,
            "waiting": wait_state(series.pk)[0],
            "page": page,
            "jump": jump,
        }
        context["audience"] = audience
        context |= _rows(snapshot, page, among, jump) | _form(snapshot, filters)
    status = 404 if filters.problems or jump.problems else status
    return render(request, "leaderboard/leaderboard.html", context, status=status)


def _audience(request: HttpRequest, snapshot: SeriesSnapshot, filters: filtering.Filters) -> tuple[Audience, Jump]:
    """Return who is listed and where the list is opened; a player who is asked for is also looked up among everyone."""
    matching = filtering.matching_rows(snapshot, filters)
    audience = audience_of(snapshot, matching, filters)
    jump = jump_of(request, snapshot, audience.rows)
    if jump.outside is None or not audience.is_established or filters.show:
        return audience, jump
    everyone = audience_of(snapshot, matching, replace(filters, show=filtering.EVERYONE))
    return everyone, jump_of(request, snapshot, everyone.rows)


def _page(request: HttpRequest, among: NDArray[np.int64], jump: Jump) -> tuple[Page[Any], int]:
    page, status = page_of(request, among, PAGE_SIZE)
    if jump.at is None or "page" in request.GET:
        return page, status
    return page.paginator.page(jump.at // PAGE_SIZE + 1), status


def _rows(snapshot: SeriesSnapshot, page: Page[Any], among: NDArray[np.int64], jump: Jump) -> dict[str, Any]:
    """Return the rows of a page, and a few more where somebody who was asked for stands at its edge."""
    start, stop = (page.number - 1) * PAGE_SIZE, page.number * PAGE_SIZE
    marked = []
    if jump.at is not None and start <= jump.at < stop:
        start, stop = max(0, min(start, jump.at - AROUND)), max(stop, jump.at + AROUND + 1)
        marked = [int(among[jump.at])]
    before = derived(snapshot, BEFORE)
    return {
        "rows": board_rows(snapshot, among[start:stop], among, marked),
        "leagues": leagues_in_rows(snapshot, among[start:stop]),
        "total": len(among),
        "has_groups": len(board_of(snapshot).group_starts) > 0,
        "before": before if before is not None and before["run"] is not None else None,
    }


def _form(snapshot: SeriesSnapshot, filters: filtering.Filters) -> dict[str, Any]:
    return {
        "filters": filters,
        "filter_query": filters.query(snapshot),
        "tier_asked": filters.tier_of(snapshot) if filters.tier is not None else None,
        "countries": filtering.countries_of(snapshot),
        "country_asked": filtering.country_name(filters.country) if filters.country != UNKNOWN_COUNTRY else "",
        "unknown_country": UNKNOWN_COUNTRY,
        "affiliations": filtering.affiliations_of(snapshot),
        "windows": filtering.WINDOWS,
        "tiers": list(snapshot.tiers)[::-1],
        "newest_day": board_of(snapshot).newest_day,
    }
