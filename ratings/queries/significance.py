"""Who is really better than whom: groups of a leaderboard between which the difference is significant."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: From this probability on, somebody counts as truly better.
LEVEL = 0.95
#: How many rows are looked at first when the end of a group is sought; each further look is twice as far.
_FIRST_LOOK = 64


def group_starts(mu: NDArray[np.float64], sigma: NDArray[np.float64], level: float = LEVEL) -> NDArray[np.int64]:
    """
    Return the rows in which groups begin, walking down a leaderboard: the first row, then each first one that is
    significantly below the beginning of its group.

    mu, sigma
        Means and deviations of the beliefs on the players' strengths, best first, shape (n,), in rating points.
    level
        Player a is significantly above player b if P(a stronger than b) = Φ((μa - μb) / √(σa² + σb²)) exceeds it.

    Within a group nobody is significantly below its first player. Two neighbours in different groups need not differ
    significantly from each other. Each row is looked at about twice, whatever the number of groups.
    """
    if not len(mu):
        return np.empty(0, dtype=np.int64)
    z = NormalDist().inv_cdf(level)
    variance = sigma**2
    starts = [0]
    while (start := _first_below(mu, variance, starts[-1], z)) is not None:
        starts.append(start)
    return np.array(starts, dtype=np.int64)


def _first_below(mu: NDArray[np.float64], variance: NDArray[np.float64], best: int, z: float) -> int | None:
    """Return the first row after `best` that is significantly below it; None if there is none."""
    begin, look = best + 1, _FIRST_LOOK
    while begin < len(mu):
        rows = slice(begin, begin + look)
        is_below = mu[best] - mu[rows] > z * np.sqrt(variance[best] + variance[rows])
        if is_below.any():
            return begin + int(is_below.argmax())
        begin, look = begin + look, 2 * look
    return None
