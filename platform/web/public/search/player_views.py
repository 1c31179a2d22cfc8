"""Finding a player among all: the long list, where the search for everything shows the likeliest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render

from contests.queries.visibility import visible_players
from ratings.locks import consistent_read
from ratings.queries.search import nearest_players
from web.public.search.results import found_players
from web.public.search.suggestions import find_players
from web.shared.paging import text_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

MOST = 50


def search(request: HttpRequest) -> HttpResponse:
    """Show the players whose handle or name has the text in it, with their ratings."""
    text = text_of(request, "q")
    with consistent_read():
        visible = visible_players(request.user)
        players, aliases = find_players(text, MOST + 1, request.user) if text else ([], {})
        near = nearest_players(text, visible) if text and not players else []
        rows, snapshots = found_players(players[:MOST], request.user, aliases)
    context = {
        "text": text, "rows": rows, "snapshots": snapshots, "near": near, "has_more": len(players) > MOST, "most": MOST,
    }  # fmt: skip
    return render(request, "search/players.html", context)
