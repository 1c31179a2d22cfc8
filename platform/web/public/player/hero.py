"""The head of a player's page: names, monogram, and one badge for tier or league."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from web.shared.leagues import player_league

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contests.models import Player
    from ratings.queries.snapshot import SeriesSnapshot
    from web.public.player.history import HistoryRow
    from web.public.player.profile import Figures
    from web.shared.leagues import PlayerLeague


@dataclass(frozen=True, slots=True)
class Names:
    """What a player is called: `first`, `second` below it (empty if there is only one), and one or two letters."""

    first: str
    second: str
    initials: str


def names_of(player: Player, *, names_first: bool) -> Names:
    """Return the names of a player in the order that the community prefers; a player without a name has the handle."""
    first, second = (player.name, player.handle) if names_first else (player.handle, player.name)
    if not first or first == second:
        first, second = player.handle, ""
    return Names(first, second, initials_of(player.name or player.handle))


def initials_of(name: str) -> str:
    """Return the first letters of the first and the last word of a name; empty if it has no letters and digits."""
    words = "".join(letter if letter.isalnum() else " " for letter in name.replace("'", "").replace("’", "")).split()
    letters = [words[0][0], words[-1][0]] if len(words) > 1 else [words[0][0]] if words else []
    return "".join(letter.upper()[:1] for letter in letters)


@dataclass(frozen=True, slots=True)
class Hero:
    """
    The numbers in the head of the page.

    number
        Position of the tier whose name and colour the page's head shows: that of the player's league, if the player is
        in one, else that of the rating. So the head never has two names.
    own
        The player's position between leagues; None without leagues, or as long as they are not computed.
    change
        The change in the last contest, in displayed points.
    """

    number: int
    name: str
    symbol: str
    is_league: bool
    own: PlayerLeague | None
    change: int | None


def hero_of(snapshot: SeriesSnapshot, numbers: Figures, rows: Sequence[HistoryRow]) -> Hero:
    """Return the head of the page of a player with this history, given oldest first."""
    own = player_league(snapshot, numbers.rating) if snapshot.scheme is not None and snapshot.scheme.leagues else None
    is_league = own is not None and own.name is not None
    number = own.league if own is not None and is_league else snapshot.tier_number(numbers.points)
    tier = snapshot.tiers[number]
    return Hero(number, tier.name, tier.symbol, is_league, own, rows[-1].difference if rows else None)
