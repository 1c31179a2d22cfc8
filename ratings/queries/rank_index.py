"""
Ranks, percentiles and pages of a leaderboard from one sorted array per run.

A rank among 500,000 players costs a binary search, page 3,000 costs what page 1 costs, and all of them agree, because
they are read from the same array. An index belongs to a run and never changes, so it can be kept for as long as
memory lasts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from django.db import connection

from contests.bulk import read_arrays
from contests.caching import cached
from ratings.models import Rating

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ratings.models import Run


@dataclass(frozen=True, slots=True, eq=False)
class RankIndex:
    """
    All rated players of a series as of one run, best first; equal scores by player id.

    scores, player_ids
        Arrays of shape (players,).
    """

    scores: NDArray[np.float64]
    player_ids: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.scores)

    def rank(self, score: float) -> int:
        """Return the competition rank of a score: one more than the number of players above it."""
        return int(np.searchsorted(-self.scores, -score, side="left")) + 1

    def ranks(self, scores: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the competition ranks of many scores."""
        return np.searchsorted(-self.scores, -np.asarray(scores), side="left") + 1

    def percentile(self, score: float) -> float:
        """Return the share of players, in per cent, whose score is not above this one; 100 for the best."""
        return percentile_of(self.rank(score), len(self))

    def page(self, number: int, size: int) -> NDArray[np.int64]:
        """Return the player ids on a page, counted from 1."""
        return self.player_ids[(number - 1) * size : number * size]

    def position(self, player_id: int, score: float) -> int | None:
        """Return the row, from 0, of a player with this score; None if the index does not have it."""
        first = self.rank(score) - 1
        last = int(np.searchsorted(-self.scores, -score, side="right"))
        found = np.flatnonzero(self.player_ids[first:last] == player_id)
        return first + int(found[0]) if len(found) else None


def rank_index(run: Run | None) -> RankIndex:
    """Return the index of a series' current run; empty when nothing was published yet."""
    if run is None:
        return RankIndex(np.empty(0), np.empty(0, dtype=np.int64))
    return _kept(run.series_id, str(run.uid), run.player_count)


def percentile_of(rank: int, total: int) -> float:
    """Return the share of players not above this rank, in per cent; 100 for the best."""
    return 100.0 * (total - rank + 1) / total if total else 100.0


def percentile_to_read(rank: int, total: int) -> float:
    """Return the same cut to one decimal, as pages show it: 100 is for the best alone, however many players."""
    return 1000 * (total - rank + 1) // total / 10 if total else 100.0


@lru_cache(maxsize=32)
def _kept(series_id: int, run_uid: str, player_count: int) -> RankIndex:
    """
    Return the index from this process's memory, else from the shared cache, else from the ratings table.

    The table holds the newest run only. A process that read the run just before another one was published would see
    the other one's rows, so views read both in one snapshot (`ratings.database.consistent_read`).
    """
    # Not by the number or the id of the run: a restored backup gives both to other runs.
    key = f"rank-index:{run_uid}"
    return RankIndex(*cached(key, lambda: _read(series_id), 86_400))


def _read(series_id: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    table = connection.ops.quote_name(Rating._meta.db_table)
    query = (
        f"SELECT CAST(score AS double precision), CAST(player_id AS bigint) FROM {table} "
        "WHERE series_id = %s ORDER BY score DESC, player_id"
    )
    columns = read_arrays(query, [series_id], {"score": "f8", "player": "i8"})
    return columns["score"], columns["player"]
