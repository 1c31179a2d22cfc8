"""The front page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render

from contests.models import Community
from contests.queries.visibility import listed_series
from ratings.database import consistent_read
from web.shared.community_cards import community_cards
from web.shared.overview import front_page

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

#: With several communities, the front page shows this many.
COMMUNITIES_SHOWN = 6


def home(request: HttpRequest) -> HttpResponse:
    """
    Show the newest results, the biggest movers, upcoming contests, and the most recent series with their leaders.

    If the site lists one community, the page is named after it; if it lists several, the page shows them too.
    """
    with consistent_read():
        front = front_page(listed_series(request.user))
        communities = list(Community.objects.listed().order_by("name", "slug")[:COMMUNITIES_SHOWN])
        cards = community_cards(communities, request.user) if len(communities) > 1 else []
    context = {
        "front": front,
        "snapshots": front.snapshots,
        "community": communities[0] if len(communities) == 1 else None,
        "community_cards": cards,
    }
    return render(request, "home/home.html", context)
