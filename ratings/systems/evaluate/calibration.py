"""Calibration: how often predictions of a given probability come true."""

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.performance_model import PerformanceModel, probability_to_beat

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

BINS = 10

# The most pairs per field: more would cost more time than rating it, and add nothing over many contests.
_MOST_PAIRS = 1024
_ALL_PAIRS = 45
# Larger fields are sampled at this many distances.
_DISTANCES = 8

# No surprise counts for more than -ln of this, about 34.5, so that one "impossible" result cannot dominate the mean.
_LEAST_PROBABILITY = 1e-15


@dataclass(frozen=True, slots=True)
class Bin:
    """Pairs whose favourite had a predicted probability from ``low`` to ``high`` of placing before the other.

    pairs
        The number of such pairs in the sample.
    predicted, observed
        The mean predicted probability, and the frequency with which the favourite placed before the other. Each
        contest has the weight of its participants. Both are None if there were no pairs. A pair without a favourite
        counts as half a success.
    """

    low: float
    high: float
    pairs: int
    predicted: float | None
    observed: float | None


class Calibration:
    """Sums over pairs of entries that did not tie.

    In fields of more than 45 entries a sample of at most 1,024 pairs is used. Entries are arranged in a circle in the
    order of their places (ties in the order of their beliefs). For each of 8 distances, spread evenly from adjacent to
    opposite, each entry (in large fields, every k-th entry) is compared with the one at this distance. A distance in
    the circle represents two differences of places, so small and large differences occur as often as among all pairs.
    The sample depends neither on chance nor on the order of the rows.
    """

    def __init__(self) -> None:
        self._loss = self._participations = 0.0
        self._pairs = np.zeros(BINS, dtype=np.int64)
        self._weight, self._predicted, self._observed = np.zeros(BINS), np.zeros(BINS), np.zeros(BINS)

    def add(self, model: PerformanceModel, place: Indices) -> None:
        """Add a contest of at least two entries that did not all tie.

        place
            The place of each entry of the model, best first, shape (n,); ties in an order by values.
        """
        before, after = _pairs(len(place))
        decided = place[before] < place[after]
        before, after = before[decided], after[decided]
        if not len(before):
            return
        win = probability_to_beat(model, before, after)
        # A participation has the same weight in a small contest as in a large one.
        weight = len(place) / len(before)
        self._participations += len(place)
        self._loss -= weight * float(np.log(np.maximum(win, _LEAST_PROBABILITY)).sum())
        favourite = np.maximum(win, 1.0 - win)
        number = np.minimum(((favourite - 0.5) * (2 * BINS)).astype(np.int64), BINS - 1)
        count = np.bincount(number, minlength=BINS)
        self._pairs += count
        self._weight += weight * count
        self._predicted += weight * np.bincount(number, favourite, BINS)
        self._observed += weight * np.bincount(number, 0.5 + 0.5 * np.sign(win - 0.5), BINS)

    @property
    def log_loss(self) -> float | None:
        """Mean of -ln p over participations, each against its opponents; None before the first contest."""
        return self._loss / self._participations if self._participations else None

    def table(self) -> tuple[Bin, ...]:
        """Return ten bins from 0.5 to 1."""
        edges = [0.5 + 0.5 * k / BINS for k in range(BINS + 1)]
        sums = zip(self._pairs.tolist(), self._weight.tolist(), self._predicted.tolist(), self._observed.tolist(),
                   strict=True)  # fmt: skip
        return tuple(
            Bin(
                edges[k],
                edges[k + 1],
                pairs,
                predicted / weight if pairs else None,
                observed / weight if pairs else None,
            )
            for k, (pairs, weight, predicted, observed) in enumerate(sums)
        )


@lru_cache(maxsize=16)
def _pairs(n: int) -> tuple[Indices, Indices]:
    """Return the positions of the better and the worse entry of each sampled pair, among n in order."""
    if n <= _ALL_PAIRS:
        return np.triu_indices(n, 1)
    index = np.arange(n)
    distances = [1 + (2 * k + 1) * (n // 2) // (2 * _DISTANCES) for k in range(_DISTANCES)]
    ahead = np.concatenate([(index + distance) % n for distance in distances])
    step = -(-len(ahead) // _MOST_PAIRS)
    each, ahead = np.tile(index, len(distances))[::step], ahead[::step]
    return np.minimum(each, ahead), np.maximum(each, ahead)
