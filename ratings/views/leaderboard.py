"""Who is best in a series, 100 a page: each page costs the same, because it is cut from the run's sorted array."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import get_object_or_404, render

from contests.paging import page_of, text_of
from contests.visibility import visible_series
from ratings.filtering import countries_of, country_name, filtered_ids
from ratings.locks import snapshot
from ratings.services.refresh import wait_state
from ratings.shown import shown
from ratings.tables import leaders

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

PAGE_SIZE = 100


def leaderboard(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a page of the leaderboard, of all or of those who match."""
    text, country = text_of(request, "q"), text_of(request, "country").upper()[:2]
    with snapshot():
        series = get_object_or_404(visible_series(request.user), slug=slug)
        view = shown(series)
        page, status = page_of(request, filtered_ids(view, text, country), PAGE_SIZE)
        context = {
            "series": series,
            "shown": view,
            "waiting": wait_state(series.pk)[0],
            "page": page,
            "leaders": leaders(view, list(page.object_list)),
            "countries": countries_of(view),
            "text": text,
            "country": country,
            "country_name": country_name(country),
        }
    return render(request, "ratings/leaderboard.html", context, status=status)
