"""Where to look for better parameters: the ranges that a tuning searches, for each system."""

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.system import RatingSystem

Floats: TypeAlias = NDArray[np.float64]

# Found parameters are people's to read and to type: three digits lose nothing that data could tell.
_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Dimension:
    """One parameter to search.

    low, high
        From so many times the default to so many times it, all orders of magnitude alike.
    choices
        Instead of a range, the values to try.
    """

    name: str
    low: float = 1.0
    high: float = 1.0
    choices: tuple[Any, ...] = ()

    def value(self, default: Any, position: float) -> Any:
        """The value at a position from 0, the lower end, to 1."""
        if self.choices:
            return self.choices[min(int(position * len(self.choices)), len(self.choices) - 1)]
        factor = math.exp((1.0 - position) * math.log(self.low) + position * math.log(self.high))
        rounded = float(f"{default * factor:.{_DIGITS}g}")
        return default if rounded == float(f"{default:.{_DIGITS}g}") else rounded

    def position(self, default: Any, value: Any) -> float:
        """The position of a value, that of the nearest end for one outside the range."""
        if self.choices:
            return (self.choices.index(value) + 0.5) / len(self.choices)
        low, high = math.log(self.low), math.log(self.high)
        return min(max((math.log(value / default) - low) / (high - low), 0.0), 1.0)


_FLAG = (False, True)
_ELO_MMR = (
    Dimension("weight_limit", 0.1, 4.0),
    Dimension("sig_limit", 0.25, 2.5),
    Dimension("split_ties", choices=_FLAG),
)

# Where multiplying several parameters by one factor multiplies all ratings by it, and predicts the same, one of them
# stays as it is: sig_noob for most, the scale of Elo's curve. Means of newcomers shift everybody, which predicts the
# same too. What depends on how often people take part, such as drift by the day, is left to who knows the series.
SEARCHED: dict[str, tuple[Dimension, ...]] = {
    "elo-mmr": (*_ELO_MMR, Dimension("transfer_speed", 0.01, 1.0)),
    "elo-mmr-infinity": _ELO_MMR,
    "elo-mmx": _ELO_MMR,
    "codeforces": (Dimension("weight", 0.05, 5.0), Dimension("inflation_control", choices=_FLAG)),
    "topcoder": (
        Dimension("weight_noob", 0.2, 1.6),
        Dimension("weight_limit", 0.2, 5.0),
        Dimension("sig_noob", 0.2, 4.0),
    ),
    "trueskill": (
        Dimension("beta", 0.2, 5.0),
        Dimension("tau", 0.1, 20.0),
        Dimension("draw_probability", 0.05, 5.0),
    ),
    "trueskill-spb": (Dimension("beta", 0.02, 5.0), Dimension("tau", 0.02, 2.0), Dimension("epsilon", 0.1, 50.0)),
    "glicko": (Dimension("drift", 0.05, 5.0), Dimension("sig_noob", 0.2, 4.0)),
    "glicko2": (
        Dimension("tau", 0.1, 3.0),
        Dimension("volatility_noob", 0.01, 10.0),
        Dimension("sig_noob", 0.2, 4.0),
    ),
    "elo": (Dimension("k_factor", 0.1, 20.0), Dimension("curve", choices=("logistic", "gaussian"))),
    "kreimeier": (Dimension("max_gain", 0.01, 5.0), Dimension("decay", choices=(0.0, 0.003, 0.01, 0.03, 0.1))),
    "ladder": (),
}


class SearchSpace:
    """The unit cube of a system's searched parameters; points have shape (number of dimensions,)."""

    def __init__(self, system: type[RatingSystem]) -> None:
        self.dimensions = SEARCHED.get(system.name, ())
        if not self.dimensions:
            raise ValueError(f"{system.name} has no parameters that a search could improve")
        defaults = {parameter.name: parameter.default for parameter in system.PARAMETERS}
        self.defaults = [defaults[dimension.name] for dimension in self.dimensions]

    def origin(self) -> Floats:
        """The point of the defaults."""
        pairs = zip(self.dimensions, self.defaults, strict=True)
        return np.array([dimension.position(default, default) for dimension, default in pairs])

    def parameters(self, point: Floats) -> dict[str, Any]:
        """The parameters of a point, without those that are as by default."""
        triples = zip(self.dimensions, self.defaults, point.tolist(), strict=True)
        values = {
            dimension.name: (default, dimension.value(default, position)) for dimension, default, position in triples
        }
        return {name: value for name, (default, value) in values.items() if value != default}

    def spread(self, count: int, random: np.random.Generator) -> Floats:
        """Points such that each parameter's range is met evenly (a Latin hypercube), shape (count, dimensions)."""
        strata = np.stack([random.permutation(count) for _ in self.dimensions], axis=1)
        points: Floats = (strata + random.random(strata.shape)) / count
        return points

    def around(self, centre: Floats, count: int, step: float, random: np.random.Generator) -> Floats:
        """Points near a centre; ``step`` is the deviation of each coordinate, and how often a choice is drawn anew."""
        points = np.clip(centre + step * random.standard_normal((count, len(centre))), 0.0, 1.0)
        anew = random.random(points.shape)
        redrawn = random.random(points.shape) < step
        for k, dimension in enumerate(self.dimensions):
            if dimension.choices:
                points[:, k] = np.where(redrawn[:, k], anew[:, k], centre[k])
        return points
