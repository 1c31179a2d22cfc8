"""
What people see of a series: one run, its mapping and its tiers, bound together.

Every page and every answer of the REST interface takes its numbers through one `SeriesSnapshot`, so that they carry
the same run and are rounded alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ratings.display import DEFAULT_MAPPING, default_tiers, mapping_from_dict, sort_score, tiers_from_list
from ratings.display.mappings import conservative_factor
from ratings.models import Run, Scheme, StaleMark
from ratings.queries.rank_index import RankIndex, rank_index
from ratings.systems import DEFAULT_SYSTEM, SYSTEMS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contests.models import Series
    from ratings.display import Mapping, Tier, Tiers
    from ratings.systems.system import SigmaMeans


@dataclass(frozen=True)
class SeriesSnapshot:
    """
    A series as of its current run.

    run
        None while nothing has been published.
    scheme
        The version that is shown by, which may be newer than the one the run was rated and sorted by; never one of
        another system or other parameters, as its display would give the run's numbers another meaning.
    """

    series: Series
    run: Run | None
    scheme: Scheme | None

    @cached_property
    def mapping(self) -> Mapping:
        """From sort scores to what is shown; one that follows the players takes what the run measured."""
        display = self.scheme.display if self.scheme else {"mapping": DEFAULT_MAPPING}
        if self.run is None:
            return mapping_from_dict(display)
        return mapping_from_dict(display, centre=self.run.pool_mean, temperature=self.run.pool_width)

    @cached_property
    def tiers(self) -> Tiers:
        if self.scheme is not None and self.scheme.tiers:
            return tiers_from_list(self.scheme.tiers)
        return default_tiers(self.mapping)

    @cached_property
    def index(self) -> RankIndex:
        return rank_index(self.run)

    @property
    def system(self) -> str:
        """Name of the system that the numbers are of."""
        return self.scheme.system if self.scheme is not None else DEFAULT_SYSTEM

    @property
    def has_performance(self) -> bool:
        """Whether there is a performance beside each result."""
        return SYSTEMS[self.system].has_performance if self.system in SYSTEMS else True

    @property
    def sigma_means(self) -> SigmaMeans:
        """What the deviation of a rating says; where it is nothing, it is not shown."""
        return SYSTEMS[self.system].sigma_means if self.system in SYSTEMS else "uncertainty"

    @property
    def has_positions(self) -> bool:
        """Whether ratings are positions on a ladder, so that distances mean nothing."""
        return SYSTEMS[self.system].has_positions if self.system in SYSTEMS else False

    @property
    def uses_weights(self) -> bool:
        """Whether the weight of a contest changes anything."""
        return SYSTEMS[self.system].uses_weights if self.system in SYSTEMS else True

    def score(self, mu: Any, sigma: Any) -> Any:
        """Return the sort score of beliefs, numbers or arrays, by the factor k that the run's own scores have."""
        scheme = self.run.scheme if self.run is not None else self.scheme
        display = scheme.display if scheme else {}
        parameters = scheme.parameters if scheme else {}
        return sort_score(mu, sigma, conservative_factor(display), float(parameters.get("sig_limit", 0.0)))

    def rating(self, score: float) -> int:
        """Return the whole number that people read."""
        return self.mapping.show(score)

    def rating_of(self, mu: float, sigma: float) -> int:
        return self.mapping.show(self.score(mu, sigma))

    def change(self, mu_before: float, sigma_before: float, mu: float, sigma: float) -> int:
        """Return the difference of two shown ratings, so that before + change = after to the reader."""
        return self.rating_of(mu, sigma) - self.rating_of(mu_before, sigma_before)

    def tier(self, rating: int) -> Tier:
        return self.tiers.tier_of(rating)

    def tier_number(self, rating: int) -> int:
        """Return the tier's place from 0 (lowest): style sheets and charts know tiers by it."""
        return int(self.tiers.positions(rating))


def snapshot_of(series: Series) -> SeriesSnapshot:
    """Return the series as of its current run."""
    return as_of(series, Run.objects.current(series.pk), Scheme.objects.newest(series.pk))


def as_of(series: Series, run: Run | None, newest: Scheme | None) -> SeriesSnapshot:
    """Return the series as of a run: by the newest scheme, or by the run's own if that has other rating points."""
    is_other = run is not None and newest is not None and not newest.has_points_of(run.scheme)
    return SeriesSnapshot(series, run, run.scheme if run is not None and is_other else newest)


def as_it_will_be(series: Series) -> SeriesSnapshot:
    """Return the series by the rules in force, for numbers that nobody has published: those of previews."""
    run, newest = Run.objects.current(series.pk), Scheme.objects.newest(series.pk)
    now = as_of(series, run, newest)
    return now if now.scheme == newest else SeriesSnapshot(series, None, newest)


def snapshots_of(series: Iterable[Series]) -> dict[int, SeriesSnapshot]:
    """Return several series at once, in two queries, by series id."""
    by_id = {one.pk: one for one in series}
    runs = {run.series_id: run for run in Run.objects.newest_of(by_id).select_related("scheme")}
    schemes: dict[int, Scheme] = {}
    for scheme in Scheme.objects.filter(series__in=by_id).order_by("version"):
        schemes[scheme.series_id] = scheme
    return {pk: as_of(one, runs.get(pk), schemes.get(pk)) for pk, one in by_id.items()}


def wait_state(series_id: int) -> tuple[bool, Run | None]:
    """Return whether anything of the series still waits to be rated, and the run at work or last ended."""
    stale = StaleMark.objects.filter(series_id=series_id).exists()
    return stale, Run.objects.filter(series_id=series_id).order_by("-number").first()
