"""The effect of a rating scheme on displayed ratings and tiers, with real players, before the scheme is saved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from contests.bulk import read_arrays
from ratings.derived.league_tables import leagues_content
from ratings.derived.leagues import read_league_changes
from ratings.display import mapping_from_dict, sort_score, tiers_from_list, width_of_pool
from ratings.display.leagues import PROVISIONAL, league_rules_from_dict
from ratings.display.scores import conservative_factor
from ratings.display.tier_changes import TierChange, renamed_tiers, tier_changes
from ratings.models import Rating
from ratings.queries.rows import newcomer_belief
from ratings.queries.snapshot import SeriesSnapshot, snapshot_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from contests.models import Player, Series
    from ratings.display import Mapping, Tier, Tiers
    from ratings.display.leagues import LeagueRules
    from ratings.models import Scheme

#: Players in the preview table, spread evenly from first to last.
SAMPLES = 8


@dataclass(frozen=True, slots=True)
class Sample:
    """
    One player before and after.

    player
        None for a newcomer.
    now
        None without a comparable rating.
    tier
        The tier or league after; None for a provisional player of a series with leagues.
    is_provisional
        Whether the player is in no league now.
    """

    player: Player | None
    rank: int | None
    now: int | None
    then: int
    tier: Tier | None
    is_provisional: bool = False

    @property
    def change(self) -> int | None:
        return None if self.now is None else self.then - self.now


@dataclass(frozen=True, slots=True)
class SchemePreview:
    """
    The effect of a scheme on displayed ratings and tiers.

    samples
        Players from first to last, and a newcomer at the end.
    moved
        The number of players who would be in another tier or league; a renamed one is the same.
    provisional
        The players in no league, now and after; both None if neither scheme has leagues.
    rules
        The rules of the leagues; None without leagues, and if the series would be rated again.
    rates_again
        Whether the series would be rated again, so that more would change than this table shows.
    is_other_scale
        Whether the rating points would be on another scale, so that the preview has only a newcomer.
    """

    snapshot: SeriesSnapshot
    samples: list[Sample]
    tiers: list[TierChange]
    total: int
    moved: int
    rates_again: bool
    is_other_scale: bool
    provisional: tuple[int, int] | None = None
    rules: LeagueRules | None = None

    @property
    def stayed(self) -> int:
        """The number of players who would stay in their tier or league."""
        return self.total - self.moved - (self.provisional[1] if self.provisional else 0)


def preview_scheme(series: Series, scheme: Scheme) -> SchemePreview:
    """Return the effect of a scheme, which need not be stored; call this inside a snapshot."""
    snapshot = snapshot_of(series)
    tiers = tiers_from_list(scheme.tiers)
    is_other = snapshot.run is not None and not scheme.has_points_of(snapshot.run.scheme)
    rates_again = snapshot.run is not None and not scheme.rates_alike(snapshot.run.scheme)
    if snapshot.run is None or is_other or not len(snapshot.index):
        alone = mapping_from_dict(scheme.display)
        nobody: list[TierChange] = [TierChange(tier, None, None) for tier in tiers][::-1]
        samples = [_newcomer(snapshot, scheme, alone, tiers)]
        return SchemePreview(snapshot, samples, nobody, 0, 0, rates_again, is_other)
    ids, scores_now = snapshot.index.player_ids, snapshot.index.scores
    scores = _scores(series, scheme, ids) if rates_again else scores_now
    mapping = _mapping(snapshot, scheme, scores, measured_anew=rates_again)
    now, then = snapshot.mapping.show(scores_now), mapping.show(scores)
    content = leagues_content(snapshot)
    was = snapshot.tiers.positions(now) if content is None else content["league"]
    rules = None if rates_again else league_rules_from_dict(scheme.leagues)
    will_be = tiers.positions(then) if rules is None else _leagues(SeriesSnapshot(series, snapshot.run, scheme))
    samples = [
        *_players(snapshot, ids, (now, then), tiers, (was, will_be)),
        _newcomer(snapshot, scheme, mapping, tiers),
    ]
    in_none = int(np.count_nonzero(was == PROVISIONAL)), int(np.count_nonzero(will_be == PROVISIONAL))
    return SchemePreview(
        snapshot, samples, tier_changes(snapshot.tiers, was, tiers, will_be), len(ids),
        _moved(snapshot.tiers, was, tiers, will_be), rates_again, is_other,
        provisional=in_none if rules is not None or content is not None else None, rules=rules,
    )  # fmt: skip


def _leagues(snapshot: SeriesSnapshot) -> NDArray[np.int64]:
    """Return the league of each player by the rules of a snapshot's scheme, in the order of the rank index."""
    changes = read_league_changes(snapshot)
    assert changes.history is not None
    return changes.history.league[changes.histories.last[changes.places_in_index()]].astype(np.int64)


def _score(scheme: Scheme, mu: NDArray[np.float64], sigma: NDArray[np.float64]) -> NDArray[np.float64]:
    limit = float(scheme.parameters.get("sig_limit", 0.0))
    return sort_score(mu, sigma, conservative_factor(scheme.display), limit)


def _scores(series: Series, scheme: Scheme, ids: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the sort scores of these players with the factor k of a scheme."""
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
    snapshot: SeriesSnapshot,
    ids: NDArray[np.int64],
    ratings: tuple[NDArray[np.int64], NDArray[np.int64]],
    tiers: Tiers,
    positions: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> list[Sample]:
    """Return players from first to last; `ratings` and `positions` in the tiers or leagues are those now and after."""
    (now, then), (was, will_be) = ratings, positions
    listed = list(tiers)
    at = np.unique(np.linspace(0, len(ids) - 1, SAMPLES).round().astype(np.int64)).tolist()
    chosen = Rating.objects.filter(series=snapshot.series, player__in=[int(ids[i]) for i in at])
    players = {rating.player_id: rating.player for rating in chosen.select_related("player").defer("belief")}
    ranks = snapshot.index.ranks(snapshot.index.scores[at]).tolist()
    return [
        Sample(
            players[int(ids[i])],
            rank,
            int(now[i]),
            int(then[i]),
            listed[int(will_be[i])] if will_be[i] != PROVISIONAL else None,
            is_provisional=bool(was[i] == PROVISIONAL),
        )
        for i, rank in zip(at, ranks, strict=True)
        if int(ids[i]) in players
    ]


def _newcomer(snapshot: SeriesSnapshot, scheme: Scheme, mapping: Mapping, tiers: Tiers) -> Sample:
    mu, sigma = (np.array(value) for value in newcomer_belief(scheme))
    then = mapping.show(float(_score(scheme, mu, sigma)))
    now = snapshot.rating_of(*newcomer_belief(snapshot.scheme)) if snapshot.scheme is not None else None
    has_leagues = league_rules_from_dict(scheme.leagues) is not None
    return Sample(None, None, now, then, None if has_leagues else tiers.tier_of(then))


def _moved(old: Tiers, was: NDArray[np.int64], new: Tiers, will_be: NDArray[np.int64]) -> int:
    """Count the players who would be in another tier or league than now, or in one at all."""
    number = {name: i for i, name in enumerate({tier.name for tier in (*old, *new)})}
    renamed = renamed_tiers(old, new)
    # Provisional players have the last position.
    before = np.array([*(number[renamed.get(tier.name, tier.name)] for tier in old), PROVISIONAL])[was]
    after = np.array([*(number[tier.name] for tier in new), PROVISIONAL])[will_be]
    return int(np.count_nonzero((before != after) & (after != PROVISIONAL)))
