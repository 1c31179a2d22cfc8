"""How many of a field a player of some strength is expected to beat, for fields of any size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

from ratings.systems.numerics.kernels import LogisticSum

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Up to this many players all pairs are cheaper than a table.
_ALL_PAIRS = 128
#: A table reaches to where all but this share of an opponent is beaten, or none.
_NOBODY = 1e-9
#: With more knots than that for each player all pairs are cheaper again: ratings are millions of points apart.
_MOST_KNOTS = 20_000


def wins_against_others(levels: NDArray[np.float64], hidden: NDArray[np.float64]) -> NDArray[np.float64]:
    """
    For each player of a field the sum of the probabilities to beat each of the others, shape (n,).

    levels
        How strong each one plays, on a scale on which a difference of 1 multiplies the odds by e; shape (n,).
    hidden
        How strong each one is as an opponent, on the same scale, aligned with `levels`.

    Each sum errs by less than 1e-8.
    """
    size = len(levels)
    if size <= _ALL_PAIRS:
        sums = np.add.reduce(expit(levels[:, None] - hidden), axis=1)
    else:
        beaten_by = LogisticSum(np.sort(hidden), np.ones(size), np.ones(size))
        table = beaten_by.tabulate(_NOBODY, size - _NOBODY, min(_MOST_KNOTS, 8 * size))
        if table is None:
            sums = size - beaten_by(levels)[0]
        else:
            sums = size - table(np.clip(levels, table.first, table.last))[0]
    return np.clip(sums - expit(levels - hidden), 0.0, size - 1.0)
