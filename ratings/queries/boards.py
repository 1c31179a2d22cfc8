"""
What filters need to know of everybody on a leaderboard, as arrays beside the rank index.

Read once a run and kept: a filter is a mask over arrays, and page 3,000 of a filtered leaderboard costs what page 1
costs. The worker that derives numbers from a run reads it first, so that visitors find it in the shared cache.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from contests.bulk import read_arrays
from contests.caching import cached
from contests.models import Contest, ContestState
from ratings.models import Rating
from ratings.systems import SYSTEMS, get_system
from ratings.systems.contest import days_since_1970

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from numpy.typing import NDArray

    from ratings.queries.snapshot import SeriesSnapshot

    Ints = NDArray[np.int64]

#: A rating is provisional before this many contests ...
SETTLED_CONTESTS = 5
#: ... and while its deviation is above this share of a newcomer's: then it rests on less than four times what one
#: knows of somebody unknown. Where σ says something else than uncertainty, the number of contests alone decides.
SETTLED_SHARE = 0.5
#: Some systems let no deviation come near half of a newcomer's; above their own limit by this factor one is settled.
ABOVE_LIMIT = 1.2


def provisional(snapshot: SeriesSnapshot, sigma: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell after which of a player's contests, all of them in order, the rating was still provisional."""
    early = np.arange(1, len(sigma) + 1) < SETTLED_CONTESTS
    scheme = snapshot.run.scheme if snapshot.run is not None else snapshot.scheme
    if scheme is None or scheme.system not in SYSTEMS or snapshot.sigma_means != "uncertainty":
        return early
    system = get_system(scheme.system, **scheme.parameters)
    newcomer = float(system.new_beliefs(1).sigma[0])
    limit = max(SETTLED_SHARE * newcomer, ABOVE_LIMIT * float(getattr(system, "sig_limit", 0.0)))
    return early | (sigma > limit)


#: From this probability on, somebody counts as truly better.
LEVEL = 0.95
#: How many rows are looked at first when the end of a group is sought; each further look is twice as far.
_FIRST_LOOK = 64


def group_starts(mu: NDArray[np.float64], sigma: NDArray[np.float64], level: float = LEVEL) -> NDArray[np.int64]:
    """
    Return the rows in which groups begin, walking down a leaderboard: the first row, then each first one that is
    significantly below the beginning of its group.

    mu, sigma
        Means and deviations of the beliefs on the players' strengths, best first, shape (n,), in rating points.
    level
        Player a is significantly above player b if P(a stronger than b) = Φ((μa - μb) / √(σa² + σb²)) exceeds it.

    Within a group nobody is significantly below its first player. Two neighbours in different groups need not differ
    significantly from each other. Each row is looked at about twice, whatever the number of groups.
    """
    if not len(mu):
        return np.empty(0, dtype=np.int64)
    z = NormalDist().inv_cdf(level)
    variance = sigma**2
    starts = [0]
    while (start := _first_below(mu, variance, starts[-1], z)) is not None:
        starts.append(start)
    return np.array(starts, dtype=np.int64)


def _first_below(mu: NDArray[np.float64], variance: NDArray[np.float64], best: int, z: float) -> int | None:
    """Return the first row after `best` that is significantly below it; None if there is none."""
    begin, look = best + 1, _FIRST_LOOK
    while begin < len(mu):
        rows = slice(begin, begin + look)
        is_below = mu[best] - mu[rows] > z * np.sqrt(variance[best] + variance[rows])
        if is_below.any():
            return begin + int(is_below.argmax())
        begin, look = begin + look, 2 * look
    return None


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


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """
    What a leaderboard knows of each row of its rank index, best first.

    contests
        Rated contests of each player, shape (players,).
    days
        End of each player's last rated contest, in days since 1970, shape (players,).
    rule
        What makes a player established and active.
    group_starts
        Rows in which groups begin between which the difference is significant (`group_starts`), shape
        (groups,); empty where a rating's deviation does not say how uncertain it is.
    """

    contests: NDArray[np.int32]
    days: NDArray[np.float64]
    group_starts: Ints
    rule: Rule

    @property
    def newest_day(self) -> float:
        """End of the series' newest rated contest: what "active within" counts back from, so that pages stay."""
        return float(self.days.max()) if len(self.days) else 0.0

    def groups(self, rows: Ints) -> Ints:
        """Return the group of each row, from 1; 0 where there are no groups."""
        return np.searchsorted(self.group_starts, rows, side="right")


def board_of(snapshot: SeriesSnapshot) -> Board:
    """Return the board of a series' current run; empty when nothing was published yet."""
    if snapshot.run is None:
        return Board(np.empty(0, np.int32), np.empty(0), np.empty(0, np.int64), rule_of([]))
    run = snapshot.run
    return _kept(run.series_id, str(run.uid), run.player_count, snapshot.sigma_means == "uncertainty")


def active_in(snapshot: SeriesSnapshot, days: int) -> int:
    """Return how many rated players have played within so many days before the end of the newest rated contest."""
    board = board_of(snapshot)
    return int(np.count_nonzero(board.days >= board.newest_day - days))


@lru_cache(maxsize=32)
def _kept(series_id: int, run_uid: str, player_count: int, has_groups: bool) -> Board:
    """Return the board from this process's memory, else from the shared cache, else from the ratings table."""
    key = f"board-2:{run_uid}:{has_groups:d}"
    contests, days, starts, rule = cached(key, lambda: _read(series_id, has_groups), 86_400)
    return Board(contests, days, starts, Rule(*rule))


def _read(series_id: int, has_groups: bool) -> tuple[NDArray[np.int32], NDArray[np.float64], Ints, tuple[int, int]]:
    query = (
        "SELECT CAST(mu AS double precision), CAST(sigma AS double precision), CAST(contest_count AS integer), "
        f"CAST(last_contest_id AS bigint) FROM {Rating._meta.db_table} WHERE series_id = %s "
        "ORDER BY score DESC, player_id"
    )
    columns = read_arrays(query, [series_id], {"mu": "f8", "sigma": "f8", "contests": "i4", "last": "i8"})
    contests = Contest.objects.filter(series=series_id).newest_first()
    ends: dict[int, datetime] = {}
    rated: list[float] = []
    for pk, ends_at, state, is_rated in contests.values_list("id", "ends_at", "state", "is_rated"):
        ends[pk] = ends_at
        if is_rated and state == ContestState.FINALIZED and len(rated) < CONTESTS_READ:
            rated.append(days_since_1970(ends_at))
    rule = rule_of(rated)
    last, at = np.unique(columns["last"], return_inverse=True)
    days = np.array([days_since_1970(ends[contest]) for contest in last.tolist()])[at] if len(last) else np.empty(0)
    starts = group_starts(columns["mu"], columns["sigma"]) if has_groups else np.empty(0, dtype=np.int64)
    return columns["contests"], days, starts, (rule.contests, rule.days)
