"""
What filters need to know of everybody on a leaderboard, as arrays beside the rank index.

Read once a run and kept: a filter is a mask over arrays, and page 3,000 of a filtered leaderboard costs what page 1
costs. The worker that derives numbers from a run reads it first, so that visitors find it in the shared cache.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from contests.bulk import read_arrays
from contests.caching import cached
from contests.models import Contest, ContestState
from ratings.days import days_since_1970
from ratings.models import Rating
from ratings.queries.established import CONTESTS_READ, Rule, rule_of
from ratings.queries.significance import group_starts

if TYPE_CHECKING:
    from datetime import datetime

    from numpy.typing import NDArray

    from ratings.queries.snapshot import SeriesSnapshot

    Ints = NDArray[np.int64]


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
        Rows in which groups begin between which the difference is significant (`ratings.queries.significance`), shape
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
