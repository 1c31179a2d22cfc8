"""What another display and other tiers would show of the players that there are: nothing is rated, nothing stored."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from contests.bulk import read_arrays
from ratings.display import mapping_from_dict, sort_score, tiers_from_list, width_of_pool
from ratings.display.mappings import conservative_factor
from ratings.models import Rating
from ratings.queries.rows import newcomer_belief
from ratings.queries.snapshot import SeriesSnapshot, snapshot_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from contests.models import Player, Series
    from ratings.display import Mapping, Tier, Tiers
    from ratings.models import Scheme

#: Players of the table, spread evenly from the best to the last.
SAMPLES = 15


@dataclass(frozen=True, slots=True)
class Sample:
    """One player before and after; `player` is None for someone new, `now` where nothing comparable is shown now."""

    player: Player | None
    rank: int | None
    now: int | None
    then: int
    tier: Tier

    @property
    def change(self) -> int | None:
        return None if self.now is None else self.then - self.now


@dataclass(frozen=True, slots=True)
class TierCount:
    """One tier with how many players are in it; `now` in the tier of that name, None if there is none."""

    tier: Tier
    now: int | None
    then: int | None


@dataclass(frozen=True, slots=True)
class SchemePreview:
    """
    samples
        Players from top to bottom, and someone new at the end.
    moved
        How many of all players would be in a tier of another name.
    rates_again
        Whether the series would be rated again, so that this table is not all that changes.
    is_other_scale
        Whether it would be in other rating points altogether, so that no player can be shown.
    """

    snapshot: SeriesSnapshot
    samples: list[Sample]
    tiers: list[TierCount]
    total: int
    moved: int
    rates_again: bool
    is_other_scale: bool


def preview_scheme(series: Series, scheme: Scheme) -> SchemePreview:
    """Show real players by a scheme that need not be stored; call it inside a snapshot."""
    snapshot = snapshot_of(series)
    tiers = tiers_from_list(scheme.tiers)
    is_other = snapshot.run is not None and not scheme.has_points_of(snapshot.run.scheme)
    rates_again = snapshot.run is not None and not scheme.rates_alike(snapshot.run.scheme)
    if snapshot.run is None or is_other or not len(snapshot.index):
        alone = mapping_from_dict(scheme.display)
        nobody: list[TierCount] = [TierCount(tier, None, None) for tier in tiers][::-1]
        samples = [_newcomer(snapshot, scheme, alone, tiers)]
        return SchemePreview(snapshot, samples, nobody, 0, 0, rates_again, is_other)
    ids, scores_now = snapshot.index.player_ids, snapshot.index.scores
    scores = _scores(series, scheme, ids) if rates_again else scores_now
    mapping = _mapping(snapshot, scheme, scores, measured_anew=rates_again)
    now, then = snapshot.mapping.show(scores_now), mapping.show(scores)
    was, will_be = snapshot.tiers.positions(now), tiers.positions(then)
    samples = [*_players(snapshot, ids, now, then, tiers), _newcomer(snapshot, scheme, mapping, tiers)]
    moved = _moved(snapshot.tiers, was, tiers, will_be)
    return SchemePreview(
        snapshot, samples, _counts(snapshot.tiers, was, tiers, will_be), len(ids), moved, rates_again, is_other
    )


def _score(scheme: Scheme, mu: NDArray[np.float64], sigma: NDArray[np.float64]) -> NDArray[np.float64]:
    limit = float(scheme.parameters.get("sig_limit", 0.0))
    return sort_score(mu, sigma, conservative_factor(scheme.display), limit)


def _scores(series: Series, scheme: Scheme, ids: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the sort scores of these players by another factor k."""
    query = (
        f"SELECT CAST(player_id AS bigint), CAST(mu AS double precision), CAST(sigma AS double precision) "
        f"FROM {Rating._meta.db_table} WHERE series_id = %s ORDER BY player_id"
    )
    columns = read_arrays(query, [series.pk], {"player": "i8", "mu": "f8", "sigma": "f8"})
    at = np.searchsorted(columns["player"], ids)
    return _score(scheme, columns["mu"][at], columns["sigma"][at])


def _mapping(snapshot: SeriesSnapshot, scheme: Scheme, scores: NDArray[np.float64], *, measured_anew: bool) -> Mapping:
    assert snapshot.run is not None
    centre, temperature = snapshot.run.pool_mean, snapshot.run.pool_width
    if measured_anew or centre is None or temperature is None:
        centre, temperature = width_of_pool(scores)
    return mapping_from_dict(scheme.display, centre=centre, temperature=temperature)


def _players(
    snapshot: SeriesSnapshot, ids: NDArray[np.int64], now: NDArray[np.int64], then: NDArray[np.int64], tiers: Tiers
) -> list[Sample]:
    at = np.unique(np.linspace(0, len(ids) - 1, SAMPLES).round().astype(np.int64)).tolist()
    chosen = Rating.objects.filter(series=snapshot.series, player__in=[int(ids[i]) for i in at])
    players = {rating.player_id: rating.player for rating in chosen.select_related("player").defer("belief")}
    ranks = snapshot.index.ranks(snapshot.index.scores[at]).tolist()
    return [
        Sample(players[int(ids[i])], rank, int(now[i]), int(then[i]), tiers.tier_of(int(then[i])))
        for i, rank in zip(at, ranks, strict=True)
        if int(ids[i]) in players
    ]


def _newcomer(snapshot: SeriesSnapshot, scheme: Scheme, mapping: Mapping, tiers: Tiers) -> Sample:
    mu, sigma = (np.array(value) for value in newcomer_belief(scheme))
    then = mapping.show(float(_score(scheme, mu, sigma)))
    now = snapshot.rating_of(*newcomer_belief(snapshot.scheme)) if snapshot.scheme is not None else None
    return Sample(None, None, now, then, tiers.tier_of(then))


def _counts(old: Tiers, was: NDArray[np.int64], new: Tiers, will_be: NDArray[np.int64]) -> list[TierCount]:
    before = Counter({tier.name: int(count) for tier, count in zip(old, _bins(was, old), strict=True)})
    names = {tier.name for tier in old}
    return [
        TierCount(tier, before[tier.name] if tier.name in names else None, count)
        for tier, count in zip(new, _bins(will_be, new), strict=True)
    ][::-1]


def _bins(positions: NDArray[np.int64], tiers: Tiers) -> list[int]:
    return np.bincount(positions, minlength=len(tiers)).tolist()


def _moved(old: Tiers, was: NDArray[np.int64], new: Tiers, will_be: NDArray[np.int64]) -> int:
    """Count the players whose tier would have another name."""
    number = {name: i for i, name in enumerate({tier.name for tier in (*old, *new)})}
    before = np.array([number[tier.name] for tier in old])[was]
    after = np.array([number[tier.name] for tier in new])[will_be]
    return int(np.count_nonzero(before != after))
