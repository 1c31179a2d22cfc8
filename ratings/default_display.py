"""The display and the tiers that suit a rating system's own scale: what a series has until somebody chooses.

Every system's newcomers, its strong and its weak players get whole numbers that can be told apart, most of them between
1 and a few thousand.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ratings.display import Fermi, Offset, conservative_factor, default_tiers, ladder_tiers, mapping_from_dict
from ratings.display.tiers import OFFSET_SCORES
from ratings.systems import get_system

if TYPE_CHECKING:
    from collections.abc import Mapping as Dictionary

    from ratings.display import Tiers

#: TrueSkill's public value lies so many deviations below the mean.
CONSERVATIVE = 3.0
#: Shown at the top of a ladder; one point less for each position below.
TOP_OF_LADDER = 10_000.0
#: A newcomer's deviation (rating points) between these is shown as it is; others are multiplied by a power of ten.
_READABLE_DEVIATION = (50.0, 1000.0)
#: Where newcomers are shown when their rating points are no numbers that people read.
_START, _CONSERVATIVE_START = 1500.0, 1000.0
#: Systems without a limit of the deviation, so that the careful value of newcomers is far below that of others.
_CAREFUL = ("trueskill", "trueskill-spb")
#: Between two tiers of theirs, in deviations of a newcomer: a settled player of average skill is in the middle.
_CAREFUL_STEP = 0.6


def default_display(system: str, parameters: Dictionary[str, Any]) -> dict[str, Any]:
    """Return the display, read by `mapping_from_dict`, that suits a system; ValueError for parameters it refuses.

    Kreimeier's is his own fixed range. A ladder shows 10,000 at its top and one less for each position. All others are
    shown on a line: the rating points themselves where people can read them, multiplied where the scale is small.
    """
    return fermi_display(system, parameters) if system == "kreimeier" else points_display(system, parameters)


def points_display(system: str, parameters: Dictionary[str, Any]) -> dict[str, Any]:
    """Return the display on a line, without an upper end, that suits a system."""
    if system == "ladder":
        return {"mapping": Offset.name, "offset": TOP_OF_LADDER, "scale": 1.0, "centre": -1.0}
    mu, sigma = _newcomer(system, parameters)
    careful: dict[str, Any] = {"k": CONSERVATIVE} if system in _CAREFUL else {}
    scale = _readable_scale(sigma)
    if scale == 1.0 and mu >= 2 * sigma:
        return {"mapping": Offset.name, **careful}
    start = mu - CONSERVATIVE * sigma if careful else mu
    offset = _CONSERVATIVE_START if careful else _START
    return {"mapping": Offset.name, "offset": offset, "scale": scale, "centre": _within(start, 1e6), **careful}


def fermi_display(system: str, parameters: Dictionary[str, Any], width: int = 10_000) -> dict[str, Any]:
    """Return the fixed range that suits a system: centre and temperature hold until a run has measured the pool."""
    careful: dict[str, Any] = {"k": CONSERVATIVE} if system in _CAREFUL else {}
    mu, sigma = (-1.0, 1.0) if system == "ladder" else _newcomer(system, parameters)
    temperature = float(parameters.get("temperature", sigma / 2)) if system == "kreimeier" else sigma / 2
    suited = {"centre": _within(mu, 1e6), "temperature": max(0.001, _within(temperature, 1e6))}
    usual = Fermi()
    own = {name: value for name, value in suited.items() if value != getattr(usual, name)}
    return {"mapping": Fermi.name, "range": width, **own, **careful}


def suited_tiers(system: str, parameters: Dictionary[str, Any], display: Dictionary[str, Any]) -> Tiers:
    """Return the tiers that suit a system under a display: a ladder's by position, the others' by strength.

    On a line, newcomers are where the tier "Torch" begins; where they climb as they become certain, in the lowest.
    """
    mapping = mapping_from_dict(display)
    if not isinstance(mapping, Offset):
        return default_tiers(mapping)
    if system == "ladder":
        return ladder_tiers(mapping)
    mu, sigma = _newcomer(system, parameters)
    k = conservative_factor(display)
    if system in _CAREFUL and k:
        start = mu - k * sigma
        return default_tiers(mapping, [start + _CAREFUL_STEP * sigma * step for step in range(1, 8)])
    return default_tiers(mapping, [mu + sigma * (x - 1500.0) / 350.0 for x in OFFSET_SCORES])


def _newcomer(system: str, parameters: Dictionary[str, Any]) -> tuple[float, float]:
    beliefs = get_system(system, **parameters).new_beliefs(1)
    return float(beliefs.mu[0]), float(beliefs.sigma[0])


def _readable_scale(sigma: float) -> float:
    """Return the power of ten by which points of such a deviation become whole numbers that people read."""
    lowest, highest = _READABLE_DEVIATION
    if lowest <= sigma <= highest:
        return 1.0
    return float(min(1000.0, max(0.01, 10.0 ** (2 - math.floor(math.log10(sigma))))))


def _within(value: float, bound: float) -> float:
    return max(-bound, min(bound, value))
