"""Predictions of the next contest: win probabilities and distributions of places. ``matches.py`` predicts teams.

Everything follows from a system's ``performance_model``: performances are independent, the higher one places before
the lower one, and ties have no probability of their own. So the probability that A finishes ahead of B is the same in
a duel and in a field of any size. Predictions are for a contest of weight 1 right after each player's last one.

The distribution of one player's place is exact for up to a few thousand players and close for more. Given the player's
performance, each of the others is ahead or behind independently, so the place is one plus a sum of independent coin
tosses: its distribution is the product of n - 1 polynomials of degree one. It is averaged over the player's
performance by quadrature, in panels that are halved until halving no longer changes the result.
"""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import fft
from scipy.interpolate import CubicSpline
from scipy.special import betainc

from ratings.systems.beliefs import Beliefs, position_in_field
from ratings.systems.performance_model import STANDARD, PerformanceModel, mean_places, probability_to_beat
from ratings.systems.system import RatingSystem

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(15)
# A panel is final when halving it changes its probabilities by no more than this; the remaining error is far smaller.
_TOLERANCE = 1e-11
_MOST_HALVINGS = 100
_FIRST_PANELS = 12
# Performances of others that vary by less than this share of the player's look like steps, which panels could miss.
# Panels are cut at as many of them as a table of this size allows.
_SUDDEN = 0.1
_MOST_CUTS = 20_000
# Polynomials up to this degree are multiplied factor by factor, larger ones by Fourier transforms.
_SMALL_DEGREE = 24
# The most numbers in memory at once, in a table of performances by players.
_AT_ONCE = 1 << 19
# With up to this many players the exact distribution costs less than a tenth of a second.
_EXACT = 150
# The largest expected number of wrong guesses about players who count as certain to be ahead or behind.
_CERTAIN = 5e-4
# Performances less likely than this are left out.
_UNLIKELY = 1e-9
# The smallest sum of squares for a binomial distribution; below it, the binomial equals Poisson's.
_LEAST = 1e-9
# An expected number of players below this counts as zero.
_FEWEST = 1e-12
# The most steps between two nodes; they are fine enough for fields of 20,000.
_MOST_FINER = 32
# Likely places are searched among those between these probabilities of a place or better, at so many of them.
_TAILS = 0.001, 0.999
_SEARCHED = 200


def win_probability(system: RatingSystem, beliefs: Beliefs, a: ArrayLike, b: ArrayLike) -> Floats:
    """Return the probability that player a finishes ahead of player b, in a duel or in any field.

    a, b
        Indices of players in the pool, broadcast against each other. The result has their common shape.

    Exact to 1e-9. Raises ValueError on a player outside the pool or against themselves.
    """
    first, second = np.broadcast_arrays(beliefs.checked_indices(a), beliefs.checked_indices(b))
    if (first == second).any():
        raise ValueError(f"player {first[first == second][0]} cannot meet themselves: give two different players")
    # Only the players in question, each once.
    players, position = np.unique(np.stack([first.ravel(), second.ravel()]), return_inverse=True)
    model = _model(system, beliefs, players)
    position = position.reshape(2, -1)
    return probability_to_beat(model, position[0], position[1]).reshape(first.shape)


def expected_places(system: RatingSystem, beliefs: Beliefs, players: ArrayLike) -> Floats:
    """Return each player's mean place when these players meet, from 1 to n, shape (n,), in the given order.

    1 + sum_j P(j finishes ahead of i), to 1e-9 n, in about linear time. Raises ValueError on fewer than two players,
    repeated players and players outside the pool.
    """
    return mean_places(_model(system, beliefs, beliefs.checked_field(players)))


def place_distribution(system: RatingSystem, beliefs: Beliefs, players: ArrayLike, of: int) -> Floats:
    """Return the probability of each place from 1 to n for one player when these n meet, shape (n,), with sum 1.

    players
        Indices in the pool, shape (n,).
    of
        The player: one of them, as an index in the pool.

    Exact to 1e-9. Raises ValueError as ``expected_places`` does, and if the player is not among them.
    """
    field = beliefs.checked_field(players)
    return place_probabilities(_model(system, beliefs, field), position_in_field(field, of))


def _model(system: RatingSystem, beliefs: Beliefs, players: Indices) -> PerformanceModel:
    return system.performance_model(beliefs.mu[players], beliefs.sigma[players])


def place_probabilities(model: PerformanceModel, of: int) -> Floats:
    """Return the probability of each place from 1 to n for the player at position ``of`` of the model, shape (n,)."""
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
    """One player and all others, as functions of the player's performance."""

    def __init__(self, model: PerformanceModel, of: int) -> None:
        self.standard = STANDARD[model.shape]
        self.location, self.scale = float(model.location[of]), float(model.scale[of])
        self.others = np.delete(model.location, of)
        self.other_scales = np.delete(model.scale, of)

    def first_edges(self) -> Floats:
        """Return ascending edges of panels: at the player's performances, the others', and around sudden changes."""
        low, high = self.standard.low, self.standard.high
        own = self.location + self.scale * np.linspace(low, high, _FIRST_PANELS + 1)
        shares = np.linspace(0.0, 1.0, _FIRST_PANELS + 1)
        ends = [(self.others + end * self.other_scales) for end in (low, 0.5 * low, 0.0, 0.25 * high, high)]
        sudden = np.flatnonzero(self.other_scales < _SUDDEN * self.scale)
        narrowest = sudden[np.argsort(self.other_scales[sudden])[: _MOST_CUTS // len(self.others)]]
        edges = np.concatenate([own, *(np.quantile(end, shares) for end in ends), *(end[narrowest] for end in ends)])
        return np.unique(np.clip(edges, own[0], own[-1]))

    def integrals(self, low: Floats, high: Floats) -> Floats:
        """Return each panel's contribution to the probability of each place, shape (panels, n)."""
        width = 0.5 * (high - low)
        points = (low + width)[:, None] + width[:, None] * _POINTS
        standardized = (points - self.location) / self.scale
        weights = self.standard.density(standardized) * (width / self.scale)[:, None] * _WEIGHTS
        result = np.empty((len(low), len(self.others) + 1))
        at_once = max(1, _AT_ONCE // (len(_POINTS) * len(self.others)))
        for begin in range(0, len(low), at_once):
            part = slice(begin, begin + at_once)
            ahead = self._number_ahead(points[part].ravel())
            distributions = sums_of_tosses(ahead).reshape(-1, len(_POINTS), len(self.others) + 1)
            result[part] = np.einsum("pk,pkn->pn", weights[part], distributions)
        return result

    def _number_ahead(self, points: Floats) -> Floats:
        """Return each other player's probability of being ahead of each performance, shape (points, n - 1)."""
        return 1.0 - self.standard.cumulative((points[:, None] - self.others) / self.other_scales)


def sums_of_tosses(probabilities: Floats) -> Floats:
    """Return distributions of the number of successes in independent tosses (Poisson's binomial distribution).

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
    """Return the products of the factors 1 - p + p z along the last axis, as coefficients of powers of z."""
    *outer, degree = probabilities.shape
    coefficients = np.zeros((degree + 1, *outer))
    coefficients[0] = 1.0
    for factor in range(degree):
        success = probabilities[..., factor]
        moved = coefficients[: factor + 1] * success
        coefficients[: factor + 1] -= moved
        coefficients[1 : factor + 2] += moved
    return np.moveaxis(coefficients, 0, -1)


class PlaceChances:
    """One player's probabilities of placing among the first k of n, in a field of any size.

    The probabilities are exact for small fields and close for large ones. Given the player's performance, the number
    of others ahead is a sum of independent tosses. The exact distribution uses only the players who could finish ahead
    or behind; players who are nearly certain to be ahead or behind count as such. If too many remain, a binomial
    distribution with the same mean and variance approximates the number ahead, or the number behind if that is
    smaller. A test checks that probabilities err by less than 0.003.

    model
        The performances of all players.
    of
        The player's position in the model.
    """

    def __init__(self, model: PerformanceModel, of: int) -> None:
        self.size = len(model.location)
        self.exact = None
        if self.size <= _EXACT:
            self.exact = np.cumsum(place_probabilities(model, of))
            return
        standard = STANDARD[model.shape]
        nodes, weights = standard.nodes()
        kept = weights > _UNLIKELY
        coarse = nodes[kept]
        mean, variance, ahead = _number_ahead(model, of, model.location[of] + model.scale[of] * coarse, weights[kept])
        undecided = _undecided(ahead)
        if len(undecided) < _EXACT:
            certain = np.count_nonzero(ahead > 0.5) - np.count_nonzero(ahead[undecided] > 0.5)
            self.exact = self._among(model, of, undecided, int(certain))
            return
        # In large fields the place depends closely on the performance, so it needs finer steps; both are smooth.
        finer = min(_MOST_FINER, 1 + math.isqrt(self.size) // 3)
        fine = np.linspace(coarse[0], coarse[-1], finer * (len(coarse) - 1) + 1)
        density = standard.density(fine)
        self.weights = density / np.add.reduce(density)
        self.mean = np.clip(CubicSpline(coarse, mean)(fine), 0.0, self.size - 1.0)
        variance = np.maximum(CubicSpline(coarse, variance)(fine), 0.0)
        # A binomial distribution with this mean and variance counts those ahead or those behind, whichever are fewer.
        self.counts_behind = 2.0 * self.mean > self.size - 1.0
        fewer = np.maximum(np.where(self.counts_behind, self.size - 1.0 - self.mean, self.mean), _FEWEST)
        squares = np.maximum(fewer - variance, _LEAST * np.minimum(1.0, fewer))
        self.share = np.clip(squares / fewer, 1e-15, 1.0 - 1e-15)
        self.tosses = fewer / self.share

    def _among(self, model: PerformanceModel, of: int, undecided: Indices, certain: int) -> Floats:
        """Return cumulative probabilities by place, given the undecided players and the number certainly ahead."""
        players = np.append(of, np.delete(np.arange(self.size), of)[undecided])
        among = PerformanceModel(model.shape, model.location[players], model.scale[players])
        chances = np.ones(self.size)
        chances[:certain] = 0.0
        if len(undecided):
            chances[certain : certain + len(players)] = np.cumsum(place_probabilities(among, 0))
        return chances

    @property
    def expected_place(self) -> float:
        """The mean place, from 1 to n."""
        if self.exact is not None:
            return 1.0 + float(np.add.reduce(1.0 - self.exact))
        return 1.0 + float(np.add.reduce(self.weights * self.mean))

    def at_most(self, place: int) -> float:
        """Return the probability of finishing in this place or better; 0 for places below 1."""
        if place < 1 or place >= self.size:
            return float(place >= 1)
        if self.exact is not None:
            return float(min(self.exact[place - 1], 1.0))
        # P(at most this many ahead); or, counting those behind, one minus P(at most this many behind).
        most = np.where(self.counts_behind, self.size - place - 1.0, place - 1.0)
        chance = betainc(np.maximum(self.tosses - most, 1e-12), most + 1.0, 1.0 - self.share)
        return float(np.add.reduce(self.weights * np.where(self.counts_behind, 1.0 - chance, chance)))

    def place_within(self, share: float) -> int:
        """Return the best place for which the probability of finishing there or better is at least this share."""
        low, high = 0, self.size
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.at_most(middle) >= share else (middle, high)
        return high

    def likely_places(self, share: float) -> tuple[int, int]:
        """Return the first and last of the narrowest range of places whose probability is at least this share.

        Of several such ranges, it is the most probable. If more than about 200 places are possible, only so many first
        places are tried, and the range can be slightly wider than necessary.
        """
        first, last = (self.place_within(tail) for tail in _TAILS)
        places = np.unique(np.linspace(first - 1, last, _SEARCHED).astype(np.int64))
        known = [self.at_most(place) for place in places.tolist()]
        steps = np.arange(places[0], places[-1] + 1)
        rising = np.interp(steps, places, known)
        ends = np.searchsorted(rising, rising + share)
        starts = np.flatnonzero(ends < len(steps))
        order = np.lexsort((rising[starts] - rising[ends[starts]], ends[starts] - starts))
        before = int(steps[starts[order[0]]])
        return before + 1, self.place_within(self.at_most(before) + share)


def _number_ahead(model: PerformanceModel, of: int, points: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Return how many others perform better than the player, at performances with given weights, shape (k,).

    Mean and variance of their number at each performance, shape (k,); and the mean probability that each of the others
    does, shape (n - 1,).
    """
    others, scales = np.delete(model.location, of), np.delete(model.scale, of)
    cumulative = STANDARD[model.shape].cumulative
    mean, variance, behind = np.empty(len(points)), np.empty(len(points)), np.zeros(len(others))
    rows = max(1, _AT_ONCE // len(others))
    for begin in range(0, len(points), rows):
        part = slice(begin, begin + rows)
        below = cumulative((points[part, None] - others) / scales)
        mean[part] = np.add.reduce(1.0 - below, axis=1)
        variance[part] = np.add.reduce(below * (1.0 - below), axis=1)
        behind += np.einsum("k,kj->j", weights[part], below)
    return mean, variance, 1.0 - behind / np.add.reduce(weights)


def _undecided(ahead: Floats) -> Indices:
    """Return the positions of players who are not nearly certain to be either ahead or behind."""
    doubt = np.minimum(ahead, 1.0 - ahead)
    order = np.argsort(doubt, kind="stable")
    certain = int(np.searchsorted(np.cumsum(np.maximum(doubt[order], 0.0)), _CERTAIN))
    return np.sort(order[certain:])
