"""Tiers to start from in the form: a named set, or thresholds proposed from the players' ratings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from ratings.default_display import suitable_tiers
from ratings.display import Tiers
from ratings.display.percentages import percent_of
from ratings.display.tier_sets import LIGHTS, TIER_SETS
from ratings.display.tier_shares import proposed_thresholds
from web.shared.tiers import distribution, tier_counts

if TYPE_CHECKING:
    from ratings.display import Tier
    from ratings.models import Scheme
    from ratings.queries.snapshot import SeriesSnapshot


@dataclass(frozen=True, slots=True)
class ProposedTier:
    """A tier with its present threshold `now`, and the shares of players before and after, in percent."""

    tier: Tier
    now: int | None
    percent_now: float
    percent_then: float


def proposed_tiers(snapshot: SeriesSnapshot) -> Tiers | None:
    """Return the series' tiers with thresholds from its players' ratings; None if these equal the present ones."""
    shown = distribution(snapshot)
    if shown is None or len(snapshot.tiers) < 2:
        return None
    thresholds = proposed_thresholds(shown, len(snapshot.tiers))
    rises = all(lower < upper for lower, upper in pairwise(thresholds))
    if not rises or thresholds == snapshot.tiers.thresholds:
        return None
    moved = zip(snapshot.tiers[1:], thresholds, strict=True)
    return Tiers((snapshot.tiers[0], *(replace(tier, minimum=threshold) for tier, threshold in moved)))


def proposal(snapshot: SeriesSnapshot) -> list[ProposedTier]:
    """Return the proposed tiers with the shares of players before and after, highest first; [] for none."""
    tiers, shown = proposed_tiers(snapshot), distribution(snapshot)
    if tiers is None or shown is None:
        return []
    then = [int((tiers.positions(shown) == number).sum()) for number in range(len(tiers))]
    now = [row.share for row in tier_counts(snapshot)][::-1]
    return [
        ProposedTier(tier, old.minimum, share, percent_of(players, len(shown)))
        for tier, old, share, players in zip(tiers, snapshot.tiers, now, then, strict=True)
    ][::-1]


def tiers_of_set(name: str, scheme: Scheme, snapshot: SeriesSnapshot) -> Tiers:
    """
    Return a named set of tiers for a scheme, which need not be stored.

    Thresholds come from the players' ratings if the scheme rates and displays them as the snapshot does.
    """
    chosen = TIER_SETS.get(name, LIGHTS)
    shown = distribution(snapshot)
    is_alike = snapshot.scheme is not None and (
        scheme.rates_alike(snapshot.scheme) and scheme.display == snapshot.scheme.display
    )
    if shown is None or not is_alike:
        return suitable_tiers(scheme.system, scheme.parameters, scheme.display, chosen)
    return chosen.tiers(proposed_thresholds(shown, len(chosen.names)))
