"""The display and the tiers that suit a rating system's own scale: what a series has until someone chooses others.

Every system's newcomers, its strong and its weak players get whole numbers that can be told apart, most of them between
1 and a few thousand. The system says which mapping suits it, and the mapping fits itself to the system's newcomers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ratings.display import MAPPINGS, Newcomer, conservative_factor, default_tiers, ladder_tiers, mapping_from_dict
from ratings.display.tiers import DEFAULT_SCORES
from ratings.systems import get_system

if TYPE_CHECKING:
    from collections.abc import Mapping as Dictionary

    from ratings.display import Tiers
    from ratings.systems import RatingSystem

#: The distance between two tiers where newcomers climb as they become certain, in deviations of a newcomer: a settled
#: player of average skill is in the middle tier.
_CAREFUL_STEP = 0.6


def default_display(system: str, parameters: Dictionary[str, Any]) -> dict[str, Any]:
    """Return the display, read by `mapping_from_dict`, that suits a system; ValueError for parameters it refuses."""
    chosen = get_system(system, **parameters)
    return MAPPINGS[chosen.default_mapping].suitable_display(_newcomer(chosen))


def suitable_display(mapping: str, system: str, parameters: Dictionary[str, Any]) -> dict[str, Any]:
    """Return the display of this mapping that suits a system; ValueError for one that is unknown or refused."""
    kind = type(mapping_from_dict({"mapping": mapping}))
    return kind.suitable_display(_newcomer(get_system(system, **parameters)))


def suitable_tiers(system: str, parameters: Dictionary[str, Any], display: Dictionary[str, Any]) -> Tiers:
    """Return the tiers that suit a system under a display: a ladder's by position, the others' by strength.

    Newcomers are where the tier "Torch" begins; where they climb as they become certain, in the lowest.
    """
    mapping, chosen = mapping_from_dict(display), get_system(system, **parameters)
    if chosen.has_positions and not mapping.follows_players():
        return ladder_tiers(mapping)
    newcomer = _newcomer(chosen)
    mu, sigma, k = newcomer.mu, newcomer.sigma, conservative_factor(display)
    if newcomer.k and k:
        start = mu - k * sigma
        return default_tiers(mapping, [start + _CAREFUL_STEP * sigma * step for step in range(1, 8)])
    return default_tiers(mapping, [mu + sigma * (x - 1500.0) / 350.0 for x in DEFAULT_SCORES])


def _newcomer(system: RatingSystem) -> Newcomer:
    if system.has_positions:
        return Newcomer(-1.0, 1.0, has_position=True)
    beliefs = system.new_beliefs(1)
    mu, sigma = float(beliefs.mu[0]), float(beliefs.sigma[0])
    return Newcomer(mu, sigma, system.conservative_factor, system.natural_temperature)
