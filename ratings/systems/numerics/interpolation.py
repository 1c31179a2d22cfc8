"""Interpolation of smooth functions from values and slopes at equispaced knots."""

from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

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
        The first of the KNOTS around each point, shape (n,), rising.
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
