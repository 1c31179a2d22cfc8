"""Divisions of one league season after another, one contest at a time, in plain Python.

Written from docs/leagues-and-seasons.md; it shares no code with the fast version.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass
class Row:
    """A player in a contest: the position of the contest, its season, and the league and rating after it."""

    player: int
    contest: int
    season: int
    league: int | None
    shown: int


def divisions(rows: Sequence[Row], size: int) -> dict[tuple[int, int], int]:
    """Return the division by player and contest, 0 for provisional players."""
    found: dict[tuple[int, int], int] = {}
    for season in sorted({row.season for row in rows}):
        holders: dict[tuple[int, int], int] = {}  # (league, place) -> player
        league_of: dict[int, int | None] = {}
        for contest in sorted({row.contest for row in rows if row.season == season}):
            field = [row for row in rows if row.contest == contest]
            movers = [row for row in field if league_of.get(row.player) != row.league]
            leaving = {row.player for row in movers}
            holders = {seat: who for seat, who in holders.items() if who not in leaving}
            for row in sorted(movers, key=lambda row: (-row.shown, row.player)):
                league_of[row.player] = row.league
                if row.league is not None:
                    place = 1
                    while (row.league, place) in holders:
                        place += 1
                    holders[row.league, place] = row.player
            places = {who: place for (_, place), who in holders.items()}
            for row in field:
                found[row.player, contest] = (places[row.player] - 1) // size + 1 if row.player in places else 0
    return found
