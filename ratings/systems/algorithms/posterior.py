"""The mean of a belief made of a Gaussian and logistic factors, for many players at once.

Elo-MMR paper, algorithm 3, second phase. The mean is the zero of the increasing

    w (x - c) + d * sum_k a_k tanh((x - p_k) i_k / 2)

with the Gaussian's weight w and centre c, the decay d common to all factors of the player, and for each
factor its centre p_k, steepness i_k = pi / (sqrt(3) beta_k) and amplitude a_k = i_k (times the reciprocal of
the decay when it came), in the notation of ``factors``.
"""

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.beliefs import AMPLITUDE, CENTRE, STEEPNESS, Memory
from ratings.systems.numerics.kernels import falling_curves
from ratings.systems.numerics.roots import find_roots
from ratings.systems.situation import Weighed

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

_STEEPNESS = math.pi / math.sqrt(3.0)
# weight = amplitude * steepness / _WEIGHT, for the amplitude and steepness above
_WEIGHT = _STEEPNESS * _STEEPNESS
# The last step in units of the posterior deviation; the error left is of the order of its cube.
_TOLERANCE = 3e-4
_TOLERANCE_BY_PLACE = 1e-4
# A factor is folded into the Gaussian when that can move the mean by no more than this (rating points per
# point of sig), times the share that one contest forgets: all folds together stay below 1e-6 points.
_FOLD_TOLERANCE = 1e-8
_FOLD_FROM, _FOLD_EVERY = 32, 8
# Relative distance below which tanh(x) / x is one to double precision.
_NEAR = 1e-9
_LEAST_DECAY, _RENORMALIZE_BELOW = 1e-200, 1e-30


def diffuse(
    memory: Memory, players: Indices, mu: Floats, variance: Floats, drift: Floats, transfer_speed: float
) -> None:
    """Let skills drift since the players' last contest: the pseudodiffusion of algorithm 2.

    mu, variance
        Mean and variance of the beliefs before, shape (n,): rating points and their square.
    drift
        Variance to be added (gamma squared), shape (n,).
    transfer_speed
        The paper's rho: how fast logistic factors melt into the Gaussian, relative to their decay.

    The mean of each belief stays; its variance grows by ``drift``.
    """
    log_growth = np.log1p(drift / variance)
    kept = np.exp(-transfer_speed * log_growth)
    # 1 / variance is the weight of all factors together.
    transferred = -np.expm1(-transfer_speed * log_growth) / variance
    total = kept * memory.weight[players] + transferred
    shrink = variance / (variance + drift)
    centre = memory.centre[players]
    pull = transferred / np.where(total > 0, total, 1.0)
    memory.centre[players] = centre + pull * (mu - centre)
    memory.weight[players] = shrink * total
    memory.decay[players] *= shrink * kept


def logistic_means(
    memory: Memory, players: Indices, mu: Floats, performance: Floats, noise: Floats, variance: Floats
) -> Floats:
    """Add a contest's performances to the memory of its players and return their new means, shape (n,).

    mu, performance, noise, variance
        Mean before, new performance and its variance, variance of the new belief; shape (n,), rating
        points or their square. The memory is the one after diffusion, so that ``mu`` is still its mean;
        hence the new mean lies between ``mu`` and ``performance``.
    """
    steepness = _STEEPNESS / np.sqrt(noise)
    decay = np.maximum(memory.decay[players], _LEAST_DECAY)
    memory.decay[players] = decay
    memory.factors.append(players, np.array([performance, steepness / decay, steepness]))
    start = mu + variance * steepness * np.tanh(0.5 * steepness * (performance - mu))
    lower, upper = np.minimum(mu, performance), np.maximum(mu, performance)
    posterior = _Posteriors(memory, players)
    tolerance = _TOLERANCE * np.sqrt(variance)
    return find_roots(posterior, lower, upper, start, tolerance=tolerance, narrow=posterior.only)


class _Posteriors:
    """The derivatives of the log-likelihoods of some players' skills (with the sign that makes them rise)."""

    def __init__(self, memory: Memory, players: Indices) -> None:
        self.memory, self.players = memory, players
        self.weight, self.centre = memory.weight[players], memory.centre[players]
        self.twice_decay = 2.0 * memory.decay[players]
        positions, self.rectangles = zip(*memory.factors.rectangles(players), strict=True)
        self.order = np.concatenate(positions)
        self.back = np.argsort(self.order)
        self.buffers = np.empty((3, max(factors[0].size for factors in self.rectangles)))
        self.sums = np.empty((3, len(players)))
        self.half_totals = 0.5 * np.concatenate([_column_sums(each[AMPLITUDE]) for each in self.rectangles])[self.back]

    def only(self, rows: Indices) -> "_Posteriors":
        return _Posteriors(self.memory, self.players[rows])

    def __call__(self, points: Floats) -> tuple[Floats, Floats, Floats]:
        end, in_order = 0, points[self.order]
        for factors in self.rectangles:
            begin, end = end, end + factors.shape[2]
            sum_factors(in_order[begin:end], factors, self.buffers, self.sums[:, begin:end])
        falling, slope, bend = self.sums[:, self.back]
        value = self.weight * (points - self.centre) + self.twice_decay * (self.half_totals - falling)
        return value, self.weight + self.twice_decay * slope, -self.twice_decay * bend


def sum_factors(points: Floats, factors: Floats, buffers: Floats, sums: Floats) -> None:
    """Return sums of a D, a i D (1 - D) and a i^2 D (1 - D) (1 - 2 D) over each player's factors.

    points
        Shape (n,); where D = 1 / (1 + exp((point - centre) i)) is taken.
    factors
        Shape (FIELDS, width, n), zeros at the end of shorter rows.
    buffers
        Scratch, shape (3, at least width * n).
    sums
        Shape (3, n); overwritten.
    """
    centres, amplitudes, steepness = factors
    curve, rest, terms = buffers[:, : centres.size].reshape(3, *centres.shape)
    np.subtract(points, centres, out=curve)
    curve *= steepness
    with np.errstate(over="ignore"):
        np.exp(curve, out=curve)
    curve += 1.0
    np.divide(1.0, curve, out=curve)  # division is vectorised, np.reciprocal is not
    np.subtract(1.0, curve, out=rest)
    np.multiply(curve, amplitudes, out=terms)
    sums[0] = _column_sums(terms)
    terms *= rest
    terms *= steepness
    sums[1] = _column_sums(terms)
    rest -= curve
    terms *= rest
    terms *= steepness
    sums[2] = _column_sums(terms)


def _column_sums(terms: Floats) -> Floats:
    """Return sums along the first axis, each column from top to bottom: zeros at the end change no bits."""
    # NumPy would sum a single column pairwise.
    columns = np.repeat(terms, 2, axis=1) if terms.shape[1] == 1 else terms
    sums: Floats = np.add.reduce(columns, axis=0)
    return sums[: terms.shape[1]]


def forget(memory: Memory, players: Indices, mu: Floats, variance: Floats, lost: Floats) -> None:
    """Fold into the Gaussian the oldest factors that can no longer matter; scale decays back to one.

    mu, variance
        Mean and variance of the new beliefs, shape (n,): rating points and their square.
    lost
        Share of all weight that the last diffusion took away, shape (n,).

    When that happens depends on a player's own memory alone, never on where or with whom it is kept.
    """
    length, decay = memory.factors.length[players], memory.decay[players]
    due = (length >= _FOLD_FROM) & (length % _FOLD_EVERY == 0) | (decay < _RENORMALIZE_BELOW)
    for rows, factors in memory.factors.rectangles(players[due]):
        each = np.flatnonzero(due)[rows]
        _fold(memory, players[each], factors, mu[each], variance[each], lost[each])


def _fold(memory: Memory, players: Indices, factors: Floats, mu: Floats, variance: Floats, lost: Floats) -> None:
    factors[AMPLITUDE] *= memory.decay[players]
    weight = factors[AMPLITUDE] * factors[STEEPNESS] / _WEIGHT
    length = memory.factors.length[players]
    present = np.arange(factors.shape[1])[:, None] < length
    noise_deviation = _STEEPNESS / np.where(present, factors[STEEPNESS], 1.0)
    effect = weight * (np.abs(mu - factors[CENTRE]) + 3.0 * noise_deviation) * variance
    folded = np.logical_and.accumulate((effect <= _FOLD_TOLERANCE * lost) & present, axis=0)
    weight = np.where(folded, weight, 0.0)
    distance = weight * (factors[CENTRE] - memory.centre[players])
    memory.weight[players] += _column_sums(weight)
    memory.centre[players] += _column_sums(distance) / memory.weight[players]
    memory.decay[players] = 1.0
    number = np.count_nonzero(folded, axis=0)
    source = np.arange(factors.shape[1])[:, None] + number
    inside = source < factors.shape[1]
    moved = np.take_along_axis(factors, np.minimum(source, factors.shape[1] - 1)[None], axis=1)
    memory.factors.replace(players, np.where(inside, moved, 0.0), length - number)


def gaussian_and_logistic_mean(mu: Floats, gaussian: Floats, performance: Floats, noise: Floats) -> Floats:
    """Return the mean of a Gaussian (mu, variance ``gaussian``) times one logistic (performance, variance ``noise``).

    All arrays of shape (n,), in rating points or their square.
    """
    steepness = _STEEPNESS / np.sqrt(noise)
    weight = 1.0 / gaussian

    def equations(points: Floats) -> tuple[Floats, Floats, Floats]:
        curve, product, bend = falling_curves((points - performance) * steepness)
        value = weight * (points - mu) + steepness * (1.0 - 2.0 * curve)
        return value, weight + 2.0 * steepness**2 * product, -2.0 * steepness**3 * bend

    variance = 1.0 / (weight + 1.0 / noise)
    start = mu + variance * steepness * np.tanh(0.5 * steepness * (performance - mu))
    lower, upper = np.minimum(mu, performance), np.maximum(mu, performance)
    return find_roots(equations, lower, upper, start, tolerance=_TOLERANCE * np.sqrt(variance))


def copy_of(memory: Memory, player: int) -> Memory:
    """Return the memory of one player as that of player 0."""
    rows = memory.factors.rows(player)
    own = Memory(np.zeros(1), np.ones(1))
    for mine, column in zip(own.columns(), memory.columns(), strict=True):
        mine[0] = column[player]
    own.factors.replace(np.zeros(1, dtype=np.int64), rows[:, :, None].copy(), np.array([rows.shape[1]]))
    return own


def means_of(memory: Memory, mu: float, noise: float, variance: float) -> Callable[[Floats], Floats]:
    """Return a function from performances of player 0 to the new mean after each, as ``logistic_means`` has it.

    mu, noise, variance
        As in ``logistic_means``; the memory is the one after diffusion.
    """
    factors = memory.factors.rows(0)
    centres, amplitudes, steepness = factors[CENTRE], memory.decay[0] * factors[AMPLITUDE], factors[STEEPNESS]
    weight, centre = float(memory.weight[0]), float(memory.centre[0])
    newest = math.pi / math.sqrt(3.0 * noise)

    def means(performance: Floats) -> Floats:
        def equations(points: Floats) -> tuple[Floats, Floats, Floats]:
            curve, product, bend = falling_curves((points[:, None] - centres) * steepness)
            value = weight * (points - centre) + np.einsum("kj,j->k", 1.0 - 2.0 * curve, amplitudes)
            slope = weight + 2.0 * np.einsum("kj,j->k", product, amplitudes * steepness)
            second = -2.0 * np.einsum("kj,j->k", bend, amplitudes * steepness * steepness)
            curve, product, bend = falling_curves((points - performance) * newest)
            value += newest * (1.0 - 2.0 * curve)
            return value, slope + 2.0 * newest**2 * product, second - 2.0 * newest**3 * bend

        start = mu + variance * newest * np.tanh(0.5 * newest * (performance - mu))
        lower, upper = np.minimum(mu, performance), np.maximum(mu, performance)
        return find_roots(equations, lower, upper, start, tolerance=_TOLERANCE_BY_PLACE * math.sqrt(variance))

    return means


class PlayerMemory:
    """What Elo-MMR remembers of one player, every past performance kept apart, so that each can be named.

    Elo-MMR paper, equation 7: a rating is the weighted mean of the centre of its Gaussian part and of all
    performances,

        mu = sum_k w_k p_k / sum_k w_k,   w_k = a_k tanh((mu - p_k) i_k / 2) / (mu - p_k)

    with amplitudes a_k and steepness i_k as above: the further a performance lies from the rating, the less it
    weighs. Here no old performance is folded into the Gaussian part.

    centres, amplitudes, steepness
        Of the logistic factors, shape (contests so far,); rating points, 1 / points, 1 / points.
    """

    def __init__(self, mu: float, sigma: float) -> None:
        self.centre, self.weight = mu, 1.0 / (sigma * sigma)
        self.centres, self.amplitudes, self.steepness = np.empty(0), np.empty(0), np.empty(0)

    def diffuse(self, mu: float, variance: float, drift: float, transfer_speed: float) -> None:
        """Let the skill drift (algorithm 2), from the mean and variance of the belief before."""
        growth = math.log1p(drift / variance)
        kept = math.exp(-transfer_speed * growth)
        transferred = -math.expm1(-transfer_speed * growth) / variance
        total = kept * self.weight + transferred
        shrink = variance / (variance + drift)
        if total > 0.0:
            self.centre += transferred / total * (mu - self.centre)
        self.weight = shrink * total
        self.amplitudes = self.amplitudes * (shrink * kept)

    def add(self, performance: float, noise: float) -> None:
        """Append the factor of one more performance with this variance."""
        steepness = _STEEPNESS / math.sqrt(noise)
        self.centres = np.append(self.centres, performance)
        self.amplitudes = np.append(self.amplitudes, steepness)
        self.steepness = np.append(self.steepness, steepness)

    def weighed(self, performance: float, noise: float, mu: float) -> Weighed:
        """Append the performance of a contest, and return what the rating ``mu`` after it is the weighted mean of."""
        self.add(performance, noise)
        damping = self.damping(mu)
        full = 0.5 * self.amplitudes * self.steepness
        levels, weights = np.append(self.centre, self.centres), np.append(self.weight, full * damping)
        return Weighed(levels, weights, float(damping[-1]))

    def damping(self, mu: float) -> Floats:
        """Return the share of its full weight that each performance keeps at its distance from a rating: 0 to 1."""
        x = 0.5 * (mu - self.centres) * self.steepness
        near = np.abs(x) < _NEAR
        safe = np.where(near, 1.0, x)
        return np.where(near, 1.0, np.tanh(safe) / safe)
