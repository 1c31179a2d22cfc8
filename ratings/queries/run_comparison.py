"""
Comparison of two runs of a series.

The scores of an earlier run equal the current ones, except for players whose rating changes have been closed or added
since. So comparing two neighbouring runs of a large series needs only a few histories. If there are many of them, if
the sort score differs, or if the system moves players between contests, all rating changes of the run are read.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db.models import Sum

from contests.bulk import read_arrays
from contests.caching import cached
from ratings.models import Rating, RatingChange, Run
from ratings.queries.histories import contest_order, histories_of
from ratings.queries.inputs import read_changes_as_of
from ratings.queries.snapshot import RankIndex, rank_index, scoring_of
from ratings.systems import get_system

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ratings.queries.snapshot import SeriesSnapshot

    Ints = NDArray[np.int64]

#: How long the scores of a run are cached for visitors who page through a comparison. They never change.
_KEPT_SECONDS = 3_600
#: Above this share of all rating changes, reading the whole run is faster than reading single players.
_FEW = 0.1
#: The value for "no rating" and "no rank" in arrays.
NONE = -(2**31)

#: Players with rows that are valid at the run but not now, or now but not at the run. Each half uses an index.
_DIFFERING = (
    "SELECT player_id FROM {table} WHERE series_id = %s AND until_run > %s AND from_run <= %s "
    "UNION SELECT player_id FROM {table} WHERE series_id = %s AND until_run IS NULL AND from_run > %s"
)


@dataclass(frozen=True, eq=False)
class Comparison:
    """
    The players whose rating or rank differs between two runs.

    The largest changes of ratings come first, then players who entered, players who left, and changes of rank alone.

    before, after
        Snapshots as of the two runs, each with its own mapping and tiers.
    player_ids, rating_before, rating_after, rank_before, rank_after
        Displayed ratings and ranks, shape (players,); NONE for players without a rating in that run.
    total_before, total_after
        Number of rated players in each run.
    """

    before: SeriesSnapshot
    after: SeriesSnapshot
    player_ids: Ints
    rating_before: Ints
    rating_after: Ints
    rank_before: Ints
    rank_after: Ints
    total_before: int
    total_after: int

    @cached_property
    def kinds(self) -> dict[str, NDArray[np.bool_]]:
        """The rows of each kind: `up`, `down`, `entered`, `left`, `rank` (only the rank changed) and `tier`."""
        entered, left = self.rating_before == NONE, self.rating_after == NONE
        both = ~(entered | left)
        return {
            "up": both & (self.rating_after > self.rating_before),
            "down": both & (self.rating_after < self.rating_before),
            "entered": entered,
            "left": left,
            "rank": both & (self.rating_after == self.rating_before),
            "tier": both & (self._names(self.before, self.tier_before) != self._names(self.after, self.tier_after)),
        }

    @cached_property
    def counts(self) -> dict[str, int]:
        """The number of rows of each kind, and `moved`, the number of changed ratings."""
        counts = {kind: int(rows.sum()) for kind, rows in self.kinds.items()}
        return counts | {"moved": counts["up"] + counts["down"]}

    @staticmethod
    def _names(snapshot: SeriesSnapshot, positions: Ints) -> NDArray[np.str_]:
        """The names of tiers: the two runs may have other tiers, so that a position alone says nothing."""
        return np.array([tier.name for tier in snapshot.tiers.tiers])[positions]

    @cached_property
    def tier_before(self) -> Ints:
        return np.asarray(self.before.tiers.positions(self.rating_before), dtype=np.int64)

    @cached_property
    def tier_after(self) -> Ints:
        return np.asarray(self.after.tiers.positions(self.rating_after), dtype=np.int64)

    def rows(self, *, kind: str = "", among: Sequence[int] | Ints | None = None) -> Ints:
        """Return the positions of rows, restricted to one kind or to some players if given."""
        chosen = self.kinds.get(kind, np.ones(len(self.player_ids), dtype=bool))
        if among is not None:
            chosen = chosen & np.isin(self.player_ids, among)
        return np.flatnonzero(chosen)


def compare(before: SeriesSnapshot, after: SeriesSnapshot, current: Run) -> Comparison:
    """
    Compare two published runs of a series. Call it inside `consistent_read`.

    current
        The current run, which may be one of the two.
    """
    sides = [_scores_as_of(snapshot.run, current) for snapshot in (before, after) if snapshot.run is not None]
    if len(sides) != 2:
        raise ValueError("both sides of a comparison need a run")
    players = np.union1d(sides[0].player_ids, sides[1].player_ids)
    rating_before, rank_before = _numbers(before, sides[0], players)
    rating_after, rank_after = _numbers(after, sides[1], players)
    differs = np.flatnonzero((rating_before != rating_after) | (rank_before != rank_after))
    chosen = differs[_order(*(c[differs] for c in (rating_before, rating_after, rank_before, rank_after)))]
    return Comparison(
        before, after, players[chosen], rating_before[chosen], rating_after[chosen], rank_before[chosen],
        rank_after[chosen], len(sides[0]), len(sides[1]),
    )  # fmt: skip


def _scores_as_of(run: Run, current: Run) -> RankIndex:
    """Return the sort scores of all players as of a published run. Call it inside `consistent_read`."""
    if run.pk == current.pk:
        return rank_index(current)
    key = f"scores-as-of:{run.uid}"
    return RankIndex(*cached(key, lambda: _read(run, current), _KEPT_SECONDS))


def _read(run: Run, current: Run) -> tuple[NDArray[np.float64], Ints]:
    alike = _moves_only_participants(run) and scoring_of(run.scheme) == scoring_of(current.scheme)
    if alike and not _has_moved_many(run):
        now, moved = rank_index(current), _players_moved_since(run)
        scores, players = _ends(run, only_moved=True)
        still = ~np.isin(now.player_ids, moved)
        scores, players = np.append(scores, now.scores[still]), np.append(players, now.player_ids[still])
    else:
        scores, players = _ends(run, only_moved=False)
    best_first = np.lexsort((players, -scores))
    return scores[best_first], players[best_first]


def _moves_only_participants(run: Run) -> bool:
    return not get_system(run.scheme.system, **run.scheme.parameters).needs_pool


def _has_moved_many(run: Run) -> bool:
    """Return whether so many changes were written since the run that reading all of its changes is faster."""
    since = Run.objects.published().filter(series=run.series_id, number__gt=run.number)
    written = since.aggregate(rows=Sum("changed_count"))["rows"] or 0
    rows = Rating.objects.filter(series=run.series_id).aggregate(rows=Sum("contest_count"))["rows"] or 0
    return written > _FEW * rows


def _players_moved_since(run: Run) -> Ints:
    query, parameters = _differing(run)
    return read_arrays(f"SELECT CAST(player_id AS bigint) FROM ({query}) AS d", parameters, {"player_id": "i8"})[
        "player_id"
    ]


def _differing(run: Run) -> tuple[str, list[int]]:
    query = _DIFFERING.format(table=RatingChange._meta.db_table)
    return query, [run.series_id, run.number, run.number, run.series_id, run.number]


def _ends(run: Run, *, only_moved: bool) -> tuple[NDArray[np.float64], Ints]:
    """Return scores and player ids as of the run, of all players or only of those who moved since."""
    names = ("contest_id", "player_id", "mu_before", "mu", "sigma")
    moved = _differing(run) if only_moved else None
    changes = read_changes_as_of(run.series_id, run.number, names=names, players=moved)
    found = histories_of(changes, contest_order(run.series_id), chained=_moves_only_participants(run))
    last = found.last_rows
    return scoring_of(run.scheme)(changes["mu"][last], changes["sigma"][last]), found.player_ids


def _numbers(snapshot: SeriesSnapshot, side: RankIndex, players: Ints) -> tuple[Ints, Ints]:
    """Return displayed rating and rank of each player (in ascending order), NONE for players without a rating."""
    rating, rank = np.full(len(players), NONE), np.full(len(players), NONE)
    at = np.searchsorted(players, side.player_ids)
    if len(at):
        rating[at] = _shown(snapshot, side.scores)
        rank[at] = side.ranks(side.scores)
    return rating, rank


def _shown(snapshot: SeriesSnapshot, scores: NDArray[np.float64]) -> Any:
    return np.asarray(snapshot.mapping.show(scores), dtype=np.int64)


def _order(rating_before: Ints, rating_after: Ints, rank_before: Ints, rank_after: Ints) -> Ints:
    """Sort by size of the change, then players who entered or left by rank, then changes of rank alone by size."""
    one_side = (rating_before == NONE) | (rating_after == NONE)
    change = np.where(one_side, 0, np.abs(rating_after - rating_before))
    group = np.where(one_side, np.where(rating_before == NONE, 1, 2), np.where(change == 0, 3, 0))
    size = np.select([group == 0, group == 3], [change, np.abs(rank_after - rank_before)], 0)
    best = np.where(rank_after == NONE, rank_before, rank_after)
    return np.lexsort((best, -size, group))
