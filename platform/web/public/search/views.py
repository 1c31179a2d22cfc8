"""The search page, the list of players, and suggestions for the search boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import JsonResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers

from contests.queries.communities import names_if_several
from contests.queries.visibility import listed_players, listed_series, named_series, visible_series
from ratings.database import consistent_read
from ratings.queries.search import find_players, nearest_players
from ratings.queries.titles import find_on_site
from web.public.search.suggestions import suggestions
from web.shared.community_cards import community_cards
from web.shared.found_players import found_players
from web.shared.overview import names_of_cards, newest_rated_cards, series_cards, with_glance
from web.shared.params import text_of

if TYPE_CHECKING:
    from typing import Any

    from django.http import HttpRequest, HttpResponse


KINDS = ("all", "players")
#: Typing the same letters again within this time needs no new request.
KEPT_SECONDS = 60
PLAYERS, CONTESTS, SERIES = 12, 12, 6
#: Players on the page that lists only players.
MOST = 50
#: Series whose best players the page of players shows before a search.
CARDS = 9


def suggest(request: HttpRequest) -> JsonResponse:
    """Respond with suggestions for the letters typed so far, as described in `web.public.search.suggestions`."""
    kind, slug = text_of(request, "kind"), text_of(request, "series")
    with consistent_read():
        series = named_series(slug, visible_series(request.user))
        kind = kind if kind in KINDS else "all"
        found = suggestions(text_of(request, "q"), kind, series, request.user, text_of(request, "community"))
        answer = JsonResponse(found)
    answer["Cache-Control"] = f"private, max-age={KEPT_SECONDS}"
    patch_vary_headers(answer, ["Cookie", "Accept-Language"])
    return answer


def search(request: HttpRequest) -> HttpResponse:
    """Show the players, series, communities and contests that match a text, exact matches first."""
    text = text_of(request, "q")
    with consistent_read():
        context = _found(request, text) if text else {}
    return render(request, "search/search.html", {"text": text, **context})


def _found(request: HttpRequest, text: str) -> dict[str, Any]:
    series = listed_series(request.user)
    found, titles = find_on_site(text, request.user, max(PLAYERS, CONTESTS) + 1, series=with_glance(series))
    players = found.players
    cards = series_cards(titles.series[:SERIES])
    rows, snapshots = found_players(players[:PLAYERS], series, found.former)
    listed = [*(card.series for card in cards), *(contest.series for contest in titles.contests[:CONTESTS])]
    slugs = {one.community_id for one in listed}
    return {
        "rows": rows,
        "more_players": len(players) > PLAYERS,
        "has_only_similar": found.has_only_similar,
        "contests": titles.contests[:CONTESTS],
        "more_contests": len(titles.contests) > CONTESTS,
        "communities": community_cards(titles.communities[:SERIES], request.user) if titles.communities else [],
        "cards": cards,
        "named_communities": names_if_several(slugs),
        "has_similar_titles": titles.are_similar and bool(titles),
        "series_first": any(card.series.name.casefold().startswith(text.casefold()) for card in cards),
        "near": [] if players or titles else nearest_players(text, listed_players(request.user), with_words=False),
        "snapshots": snapshots + [card.snapshot for card in cards],
    }


def players_page(request: HttpRequest) -> HttpResponse:
    """Show the players whose handle or name contains a text, with their ratings."""
    text = text_of(request, "q")
    with consistent_read():
        visible = listed_players(request.user)
        found = find_players(text, MOST + 1, request.user)
        players = found.players
        near = nearest_players(text, visible, with_words=False) if text and not players else []
        rows, snapshots = found_players(players[:MOST], listed_series(request.user), found.former)
        cards = [] if text else newest_rated_cards(listed_series(request.user), CARDS)
        communities = names_of_cards(cards)
    context = {
        "text": text, "rows": rows, "cards": cards, "named_communities": communities,
        "snapshots": snapshots + [card.snapshot for card in cards],
        "near": near, "has_more": len(players) > MOST, "most": MOST,
        "has_only_similar": found.has_only_similar,
    }  # fmt: skip
    return render(request, "search/players.html", context)
