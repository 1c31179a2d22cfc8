"""The default display and tiers of a series, which suit the scale of its rating system.

In every system, newcomers, strong and weak players get distinct whole numbers, most of them between 1 and a few
thousand. The system declares its default mapping, and the mapping adapts to the system's newcomers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ratings.display import MAPPINGS, Newcomer, conservative_factor, ladder_tiers, mapping_from_dict
from ratings.display.tier_sets import DEFAULT_SCORES, LIGHTS
from ratings.systems import get_system

if TYPE_CHECKING:
    from collections.abc import Mapping as Dictionary

    from ratings.display import Tiers
    from ratings.display.tier_sets import TierSet
    from ratings.systems import RatingSystem

#: The distance between two tiers under a conservative display, in deviations of a newcomer. It puts a settled player of
#: average skill in the middle tier.
_CONSERVATIVE_STEP = 0.6


def default_display(system: str, parameters: Dictionary[str, Any]) -> dict[str, Any]:
    """Return the default display of a system, for `mapping_from_dict`; ValueError for invalid parameters."""
    chosen = get_system(system, **parameters)
    return MAPPINGS[chosen.default_mapping].suitable_display(_newcomer(chosen))


def suitable_display(mapping: str, system: str, parameters: Dictionary[str, Any]) -> dict[str, Any]:
    """Return the display with this mapping that suits a system; ValueError for unknown names and invalid parameters."""
    kind = type(mapping_from_dict({"mapping": mapping}))
    return kind.suitable_display(_newcomer(get_system(system, **parameters)))


def suitable_tiers(
    system: str, parameters: Dictionary[str, Any], display: Dictionary[str, Any], tier_set: TierSet = LIGHTS
) -> Tiers:
    """Return the tiers that suit a system with a display: by position for a ladder, by strength for other systems.

    Newcomers are at the threshold of the tier "Torch". With a conservative display they are in the lowest tier, because
    their numbers rise as their ratings become certain. Other sets of tiers spread over the same ratings.
    """
    mapping, chosen = mapping_from_dict(display), get_system(system, **parameters)
    count = len(tier_set.names)
    if chosen.has_positions and not mapping.follows_players():
        if tier_set is LIGHTS:
            return ladder_tiers(mapping)
        places = np.geomspace(1000, 1, count - 1).round()
        return tier_set.tiers([mapping.show(-float(place)) for place in places], lowest=mapping.least)
    newcomer = _newcomer(chosen)
    mu, sigma, k = newcomer.mu, newcomer.sigma, conservative_factor(display)
    if newcomer.k and k:
        start = mu - k * sigma
        scores = [start + _CONSERVATIVE_STEP * sigma * step for step in range(1, 8)]
    else:
        scores = [mu + sigma * (x - 1500.0) / 350.0 for x in DEFAULT_SCORES]
    if count - 1 != len(scores):
        scores = np.interp(np.linspace(0, len(scores) - 1, count - 1), range(len(scores)), scores).tolist()
    return tier_set.tiers(mapping.thresholds(scores))


def _newcomer(system: RatingSystem) -> Newcomer:
    if system.has_positions:
        return Newcomer(-1.0, 1.0, has_position=True)
    beliefs = system.new_beliefs(1)
    mu, sigma = float(beliefs.mu[0]), float(beliefs.sigma[0])
    return Newcomer(mu, sigma, system.conservative_factor, system.natural_temperature)
