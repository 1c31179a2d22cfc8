"""Sums of logistic curves that differ in their centres alone, by one table in linear time.

F(x) = sum_j 1 / (1 + exp(x - m_j)), all in units of the common scale. A single curve is, in its centre, a polynomial
of degree eleven between equispaced knots. So every player is spread over the twelve knots next to their centre, and
F at all knots is a convolution of these masses with one curve, whatever the number of players: about 50 n operations,
where a table made curve by curve takes some for each player and knot.
"""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ratings.systems.numerics.interpolation import KNOTS, STENCIL, HermiteTable, add_to_knots, lagrange_weights

Floats: TypeAlias = NDArray[np.float64]

# Distance of knots: polynomials through twelve of them err by less than 4e-12 of a curve's height.
_SPACING = 0.15
# Beyond so many knots a curve is 0 or 1 in double precision.
_FURTHEST = math.ceil(40.0 / _SPACING)


def logistic_table(centres: Floats, reach: float) -> HermiteTable:
    """The falling sum of the curves at these centres, from n down to 0.

    centres
        In units of the scale, in rising order, shape (n,) with n >= 1.
    reach
        How far beyond the outermost centres the table can be asked.

    Errs by less than 1e-11 of the sum, and in its upper tail of what is left of it.
    """
    masses = _masses(centres)
    outside = math.ceil(reach / _SPACING) + STENCIL
    knots = np.concatenate([np.zeros(outside), masses, np.zeros(outside)])
    furthest = min(_FURTHEST, len(knots))
    curve = expit(_SPACING * np.arange(-furthest, furthest + 1.0))
    padded = np.concatenate([np.zeros(furthest), knots, np.zeros(furthest)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * furthest + 1)
    # All beyond the window above count in full. Plain sums, no BLAS: its bits may depend on the number of threads.
    beyond = np.cumsum(padded[::-1])[::-1][2 * furthest + 1 :]
    values = np.einsum("kj,j->k", windows, curve)
    values[: len(beyond)] += beyond
    slopes = np.einsum("kj,j->k", windows, curve * (curve - 1.0))
    origin = float(centres[0]) + _SPACING * (KNOTS[0] - outside)
    return HermiteTable(origin, _SPACING, values, slopes)


def table_knots(centres: Floats, reach: float) -> float:
    """About how many knots the table has."""
    return float(centres[-1] - centres[0] + 2.0 * reach) / _SPACING


def _masses(centres: Floats) -> Floats:
    """How much of the players lies on each knot, from the lowest to the highest that one is spread over."""
    position = (centres - centres[0]) / _SPACING
    whole = np.floor(position)
    masses = np.zeros(int(whole[-1]) + len(KNOTS))
    add_to_knots(masses, whole.astype(np.int64), lagrange_weights(position - whole, KNOTS))
    return masses
