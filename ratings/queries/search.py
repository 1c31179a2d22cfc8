"""Finding players, contests and series: bounded work, whatever is asked for."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, TypeVar

from django.db import connection
from django.db.models import Q

from contests.handles import handle_key
from contests.models import Player, Series
from contests.services.standings import find_player
from ratings.queries.top_players import top_players

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from contests.models import PlayerAlias
    from contests.models.contest import ContestQuerySet

Named = TypeVar("Named", "Player", "PlayerAlias")

#: How many candidates are compared letter by letter when a handle is unknown.
CANDIDATES = 200
#: A handle so alike is what was meant.
SURE = 0.85
#: Of a search for contests, so many words count.
WORDS = 8


def player_of(handle: str) -> Player | None:
    """Return the player of that handle or alias, whatever its case; of who was merged, whom that one became."""
    return find_player(handle) if key_of(handle) else None


def beginning_with(rows: QuerySet[Named], key: str) -> QuerySet[Named]:
    """Return those whose handle begins with the key, found by index."""
    found = rows.filter(handle_key__startswith=key)
    if connection.vendor == "sqlite":
        # Its LIKE does not look at case and so at no index; its order is that of code points.
        return found.filter(handle_key__gte=key, handle_key__lt=f"{key}\U0010ffff")
    return found


def find_contests(text: str, contests: ContestQuerySet) -> ContestQuerySet:
    """Return those of the contests that have all words in their names, the newest first."""
    words = text.split()[:WORDS]
    for word in words:
        contests = contests.filter(name__icontains=word)
    return contests.newest_first() if words else contests.none()


def find_series(text: str, series: QuerySet[Series]) -> QuerySet[Series]:
    """Return those of the series that have all words in name or address, by name."""
    for word in text.split()[:WORDS]:
        series = series.filter(Q(name__icontains=word) | Q(slug__icontains=word))
    return series.order_by("name", "pk") if text.split() else series.none()


def nearest_players(handle: str, players: QuerySet[Player], most: int = 8) -> list[Player]:
    """Return those of the players whose handles look like an unknown one, the most alike first."""
    key = key_of(handle)
    if not key:
        return []
    candidates = {player.pk: player for player in _beginning_alike(key, players)}
    likeness = {pk: SequenceMatcher(None, key, player.handle_key).ratio() for pk, player in candidates.items()}
    alike = sorted(candidates.values(), key=lambda player: -likeness[player.pk])
    if alike and likeness[alike[0].pk] >= SURE:
        return alike[:most]
    # Spelt otherwise at its beginning, or within: sought among the best of the leaderboards alone.
    ids = top_players(Series.objects.public()).alike(key, most)
    spelt = players.in_bulk(ids)
    return list(dict.fromkeys([*(spelt[pk] for pk in ids if pk in spelt), *alike]))[:most]


def key_of(text: str) -> str:
    """Return the key to look a handle up by; empty for what cannot be one."""
    return "" if "\x00" in text or len(text) > 400 else handle_key(text)


def _beginning_alike(key: str, players: QuerySet[Player]) -> QuerySet[Player]:
    """Return candidates: as long a common beginning as finds anybody; two letters for a last try."""
    for length in (max(2, len(key) * 2 // 3), 3, 2):
        alike = beginning_with(players, key[:length]).order_by("handle_key")[:CANDIDATES]
        if alike:
            return alike
    return players.none()
