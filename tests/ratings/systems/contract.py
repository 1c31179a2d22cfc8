"""Helpers for the contract tests of all rating systems."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ratings.systems import SYSTEMS, Beliefs, Contest, RatingSystem, RoundChanges, get_system, replay

# Systems with constants in rating points, or (the ladder) with no scale at all: the specification exempts them.
WITHOUT_SHIFT = {"topcoder", "ladder"}
WITHOUT_SCALE = {"codeforces", "topcoder", "ladder"}

every_system = pytest.mark.parametrize("name", SYSTEMS)
every_parameter = pytest.mark.parametrize(
    ("name", "parameter"),
    [
        pytest.param(name, parameter, id=f"{name}-{parameter.name}")
        for name in SYSTEMS
        for parameter in SYSTEMS[name].PARAMETERS
    ],
)
every_system_that_shifts = pytest.mark.parametrize("name", [name for name in SYSTEMS if name not in WITHOUT_SHIFT])
every_system_that_scales = pytest.mark.parametrize("name", [name for name in SYSTEMS if name not in WITHOUT_SCALE])
NUMBERS = ("mu_before", "sigma_before", "mu", "sigma", "performance", "rank", "field")


def numbers(changes: Any) -> NDArray[np.float64]:
    return np.column_stack([getattr(changes, name) for name in NUMBERS])


def rated_by(name: str, made: list[Contest], n_players: int, **parameters: Any) -> tuple[RatingSystem, Beliefs]:
    system = get_system(name, **parameters)
    return system, replay(system, made, n_players).beliefs


def rate(system: RatingSystem, beliefs: Beliefs, contest: Contest) -> RoundChanges:
    changes = system.rate_round(beliefs, contest)
    assert changes is not None
    return changes


def held_for(system: RatingSystem, contest: Contest, stored: Mapping[int, bytes]) -> list[int]:
    """The players whose beliefs a contest needs: participants, then all others ever rated if the system needs them."""
    participants = contest.players.tolist()
    return participants + [player for player in stored if system.needs_pool and player not in participants]
