"""Sums of logistic curves over many players: term by term, or by a table and interpolation.

The sum is F(p) = sum_j a_j / (1 + exp((p - m_j) / s_j)) with centres m, scales s (both in rating
points) and amplitudes a > 0: it falls from sum(a) to 0. Elo-MMR's tanh((p - m) / (2 s)) is one minus
twice such a term. F is analytic for |Im p| < pi * min(s), so a table of F and F' with six knots a cell
gives it everywhere to about 1e-11 of its size.

Sums run in an order that depends on values alone, so they are the same to the last bit for any order of rows. Players
with equal values share a curve (newcomers are many).
"""

import math
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ratings.systems.numerics.pair_sums import KNOTS, STENCIL, HermiteTable, add_to_knots, lagrange_weights

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]

# Beyond this many scales a curve is flat in double precision, and exp() is still far from overflow.
_FAR = 700.0
# Knots are this fraction of the smallest scale apart: an eleventh-degree polynomial through six
# knots (values and slopes) then errs by less than 2e-11 of one curve's height.
_SPACING = 0.3
# The same for curves of equal scale: polynomials through twelve knots err by less than 4e-12 of a curve's height.
_EQUAL_SPACING = 0.15
# Beyond this many knots such a curve is 0 or 1 in double precision.
_FURTHEST = math.ceil(40.0 / _EQUAL_SPACING)
_ROWS = 16
_COLUMNS = 2048


def falling_curves(exponent: Floats) -> tuple[Floats, Floats, Floats]:
    """Return D = 1 / (1 + exp(x)), D (1 - D) and D (1 - D) (1 - 2 D); the argument is overwritten."""
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

    @classmethod
    def of_players(cls, players: "DistinctPlayers") -> "LogisticSum":
        """Return the sum with one curve, of amplitude 1 / scale, for each player; equal players share a curve."""
        return cls(players.centre, players.width, players.number / players.width)

    def __call__(self, points: Floats) -> tuple[Floats, Floats, Floats]:
        """Return values, first and second derivatives at points of shape (k,); costs k * m exponentials."""
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

    def tabulate(self, low: float, high: float, max_knots: int) -> "HermiteTable | None":
        """Return a table from a point with F > high to a point with F < low, with room for interpolation.

        None if this takes more than ``max_knots`` knots.
        """
        spacing = _SPACING * float(self.scales.min())
        # Plain reductions instead of dot products, because the bits of BLAS may depend on the number of threads.
        origin = float(np.add.reduce(self.amplitudes * self.centres) / np.add.reduce(self.amplitudes))
        builder = _Builder(self, spacing)
        margin = STENCIL // 2
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
        return HermiteTable(origin + first * _ROWS * spacing, spacing, values, slopes)


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
        """Return values and slopes, each of shape (_ROWS,), at the knots from ``first_knot`` up."""
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


def logistic_table(centres: Floats, reach: float) -> HermiteTable:
    """Return the falling sum of curves that differ only in their centres, from n down to 0, in linear time.

    F(x) = sum_j 1 / (1 + exp(x - m_j)), all in units of the common scale. As a function of its centre, a single curve
    is a polynomial of degree eleven between equispaced knots. So every player is distributed over the twelve knots
    around their centre, and F at all knots is a convolution of these masses with one curve. This takes about 50 n
    operations; a table made curve by curve takes some for each player and knot.

    centres
        In units of the scale, in ascending order, shape (n,) with n >= 1.
    reach
        How far the table reaches beyond the outermost centres.

    Errs by less than 1e-11 n, and in the upper tail by less than 1e-11 of the sum itself.
    """
    masses = _masses(centres)
    outside = math.ceil(reach / _EQUAL_SPACING) + STENCIL
    knots = np.concatenate([np.zeros(outside), masses, np.zeros(outside)])
    furthest = min(_FURTHEST, len(knots))
    curve = expit(_EQUAL_SPACING * np.arange(-furthest, furthest + 1.0))
    padded = np.concatenate([np.zeros(furthest), knots, np.zeros(furthest)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * furthest + 1)
    # All players beyond the window above count in full. Plain sums instead of BLAS, as above.
    beyond = np.cumsum(padded[::-1])[::-1][2 * furthest + 1 :]
    values = np.einsum("kj,j->k", windows, curve)
    values[: len(beyond)] += beyond
    slopes = np.einsum("kj,j->k", windows, curve * (curve - 1.0))
    origin = float(centres[0]) + _EQUAL_SPACING * (KNOTS[0] - outside)
    return HermiteTable(origin, _EQUAL_SPACING, values, slopes)


def table_knots(centres: Floats, reach: float) -> float:
    """Return the approximate number of knots in the table of ``logistic_table``."""
    return float(centres[-1] - centres[0] + 2.0 * reach) / _EQUAL_SPACING


def _masses(centres: Floats) -> Floats:
    """Return the mass of players on each knot, from the lowest to the highest knot in use."""
    position = (centres - centres[0]) / _EQUAL_SPACING
    whole = np.floor(position)
    masses = np.zeros(int(whole[-1]) + len(KNOTS))
    add_to_knots(masses, whole.astype(np.int64), lagrange_weights(position - whole, KNOTS))
    return masses


class DistinctPlayers:
    """The distinct pairs of (centre, width) among n players, in ascending order.

    centre, width
        The pairs, shape (m,) with m <= n.
    number
        The number of players with each pair, shape (m,), as floats.
    order
        The players in the order of the pairs, equal ones side by side; shape (n,).
    """

    def __init__(self, centre: Floats, width: Floats) -> None:
        self.order = _by_values(centre, width)
        centre, width = centre[self.order], width[self.order]
        fresh = np.ones(len(centre), dtype=bool)
        fresh[1:] = (centre[1:] != centre[:-1]) | (width[1:] != width[:-1])
        first = np.flatnonzero(fresh)
        self.centre, self.width = centre[first], width[first]
        self._repeats = np.diff(first, append=len(centre))
        self.number: Floats = self._repeats.astype(np.float64)

    def __len__(self) -> int:
        return len(self.centre)

    def for_players(self, values: Floats) -> Floats:
        """Return the values of the pairs, shape (m,), for each player, shape (n,)."""
        spread = np.empty(len(self.order))
        spread[self.order] = np.repeat(values, self._repeats)
        return spread


def _by_values(centre: Floats, width: Floats) -> Indices:
    order = np.argsort(centre)
    in_order, widths = centre[order], width[order]
    # Few contests need the second key, which costs as much as the first.
    if np.any((in_order[1:] == in_order[:-1]) & (widths[1:] != widths[:-1])):
        return np.lexsort((width, centre))
    return order
