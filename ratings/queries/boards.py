"""
Facts about the rows of a leaderboard: who is established, who is significantly better, which ratings are provisional.

They are arrays beside the rank index, read once per run and cached. A filter is a mask over these arrays, so page 3,000
of a filtered leaderboard costs as much as page 1. The worker that computes derived numbers reads the arrays first, so
visitors find them in the shared cache.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from contests.bulk import read_arrays
from contests.caching import cached
from contests.models import Contest, ContestState
from ratings.models import Rating
from ratings.systems.contest import days_since_1970

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from numpy.typing import NDArray

    from ratings.queries.snapshot import SeriesSnapshot

    Ints = NDArray[np.int64]

#: A rating is provisional until this many contests, or until half of the recent ones in a series with few contests ...
SETTLED_CONTESTS = 5
#: ... but always after only one contest.
FEWEST_SETTLED = 2
#: An established player has played within this many days before the newest contest ...
SHORTEST_WINDOW = 365
#: ... or in one of this many newest contests, if they span more time, as in a series with one contest a year.
CONTESTS_IN_WINDOW = 3
#: The number of newest contests that determine how many contests an established player needs.
CONTESTS_READ = 2 * SETTLED_CONTESTS - 1
#: If there are fewer established players, leaderboards list everyone by default.
FEWEST_LISTED = 10
#: A tolerance of one second in days, so that rounding has no effect at the edge of the window.
SLACK = 1 / 86_400
#: A player is significantly better if the probability of being stronger exceeds this.
LEVEL = 0.95
#: Rows to examine in the first step of the search for the end of a group. Each step doubles the number.
_FIRST_LOOK = 64


@dataclass(frozen=True, slots=True)
class Rule:
    """
    The conditions for a player of a series to be established and active.

    contests
        Required number of rated contests.
    days
        The player's last contest ended at most this many days before the newest contest of the series.
    """

    contests: int
    days: int

    @property
    def is_long(self) -> bool:
        """Whether the window reaches back to the third-newest contest, so that playing in one of three is enough."""
        return self.days > SHORTEST_WINDOW


def rule_of(ends: Sequence[float]) -> Rule:
    """
    Return the rule of a series.

    ends
        Ends of its newest CONTESTS_READ rated contests in days, newest first.

    A player needs five contests. If there were fewer than nine within the window, half of them are enough.
    """
    if not ends:
        return Rule(1, SHORTEST_WINDOW)
    oldest = ends[min(len(ends), CONTESTS_IN_WINDOW) - 1]
    days = max(SHORTEST_WINDOW, math.ceil(ends[0] - oldest - SLACK))
    within = sum(end >= ends[0] - days - SLACK for end in ends)
    return Rule(min(SETTLED_CONTESTS, (within + 1) // 2), days)


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """
    Facts about each row of the rank index, best first.

    contests
        Number of rated contests of each player, shape (players,).
    days
        End of each player's last rated contest, in days since 1970, shape (players,).
    rule
        The conditions for a player to be established and active.
    group_starts
        The first row of each group of players without a significant difference (see `group_starts`), shape (groups,);
        empty if sigma is not an uncertainty.
    """

    contests: NDArray[np.int32]
    days: NDArray[np.float64]
    group_starts: Ints
    rule: Rule

    @property
    def newest_day(self) -> float:
        """End of the newest rated contest. Activity is relative to it, so that pages do not change with the clock."""
        return float(self.days.max()) if len(self.days) else 0.0

    def is_active(self, days: Any) -> Any:
        """Return whether players whose last contest ended on these days (a number or an array) count as active."""
        return days >= self.newest_day - self.rule.days - SLACK

    def groups(self, rows: Ints) -> Ints:
        """Return the group of each row, from 1; 0 if there are no groups."""
        return np.searchsorted(self.group_starts, rows, side="right")


def board_of(snapshot: SeriesSnapshot) -> Board:
    """Return the board of a series' current run; an empty one if no run has been published."""
    if snapshot.run is None:
        return Board(np.empty(0, np.int32), np.empty(0), np.empty(0, np.int64), rule_of([]))
    run = snapshot.run
    return _kept(run.series_id, str(run.uid), run.player_count, snapshot.sigma_means == "uncertainty")


def is_established(board: Board) -> NDArray[np.bool_]:
    """Return whether the player of each row is established and active."""
    return (board.contests >= board.rule.contests) & board.is_active(board.days)


def established_ranks(snapshot: SeriesSnapshot, ratings: Sequence[Rating]) -> list[int | None]:
    """Return the competition rank of each player among the established and active ones; None for all others."""
    index, mask = snapshot.index, is_established(board_of(snapshot))
    ascending = index.scores[mask][::-1]
    ranks: list[int | None] = []
    for rating in ratings:
        row = index.position(rating.player_id, rating.score)
        above = len(ascending) - int(np.searchsorted(ascending, rating.score, side="right"))
        ranks.append(above + 1 if row is not None and mask[row] else None)
    return ranks


def is_provisional(snapshot: SeriesSnapshot, contests: Any) -> Any:
    """
    Return whether a rating is provisional after so many rated contests of its player (a number or an array).

    It is no longer provisional once the player has as many contests as established players need. So no established
    player has a provisional rating, except in a series of one or two contests, where everyone is established.
    """
    return contests < max(FEWEST_SETTLED, board_of(snapshot).rule.contests)


def counted_from(rule: Rule, counts: NDArray[Any]) -> int:
    """
    Return the number of the contest from which a player's ratings count in records.

    rule
        The rule of the series.
    counts
        Number of contests of each player, shape (players,), at least one.

    It is half of the 90 % quantile of the players' contests, rounded up, but at most the fifth, and not the first if
    the quantile is above 1. If at least FEWEST_LISTED players get that far, ratings don't count as long as they are
    provisional either.
    """
    most = int(np.quantile(counts, 0.9, method="inverted_cdf"))
    usual = min(SETTLED_CONTESTS, max(math.ceil(most / 2), min(FEWEST_SETTLED, most)))
    settled = max(FEWEST_SETTLED, rule.contests)
    return max(usual, settled) if np.count_nonzero(counts >= settled) >= FEWEST_LISTED else usual


def compared(is_settled: NDArray[np.bool_], is_known: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """
    Return whose gains and losses in a contest are compared, as a mask of its players.

    is_settled, is_known
        Whether the player's rating before the contest was no longer provisional, and whether there was one.

    Provisional ratings change a lot, so they are left out. In the first contests of a series all are provisional, and
    count.
    """
    return is_settled if is_settled.any() else is_known


def active_in(snapshot: SeriesSnapshot, days: int) -> int:
    """Return the number of rated players whose last contest was at most this many days before the newest one."""
    board = board_of(snapshot)
    return int(np.count_nonzero(board.days >= board.newest_day - days))


@lru_cache(maxsize=32)
def _kept(series_id: int, run_uid: str, player_count: int, has_groups: bool) -> Board:
    """Return the board from this process's memory, the shared cache, or the ratings table."""
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
    rated: list[datetime] = []
    for pk, ends_at, state, is_rated in contests.values_list("id", "ends_at", "state", "is_rated"):
        ends[pk] = ends_at
        if is_rated and state == ContestState.FINALIZED:
            rated.append(ends_at)
    last, at = np.unique(columns["last"], return_inverse=True)
    # After a roll-back, the series has newer contests than the run.
    newest = max((ends[contest] for contest in last.tolist()), default=None)
    in_run = [end for end in rated if newest is not None and end <= newest]
    rule = rule_of([days_since_1970(end) for end in in_run[:CONTESTS_READ]])
    days = np.array([days_since_1970(ends[contest]) for contest in last.tolist()])[at] if len(last) else np.empty(0)
    starts = group_starts(columns["mu"], columns["sigma"]) if has_groups else np.empty(0, dtype=np.int64)
    return columns["contests"], days, starts, (rule.contests, rule.days)


def group_starts(mu: NDArray[np.float64], sigma: NDArray[np.float64], level: float = LEVEL) -> NDArray[np.int64]:
    """
    Return the first row of each group, going down a leaderboard.

    A new group begins with the first player who is significantly below the first player of the current group.

    mu, sigma
        Means and standard deviations of the players' strengths, best first, shape (n,), in rating points.
    level
        Player a is significantly above player b if P(a stronger than b) = Φ((μa - μb) / √(σa² + σb²)) exceeds it.

    No player of a group is significantly below its first player. Neighbours in different groups do not
    always differ significantly. The search reads each row about twice, whatever the number of groups.
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
    """Return the first row that is significantly below the row `best`; None if there is none."""
    begin, look = best + 1, _FIRST_LOOK
    while begin < len(mu):
        rows = slice(begin, begin + look)
        is_below = mu[best] - mu[rows] > z * np.sqrt(variance[best] + variance[rows])
        if is_below.any():
            return begin + int(is_below.argmax())
        begin, look = begin + look, 2 * look
    return None
