"""Interpolation between equispaced knots, and the expected numbers of wins computed with it in linear time.

The sums over all pairs, S_i = sum_j f((x_i - x_j) / s) with one increasing curve f from 0 to 1, have n squared terms.
But f is analytic: between equispaced knots a polynomial of degree eleven approximates it, both in x_i and in x_j. So
the players are distributed over the knots around them, the knots are summed against each other, and each player's sum
is interpolated from the knots: 24 n terms, plus some for the knots. Both steps use the same weights, so S_i + S_j of a
pair is as exact as in the direct sum.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

Floats: TypeAlias = NDArray[np.float64]

# The number of knots of a table's polynomial; a point needs half as many on each side.
STENCIL = 6
# Positions, in cells relative to a point's own, of twelve knots whose values define a polynomial of the same degree.
KNOTS = np.arange(-5.0, 7.0)


def _hermite_matrix() -> Floats:
    """Return the inverse of the Hermite conditions: from values and slopes at six knots to twelve coefficients.

    The knots are at -2.5, -1.5, ... 2.5; columns are the six values, then the six slopes. The system is solved once, in
    fractions, because it is too badly conditioned for floating point.
    """
    knots = [Fraction(2 * k - STENCIL + 1, 2) for k in range(STENCIL)]
    size = 2 * STENCIL
    values = [[knot**power for power in range(size)] for knot in knots]
    slopes = [[power * knot ** (power - 1) if power else Fraction(0) for power in range(size)] for knot in knots]
    rows = [row + [Fraction(int(i == j)) for j in range(size)] for i, row in enumerate(values + slopes)]
    for pivot in range(size):
        swap = next(i for i in range(pivot, size) if rows[i][pivot] != 0)
        rows[pivot], rows[swap] = rows[swap], rows[pivot]
        rows[pivot] = [entry / rows[pivot][pivot] for entry in rows[pivot]]
        for i in range(size):
            if i != pivot and rows[i][pivot] != 0:
                factor = rows[i][pivot]
                rows[i] = [entry - factor * other for entry, other in zip(rows[i], rows[pivot], strict=True)]
    return np.array([[float(entry) for entry in row[size:]] for row in rows])


_HERMITE = _hermite_matrix()


class HermiteTable:
    """An analytic function between equispaced knots, interpolated by polynomials of degree eleven.

    origin, spacing
        Position of the first knot and distance between knots, in the unit of the points.
    values, slopes
        The function and its derivative at the knots, shape (k,) with k >= 6.
    """

    def __init__(self, origin: float, spacing: float, values: Floats, slopes: Floats) -> None:
        self.origin, self.spacing, self.values = origin, spacing, values
        self.cells = len(values) - STENCIL + 1
        conditions = [values[k : k + self.cells] for k in range(STENCIL)]
        conditions += [spacing * slopes[k : k + self.cells] for k in range(STENCIL)]
        # einsum without optimize: no BLAS, whose bits may depend on the number of threads.
        self.coefficients = np.einsum("mi,ik->mk", _HERMITE, np.array(conditions))

    @property
    def first(self) -> float:
        """The lowest point that the table covers."""
        return self.origin + (STENCIL // 2 - 1) * self.spacing

    @property
    def last(self) -> float:
        """The highest point that the table covers."""
        return self.first + self.cells * self.spacing

    def __call__(self, points: Floats) -> tuple[Floats, Floats, Floats]:
        """Return values, first and second derivatives at points of shape (k,) between ``first`` and ``last``."""
        position = (points - self.first) / self.spacing
        cell = np.minimum(np.maximum(np.floor(position), 0.0), self.cells - 1.0)
        offset = position - cell - 0.5
        coefficients = np.take(self.coefficients, cell.astype(np.intp), axis=1)
        value, slope, half_bend = coefficients[-1].copy(), np.zeros_like(offset), np.zeros_like(offset)
        for coefficient in coefficients[-2::-1]:
            half_bend *= offset
            half_bend += slope
            slope *= offset
            slope += value
            value *= offset
            value += coefficient
        slope /= self.spacing
        half_bend *= 2.0 / (self.spacing * self.spacing)
        return value, slope, half_bend

    def inverse(self, targets: Floats) -> Floats:
        """Return points at which a falling function is near the targets, by linear interpolation; same shape."""
        knots = self.origin + self.spacing * np.arange(len(self.values))
        points: Floats = np.interp(-targets, -self.values, knots)
        return np.clip(points, self.first, self.last)


def add_to_knots(masses: Floats, cell: NDArray[np.int64], weights: Floats) -> None:
    """Distribute points over the knots around them, adding to ``masses``, shape (..., number of knots), in place.

    cell
        The first of the KNOTS around each point, shape (n,), ascending.
    weights
        The share of each point for each of its knots, shape (..., len(KNOTS), n).
    """
    first = np.flatnonzero(np.diff(cell, prepend=-1))
    sums = np.add.reduceat(weights, first, axis=-1)
    for place in range(len(KNOTS)):
        masses[..., cell[first] + place] += sums[..., place, :]


def lagrange_weights(points: Floats, nodes: Floats) -> Floats:
    """Return the weight of each node's value in the polynomial through all nodes, shape (nodes, points).

    points, nodes
        Arrays of one dimension in the same unit; the nodes are distinct.
    """
    denominators = np.multiply.reduce(nodes[:, None] - nodes + np.eye(len(nodes)), axis=1)
    weights = np.empty((len(nodes), len(points)))
    running = np.ones_like(points)
    for place, node in enumerate(nodes):
        np.divide(running, denominators[place], out=weights[place])
        running *= points - node
    running[:] = 1.0
    for place in range(len(nodes) - 1, -1, -1):
        weights[place] *= running
        running *= points - nodes[place]
    return weights


Indices: TypeAlias = NDArray[np.int64]

# Up to this many players, summing all pairs is cheaper than knots.
_ALL_PAIRS = 160
_KNOTS_AT_ONCE = 64


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """The probability of winning, by the difference of two ratings in units of the scale.

    probability
        The function itself, of arrays.
    spacing
        Distance between knots at which polynomials through twelve knots err by less than 1e-11.
    reach
        Beyond this difference the probability is 0 or 1 in double precision.
    """

    probability: Callable[[Floats], Floats]
    spacing: float
    reach: float
    at_knots: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        furthest = self.furthest
        object.__setattr__(self, "at_knots", self.probability(self.spacing * np.arange(-furthest, furthest + 1.0)))

    @property
    def furthest(self) -> int:
        """The number of knots after which the probability is 0 or 1."""
        return int(np.ceil(self.reach / self.spacing))


LOGISTIC = Curve(expit, spacing=0.15, reach=40.0)
NORMAL = Curve(ndtr, spacing=0.12, reach=9.0)


def expected_wins(ratings: Floats, curve: Curve, scale: float, weights: Floats | None = None) -> Floats:
    """Return for each player the sum of the probabilities of beating each other player, shape (n,).

    ratings
        Shape (n,); the order changes no bits.
    scale
        The divisor of rating differences before the curve is applied; same unit as the ratings.
    weights
        How many times each player counts as an opponent, shape (n,); None for once.

    Each sum errs by less than 1e-11 of all weights. Without weights, all sums add up to n (n - 1) / 2 to rounding.
    """
    # Sorted by weight too, so that the order of players with equal ratings changes no bits.
    order = np.argsort(ratings) if weights is None else np.lexsort((weights, ratings))
    in_order, counted = ratings[order], None if weights is None else weights[order]
    sums = np.empty_like(ratings)
    way = _all_pairs if len(ratings) <= _ALL_PAIRS else _by_knots
    sums[order] = way(in_order, curve, scale, counted)
    return sums - 0.5 * (1.0 if weights is None else weights)  # without oneself


def _all_pairs(ratings: Floats, curve: Curve, scale: float, counted: Floats | None) -> Floats:
    probability = curve.probability((ratings[:, None] - ratings) / scale)
    sums: Floats = np.add.reduce(probability if counted is None else probability * counted, axis=1)
    return sums


def _by_knots(ratings: Floats, curve: Curve, scale: float, counted: Floats | None) -> Floats:
    cell, offset = _cells(ratings / scale, curve)
    weights = lagrange_weights(offset, KNOTS)
    first = np.flatnonzero(np.diff(cell, prepend=-1))
    spread = np.add.reduceat(weights if counted is None else weights * counted, first, axis=1)
    stencils = cell[first] + KNOTS[:, None].astype(np.int64)
    knots, position = np.unique(stencils, return_inverse=True)
    masses = np.bincount(position.ravel(), weights=spread.ravel()).astype(np.float64, copy=False)
    sums = _knot_sums(knots, masses, curve)[position.reshape(stencils.shape)]
    weights *= np.repeat(sums, np.diff(first, append=len(ratings)), axis=1)
    read_off: Floats = np.add.reduce(weights, axis=0)
    return read_off


def _cells(ratings: Floats, curve: Curve) -> tuple[Indices, Floats]:
    """Return the cell of knots of each rating, and its position in the cell, from 0 to 1; ratings ascend.

    Gaps in which the probability saturates are shortened to the smallest number of knots with this effect.
    """
    far = curve.reach + len(KNOTS) * curve.spacing
    cluster_starts = np.flatnonzero(np.diff(ratings, prepend=-np.inf) > far)
    sizes = np.diff(cluster_starts, append=len(ratings))
    position = (ratings - np.repeat(ratings[cluster_starts], sizes)) / curve.spacing
    whole = np.floor(position)
    cell = whole.astype(np.int64)
    widths = cell[cluster_starts + sizes - 1] + curve.furthest + len(KNOTS)
    return cell + np.repeat(np.cumsum(widths) - widths, sizes), position - whole


def _knot_sums(knots: Indices, masses: Floats, curve: Curve) -> Floats:
    """Return the sum over all knots at each knot; knots ascend."""
    furthest = curve.furthest
    below = np.concatenate([[0.0], np.cumsum(masses)])
    sums = np.empty_like(masses)
    for begin in range(0, len(knots), _KNOTS_AT_ONCE):
        here = knots[begin : begin + _KNOTS_AT_ONCE]
        low = int(np.searchsorted(knots, here[0] - furthest))
        high = int(np.searchsorted(knots, here[-1] + furthest, side="right"))
        distance = np.clip(here[:, None] - knots[low:high], -furthest, furthest)
        near = np.add.reduce(curve.at_knots[distance + furthest] * masses[low:high], axis=1)
        sums[begin : begin + len(here)] = below[low] + near
    return sums
