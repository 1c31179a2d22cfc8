"""Models of players' performances, and the win probabilities and expected places that follow from them.

Performances are independent and of one shape. Where P(A > B) has no closed form, it is the integral of A's density
times B's distribution function. Both are analytic around the real line, so the trapezoidal rule with steps in
proportion to the narrower scale errs by less than 1e-12 for any ratio of the scales. The integral therefore always
runs over the narrower of the two.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from ratings.systems.numerics.pair_sums import LOGISTIC, NORMAL, expected_wins

Floats: TypeAlias = NDArray[np.float64]
Shape: TypeAlias = Literal["normal", "logistic", "gumbel"]
Indices: TypeAlias = NDArray[np.int64]

# The most numbers in memory at once, in a table of nodes by players.
_AT_ONCE = 1 << 20
# Beyond this many scales every probability is 0 or 1, and squares and exponentials are still finite.
_FAR = 1e3


@dataclass(frozen=True, slots=True, eq=False)
class PerformanceModel:
    """Independent performances, one for each of n players; the higher one places before the lower one.

    shape
        Their common shape. ``gumbel`` (of maxima) is the model of Bradley and Terry: with equal scales the
        difference of two is logistic with that scale, so the odds of a place depend on exp(location / scale).
    location
        Mean for normal and logistic, mode for gumbel; shape (n,), in rating points.
    scale
        Deviation for normal, scale for logistic and gumbel; shape (n,), in rating points.
    """

    shape: Shape
    location: Floats
    scale: Floats

    def shifted(self, handicap: Floats | None) -> "PerformanceModel":
        """Return the performances with these advantages, shape (n,), in rating points; None for no advantages."""
        if handicap is None:
            return self
        return PerformanceModel(self.shape, self.location + handicap, self.scale)


@dataclass(frozen=True, slots=True)
class Standard:
    """One shape of performances at location 0 and scale 1.

    density, cumulative
        Density and distribution function, of arrays.
    step
        Distance between nodes of the trapezoidal rule.
    low, high
        Probabilities outside this range are negligible in double precision.
    """

    density: Callable[[Floats], Floats]
    cumulative: Callable[[Floats], Floats]
    step: float
    low: float
    high: float

    def nodes(self) -> tuple[Floats, Floats]:
        """Return nodes and weights of the trapezoidal rule for expectations; the weights add up to one."""
        nodes = np.arange(self.low, self.high, self.step)
        weights = self.density(nodes)
        return nodes, weights / np.add.reduce(weights)


def _normal_density(x: Floats) -> Floats:
    density: Floats = np.exp(-0.5 * np.square(np.clip(x, -_FAR, _FAR))) / np.sqrt(2.0 * np.pi)
    return density


def _logistic_density(x: Floats) -> Floats:
    density: Floats = expit(x) * expit(-x)
    return density


def _gumbel_density(x: Floats) -> Floats:
    falling = np.exp(-np.clip(x, -6.0, 700.0))
    density: Floats = falling * np.exp(-falling)
    return density


def _gumbel_cumulative(x: Floats) -> Floats:
    cumulative: Floats = np.exp(-np.exp(-np.clip(x, -6.7, 700.0)))
    return cumulative


STANDARD: dict[Shape, Standard] = {
    "normal": Standard(_normal_density, ndtr, step=0.4, low=-9.0, high=9.0),
    "logistic": Standard(_logistic_density, expit, step=0.5, low=-36.0, high=36.0),
    "gumbel": Standard(_gumbel_density, _gumbel_cumulative, step=0.2, low=-5.0, high=36.0),
}


def probability_to_beat(model: PerformanceModel, first: Indices, second: Indices) -> Floats:
    """Return the probability that each first player performs better than the second.

    first, second
        Positions in the model, of one shape (k,).
    """
    difference = model.location[first] - model.location[second]
    scale, other = model.scale[first], model.scale[second]
    if model.shape == "normal":
        normal: Floats = ndtr(difference / np.hypot(scale, other))
        return normal
    if model.shape == "gumbel" and (scale == other).all():
        logistic: Floats = expit(difference / scale)
        return logistic
    swapped = scale > other
    narrow, wide = np.where(swapped, other, scale), np.where(swapped, scale, other)
    probability = _by_nodes(STANDARD[model.shape], np.where(swapped, -difference, difference), narrow, wide)
    return np.clip(np.where(swapped, 1.0 - probability, probability), 0.0, 1.0)


def _by_nodes(standard: Standard, difference: Floats, narrow: Floats, wide: Floats) -> Floats:
    """Return the probability that the narrower performance wins; arrays of shape (k,)."""
    nodes, weights = standard.nodes()
    result = np.empty_like(difference)
    rows = max(1, _AT_ONCE // len(nodes))
    for begin in range(0, len(difference), rows):
        part = slice(begin, begin + rows)
        points = (difference[part, None] / wide[part, None]) + (narrow[part] / wide[part])[:, None] * nodes
        result[part] = np.add.reduce(standard.cumulative(points) * weights, axis=1)
    return result


def entry_performances(model: PerformanceModel, entry: Indices, share: Floats, adds_up: bool) -> PerformanceModel:
    """Return the performance of each entry, given those of its members.

    entry
        The number of each member's entry, from 0, shape (n,).
    share
        The share of the contest that each member played, shape (n,). It counts only where performances add up.
    adds_up
        Whether an entry performs as the sum of its members. Otherwise location and scale are their means.
    """
    n = int(entry.max()) + 1

    def summed(values: Floats) -> Floats:
        return np.bincount(entry, values, n).astype(np.float64)

    if adds_up:
        scale = np.sqrt(summed(np.square(share * model.scale)))
        return PerformanceModel(model.shape, summed(share * model.location), scale)
    sizes = summed(np.ones(len(entry)))
    return PerformanceModel(model.shape, summed(model.location) / sizes, summed(model.scale) / sizes)


def mean_places(model: PerformanceModel) -> Floats:
    """Return the expected place of each of n players among all of them, shape (n,): 1 + sum_j P(j beats i)."""
    n = len(model.location)
    if (model.scale == model.scale[0]).all() and model.shape != "logistic":
        curve, factor = (NORMAL, np.sqrt(2.0)) if model.shape == "normal" else (LOGISTIC, 1.0)
        beaten = expected_wins(model.location, curve, float(factor * model.scale[0]))
        return np.clip(n - beaten, 1.0, n)
    octave = np.floor(np.log2(model.scale / model.scale.min())).astype(np.int64)
    better = np.full(n, 0.5)  # one, less the half that everyone adds by being compared with themselves
    for each in np.unique(octave):
        _Octave(model, np.flatnonzero(octave == each), np.flatnonzero(octave > each)).add_to(better)
    return np.clip(better, 1.0, n)


class _Octave:
    """Players whose scales differ by less than a factor of two, on nodes that suit all of them.

    same, wider
        Positions of these players, and of all players with greater scales than theirs.
    """

    def __init__(self, model: PerformanceModel, same: Indices, wider: Indices) -> None:
        self.model, self.same, self.wider = model, same, wider
        self.standard = STANDARD[model.shape]
        self.step = self.standard.step * float(model.scale[same].min())
        self.origin = float(model.location[same].min())
        self.nodes = self._nodes()
        self.rows = max(1, _AT_ONCE // len(self.nodes))

    def _nodes(self) -> Floats:
        """Return the whole steps from the origin near any of these players, so that gaps between them cost nothing."""
        location, scale = self.model.location[self.same], self.model.scale[self.same]
        order = np.argsort(location)
        first = np.floor((location + self.standard.low * scale - self.origin) / self.step)[order]
        last = np.ceil((location + self.standard.high * scale - self.origin) / self.step)[order]
        first, last = np.minimum.accumulate(first[::-1])[::-1], np.maximum.accumulate(last)
        apart = first[1:] > last[:-1]
        starts, ends = first[np.append(True, apart)], last[np.append(apart, True)]
        return np.concatenate([np.arange(start, end + 1.0) for start, end in zip(starts, ends, strict=True)])

    def add_to(self, better: Floats) -> None:
        """Add all pairs whose narrower member is in this octave to each player's expected number of better players."""
        mass = np.zeros(len(self.nodes))
        for part in self._parts(self.same):
            mass += np.add.reduce(self._densities(part), axis=0)
        beaten = np.zeros(len(self.nodes))
        for part in self._parts(self.same):
            better[part] += np.einsum("ik,k->i", self._cumulative(part), mass)
        for part in self._parts(self.wider):
            cumulative = self._cumulative(part)
            better[part] += np.einsum("ik,k->i", cumulative, mass)
            beaten += np.add.reduce(cumulative, axis=0)
        for part in self._parts(self.same) if len(self.wider) else ():
            better[part] += len(self.wider) - np.einsum("ik,k->i", self._densities(part), beaten)

    def _parts(self, players: Indices) -> list[Indices]:
        return [players[begin : begin + self.rows] for begin in range(0, len(players), self.rows)]

    def _points(self, players: Indices) -> Floats:
        location, scale = self.model.location[players], self.model.scale[players]
        return ((self.origin - location) / scale)[:, None] + (self.step / scale)[:, None] * self.nodes

    def _cumulative(self, players: Indices) -> Floats:
        return self.standard.cumulative(self._points(players))

    def _densities(self, players: Indices) -> Floats:
        """Return the density of each player's performance at the nodes, one row each, adding up to one."""
        densities = self.standard.density(self._points(players))
        return densities / np.add.reduce(densities, axis=1, keepdims=True)
