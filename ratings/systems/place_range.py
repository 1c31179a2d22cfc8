"""How likely a player is to place among the first k of a field of any size: exact for small ones, close for large ones.

Given the player's performance, the number of others ahead is a sum of independent tosses. In fields too large for its
exact distribution (``places``) a binomial one of the same mean and variance stands for it: it has the right limits at
both ends, where few are ahead or few behind, and in between. Averaged over the player's performance, probabilities are
off by less than 0.006, mostly by a thousandth of that; a test compares.
"""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.special import betainc

from ratings.systems.outcomes import STANDARD
from ratings.systems.performance_model import PerformanceModel
from ratings.systems.places import place_probabilities

Floats: TypeAlias = NDArray[np.float64]

# Up to this many players the exact distribution costs less than a tenth of a second.
_EXACT = 150
# Performances less likely than this are left out.
_UNLIKELY = 1e-9
# Numbers held at once in a table of performances by players.
_AT_ONCE = 1 << 19
# The sum of squares that a binomial needs; with less it is as good as Poisson's.
_LEAST = 1e-9
# Fewer are nobody.
_FEWEST = 1e-12
# Steps between two nodes: at this number the steps suit fields of 20,000.
_MOST_FINER = 32


class PlaceChances:
    """The chances of one of n players to place among the first k.

    model
        How everybody performs; positions in it are the players.
    of
        The player's position.
    """

    def __init__(self, model: PerformanceModel, of: int) -> None:
        self.size = len(model.location)
        self.exact = None
        if self.size <= _EXACT:
            self.exact = np.minimum(np.cumsum(place_probabilities(model, of)), 1.0)
            return
        standard = STANDARD[model.shape]
        nodes, weights = standard.nodes()
        coarse = nodes[weights > _UNLIKELY]
        mean, variance = _ahead(model, of, model.location[of] + model.scale[of] * coarse)
        # In large fields the place follows the performance closely: finer steps, between which both are smooth.
        finer = min(_MOST_FINER, 1 + math.isqrt(self.size) // 3)
        fine = np.linspace(coarse[0], coarse[-1], finer * (len(coarse) - 1) + 1)
        density = standard.density(fine)
        self.weights = density / np.add.reduce(density)
        self.mean = np.maximum(CubicSpline(coarse, mean)(fine), _FEWEST)
        variance = np.maximum(CubicSpline(coarse, variance)(fine), 0.0)
        # Of the binomial distribution with this mean and variance.
        squares = np.maximum(self.mean - variance, _LEAST * np.minimum(1.0, self.mean))
        self.share = np.clip(squares / self.mean, 1e-15, 1.0 - 1e-15)
        self.tosses = self.mean / self.share

    @property
    def expected_place(self) -> float:
        """The mean place, from 1 to n."""
        if self.exact is not None:
            return 1.0 + float(np.add.reduce(1.0 - self.exact))
        return 1.0 + float(np.add.reduce(self.weights * self.mean))

    def at_most(self, place: int) -> float:
        """The probability to finish in this place or better; 0 below place 1."""
        if place < 1 or place >= self.size:
            return float(place >= 1)
        if self.exact is not None:
            return float(self.exact[place - 1])
        ahead = place - 1.0
        rest = np.maximum(self.tosses - ahead, 1e-12)
        return float(np.add.reduce(self.weights * betainc(rest, ahead + 1.0, 1.0 - self.share)))

    def place_within(self, share: float) -> int:
        """The least place such that the probability to finish there or better is at least this share."""
        low, high = 0, self.size
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.at_most(middle) >= share else (middle, high)
        return high


def _ahead(model: PerformanceModel, of: int, points: Floats) -> tuple[Floats, Floats]:
    """Mean and variance of the number of others who perform better than each of some performances."""
    others, scales = np.delete(model.location, of), np.delete(model.scale, of)
    cumulative = STANDARD[model.shape].cumulative
    mean, variance = np.empty(len(points)), np.empty(len(points))
    rows = max(1, _AT_ONCE // len(others))
    for begin in range(0, len(points), rows):
        part = slice(begin, begin + rows)
        behind = cumulative((points[part, None] - others) / scales)
        mean[part] = np.add.reduce(1.0 - behind, axis=1)
        variance[part] = np.add.reduce(behind * (1.0 - behind), axis=1)
    return mean, variance
