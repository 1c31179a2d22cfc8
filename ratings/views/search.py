"""One search for players, contests and series, and what its box suggests while somebody types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import Http404, JsonResponse

from contests.paging import text_of
from contests.visibility import visible_series
from ratings.locks import snapshot
from ratings.suggesting import suggestions

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

KINDS = ("all", "players")
#: Somebody who types, deletes and types again asks once.
KEPT_SECONDS = 60


def suggest(request: HttpRequest) -> JsonResponse:
    """Answer with what the letters typed so far may mean; `ratings.suggesting` describes it."""
    kind, slug = text_of(request, "kind"), text_of(request, "series")
    with snapshot():
        series = visible_series(request.user).filter(slug=slug).first() if slug else None
        kind = kind if kind in KINDS else "all"
        answer = JsonResponse(suggestions(text_of(request, "q"), kind, series, request.user))
    answer["Cache-Control"] = f"private, max-age={KEPT_SECONDS}"
    answer["Vary"] = "Cookie"
    return answer


def search(request: HttpRequest) -> HttpResponse:
    raise Http404
