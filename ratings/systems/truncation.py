"""Normal distributions cut off at a place or to an interval, and the Gaussian factors that stand for the cut.

Expectation propagation replaces the factor "d > edge" or "|d| <= half width" by that Gaussian factor, the site, which
gives d the mean and the variance of the truncated distribution. Herbrich, Minka and Graepel, "TrueSkill: A Bayesian
Skill Rating System", figure 2 and table 1; here so that no digit is lost in either tail.

With t = (mean - edge) / deviation the truncated distribution is described by

    shift V = phi(t) / Phi(t)      excess = V + t      rest = 1 - W = 1 - V (V + t)

all in deviations: the mean moves by V, lies ``excess`` beyond the edge, and ``rest`` of the variance is left.
"""

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx

Floats: TypeAlias = NDArray[np.float64]

_HALF_ROOT = math.sqrt(0.5)
_MILLS = math.sqrt(2.0 / math.pi)
# From here on the continued fraction is exact with so many terms, and differences would lose digits.
_FAR, _TERMS = 10.0, 24


def above(t: Floats) -> tuple[Floats, Floats, Floats]:
    """Shift, excess and rest of standard normals cut off below an edge that lies t below their means, shape (n,)."""
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


def above_one(t: float) -> tuple[float, float]:
    """V and W of one standard normal cut off below an edge that lies t below its mean."""
    if t < -_FAR:
        rise = _rise(-t)
        excess = 1.0 / (rise - t)
        return excess - t, 1.0 - excess * (rise - excess)
    shift = _MILLS * math.exp(-0.5 * t * t) / math.erfc(-_HALF_ROOT * t) if t < 2.0 * _FAR else 0.0
    return shift, shift * (shift + t)


def _rise(distance: Any) -> Any:
    """2/(z + 3/(z + 4/(z + ...))) for z = distance: then the mean excess over a far edge is 1/(z + that)."""
    rise = 0.0 * distance
    for numerator in range(_TERMS, 1, -1):
        rise = numerator / (distance + rise)
    return rise
