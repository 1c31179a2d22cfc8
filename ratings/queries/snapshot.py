"""
Snapshots of a series: one run with its display mapping, its tiers and its rank index.

Every page and every API response takes its numbers from one `SeriesSnapshot`, so they all belong to the same run and
are rounded in the same way.

The rank index is a sorted array, kept per run. Looking up a rank among 500,000 players is a binary search, and page
3,000 of a leaderboard costs as much as page 1. An index never changes, so it can stay in memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db import connection

from contests.bulk import read_arrays
from contests.caching import cached
from ratings.display import (
    DEFAULT_MAPPING,
    conservative_factor,
    default_tiers,
    mapping_from_dict,
    sort_score,
    tiers_from_list,
)
from ratings.models import Rating, Run, Scheme, StaleMark
from ratings.systems import DEFAULT_SYSTEM, SYSTEMS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from contests.models import Series
    from ratings.display import Mapping, Tier, Tiers
    from ratings.systems.system import SigmaMeans


@dataclass(frozen=True, slots=True, eq=False)
class RankIndex:
    """
    All rated players of a series as of one run, best first; equal scores are sorted by player id.

    scores, player_ids
        Arrays of shape (players,).
    """

    scores: NDArray[np.float64]
    player_ids: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def _ascending(self) -> NDArray[np.float64]:
        """The scores, lowest first: a view, because a copy of a million scores takes longer than many look-ups."""
        return self.scores[::-1]

    def rank(self, score: float) -> int:
        """Return the competition rank of a score, which is 1 plus the number of players above it."""
        return len(self) - int(np.searchsorted(self._ascending, score, side="right")) + 1

    def ranks(self, scores: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the competition ranks of many scores."""
        return len(self) - np.searchsorted(self._ascending, np.asarray(scores), side="right") + 1

    def percentile(self, score: float) -> float:
        """Return the percentage of players whose score is not above this one; 100 for the best."""
        return percentile_of(self.rank(score), len(self))

    def page(self, number: int, size: int) -> NDArray[np.int64]:
        """Return the player ids on a page; the first page is 1."""
        return self.player_ids[(number - 1) * size : number * size]

    def position(self, player_id: int, score: float) -> int | None:
        """Return the row, from 0, of a player with this score; None if the index has no such row."""
        first = self.rank(score) - 1
        last = len(self) - int(np.searchsorted(self._ascending, score, side="left"))
        found = np.flatnonzero(self.player_ids[first:last] == player_id)
        return first + int(found[0]) if len(found) else None


def rank_index(run: Run | None) -> RankIndex:
    """Return the index of a series' current run; an empty one if no run has been published."""
    if run is None:
        return RankIndex(np.empty(0), np.empty(0, dtype=np.int64))
    return _kept(run.series_id, str(run.uid), run.player_count)


def percentile_of(rank: int, total: int) -> float:
    """Return the percentage of players who are not above this rank; 100 for the best."""
    return 100.0 * (total - rank + 1) / total if total else 100.0


def displayed_percentile(rank: int, total: int) -> float:
    """
    Return the same rounded down to one decimal, as on pages, so that only the best player has 100.

    A percentage that would become 0 stays as it is, because even the last player has this rating or lower.
    """
    return (1000 * (total - rank + 1) // total / 10 if total else 100.0) or percentile_of(rank, total)


@lru_cache(maxsize=32)
def _kept(series_id: int, run_uid: str, player_count: int) -> RankIndex:
    """
    Return the index from this process's memory, the shared cache, or the ratings table.

    The table contains only the newest run. If another run is published between reading the run and reading the table,
    the rows do not match, so views read both in one transaction (`ratings.database.consistent_read`).
    """
    # Not the number or the id of the run: after restoring a backup, other runs can have them.
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


@dataclass(frozen=True, slots=True)
class Scoring:
    """The formula of the sort score: x = mu - k (sigma - sig_limit)."""

    k: float = 0.0
    sig_limit: float = 0.0

    def __call__(self, mu: NDArray[np.float64], sigma: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sort scores, in rating points."""
        return sort_score(mu, sigma, self.k, self.sig_limit)


def scoring_of(scheme: Scheme) -> Scoring:
    """Return the formula by which a scheme sorts players."""
    return Scoring(conservative_factor(scheme.display), float(scheme.parameters.get("sig_limit", 0.0)))


@dataclass(frozen=True)
class SeriesSnapshot:
    """
    A series as of its current run.

    run
        None if no run has been published.
    scheme
        The version whose display applies. It may be newer than the one that rated and sorted the run, but has the same
        system and parameters; otherwise its display would change the meaning of the run's numbers.
    """

    series: Series
    run: Run | None
    scheme: Scheme | None

    @cached_property
    def mapping(self) -> Mapping:
        """The mapping from sort scores to displayed ratings, with the mean and width that the run measured."""
        display = self.scheme.display if self.scheme else {"mapping": DEFAULT_MAPPING}
        if self.run is None:
            return mapping_from_dict(display)
        return mapping_from_dict(display, centre=self.run.pool_mean, temperature=self.run.pool_width)

    @cached_property
    def tiers(self) -> Tiers:
        """The scheme's own tiers, or the default ones."""
        if self.scheme is not None and self.scheme.tiers:
            return tiers_from_list(self.scheme.tiers)
        return default_tiers(self.mapping)

    @cached_property
    def index(self) -> RankIndex:
        """The rank index of the run."""
        return rank_index(self.run)

    @property
    def system(self) -> str:
        """Name of the rating system that produced the numbers."""
        return self.scheme.system if self.scheme is not None else DEFAULT_SYSTEM

    @property
    def has_performance(self) -> bool:
        """Whether the system measures the performance in each contest."""
        return SYSTEMS[self.system].has_performance if self.system in SYSTEMS else True

    @property
    def sigma_means(self) -> SigmaMeans:
        """The system's use of sigma; if it has none, sigma is not displayed."""
        return SYSTEMS[self.system].sigma_means if self.system in SYSTEMS else "uncertainty"

    @property
    def has_positions(self) -> bool:
        """Whether ratings are positions on a ladder, so that differences have no meaning."""
        return SYSTEMS[self.system].has_positions if self.system in SYSTEMS else False

    @property
    def displayed_step(self) -> float | None:
        """Displayed points per internal rating point; None if that depends on the rating, and for positions."""
        return None if self.has_positions else self.mapping.step

    @property
    def uses_weights(self) -> bool:
        """Whether the weight of a contest affects ratings."""
        return SYSTEMS[self.system].uses_weights if self.system in SYSTEMS else True

    @property
    def is_conservative(self) -> bool:
        """Whether the displayed rating is lower, the larger the uncertainty."""
        return self.sigma_means == "uncertainty" and self._scoring.k > 0.0

    def score(self, mu: Any, sigma: Any) -> Any:
        """Return the sort scores of beliefs (numbers or arrays), with the formula of the run's own scores."""
        return self._scoring(mu, sigma)

    def centre(self, mu: Any, sigma: Any) -> Any:
        """Return the scores around which the uncertainty extends: the best estimates if the display is conservative."""
        return mu if self.is_conservative else self.score(mu, sigma)

    @cached_property
    def _scoring(self) -> Scoring:
        scheme = self.run.scheme if self.run is not None else self.scheme
        return scoring_of(scheme) if scheme is not None else Scoring()

    def rating(self, score: float) -> int:
        """Return the displayed rating for a score."""
        return self.mapping.show(score)

    def rating_of(self, mu: float, sigma: float) -> int:
        """Return the displayed rating for a belief."""
        return self.mapping.show(self.score(mu, sigma))

    def change(self, mu_before: float, sigma_before: float, mu: float, sigma: float) -> int:
        """Return the difference of two displayed ratings, so that before + change = after on pages."""
        return self.rating_of(mu, sigma) - self.rating_of(mu_before, sigma_before)

    def tier(self, rating: int) -> Tier:
        """Return the tier that contains a displayed rating."""
        return self.tiers.tier_of(rating)

    def tier_number(self, rating: int) -> int:
        """Return the tier's position from 0 (lowest), by which style sheets and charts refer to it."""
        return int(self.tiers.positions(rating))


def snapshot_of(series: Series) -> SeriesSnapshot:
    """Return the snapshot of a series as of its current run."""
    return as_of(series, Run.objects.current(series.pk), Scheme.objects.newest(series.pk))


def as_of(series: Series, run: Run | None, newest: Scheme | None) -> SeriesSnapshot:
    """Return the snapshot as of a run, with the newest scheme, or with the run's own if its rating points differ."""
    is_other = run is not None and newest is not None and not newest.has_points_of(run.scheme)
    return SeriesSnapshot(series, run, run.scheme if run is not None and is_other else newest)


def preview_snapshot_of(series: Series) -> SeriesSnapshot:
    """Return the snapshot for previews, whose numbers follow the newest scheme even if no run has used it yet."""
    run, newest = Run.objects.current(series.pk), Scheme.objects.newest(series.pk)
    now = as_of(series, run, newest)
    return now if now.scheme == newest else SeriesSnapshot(series, None, newest)


def snapshots_of(series: Iterable[Series]) -> dict[int, SeriesSnapshot]:
    """Return the snapshots of several series by series id, in two queries."""
    by_id = {one.pk: one for one in series}
    runs = {run.series_id: run for run in Run.objects.newest_of(by_id).select_related("scheme")}
    schemes: dict[int, Scheme] = {}
    for scheme in Scheme.objects.filter(series__in=by_id).order_by("version"):
        schemes[scheme.series_id] = scheme
    return {pk: as_of(one, runs.get(pk), schemes.get(pk)) for pk, one in by_id.items()}


def wait_state(series_id: int) -> tuple[bool, Run | None]:
    """Return whether changes of the series are waiting to be rated, and its newest run in any state."""
    stale = StaleMark.objects.filter(series_id=series_id).exists()
    return stale, Run.objects.filter(series_id=series_id).order_by("-number").first()
