"""A player's division in the newest season, with the rank in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import numpy as np

from ratings.derived import derived
from ratings.derived.season import DERIVATION as SEASON

if TYPE_CHECKING:
    from ratings.derived import Content
    from ratings.queries.snapshot import SeriesSnapshot


class Division(TypedDict):
    """Number of a division in its league, the player's rank in it, and its number of players."""

    number: int
    rank: int
    players: int


def division_of(snapshot: SeriesSnapshot, leagues: Content, row: int) -> Division | None:
    """
    Return the division of a row of the rank index; None without one.

    Ranks are by season points, or by rating without season points, or until these are computed.

    leagues
        The content of `ratings.derived.leagues`.
    """
    number = int(leagues["division"][row]) if "division" in leagues else 0
    if not number:
        return None
    league = leagues["league"]
    members = np.flatnonzero((leagues["division"] == number) & (league == league[row]))
    scores = snapshot.index.scores[members]
    own = snapshot.index.scores[row]
    season = derived(snapshot, SEASON) if SEASON.applies(snapshot) else None
    if season is not None and len(season["offsets"]) > 1:
        rows = slice(*season["offsets"][-2:].tolist())
        points = np.zeros(len(league))
        points[season["place"][rows]] = season["points"][rows]
        scores, own = points[members], points[row]
    return {"number": number, "rank": int(np.count_nonzero(scores > own)) + 1, "players": len(members)}
