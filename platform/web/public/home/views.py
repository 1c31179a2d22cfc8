"""The first page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render

from contests.queries.visibility import visible_series
from ratings.locks import snapshot
from web.shared.overview import front_page

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


def home(request: HttpRequest) -> HttpResponse:
    """Show the newest results, who moved most, what is coming, and the series played last with their best."""
    with snapshot():
        front = front_page(visible_series(request.user))
    views = {view.series.pk: view for view in (card.shown for card in front.cards)}
    views |= {moves.shown.series.pk: moves.shown for _, moves in front.moves}
    return render(request, "home/home.html", {"front": front, "shown": list(views.values())})
