"""The front page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Case, When
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
    Show the latest results, the biggest movers, upcoming contests, and the most recent series with their leaders.

    If the site lists one community, the page is named after it; if it lists several, the page shows them too.
    """
    with consistent_read():
        front = front_page(listed_series(request.user))
        communities = _communities([card.series.community_id for card in front.cards])
        cards = community_cards(communities, request.user) if len(communities) > 1 else []
    context = {
        "front": front,
        "snapshots": front.snapshots,
        "community": communities[0] if len(communities) == 1 else None,
        "community_cards": cards,
    }
    return render(request, "home/home.html", context)


def _communities(active: list[str]) -> list[Community]:
    """Return listed communities: those with the latest results first, in this order, then others by name."""
    in_order = [When(pk=slug, then=place) for place, slug in enumerate(dict.fromkeys(active))]
    # PostgreSQL would read a case without conditions, a number alone, as the position of a column.
    by_result = [Case(*in_order, default=len(active))] if in_order else []
    listed = Community.objects.listed().order_by(*by_result, "name", "slug")
    return list(listed[:COMMUNITIES_SHOWN])
