"""The list of communities, the pages of one, its logo, and redirects from addresses without a community."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from django.conf import settings
from django.http import HttpResponsePermanentRedirect
from django.shortcuts import get_object_or_404, render

from contests.models import Community, CommunityLogo, Visibility
from contests.queries.communities import player_count
from contests.queries.visibility import listed_communities, players_with_results, visible_series
from ratings.database import consistent_read
from ratings.queries.search import find_players, nearest_players
from web.shared.community_cards import community_cards
from web.shared.found_players import found_players
from web.shared.images import image_response
from web.shared.overview import front_page, newest_rated_cards, series_cards, with_glance
from web.shared.params import page_of, text_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

PAGE_SIZE = 24
#: Players that a search lists.
MOST = 50
#: Series whose best players the page of players shows before a search.
CARDS = 9


def community_list(request: HttpRequest) -> HttpResponse:
    """Show the communities by name: listed ones, and those in which the visitor has a role."""
    with consistent_read():
        listed = listed_communities(request.user).order_by("name", "slug")
        page, status = page_of(request, listed, PAGE_SIZE)
        cards = community_cards(list(page.object_list), request.user)
    return render(request, "community/list.html", {"page": page, "cards": cards}, status=status)


def community_page(request: HttpRequest, community: str) -> HttpResponse:
    """Show a community: its series with their leaders, latest results, movers and upcoming contests."""
    with consistent_read():
        shown = _visible(request, community)
        front = front_page(visible_series(request.user).filter(community=shown))
        players = player_count(shown, request.user)
    context = {"community": shown, "front": front, "snapshots": front.snapshots, "player_count": players}
    return render(request, "community/community.html", context)


def community_series(request: HttpRequest, community: str) -> HttpResponse:
    """Show all series of a community by name."""
    with consistent_read():
        shown = _visible(request, community)
        series = visible_series(request.user).filter(community=shown).order_by("name", "pk")
        page, status = page_of(request, with_glance(series), PAGE_SIZE)
        cards = series_cards(list(page.object_list))
    context = {"community": shown, "page": page, "cards": cards, "snapshots": [card.snapshot for card in cards]}
    return render(request, "community/series.html", context, status=status)


def community_players(request: HttpRequest, community: str) -> HttpResponse:
    """Show the players of a community whose handle or name contains a text; without one, the best of each series."""
    text = text_of(request, "q")
    with consistent_read():
        shown = _visible(request, community)
        context: dict[str, Any] = {"community": shown, "text": text, "most": MOST}
        context |= _found(request, shown, text) if text else _best(request, shown)
    return render(request, "community/players.html", context)


def _best(request: HttpRequest, community: Community) -> dict[str, Any]:
    cards = newest_rated_cards(visible_series(request.user).filter(community=community), CARDS + 1)
    return {
        "player_count": player_count(community, request.user), "cards": cards[:CARDS],
        "has_more_series": len(cards) > CARDS, "snapshots": [card.snapshot for card in cards],
    }  # fmt: skip


def _found(request: HttpRequest, community: Community, text: str) -> dict[str, Any]:
    found = find_players(text, MOST + 1, request.user, community=community.pk)
    players = found.players
    known = players_with_results(request.user).filter(community=community)
    rows, snapshots = found_players(players[:MOST], visible_series(request.user), found.former)
    near = [] if players else nearest_players(text, known, with_words=False)
    return {
        "rows": rows, "snapshots": snapshots, "near": near, "has_more": len(players) > MOST,
        "has_only_similar": found.has_only_similar,
    }  # fmt: skip


def logo(request: HttpRequest, community: str, digest: str, size: int) -> HttpResponse:
    """Return the logo of a community as PNG, if the address has the hash of its present one."""
    shown = _visible(request, community)
    file = get_object_or_404(CommunityLogo, community=shown, community__logo=digest, size=size)
    return image_response(bytes(file.content), "image/png", is_open=shown.visibility != Visibility.PRIVATE)


def _visible(request: HttpRequest, slug: str) -> Community:
    """Return a community whose pages the visitor may open; a private one gives the same 404 as a missing one."""
    return get_object_or_404(Community.objects.visible_to(request.user), pk=slug)


def moved(request: HttpRequest, path: str) -> HttpResponse:
    """Redirect an address from before there were communities to the default community, whether or not it exists."""
    return _moved(request, f"/c/{settings.PODIUM_COMMUNITY}/{path}")


def moved_organize(request: HttpRequest, path: str) -> HttpResponse:
    """Redirect an organizers' address from before there were communities to the default community."""
    return _moved(request, f"/organize/c/{settings.PODIUM_COMMUNITY}/{path}")


def _moved(request: HttpRequest, path: str) -> HttpResponse:
    query = request.META.get("QUERY_STRING", "")
    # The path as the client sent it: a handle may hold characters that only stay the same when percent-encoded.
    return HttpResponsePermanentRedirect(quote(path, safe="/~:@!$&'()*+,;=") + (f"?{query}" if query else ""))
