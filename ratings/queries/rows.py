"""Rows of leaderboards, rating changes and standings as pages display them, from one `SeriesSnapshot`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from contests.models import Standing, StandingStatus
from ratings.display import show_band
from ratings.models import Rating, RatingChange
from ratings.queries.snapshot import displayed_percentile
from ratings.systems import DEFAULT_SYSTEM, get_system

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from contests.models import Contest
    from ratings.models import Scheme
    from ratings.queries.snapshot import SeriesSnapshot


#: Rounding alone moves the middle of a band by up to this many points.
_ROUNDING = 2


class ShownChanges:
    """Displayed numbers of rating changes of one series as columns, in the order given and computed on first use."""

    def __init__(self, snapshot: SeriesSnapshot, changes: Sequence[RatingChange]) -> None:
        self.snapshot = snapshot
        self.changes = changes

    def column(self, name: str) -> NDArray[np.float64]:
        """Return a database column of the changes."""
        return np.array([getattr(change, name) for change in self.changes], dtype=np.float64)

    @cached_property
    def score(self) -> NDArray[np.float64]:
        """Sort score after each change."""
        score: NDArray[np.float64] = self.snapshot.score(self.column("mu"), self.column("sigma"))
        return score

    @cached_property
    def after(self) -> NDArray[np.int64]:
        """Displayed rating after each change."""
        return np.asarray(self.snapshot.mapping.show(self.score))

    @cached_property
    def before(self) -> NDArray[np.int64]:
        """Displayed rating before each change."""
        before = self.snapshot.score(self.column("mu_before"), self.column("sigma_before"))
        return np.asarray(self.snapshot.mapping.show(before))

    @property
    def difference(self) -> NDArray[np.int64]:
        """Difference of the displayed ratings, so that before + difference = after on pages."""
        return self.after - self.before

    @property
    def performances(self) -> list[int | None]:
        """Displayed performance of each change; None if it is unbounded or the system does not measure it."""
        if not self.snapshot.has_performance:
            return [None] * len(self.changes)
        performance = self.column("performance")
        finite = np.isfinite(performance)
        shown = self.snapshot.mapping.show(np.where(finite, performance, 0.0)).tolist()
        return [number if known else None for number, known in zip(shown, finite.tolist(), strict=True)]


@dataclass(frozen=True, slots=True)
class Leader:
    """
    A row of a leaderboard.

    percentile
        Percentage of players who are not above.
    points, uncertainty, peak
        In displayed points; the uncertainty is None if the system does not estimate it, or if the displayed rating lies
        below the best estimate, around which it extends.
    """

    rating: Rating
    rank: int
    percentile: float
    points: int
    uncertainty: int | None
    peak: int


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A rating change in displayed points; `performance` is None if it is unbounded or not measured."""

    change: RatingChange
    performance: int | None
    before: int
    after: int
    difference: int
    is_newcomer: bool


@dataclass(frozen=True, slots=True)
class StandingRow:
    """A row of the standings; `rated` is None if the row has no rating change."""

    standing: Standing
    rated: ChangeRow | None

    @property
    def is_out(self) -> bool:
        return self.standing.status != StandingStatus.RANKED


def ratings_of(snapshot: SeriesSnapshot, player_ids: Iterable[int]) -> list[Rating]:
    """
    Return the players' ratings in this order, in one query; unrated players are left out.

    Each rating comes with player and last contest, but without the belief.
    """
    ids = [int(pk) for pk in player_ids]
    found = Rating.objects.filter(series=snapshot.series, player_id__in=ids).select_related("player", "last_contest")
    by_player = {rating.player_id: rating for rating in found.defer("belief")}
    return [by_player[pk] for pk in ids if pk in by_player]


def leaders(snapshot: SeriesSnapshot, player_ids: Iterable[int]) -> list[Leader]:
    """Return the rows of these players in this order, in one query."""
    rows = ratings_of(snapshot, player_ids)
    if not rows:
        return []
    scores = np.array([rating.score for rating in rows])
    ranks, total = snapshot.index.ranks(scores), len(snapshot.index)
    points = snapshot.mapping.show(scores)
    uncertainties: Sequence[int | None] = [None] * len(rows)
    if snapshot.sigma_means != "nothing" and not snapshot.is_conservative:
        uncertainties = uncertainty_of(snapshot, scores, np.array([rating.sigma for rating in rows])).tolist()
    peaks = snapshot.mapping.show(np.array([rating.peak for rating in rows]))
    return [
        Leader(rating, rank, displayed_percentile(rank, total), *numbers)
        for rating, rank, *numbers in zip(
            rows, ranks.tolist(), points.tolist(), uncertainties, peaks.tolist(), strict=True
        )
    ]


def uncertainty_of(snapshot: SeriesSnapshot, centre: Any, sigma: Any) -> NDArray[np.int64]:
    """Return half the height of the band of one deviation around each `centre` of a snapshot, in displayed points."""
    low, high = show_band(snapshot.mapping, centre, sigma)
    return np.rint((np.asarray(high) - np.asarray(low)) / 2).astype(np.int64)


def uneven_band(snapshot: SeriesSnapshot, score: float, sigma: float) -> tuple[int, int] | None:
    """
    Return the band of one deviation around a score in displayed points, if the displayed rating is not in its middle.

    None on a straight scale, where a rating ± its uncertainty says the same.
    """
    if snapshot.sigma_means != "uncertainty":
        return None
    low, high = (int(np.rint(edge)) for edge in show_band(snapshot.mapping, score, sigma))
    return None if abs(low + high - 2 * snapshot.rating(score)) <= _ROUNDING else (low, high)


def change_rows(snapshot: SeriesSnapshot, changes: Sequence[RatingChange]) -> list[ChangeRow]:
    """Return the rows of rating changes, in the order given."""
    if not changes:
        return []
    shown = ShownChanges(snapshot, changes)
    is_new = [change.number == 1 for change in changes]
    columns = (shown.performances, shown.before.tolist(), shown.after.tolist(), shown.difference.tolist(), is_new)
    return [ChangeRow(change, *numbers) for change, *numbers in zip(changes, *columns, strict=True)]


def standing_rows(snapshot: SeriesSnapshot, contest: Contest, standing_ids: Iterable[int]) -> list[StandingRow]:
    """Return these rows of a contest's standings in this order, in two queries."""
    ids = list(standing_ids)
    by_id = {standing.pk: standing for standing in Standing.objects.filter(pk__in=ids).select_related("player")}
    standings = [by_id[pk] for pk in ids if pk in by_id]
    changes = RatingChange.objects.current().filter(
        contest=contest, player_id__in=[standing.player_id for standing in standings]
    )
    rated = {row.change.player_id: row for row in change_rows(snapshot, list(changes))}
    return [StandingRow(standing, rated.get(standing.player_id)) for standing in standings]


def newcomer_belief(scheme: Scheme | None) -> tuple[float, float]:
    """Return mu and sigma of a player's belief before the first contest, in the scheme's system or the default one."""
    system = get_system(DEFAULT_SYSTEM) if scheme is None else get_system(scheme.system, **scheme.parameters)
    beliefs = system.new_beliefs(1)
    return float(beliefs.mu[0]), float(beliefs.sigma[0])
