"""Finding a player."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render

from contests.paging import text_of
from contests.visibility import visible_players, visible_series
from ratings.filtering import country_name
from ratings.locks import snapshot
from ratings.models import Rating
from ratings.searching import search_players
from ratings.shown import shown_all

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from contests.models import Player
    from ratings.shown import Shown

MOST = 50


def search(request: HttpRequest) -> HttpResponse:
    """Show the players whose handle or name has the text in it, with their ratings."""
    text = text_of(request, "q")
    with snapshot():
        players = search_players(text, MOST + 1, visible_players(request.user)) if text else []
        rows, shown = _with_ratings(request, players[:MOST])
    context = {"text": text, "rows": rows, "shown": shown, "has_more": len(players) > MOST, "most": MOST}
    return render(request, "ratings/players.html", context)


def _with_ratings(request: HttpRequest, players: list[Player]) -> tuple[list[dict[str, object]], list[Shown]]:
    """Return for each player the ratings in all series, most contests first, and the series' views."""
    ratings: dict[int, list[Rating]] = {}
    found = Rating.objects.filter(player__in=players, series__in=visible_series(request.user))
    for rating in found.select_related("series").defer("belief").order_by("-contest_count"):
        ratings.setdefault(rating.player_id, []).append(rating)
    shown = shown_all({rating.series for listed in ratings.values() for rating in listed})
    rows: list[dict[str, object]] = [
        {
            "player": player,
            "country": country_name(player.country),
            "ratings": [
                (rating, shown[rating.series_id], shown[rating.series_id].rating(rating.score))
                for rating in ratings.get(player.pk, [])
            ],
        }
        for player in players
    ]
    return rows, list(shown.values())
