"""The distribution of one player's place in a field: exact, for fields of up to a few thousand.

Given the player's performance, the others are ahead or not independently of each other, so the place is one plus a
sum of independent coin tosses: its distribution is the product of n - 1 polynomials of degree one. This is averaged
over the player's performance by quadrature, in panels that are halved until that changes nothing.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from ratings.systems.numerics.outcomes import STANDARD
from ratings.systems.performance_model import PerformanceModel

Floats: TypeAlias = NDArray[np.float64]

_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(15)
# A panel is final when halving it moves no more probability than this; what is left is far less.
_TOLERANCE = 1e-11
_MOST_HALVINGS = 100
_FIRST_PANELS = 12
# The performances of others that vary so much less than the player's are steps, which panels could miss: as many are
# cut out as a table of this size allows.
_SUDDEN = 0.1
_MOST_CUTS = 20_000
# Polynomials up to this degree are multiplied factor by factor, larger ones by Fourier transforms.
_SMALL_DEGREE = 24
# Numbers held at once in a table of performances by players.
_AT_ONCE = 1 << 19


def place_probabilities(model: PerformanceModel, of: int) -> Floats:
    """The probability of each place from 1 to n for the player at position ``of`` of the model, shape (n,)."""
    field = _Field(model, of)
    edges = field.first_edges()
    low, high = edges[:-1], edges[1:]
    coarse, total = field.integrals(low, high), np.zeros(len(model.location))
    for _ in range(_MOST_HALVINGS):
        middle = low + 0.5 * (high - low)
        left, right = field.integrals(low, middle), field.integrals(middle, high)
        error = np.add.reduce(np.abs(left + right - coarse), axis=1)
        coarser = (error > _TOLERANCE) & (low < middle) & (middle < high)
        total += np.add.reduce((left + right)[~coarser], axis=0)
        if not coarser.any():
            break
        low, high = np.concatenate([low[coarser], middle[coarser]]), np.concatenate([middle[coarser], high[coarser]])
        coarse = np.concatenate([left[coarser], right[coarser]])
    else:
        total += np.add.reduce(coarse, axis=0)
    probabilities = np.maximum(total, 0.0)
    return probabilities / np.add.reduce(probabilities)


class _Field:
    """One player and all the others, as functions of the player's performance."""

    def __init__(self, model: PerformanceModel, of: int) -> None:
        self.standard = STANDARD[model.shape]
        self.location, self.scale = float(model.location[of]), float(model.scale[of])
        self.others = np.delete(model.location, of)
        self.other_scales = np.delete(model.scale, of)

    def first_edges(self) -> Floats:
        """Edges of panels, rising: where the player performs, where the others are, and around sudden changes."""
        low, high = self.standard.low, self.standard.high
        own = self.location + self.scale * np.linspace(low, high, _FIRST_PANELS + 1)
        shares = np.linspace(0.0, 1.0, _FIRST_PANELS + 1)
        ends = [(self.others + end * self.other_scales) for end in (low, 0.5 * low, 0.0, 0.25 * high, high)]
        sudden = np.flatnonzero(self.other_scales < _SUDDEN * self.scale)
        narrowest = sudden[np.argsort(self.other_scales[sudden])[: _MOST_CUTS // len(self.others)]]
        edges = np.concatenate([own, *(np.quantile(end, shares) for end in ends), *(end[narrowest] for end in ends)])
        return np.unique(np.clip(edges, own[0], own[-1]))

    def integrals(self, low: Floats, high: Floats) -> Floats:
        """What performances in each panel contribute to the probability of each place, shape (panels, n)."""
        width = 0.5 * (high - low)
        points = (low + width)[:, None] + width[:, None] * _POINTS
        standardized = (points - self.location) / self.scale
        weights = self.standard.density(standardized) * (width / self.scale)[:, None] * _WEIGHTS
        result = np.empty((len(low), len(self.others) + 1))
        at_once = max(1, _AT_ONCE // (len(_POINTS) * len(self.others)))
        for begin in range(0, len(low), at_once):
            part = slice(begin, begin + at_once)
            ahead = self._ahead(points[part].ravel())
            distributions = sums_of_tosses(ahead).reshape(-1, len(_POINTS), len(self.others) + 1)
            result[part] = np.einsum("pk,pkn->pn", weights[part], distributions)
        return result

    def _ahead(self, points: Floats) -> Floats:
        """The probability of each other one to be ahead of each performance, shape (points, n - 1)."""
        return 1.0 - self.standard.cumulative((points[:, None] - self.others) / self.other_scales)


def sums_of_tosses(probabilities: Floats) -> Floats:
    """Distributions of numbers of successes in independent tosses (Poisson's binomial distribution).

    probabilities
        Of success, shape (k, m): m tosses, for each of k sums.

    Returns the probabilities of 0 to m successes, shape (k, m + 1), each to about 1e-15.
    """
    sums, tosses = probabilities.shape
    products = 1
    while products * _SMALL_DEGREE < tosses:
        products *= 2
    degree = -(-tosses // products)
    padded = np.zeros((sums, products * degree))
    padded[:, :tosses] = probabilities
    polynomials = _small_products(padded.reshape(sums, products, degree))
    while polynomials.shape[1] > 1:
        size = 2 * polynomials.shape[2] - 1
        length = fft.next_fast_len(size, real=True)
        spectra = fft.rfft(polynomials, length, axis=2)
        polynomials = fft.irfft(spectra[:, ::2] * spectra[:, 1::2], length, axis=2)[:, :, :size]
    return polynomials[:, 0, : tosses + 1]


def _small_products(probabilities: Floats) -> Floats:
    """The products of the factors 1 - p + p z along the last axis, as coefficients of powers of z."""
    *outer, degree = probabilities.shape
    coefficients = np.zeros((degree + 1, *outer))
    coefficients[0] = 1.0
    for factor in range(degree):
        success = probabilities[..., factor]
        moved = coefficients[: factor + 1] * success
        coefficients[: factor + 1] -= moved
        coefficients[1 : factor + 2] += moved
    return np.moveaxis(coefficients, 0, -1)
