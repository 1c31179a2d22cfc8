"""Normal distributions truncated at an edge or to an interval, and the Gaussian factors that replace the truncation.

Expectation propagation replaces the factor "d > edge" or "|d| <= half width" by a Gaussian factor, the site, which
gives d the mean and the variance of the truncated distribution. The formulas are those of Herbrich, Minka and Graepel,
"TrueSkill: A Bayesian Skill Rating System", figure 2 and table 1, written so that no digits are lost in either tail.

With t = (mean - edge) / deviation the truncated distribution is described by

    shift V = phi(t) / Phi(t)      excess = V + t      rest = 1 - W = 1 - V (V + t)

all in deviations: the mean moves by V to a point ``excess`` beyond the edge, and the variance is multiplied by
``rest``.
"""

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx, ndtr

Floats: TypeAlias = NDArray[np.float64]

_HALF_ROOT = math.sqrt(0.5)
_MILLS = math.sqrt(2.0 / math.pi)
_DENSITY = math.sqrt(0.5 / math.pi)
# From this distance on the continued fraction is exact with this many terms, and differences would lose digits.
_FAR, _TERMS = 6.0, 24
# If the density falls by exp(-2 * 20) from one end of an interval to the other, the lower end has no effect.
_STEEP = 20.0
# Intervals of fewer deviations to each side are integrated, because differences of tails would lose digits.
_NARROW = 1.5
_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(24)
_NODES_AND_WEIGHTS = list(zip(_NODES.tolist(), _NODE_WEIGHTS.tolist(), strict=True))
# Beyond this many deviations a normal density is negligible; up to here it does not underflow.
_END = 37.0


def above(t: Floats) -> tuple[Floats, Floats, Floats]:
    """Return shift, excess and rest of standard normals truncated below an edge at t below their means, shape (n,)."""
    with np.errstate(over="ignore"):
        shift = _MILLS / erfcx(-_HALF_ROOT * t)
    excess = shift + t
    rest = 1.0 - shift * excess
    far = t < -_FAR
    if far.any():
        distance = -t[far]
        rise = _rise(distance)
        beyond = 1.0 / (distance + rise)
        shift[far], excess[far], rest[far] = distance + beyond, beyond, beyond * (rise - beyond)
    return shift, excess, rest


def site_above(mean: Floats, variance: Floats, edge: Floats | float) -> tuple[Floats, Floats]:
    """Return precision and mean of the Gaussian factors that replace "above the edge", shape (n,).

    mean, variance
        Mean and variance of the normals to be truncated, shape (n,).
    """
    deviation = np.sqrt(variance)
    shift, excess, rest = above((mean - edge) / deviation)
    return shift * excess / (rest * variance), edge + deviation * (excess + rest / excess)


def site_within(mean: Floats, variance: Floats, half_width: Floats) -> tuple[Floats, Floats]:
    """Return precision and mean of the Gaussian factors that replace "within the half width of 0", shape (n,)."""
    precision, offset = np.empty_like(mean), np.empty_like(mean)
    deviation = np.sqrt(variance)
    distance, width = np.abs(mean) / deviation, half_width / deviation
    steep = distance * width >= _STEEP
    narrow = ~steep & (width < _NARROW)
    wide = ~(steep | narrow)
    precision[steep], offset[steep] = _steep_site(distance[steep], width[steep])
    precision[narrow], offset[narrow] = _narrow_site(distance[narrow], width[narrow])
    precision[wide], offset[wide] = _wide_site(distance[wide], width[wide])
    return precision / variance, np.copysign(1.0, mean) * deviation * offset


def _steep_site(distance: Floats, width: Floats) -> tuple[Floats, Floats]:
    """Return the site, in deviations, if only the upper end of the interval matters."""
    precision, mean = site_above(-distance, np.ones_like(distance), -width)
    return precision, -mean


def _narrow_site(distance: Floats, width: Floats) -> tuple[Floats, Floats]:
    """Return the site, in deviations, by Gaussian quadrature over the interval."""
    tilt, square = distance * width, width * width
    nodes = _NODES[:, None]
    density = _NODE_WEIGHTS[:, None] * np.exp(tilt * (nodes - 1.0) - 0.5 * square * nodes * nodes)
    mass = np.add.reduce(density, axis=0)
    mean = np.add.reduce(density * nodes, axis=0) / mass
    deviations = nodes - mean
    variance = np.add.reduce(density * deviations * deviations, axis=0) / mass
    precision = 1.0 / variance - square
    return precision / square, width * (mean / variance - tilt) / precision


def _wide_site(distance: Floats, width: Floats) -> tuple[Floats, Floats]:
    """Return the site, in deviations, from the tails."""
    upper, lower = np.minimum(width - distance, _END), np.maximum(-width - distance, -_END)
    mass = ndtr(upper) - ndtr(lower)
    high, low = (_DENSITY * np.exp(-0.5 * end * end) / mass for end in (upper, lower))
    shift = low - high
    lost = shift * shift + upper * high - lower * low
    cut = lost > 0.0
    mean = distance + np.divide(shift, lost, out=np.zeros_like(shift), where=cut)
    return np.where(cut, lost / (1.0 - lost), 0.0), mean


def above_one(t: float) -> tuple[float, float]:
    """Return shift and rest of one standard normal truncated below an edge at t below its mean."""
    if t < -_FAR:
        rise = _rise(-t)
        excess = 1.0 / (rise - t)
        return excess - t, excess * (rise - excess)
    shift = _MILLS * math.exp(-0.5 * t * t) / math.erfc(-_HALF_ROOT * t) if t < _END else 0.0
    return shift, 1.0 - shift * (shift + t)


def within_one(t: float, half_width: float) -> tuple[float, float]:
    """Return shift and rest of one normal of mean t and deviation 1, truncated to within the half width of 0."""
    distance = abs(t)
    if distance * half_width >= _STEEP:
        shift, rest = above_one(half_width - distance)
        shift = -shift
    elif half_width < _NARROW:
        shift, rest = _narrow_one(distance, half_width)
    else:
        upper, lower = half_width - distance, -half_width - distance
        mass = 0.5 * (math.erfc(-_HALF_ROOT * upper) - math.erfc(-_HALF_ROOT * lower))
        high, low = (_DENSITY * math.exp(-0.5 * end * end) / mass for end in (upper, lower))
        shift = low - high
        rest = 1.0 - (shift * shift + upper * high - lower * low)
    return math.copysign(shift, -t) if t else 0.0, rest


def _narrow_one(distance: float, width: float) -> tuple[float, float]:
    """Return shift and rest by Gaussian quadrature over the interval."""
    tilt, half_square = distance * width, 0.5 * width * width
    density = [
        weight * math.exp(tilt * (node - 1.0) - half_square * node * node) for node, weight in _NODES_AND_WEIGHTS
    ]
    mass = math.fsum(density)
    mean = math.fsum(each * node for each, (node, _) in zip(density, _NODES_AND_WEIGHTS, strict=True)) / mass
    squares = (each * (node - mean) ** 2 for each, (node, _) in zip(density, _NODES_AND_WEIGHTS, strict=True))
    return width * mean - distance, width * width * math.fsum(squares) / mass


def _rise(distance: Any) -> Any:
    """Return r = 2/(z + 3/(z + 4/(z + ...))) for z = distance; the mean excess over a far edge is 1/(z + r)."""
    rise = 0.0 * distance
    for numerator in range(_TERMS, 1, -1):
        rise = numerator / (distance + rise)
    return rise
