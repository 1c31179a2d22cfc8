"""Which players are established and recently active: those whom leaderboards list by default."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ratings.queries.provisional import SETTLED_CONTESTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ratings.queries.boards import Board

#: An established player has played recently: within this many days of the newest contest ...
SHORTEST_WINDOW = 365
#: ... or since this many contests ago, if that is longer, as in a series with one contest a year.
CONTESTS_IN_WINDOW = 3
#: So many of the newest contests decide how many contests an established player needs.
CONTESTS_READ = 2 * SETTLED_CONTESTS - 1
#: A list of fewer players is not shown by default: everyone is.
FEWEST_LISTED = 10
#: Days are compared with a second to spare, so that rounding moves no one across the edge.
SLACK = 1 / 86_400


@dataclass(frozen=True, slots=True)
class Rule:
    """
    What makes a player of a series established and active.

    contests
        Rated contests needed.
    days
        The last of them ended at most so many days before the newest contest of the series.
    """

    contests: int
    days: int


def rule_of(ends: Sequence[float]) -> Rule:
    """
    Return the rule of a series, given the ends of its newest CONTESTS_READ rated contests, in days, newest first.

    Five contests are needed, or half of those within the window where there were fewer than nine.
    """
    if not ends:
        return Rule(1, SHORTEST_WINDOW)
    oldest = ends[min(len(ends), CONTESTS_IN_WINDOW) - 1]
    days = max(SHORTEST_WINDOW, math.ceil(ends[0] - oldest - SLACK))
    within = sum(end >= ends[0] - days - SLACK for end in ends)
    return Rule(min(SETTLED_CONTESTS, (within + 1) // 2), days)


def is_established(board: Board) -> NDArray[np.bool_]:
    """Tell of each row of a board whether its player is established and active."""
    rule = board.rule
    return (board.contests >= rule.contests) & (board.days >= board.newest_day - rule.days - SLACK)
