"""The numbers in the head of a player's page, and one badge for tier or league."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from web.shared.leagues import player_league

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ratings.queries.snapshot import SeriesSnapshot
    from web.public.player.history import HistoryRow
    from web.public.player.profile import Figures
    from web.shared.leagues import PlayerLeague


@dataclass(frozen=True, slots=True)
class Hero:
    """
    The numbers in the head of the page.

    number
        Position of the tier whose name and colour the page's head shows: that of the player's league, if the player is
        in one, else that of the rating. So the head never names two tiers.
    differs
        Whether this is a league whose name is not that of the rating's tier. Then the head says that it is a league,
        because the tables below show the tier of each rating.
    own
        The player's position between leagues; None without leagues, or until they are computed.
    change
        The change in the last contest, in displayed points.
    """

    number: int
    name: str
    symbol: str
    is_league: bool
    differs: bool
    own: PlayerLeague | None
    change: int | None


def hero_of(snapshot: SeriesSnapshot, numbers: Figures, rows: Sequence[HistoryRow]) -> Hero:
    """Return the head of the page of a player with this history, given oldest first."""
    own = player_league(snapshot, numbers.rating) if snapshot.scheme is not None and snapshot.scheme.leagues else None
    is_league = own is not None and own.name is not None
    of_rating = snapshot.tier_number(numbers.points)
    number = own.league if own is not None and is_league else of_rating
    tier = snapshot.tiers[number]
    change = rows[-1].difference if rows else None
    return Hero(number, tier.name, tier.symbol, is_league, number != of_rating, own, change)
