"""Calibration: whether predicted probabilities come true as often as they say, for favourites and for draws."""

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.forecast.outcomes import DrawCounts, by_draw_rate, by_margin

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
# The draw rate is estimated again when this share of new pairs, and at least this many, have been added.
_NEW_SHARE, _NEW_PAIRS = 0.1, 50


@dataclass(frozen=True, slots=True)
class Bin:
    """Pairs whose favourite had a predicted probability from ``low`` to ``high`` of placing before the other.

    pairs
        The number of such pairs in the sample.
    predicted, observed
        The mean predicted probability, and the frequency with which the favourite placed before the other; for draws,
        those of a tie. Each contest has the weight of its participants. Both are None if there were no pairs. A pair
        without a favourite counts as half a success.
    """

    low: float
    high: float
    pairs: int
    predicted: float | None
    observed: float | None


class Calibration:
    """Sums over pairs of entries that did not tie."""

    def __init__(self) -> None:
        self._loss = self._participations = 0.0
        self._pairs = np.zeros(BINS, dtype=np.int64)
        self._weight, self._predicted, self._observed = np.zeros(BINS), np.zeros(BINS), np.zeros(BINS)

    def add(self, win: Floats, entries: int) -> None:
        """Add a contest of this many entries.

        win
            For each pair of ``sampled_pairs`` that did not tie, the predicted probability of the better place.
        """
        if not len(win):
            return
        # A participation has the same weight in a small contest as in a large one.
        weight = entries / len(win)
        self._participations += entries
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
        return _bins(self._pairs, self._weight, self._predicted, self._observed)


class DrawCalibration:
    """Sums over all pairs of entries, tied or not: each predicted with the draw rate of the pairs before it."""

    def __init__(self) -> None:
        self._counts = DrawCounts()
        self._new: list[tuple[Floats, NDArray[np.bool_], Floats | None, Floats]] = []
        self._n_new, self._n_pairs = 0, 0
        self._loss = 0.0
        self._pairs = np.zeros(BINS, dtype=np.int64)
        self._weight, self._predicted, self._observed = np.zeros(BINS), np.zeros(BINS), np.zeros(BINS)

    def add(self, better: Floats, tied: NDArray[np.bool_], margin: Floats | None, entries: int) -> None:
        """Add a contest of this many entries.

        better
            For each pair of ``pairs_for_draws``, the predicted probability of the better or equal place, shape (k,).
        tied
            Whether they tied, shape (k,).
        margin
            Their draw margins, in deviations of the difference; None for systems without.
        """
        # Each entry takes part in half of a pair, so a two-player game counts as one.
        self._new.append((better, tied, margin, np.full(len(better), 0.5 * entries / len(better))))
        self._n_new += len(better)
        if self._n_new >= max(_NEW_PAIRS, _NEW_SHARE * self._n_pairs):
            self._judge_new()

    def _judge_new(self) -> None:
        if not self._new:
            return
        better, tied, weight = (np.concatenate([each[part] for each in self._new]) for part in (0, 1, 3))
        if self._new[0][2] is None:
            chances = by_draw_rate(better, self._counts.rate)
        else:
            chances = by_margin(better, np.concatenate([each[2] for each in self._new if each[2] is not None]))
        happened = np.maximum(np.where(tied, chances.draw, chances.win), _LEAST_PROBABILITY)
        self._loss -= float(np.add.reduce(weight * np.log(happened)))
        favourite = np.maximum(better, 1.0 - better)
        number = np.minimum(((favourite - 0.5) * (2 * BINS)).astype(np.int64), BINS - 1)
        self._pairs += np.bincount(number, minlength=BINS)
        self._weight += np.bincount(number, weight, BINS)
        self._predicted += np.bincount(number, weight * chances.draw, BINS)
        self._observed += np.bincount(number, weight * tied, BINS)
        self._counts.add(better, np.where(tied, 0.5, 1.0), weight)
        self._n_pairs += self._n_new
        self._new, self._n_new = [], 0

    @property
    def rate(self) -> float | None:
        """The draw rate of all pairs (``DrawCounts.rate``); None before the first."""
        self._judge_new()
        return self._counts.rate if self._n_pairs else None

    @property
    def loss(self) -> float | None:
        """Mean of -ln p of what happened: a better place or a tie; None before the first pair."""
        self._judge_new()
        return self._loss / self._counts.games if self._n_pairs else None

    def table(self) -> tuple[Bin, ...]:
        """Return the frequency of ties in ten ranges of the favourite's expected score, from 0.5 to 1."""
        self._judge_new()
        return _bins(self._pairs, self._weight, self._predicted, self._observed)


def _bins(pairs: Indices, weight: Floats, predicted: Floats, observed: Floats) -> tuple[Bin, ...]:
    """Return the bins of these sums, from 0.5 to 1."""
    edges = [0.5 + 0.5 * k / BINS for k in range(BINS + 1)]
    sums = zip(pairs.tolist(), weight.tolist(), predicted.tolist(), observed.tolist(), strict=True)
    return tuple(
        Bin(edges[k], edges[k + 1], count, expected / total if count else None, seen / total if count else None)
        for k, (count, total, expected, seen) in enumerate(sums)
    )


@lru_cache(maxsize=16)
def sampled_pairs(n: int) -> tuple[Indices, Indices]:
    """Return the positions of the better and the worse entry of each sampled pair, among n in the order of places.

    In fields of more than 45 entries a sample of at most 1,024 pairs is used. Entries are arranged in a circle in the
    order of their places (ties in the order of their beliefs). For each of 8 distances, spread evenly from adjacent to
    opposite, each entry (in large fields, every k-th entry) is compared with the one at this distance. A distance in
    the circle represents two differences of places, so small and large differences occur as often as among all pairs.
    The sample depends neither on chance nor on the order of the rows.
    """
    if n <= _ALL_PAIRS:
        return np.triu_indices(n, 1)
    index = np.arange(n)
    distances = [1 + (2 * k + 1) * (n // 2) // (2 * _DISTANCES) for k in range(_DISTANCES)]
    ahead = np.concatenate([(index + distance) % n for distance in distances])
    step = -(-len(ahead) // _MOST_PAIRS)
    each, ahead = np.tile(index, len(distances))[::step], ahead[::step]
    return np.minimum(each, ahead), np.maximum(each, ahead)


@lru_cache(maxsize=16)
def pairs_for_draws(n: int) -> tuple[Indices, Indices]:
    """Return all pairs of up to 45 entries, among n in the order of places: positions of the better and the worse.

    In larger fields, ``sampled_pairs`` would miss small tie groups. So these are all pairs of 45 entries, drawn at
    random from the positions, always the same for n.
    """
    if n <= _ALL_PAIRS:
        return sampled_pairs(n)
    drawn = np.sort(np.random.default_rng(n).choice(n, _ALL_PAIRS, replace=False))
    first, second = sampled_pairs(_ALL_PAIRS)
    return drawn[first], drawn[second]
