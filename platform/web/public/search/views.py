"""Search pages for players, contests and series, the list of players, and suggestions for the search boxes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.http import JsonResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers

from contests.models import Contest
from contests.queries.visibility import listed_players, listed_series, named_series, visible_series
from ratings.database import consistent_read
from ratings.models import Rating
from ratings.queries.filters import country_name
from ratings.queries.search import find_contests, find_players, find_series, nearest_players
from ratings.queries.snapshot import snapshots_of
from web.public.search.suggestions import suggestions
from web.shared.overview import series_cards, with_glance
from web.shared.params import text_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from django.contrib.auth.models import AnonymousUser, User
    from django.http import HttpRequest, HttpResponse

    from contests.models import Player
    from ratings.queries.snapshot import SeriesSnapshot


@dataclass(frozen=True, slots=True)
class FoundPlayer:
    """A player with the displayed rating in each series, most contests first; `alias` is the name that matched."""

    player: Player
    country: str
    ratings: list[tuple[Rating, SeriesSnapshot, int]]
    alias: str = ""


def found_players(
    players: Sequence[Player], user: User | AnonymousUser, aliases: dict[int, str] | None = None
) -> tuple[list[FoundPlayer], list[SeriesSnapshot]]:
    """Return the rows of players in the same order, and the series that rate them, in three queries."""
    ratings: dict[int, list[Rating]] = {}
    rated = Rating.objects.filter(player__in=players, series__in=listed_series(user))
    for rating in rated.select_related("series").defer("belief").order_by("-contest_count", "series"):
        ratings.setdefault(rating.player_id, []).append(rating)
    snapshots = snapshots_of({rating.series for listed in ratings.values() for rating in listed})
    rows = [
        FoundPlayer(
            player,
            country_name(player.country),
            [
                (rating, snapshots[rating.series_id], snapshots[rating.series_id].rating(rating.score))
                for rating in ratings.get(player.pk, [])
            ],
            (aliases or {}).get(player.pk, ""),
        )
        for player in players
    ]
    return rows, list(snapshots.values())


KINDS = ("all", "players")
#: Typing the same letters again within this time needs no new request.
KEPT_SECONDS = 60
PLAYERS, CONTESTS, SERIES = 12, 12, 6
#: Players on the page that lists only players.
MOST = 50


def suggest(request: HttpRequest) -> JsonResponse:
    """Respond with suggestions for the letters typed so far, as described in `web.public.search.suggestions`."""
    kind, slug = text_of(request, "kind"), text_of(request, "series")
    with consistent_read():
        series = named_series(slug, visible_series(request.user))
        kind = kind if kind in KINDS else "all"
        answer = JsonResponse(suggestions(text_of(request, "q"), kind, series, request.user))
    answer["Cache-Control"] = f"private, max-age={KEPT_SECONDS}"
    patch_vary_headers(answer, ["Cookie", "Accept-Language"])
    return answer


def search(request: HttpRequest) -> HttpResponse:
    """Show the players, series and contests that match a text, exact matches first."""
    text = text_of(request, "q")
    with consistent_read():
        context = _found(request, text) if text else {}
    return render(request, "search/search.html", {"text": text, **context})


def _found(request: HttpRequest, text: str) -> dict[str, Any]:
    visible, series = listed_players(request.user), listed_series(request.user)
    players, aliases = find_players(text, PLAYERS + 1, request.user)
    contests = list(
        find_contests(text, Contest.objects.finalized().filter(series__in=series)).select_related("series")[
            : CONTESTS + 1
        ]
    )
    cards = series_cards(list(with_glance(find_series(text, series))[:SERIES]))
    rows, snapshots = found_players(players[:PLAYERS], request.user, aliases)
    return {
        "rows": rows,
        "more_players": len(players) > PLAYERS,
        "contests": contests[:CONTESTS],
        "more_contests": len(contests) > CONTESTS,
        "cards": cards,
        "series_first": any(card.series.name.casefold().startswith(text.casefold()) for card in cards),
        "near": [] if players else nearest_players(text, visible),
        "snapshots": snapshots + [card.snapshot for card in cards],
    }


def players_page(request: HttpRequest) -> HttpResponse:
    """Show the players whose handle or name contains a text, with their ratings."""
    text = text_of(request, "q")
    with consistent_read():
        visible = listed_players(request.user)
        players, aliases = find_players(text, MOST + 1, request.user) if text else ([], {})
        near = nearest_players(text, visible) if text and not players else []
        rows, snapshots = found_players(players[:MOST], request.user, aliases)
    context = {
        "text": text, "rows": rows, "snapshots": snapshots, "near": near, "has_more": len(players) > MOST, "most": MOST,
    }  # fmt: skip
    return render(request, "search/players.html", context)
