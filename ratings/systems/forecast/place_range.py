"""How likely a player is to place among the first k of a field of any size: exact for small ones, close for large ones.

Given the player's performance, the number of others ahead is a sum of independent tosses. Its exact distribution
(``places``) is made of those others whose place against the player is open; who is nearly certain to be ahead, or
behind, is counted as such. If too many are open, a binomial distribution of the same mean and variance stands for the
sum, or for that of those behind if they are fewer. Probabilities are off by less than 0.003; a test compares.
"""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.special import betainc

from ratings.systems.forecast.places import place_probabilities
from ratings.systems.numerics.outcomes import STANDARD
from ratings.systems.performance_model import PerformanceModel

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

# With up to this many players the exact distribution costs less than a tenth of a second.
_EXACT = 150
# So many wrong guesses, as a mean number, who is certain to be ahead or behind may add to the exact distribution.
_CERTAIN = 5e-4
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
            self.exact = np.cumsum(place_probabilities(model, of))
            return
        standard = STANDARD[model.shape]
        nodes, weights = standard.nodes()
        kept = weights > _UNLIKELY
        coarse = nodes[kept]
        mean, variance, ahead = _ahead(model, of, model.location[of] + model.scale[of] * coarse, weights[kept])
        undecided = _undecided(ahead)
        if len(undecided) < _EXACT:
            certain = np.count_nonzero(ahead > 0.5) - np.count_nonzero(ahead[undecided] > 0.5)
            self.exact = self._among(model, of, undecided, int(certain))
            return
        # In large fields the place follows the performance closely: finer steps, between which both are smooth.
        finer = min(_MOST_FINER, 1 + math.isqrt(self.size) // 3)
        fine = np.linspace(coarse[0], coarse[-1], finer * (len(coarse) - 1) + 1)
        density = standard.density(fine)
        self.weights = density / np.add.reduce(density)
        self.mean = np.clip(CubicSpline(coarse, mean)(fine), 0.0, self.size - 1.0)
        variance = np.maximum(CubicSpline(coarse, variance)(fine), 0.0)
        # The fewer are counted, those ahead or those behind, by the binomial distribution of this mean and variance.
        self.counts_behind = 2.0 * self.mean > self.size - 1.0
        fewer = np.maximum(np.where(self.counts_behind, self.size - 1.0 - self.mean, self.mean), _FEWEST)
        squares = np.maximum(fewer - variance, _LEAST * np.minimum(1.0, fewer))
        self.share = np.clip(squares / fewer, 1e-15, 1.0 - 1e-15)
        self.tosses = fewer / self.share

    def _among(self, model: PerformanceModel, of: int, undecided: Indices, certain: int) -> Floats:
        """The chances by place, from those others whose place is open and the number who are certainly ahead."""
        players = np.append(of, np.delete(np.arange(self.size), of)[undecided])
        among = PerformanceModel(model.shape, model.location[players], model.scale[players])
        chances = np.ones(self.size)
        chances[:certain] = 0.0
        if len(undecided):
            chances[certain : certain + len(players)] = np.cumsum(place_probabilities(among, 0))
        return chances

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
            return float(min(self.exact[place - 1], 1.0))
        # At most so many ahead; or, the other way round, at most so many behind, which is what must not be.
        most = np.where(self.counts_behind, self.size - place - 1.0, place - 1.0)
        chance = betainc(np.maximum(self.tosses - most, 1e-12), most + 1.0, 1.0 - self.share)
        return float(np.add.reduce(self.weights * np.where(self.counts_behind, 1.0 - chance, chance)))

    def place_within(self, share: float) -> int:
        """The least place such that the probability to finish there or better is at least this share."""
        low, high = 0, self.size
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.at_most(middle) >= share else (middle, high)
        return high


def _ahead(model: PerformanceModel, of: int, points: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Who performs better than the player, at some performances of given weights, shape (k,).

    Mean and variance of their number at each, shape (k,); and the probability of each other one, shape (n - 1,).
    """
    others, scales = np.delete(model.location, of), np.delete(model.scale, of)
    cumulative = STANDARD[model.shape].cumulative
    mean, variance, behind = np.empty(len(points)), np.empty(len(points)), np.zeros(len(others))
    rows = max(1, _AT_ONCE // len(others))
    for begin in range(0, len(points), rows):
        part = slice(begin, begin + rows)
        below = cumulative((points[part, None] - others) / scales)
        mean[part] = np.add.reduce(1.0 - below, axis=1)
        variance[part] = np.add.reduce(below * (1.0 - below), axis=1)
        behind += np.einsum("k,kj->j", weights[part], below)
    return mean, variance, 1.0 - behind / np.add.reduce(weights)


def _undecided(ahead: Floats) -> Indices:
    """Positions of those who are neither nearly certain to be ahead nor to be behind."""
    doubt = np.minimum(ahead, 1.0 - ahead)
    order = np.argsort(doubt, kind="stable")
    certain = int(np.searchsorted(np.cumsum(np.maximum(doubt[order], 0.0)), _CERTAIN))
    return np.sort(order[certain:])
