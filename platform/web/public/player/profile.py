"""What stands at the top of a player's page: the numbers that say where the player stands in a series."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ratings.queries.audiences import established_rows, rank_within
from ratings.queries.provisional import provisional
from ratings.queries.rank_index import percentile_to_read
from ratings.queries.rows import uncertainty_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ratings.display import Tier
    from ratings.models import Rating
    from ratings.queries.snapshot import SeriesSnapshot
    from web.public.player.history import HistoryRow


@dataclass(frozen=True, slots=True)
class Figures:
    """
    A player's numbers in a series, in shown points; percentile in per cent. None: there is no such thing.

    rank_established, total_established
        Among the established and active players, if the player is one of them and not everyone is.
    position
        On a ladder.
    next_tier, to_next, progress
        The tier above; points missing to it; how far from the threshold of the present tier to that one, in per cent.
    """

    rating: Rating
    points: int
    uncertainty: int | None
    peak: int
    rank: int
    total: int
    rank_established: int | None
    total_established: int
    percentile: float
    next_tier: Tier | None
    to_next: int | None
    progress: int | None
    position: float | None


def figures(snapshot: SeriesSnapshot, rating: Rating) -> Figures:
    """Return what stands at the top of a player's page."""
    points, rank, total = snapshot.rating(rating.score), snapshot.index.rank(rating.score), len(snapshot.index)
    missing = snapshot.tiers.to_next(points)
    listed = _among_established(snapshot, rating)
    return Figures(
        rating=rating,
        points=points,
        uncertainty=(
            int(uncertainty_of(snapshot, rating.score, rating.sigma)) if snapshot.sigma_means != "nothing" else None
        ),
        peak=snapshot.rating(rating.peak),
        rank=rank,
        total=total,
        rank_established=listed[0],
        total_established=listed[1],
        percentile=percentile_to_read(rank, total),
        next_tier=snapshot.tiers.next_tier(points),
        to_next=None if missing is None else int(missing),
        progress=_progress(snapshot, points),
        position=-rating.score if snapshot.has_positions else None,
    )


def _among_established(snapshot: SeriesSnapshot, rating: Rating) -> tuple[int | None, int]:
    """Return the rank among the players whom the leaderboard lists by default, None for others; and their number."""
    rows = established_rows(snapshot)
    row = snapshot.index.position(rating.player_id, rating.score)
    if not len(rows) or row is None or not np.isin(row, rows):
        return None, len(rows)
    return rank_within(snapshot, rows, rating.score), len(rows)


def _progress(snapshot: SeriesSnapshot, points: int) -> int | None:
    """Return how much of the way through its tier a rating has come, in per cent; None in the lowest and highest."""
    below, above = snapshot.tier(points).minimum, snapshot.tiers.next_tier(points)
    if below is None or above is None or above.minimum is None:
        return None
    return 100 * (points - below) // (above.minimum - below)


def is_provisional(snapshot: SeriesSnapshot, rows: Sequence[HistoryRow]) -> bool:
    """Tell whether the rating that a whole history, oldest first, led to is still provisional."""
    return bool(len(rows)) and bool(provisional(snapshot, np.array([row.change.sigma for row in rows]))[-1])


@dataclass(frozen=True, slots=True)
class BestPlace:
    """The best place that a player had in a rated contest: where first, and how often."""

    row: HistoryRow
    times: int


def best_place(rows: Sequence[HistoryRow]) -> BestPlace | None:
    """Return the best place of a history, given oldest first; None if it is empty."""
    if not rows:
        return None
    best = min(rows, key=lambda row: row.change.rank)
    return BestPlace(best, sum(row.change.rank == best.change.rank for row in rows))
