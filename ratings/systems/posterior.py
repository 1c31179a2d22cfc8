"""The mean of a belief made of a Gaussian and logistic factors, for many players at once.

Elo-MMR paper, algorithm 3, second phase. The mean is the zero of the increasing

    w (x - c) + d * sum_k a_k tanh((x - p_k) i_k / 2)

with the Gaussian's weight w and centre c, the decay d common to all factors of the player, and for each
factor its centre p_k, steepness i_k = pi / (sqrt(3) beta_k) and amplitude a_k = i_k (times the reciprocal of
the decay when it came), in the notation of ``factors``.
"""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.belief import Memory
from ratings.systems.factors import AMPLITUDE, CENTRE, FIELDS, STEEPNESS
from ratings.systems.roots import find_roots

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

_STEEPNESS = math.pi / math.sqrt(3.0)
# weight = amplitude * steepness / _WEIGHT, for the amplitude and steepness above
_WEIGHT = _STEEPNESS * _STEEPNESS
# Newton's last step in units of the posterior deviation; the error left is of the order of its square.
_TOLERANCE = 1e-6
_BLOCK = 512
# A factor is folded into the Gaussian when that can move the mean by no more than this (rating points per
# point of sig), times the share that one contest forgets: all folds together stay below 1e-6 points.
_FOLD_TOLERANCE = 1e-8
_FOLD_FROM, _FOLD_EVERY = 32, 8
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
    weight, centre = memory.weight[players], memory.centre[players]
    tolerance = _TOLERANCE * np.sqrt(variance)
    result = np.empty_like(mu)
    for rows, factors in memory.factors.blocks(players, _BLOCK):
        equations = _Equations(weight[rows], centre[rows], decay[rows], factors)
        result[rows] = find_roots(
            equations, lower[rows], upper[rows], start[rows], tolerance=tolerance[rows], max_iterations=200
        )
    return result


class _Equations:
    """The equations of a block of players, with buffers that every evaluation uses again.

    factors
        Shape (FIELDS, width, n). Sums run along the width one after the other, so zeros at the end of a
        shorter row change no bits.
    """

    def __init__(self, weight: Floats, centre: Floats, decay: Floats, factors: Floats) -> None:
        if factors.shape[2] == 1:
            # A single column would be summed pairwise, which gives other bits.
            factors = np.repeat(factors, 2, axis=2)
        self.weight, self.centre = weight, centre
        self.centres, self.amplitudes, self.steepness = factors[CENTRE], factors[AMPLITUDE], factors[STEEPNESS]
        self.total = self._sum(self.amplitudes, len(weight))
        self.twice_decay = 2.0 * decay
        self.curve = np.empty(factors.shape[1:])
        self.other = np.empty(factors.shape[1:])

    def __call__(self, points: Floats) -> tuple[Floats, Floats]:
        curve, other = self.curve, self.other
        np.subtract(points, self.centres, out=curve)
        curve *= self.steepness
        np.clip(curve, -700.0, 700.0, out=curve)
        np.exp(curve, out=curve)
        curve += 1.0
        np.reciprocal(curve, out=curve)
        np.subtract(1.0, curve, out=other)
        curve *= self.amplitudes
        falling = self._sum(curve, len(points))
        curve *= other
        curve *= self.steepness
        value = self.weight * (points - self.centre) + self.twice_decay * (0.5 * self.total - falling)
        return value, self.weight + self.twice_decay * self._sum(curve, len(points))

    @staticmethod
    def _sum(terms: Floats, size: int) -> Floats:
        total: Floats = np.add.reduce(terms, axis=0)
        return total[:size]


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
    for rows, factors in memory.factors.blocks(players[due], _BLOCK):
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
    if len(players) == 1:
        weight, distance = np.repeat(weight, 2, axis=1), np.repeat(distance, 2, axis=1)
    added = np.add.reduce(weight, axis=0)[: len(players)]
    memory.weight[players] += added
    memory.centre[players] += np.add.reduce(distance, axis=0)[: len(players)] / memory.weight[players]
    memory.decay[players] = 1.0
    number = np.count_nonzero(folded, axis=0)
    source = np.arange(factors.shape[1])[:, None] + number
    inside = source < factors.shape[1]
    moved = np.take_along_axis(factors, np.minimum(source, factors.shape[1] - 1)[None], axis=1)
    memory.factors.replace(players, np.where(inside, moved, 0.0), length - number)


def gaussian_and_logistic_mean(mu: Floats, gaussian: Floats, performance: Floats, noise: Floats) -> Floats:
    """The mean of a Gaussian (mu, variance ``gaussian``) times one logistic (performance, variance ``noise``).

    All arrays of shape (n,), in rating points or their square.
    """
    steepness = _STEEPNESS / np.sqrt(noise)
    factors = np.array([performance, steepness, steepness]).reshape(FIELDS, 1, -1)
    equations = _Equations(1.0 / gaussian, mu, np.ones_like(mu), factors)
    variance = 1.0 / (1.0 / gaussian + 1.0 / noise)
    start = mu + variance * steepness * np.tanh(0.5 * steepness * (performance - mu))
    lower, upper = np.minimum(mu, performance), np.maximum(mu, performance)
    return find_roots(equations, lower, upper, start, tolerance=_TOLERANCE * np.sqrt(variance))
