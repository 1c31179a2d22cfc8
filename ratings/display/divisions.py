"""Divisions: groups of a fixed size within each league, so that everyone competes with a manageable number of players.

A player who enters a league takes the lowest free place in it: places 1 to N are division 1, the next N division 2, and
so on (as in StarCraft II; docs/leagues-and-seasons.md). The player keeps the place until the season ends or the player
leaves the league. So divisions fill up from the first, none has more than N players, and no one moves between them.
"""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ratings.display.leagues import PROVISIONAL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]


def divisions_of(
    size: int, league: NDArray[Any], season: NDArray[Any], contest: Integers, shown: Integers, first: Integers
) -> Integers:
    """Return the division after each rated participation, from 1; 0 for provisional players; shape (changes,).

    The arrays have shape (changes,), with the contests of a player side by side in their order.

    size
        The largest number of players in a division.
    league
        The league after each contest, as a position, or PROVISIONAL.
    season
        The season of each contest. All places are free when a season begins; a player takes one with the first rated
        contest in it.
    contest
        The position of each contest in time. If several players enter a league in the same contest, those with higher
        ratings come first, and equal ones in the order of the players. Places that others leave in it are free by then.
    shown
        The rating after each contest, in displayed points.
    first
        The position of each player's first contest, ascending, shape (players,).

    The work is proportional to the number of entries into leagues, not of contests.
    """
    starts = np.zeros(len(league), dtype=bool)
    starts[first] = True
    starts |= season != np.roll(season, 1)
    before = np.where(starts, PROVISIONAL, np.roll(league, 1)).astype(np.int64)
    player = np.repeat(np.arange(len(first)), np.diff(first, append=len(league)))
    moved = np.flatnonzero(league != before)
    moved = moved[np.lexsort((player[moved], -shown[moved], contest[moved]))]
    place = np.zeros(len(league), dtype=np.int64)
    place[moved] = _places(season[moved], contest[moved], player[moved], before[moved], league[moved], len(first))
    starts[moved] = True
    kept = place[np.maximum.accumulate(np.where(starts, np.arange(len(league)), 0))]
    return (kept + size - 1) // size


def _places(
    season: NDArray[Any], contest: Integers, player: Integers, before: Integers, after: NDArray[Any], players: int
) -> list[int]:
    """Return the place that each move leads to, from 1; 0 for moves out of all leagues. Moves are in order of time."""
    bounds = np.flatnonzero(np.diff(contest, prepend=-1, append=-1)).tolist()
    columns = [column.tolist() for column in (season, player, before, after)]
    seasons, movers, left, entered = columns
    held, places = [0] * players, [0] * len(movers)
    free: dict[int, list[int]] = {}
    used: dict[int, int] = {}
    current = None
    for begin, end in pairwise(bounds):
        if seasons[begin] != current:
            current, free, used = seasons[begin], {}, {}
        for move in range(begin, end):
            if left[move] != PROVISIONAL:
                heappush(free.setdefault(left[move], []), held[movers[move]])
        for move in range(begin, end):
            league = entered[move]
            if league == PROVISIONAL:
                continue
            if free.get(league):
                place = heappop(free[league])
            else:
                place = used[league] = used.get(league, 0) + 1
            held[movers[move]] = places[move] = place
    return places
