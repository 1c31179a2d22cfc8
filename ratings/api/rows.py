"""Ratings and changes with the numbers that people read beside them, computed for a whole page at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ratings.queries.rank_index import percentile_of
from ratings.queries.shown_changes import ShownChanges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contests.models import Contest, Player, Series
    from ratings.models import Rating, RatingChange
    from ratings.queries.snapshot import SeriesSnapshot


@dataclass(frozen=True, slots=True)
class RatingRow:
    """Where a player stands in a series as of a run; see `RatingSerializer` for units."""

    series: Series
    player: Player
    run: int
    rank: int
    players: int
    percentile: float
    rating: int
    mu: float
    sigma: float
    score: float
    tier: str
    contests: int
    peak: int
    peak_score: float
    last_contest: Contest


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """What a contest did to a rating, as of a run; see `RatingChangeSerializer` for units."""

    series: Series
    contest: Contest
    player: Player
    run: int
    from_run: int
    number: int
    rank: int
    field_size: int
    rating_before: int
    mu_before: float
    sigma_before: float
    rating: int
    mu: float
    sigma: float
    tier: str
    change: int
    performance_rating: int | None
    performance: float | None


def rating_rows(snapshot: SeriesSnapshot, ratings: Sequence[Rating]) -> list[RatingRow]:
    """Return the ratings, all of the snapshot's series, in their order. They must come with player and last contest."""
    if snapshot.run is None or not ratings:
        return []
    scores = np.array([rating.score for rating in ratings])
    of = len(snapshot.index)
    ranks = snapshot.index.ranks(scores)
    shown = snapshot.mapping.show(scores)
    peaks = snapshot.mapping.show(np.array([rating.peak for rating in ratings]))
    tiers = snapshot.tiers.tiers_of(shown)
    return [
        RatingRow(
            snapshot.series, rating.player, snapshot.run.number, rank, of, percentile_of(rank, of), number,
            rating.mu, rating.sigma, rating.score, tier.name, rating.contest_count, peak, rating.peak,
            rating.last_contest,
        )
        for rating, rank, number, tier, peak in zip(
            ratings, ranks.tolist(), shown.tolist(), tiers, peaks.tolist(), strict=True
        )
    ]  # fmt: skip


def change_rows(snapshot: SeriesSnapshot, changes: Sequence[RatingChange]) -> list[ChangeRow]:
    """Return the changes, all of the snapshot's series, in their order. They must come with player and contest."""
    if snapshot.run is None or not changes:
        return []
    shown = ShownChanges(snapshot, changes)
    tiers = snapshot.tiers.tiers_of(shown.after)
    return [
        ChangeRow(
            snapshot.series, c.contest, c.player, snapshot.run.number, c.from_run, c.number, c.rank, c.field_size, old,
            c.mu_before, c.sigma_before, new, c.mu, c.sigma, tier.name, new - old, performance,
            c.performance if snapshot.has_performance else None,
        )
        for c, old, new, tier, performance in zip(
            changes, shown.before.tolist(), shown.after.tolist(), tiers, shown.performances, strict=True
        )
    ]  # fmt: skip
