"""The handicap that makes a game even, for the two sides of a form."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from django.utils.translation import gettext

from contests.errors import ContestError
from contests.handles import lookup_key
from contests.queries.names import players_by_key
from contests.queries.visibility import visible_players
from contests.services.events import GameEntry
from ratings.database import consistent_read
from ratings.queries.head_to_head import system_of
from ratings.queries.matchmaking import handicap_for_even
from ratings.queries.snapshot import snapshot_of

if TYPE_CHECKING:
    from contests.models import Player, Series
    from contests.models.community import Visitor


#: Only the names matter here, so the day and the result are made up: a win, to tell the sides apart.
_SOME_DAY = date(2000, 1, 1)


def even_advantage(user: Visitor, series: Series, sides: tuple[str, str]) -> float:
    """
    Return the advantage of the first side, in rating points, with which both have the same chances.

    Negative if the second side needs it. ContestError if a side is empty or unknown, or if the series has no ratings.
    """
    if not all(side.strip() for side in sides):
        raise ContestError(gettext("Enter both players first."))
    game = GameEntry(sides, 1, _SOME_DAY).parsed()
    with consistent_read():
        snapshot = snapshot_of(series)
        if snapshot.run is None:
            raise ContestError(gettext("This series has no ratings yet, so Podium cannot suggest a handicap."))
        if game.has_teams and not system_of(snapshot).rates_teams:
            raise ContestError(gettext("The rating system of this series rates individual players only."))
        keys = {lookup_key(row.handle) for row in game.standings}
        known = players_by_key(series.community_id, keys, user, visible_players(user))
        players: tuple[list[Player], list[Player]] = ([], [])
        for row, rank in zip(game.standings, game.ranks, strict=True):
            player = known.get(lookup_key(row.handle))
            if player is None:
                raise ContestError(
                    gettext(
                        "Podium does not know “%(handle)s” yet, so it cannot suggest a handicap. Check the spelling."
                    )
                    % {"handle": row.handle}
                )
            players[rank != 1].append(player)
        everyone = [player.pk for side in players for player in side]
        if len(set(everyone)) < len(everyone):
            raise ContestError(gettext("A player is in this game twice. Correct one of the names."))
        advantage = handicap_for_even(snapshot, *players)
    if advantage is None:
        raise ContestError(gettext("The rating system of this series does not support handicaps."))
    return advantage
