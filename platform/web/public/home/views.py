"""The front page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render

from contests.models import Community
from contests.queries.visibility import listed_series
from ratings.database import consistent_read
from web.shared.overview import front_page

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


def home(request: HttpRequest) -> HttpResponse:
    """Show the newest results, the biggest movers, upcoming contests, and the most recent series with their leaders."""
    with consistent_read():
        front = front_page(listed_series(request.user))
        only = list(Community.objects.listed()[:2])
    snapshots = {snapshot.series.pk: snapshot for snapshot in (card.snapshot for card in front.cards)}
    snapshots |= {moves.snapshot.series.pk: moves.snapshot for _, moves in front.moves}
    context = {
        "front": front, "snapshots": list(snapshots.values()), "community": only[0] if len(only) == 1 else None,
    }  # fmt: skip
    return render(request, "home/home.html", context)
