"""Sums of logistic curves: term by term, or by a table and interpolation.

The sum is F(p) = sum_j a_j / (1 + exp((p - m_j) / s_j)) with centres m, scales s (both in rating
points) and amplitudes a > 0: it falls from sum(a) to 0. Elo-MMR's tanh((p - m) / (2 s)) is one minus
twice such a term. F is analytic for |Im p| < pi * min(s), so a table of F and F' with six knots a cell
gives it everywhere to about 1e-11 of its size.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

# Beyond this many scales a curve is flat in double precision, and exp() not yet near its overflow.
_FAR = 700.0
# Knots are this fraction of the smallest scale apart: an eleventh-degree polynomial through six
# knots (values and slopes) then errs by less than 2e-11 of one curve's height.
_SPACING = 0.3
_ROWS = 16
_COLUMNS = 2048
_STENCIL = 6


def _hermite_matrix() -> Floats:
    """Inverse of the Hermite conditions: from values and slopes at six knots to twelve coefficients.

    Knots lie at -2.5, -1.5, ... 2.5; columns are the six values, then the six slopes. Solved in
    fractions once, because the system is too badly conditioned for floating point.
    """
    knots = [Fraction(2 * k - _STENCIL + 1, 2) for k in range(_STENCIL)]
    size = 2 * _STENCIL
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


def falling_curves(exponent: Floats) -> tuple[Floats, Floats, Floats]:
    """D = 1 / (1 + exp(x)), D (1 - D) and D (1 - D) (1 - 2 D); overwrites and reuses the array given."""
    with np.errstate(over="ignore"):
        np.exp(exponent, out=exponent)
    exponent += 1.0
    curve = np.divide(1.0, exponent, out=exponent)  # division is vectorised, np.reciprocal is not
    rest = 1.0 - curve
    product = curve * rest
    rest -= curve
    rest *= product
    return curve, product, rest


@dataclass(frozen=True, slots=True, eq=False)
class LogisticSum:
    """A sum of falling logistic curves, evaluated term by term.

    centres, scales, amplitudes
        Arrays of shape (m,); scales and amplitudes positive.
    """

    centres: Floats
    scales: Floats
    amplitudes: Floats
    steepness: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "steepness", 1.0 / self.scales)

    def __call__(self, points: Floats) -> tuple[Floats, Floats, Floats]:
        """Values, first and second derivatives at points of shape (k,); costs k * m exponentials."""
        results = np.empty((3, len(points)))
        rows = max(1, _ROWS * _COLUMNS // len(self.centres))
        slope_amplitudes = self.amplitudes * self.steepness
        bend_amplitudes = slope_amplitudes * self.steepness
        for begin in range(0, len(points), rows):
            block = slice(begin, begin + rows)
            curve, product, bend = falling_curves((points[block, None] - self.centres) * self.steepness)
            results[0, block] = np.einsum("kj,j->k", curve, self.amplitudes)
            results[1, block] = np.einsum("kj,j->k", product, -slope_amplitudes)
            results[2, block] = np.einsum("kj,j->k", bend, bend_amplitudes)
        return results[0], results[1], results[2]

    def tabulate(self, low: float, high: float, max_knots: int) -> "LogisticTable | None":
        """A table that reaches from where F > high to where F < low, with room for interpolation.

        None if that takes more than ``max_knots`` knots.
        """
        spacing = _SPACING * float(self.scales.min())
        # Plain reductions, no dot product: BLAS bits may depend on the number of threads.
        origin = float(np.add.reduce(self.amplitudes * self.centres) / np.add.reduce(self.amplitudes))
        builder = _Builder(self, spacing)
        margin = _STENCIL // 2
        blocks, first, last = [builder.block(origin)], 0, 1
        while blocks[-1][0][-1 - margin] >= low or blocks[0][0][margin] <= high:
            if (last - first + 1) * _ROWS > max_knots:
                return None
            if blocks[-1][0][-1 - margin] >= low:
                blocks.append(builder.block(origin + last * _ROWS * spacing))
                last += 1
            else:
                first -= 1
                blocks.insert(0, builder.block(origin + first * _ROWS * spacing))
        values = np.concatenate([block[0] for block in blocks])
        slopes = np.concatenate([block[1] for block in blocks])
        return LogisticTable(origin + first * _ROWS * spacing, spacing, values, slopes)


class _Builder:
    """Values and slopes of a logistic sum at equispaced knots, a block of knots at a time.

    From knot to knot exp((p - m) / s) grows by the constant factor exp(spacing / s), so a block takes
    one exponential per curve and multiplications; doubling keeps the error at a few roundings.
    """

    def __init__(self, curves: LogisticSum, spacing: float) -> None:
        self.curves = curves
        self.slope_amplitudes = curves.amplitudes * curves.steepness
        growth = np.exp(spacing * curves.steepness)
        self.growths = [growth]
        while 1 << len(self.growths) < _ROWS:
            self.growths.append(self.growths[-1] * self.growths[-1])
        columns = min(_COLUMNS, len(growth))
        self.grid = np.empty((_ROWS, columns))
        self.product = np.empty((_ROWS, columns))

    def block(self, first_knot: float) -> tuple[Floats, Floats]:
        """Values and slopes, each of shape (_ROWS,), at the knots from ``first_knot`` up."""
        values, slopes = np.zeros(_ROWS), np.zeros(_ROWS)
        size = len(self.curves.centres)
        for begin in range(0, size, _COLUMNS):
            part = slice(begin, min(begin + _COLUMNS, size))
            grid = self._exponentials(first_knot, part)
            grid += 1.0
            curve = np.divide(1.0, grid, out=grid)
            values += np.einsum("kj,j->k", curve, self.curves.amplitudes[part])
            product = np.multiply(curve, curve, out=self.product[:, : grid.shape[1]])
            np.subtract(curve, product, out=product)
            slopes -= np.einsum("kj,j->k", product, self.slope_amplitudes[part])
        return values, slopes

    def _exponentials(self, first_knot: float, part: slice) -> Floats:
        first = (first_knot - self.curves.centres[part]) * self.curves.steepness[part]
        np.minimum(first, _FAR, out=first)
        grid = self.grid[:, : len(first)]
        np.exp(first, out=grid[0])
        done = 1
        for growth in self.growths:
            np.multiply(grid[:done], growth[part], out=grid[done : 2 * done])
            done *= 2
        return grid


class LogisticTable:
    """A logistic sum between knots, by polynomials of degree eleven.

    origin, spacing
        Place of the first knot and distance of the knots, in the unit of the points.
    values, slopes
        The sum and its derivative at the knots, shape (k,) with k >= 6.
    """

    def __init__(self, origin: float, spacing: float, values: Floats, slopes: Floats) -> None:
        self.origin, self.spacing, self.values = origin, spacing, values
        self.cells = len(values) - _STENCIL + 1
        conditions = [values[k : k + self.cells] for k in range(_STENCIL)]
        conditions += [spacing * slopes[k : k + self.cells] for k in range(_STENCIL)]
        # einsum without optimize: no BLAS, whose bits may depend on the number of threads.
        self.coefficients = np.einsum("mi,ik->mk", _HERMITE, np.array(conditions))

    @property
    def first(self) -> float:
        """The lowest point at which the table may be asked."""
        return self.origin + (_STENCIL // 2 - 1) * self.spacing

    @property
    def last(self) -> float:
        """The highest point at which the table may be asked."""
        return self.first + self.cells * self.spacing

    def __call__(self, points: Floats) -> tuple[Floats, Floats, Floats]:
        """Values, first and second derivatives at points of shape (k,) between ``first`` and ``last``."""
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
        """Points at which the sum is near the targets, by linear interpolation; shape kept."""
        knots = self.origin + self.spacing * np.arange(len(self.values))
        points: Floats = np.interp(-targets, -self.values, knots)
        return np.clip(points, self.first, self.last)
