"""Possible duplicates among the players of a series: found at once in small series, by a worker in large ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from contests.matching.duplicate_search import Progress, begin_search, progress_of, search_here, search_of
from contests.matching.duplicates import close_pairs
from web.shared.access import organizer_page, own_series

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from contests.models import Series
    from web.shared.params import SeriesPath

#: The most players of a series whose page always searches; for more, a worker searches on request.
SEARCHED_AT_ONCE = 1_000


def duplicates_of(series: Series, count: int) -> dict[str, object]:
    """Return what the list of a series' players shows about duplicates; `count` is the number of players."""
    if count <= SEARCHED_AT_ONCE:
        return {"duplicates": close_pairs(series.pk)}
    search = search_of(series)
    if search is not None and search.is_due:
        begin_search(series)
        search = search_of(series)
    return {"is_large": True, "duplicate_search": search, "duplicates": search.pairs if search is not None else None}


@require_http_methods(["GET", "HEAD", "POST"])
@organizer_page
def search(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Ask a worker to search for duplicates, or search in this request because no worker does; on GET, show them."""
    series = own_series(request, at)
    if request.method != "POST":
        return redirect(f"{reverse('organize:people', args=[series])}#duplicates")
    if "now" in request.POST:
        search_here(series)
    else:
        begin_search(series)
    return redirect(f"{reverse('organize:people', args=[series])}#duplicates")


@organizer_page
def progress(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Return the progress of the search for duplicates as JSON, which the page polls."""
    now = progress_of(own_series(request, at)) or Progress("", "done")
    return JsonResponse(now.to_dict())
