"""The inference of Elo-MMR's variants in a two-player game, with plain numbers (see ``ratings.systems.duel``).

The equations are those of ``elo_mmr_inference`` and ``elo_mmx``, for two players. Seen from the winner, at the distance
y above the winner's mean, Elo-MMR's equation is

    c tanh(y / 2 s) = c' / (1 + exp((y + lead) / s'))       c = 1 / s, c' = 1 / s'

with the winner's and the loser's scales s and s', and the lead of the winner's mean over the loser's. With
``split_ties`` the left side is halved. For the loser, y is the distance below the loser's mean, the two players change
roles, and the lead is the same. In Elo-MMX, with deviations d and d' and V(t) = phi(t) / Phi(t), it is

    y / d^2 = V((y + lead) / d') / d'
"""

import math
from typing import NamedTuple

from ratings.systems.algorithms.elo_mmr_inference import (
    FOLD_EVERY,
    FOLD_FROM,
    FOLD_TOLERANCE,
    LEAST_DECAY,
    MEAN_TOLERANCE,
    PERFORMANCE_TOLERANCE,
    RENORMALIZE_BELOW,
    UNIT_STEEPNESS,
    WEIGHT,
)
from ratings.systems.beliefs import AMPLITUDE, Memory
from ratings.systems.duel import Duel, Pair
from ratings.systems.numerics.factor_means import compiled_factor_mean, factor_mean
from ratings.systems.numerics.roots import find_root
from ratings.systems.numerics.truncation import above_one

_LOGISTIC_SCALE = 1.0 / UNIT_STEEPNESS
# Beyond this many scales a curve is flat, and exp() is still far from overflow.
_FAR = 700.0
# For this many means or more, loading the compiled function saves time. The bits are the same.
_COMPILE_FROM = 2_000


class DiffusedOne(NamedTuple):
    """One player's row of ``elo_mmr.Diffused``."""

    mu: float
    drift: float
    noise: float
    variance_before: float
    variance: float
    posterior_variance: float


def deviations(one: DiffusedOne, other: DiffusedOne) -> Pair:
    """Return the deviations after the game."""
    return math.sqrt(one.posterior_variance), math.sqrt(other.posterior_variance)


def logistic_performances(duel: Duel, one: DiffusedOne, other: DiffusedOne, *, split_ties: bool) -> Pair:
    """Return the performances of both players in rating points, as the function for contests does."""
    scales = (
        _LOGISTIC_SCALE * math.sqrt(one.variance + one.noise),
        _LOGISTIC_SCALE * math.sqrt(other.variance + other.noise),
    )
    ours, theirs = duel.strength
    if duel.score[0] == 0.5:
        draw = _logistic_draw((ours, theirs), scales)
        return duel.without_handicap(draw, draw)
    share, sign = 0.5 if split_ties else 1.0, 2.0 * duel.score[0] - 1.0
    lead = sign * (ours - theirs)
    return duel.without_handicap(
        ours + sign * _logistic_distance(scales[0], scales[1], lead, share),
        theirs - sign * _logistic_distance(scales[1], scales[0], lead, share),
    )


def _logistic_distance(own: float, other: float, lead: float, share: float) -> float:
    """Return the y of the module's first equation; ``share`` is the factor on its left side."""
    steepness, others, ratio = 0.5 / own, 1.0 / other, own / (share * other)

    def equation(y: float) -> tuple[float, float, float]:
        rest = 1.0 / (1.0 + math.exp(min(y / own, _FAR)))
        steep = 4.0 * steepness * rest * (1.0 - rest)
        exponential = math.exp(min(others * (y + lead), _FAR))
        falling, risen = ratio / (1.0 + exponential), exponential / (1.0 + exponential)
        # Where both curves are flat, their distances from 1 decide.
        value = 1.0 - 2.0 * rest - falling if exponential > 1.0 else (1.0 - ratio) + (ratio * risen - 2.0 * rest)
        product = others * falling * risen
        bend = 2.0 * steepness * (1.0 - 2.0 * rest) * steep + others * product * (2.0 * risen - 1.0)
        return value, steep + product, -bend

    # Beyond the opponent's mean and this many of their scales, falling is below tanh(1).
    reach = max(-lead, 0.0) + other * max(math.log(1.5 * ratio), 0.0) + 2.0 * own
    # With equal scales and no split ties, this is the root: exp(y / s) = (1 + sqrt(1 + 8 exp(-lead / s))) / 2.
    scale = 0.5 * (own + other)
    start = scale * math.log(0.5 + math.sqrt(0.25 + 2.0 * math.exp(min(-lead / scale, _FAR))))
    # A bracket from below zero lets steps end at roots next to zero.
    return find_root(equation, -own, reach, start, tolerance=PERFORMANCE_TOLERANCE * min(own, other))


def _logistic_draw(means: Pair, scales: Pair) -> float:
    """Return the performance of both players in a draw, where sum_j c_j tanh((p - mu_j) / 2 s_j) is zero."""
    halves = 0.5 / scales[0], 0.5 / scales[1]

    def equation(p: float) -> tuple[float, float, float]:
        value, slope, bend = 0.0, 0.0, 0.0
        for mean, half in zip(means, halves, strict=True):
            curve = math.tanh((p - mean) * half)
            steep = half * half * (1.0 - curve * curve)
            value, slope, bend = value + half * curve, slope + steep, bend - 2.0 * half * curve * steep
        return value, slope, bend

    weights = halves[0] * halves[0], halves[1] * halves[1]
    start = (weights[0] * means[0] + weights[1] * means[1]) / (weights[0] + weights[1])
    return find_root(equation, min(means), max(means), start, tolerance=PERFORMANCE_TOLERANCE * min(scales))


def gaussian_performances(duel: Duel, one: DiffusedOne, other: DiffusedOne, *, split_ties: bool) -> Pair:
    """Return Elo-MMX's performances of both players in rating points."""
    deviations = math.sqrt(one.variance + one.noise), math.sqrt(other.variance + other.noise)
    ours, theirs = duel.strength
    if duel.score[0] == 0.5:
        draw = _gaussian_draw((ours, theirs), deviations, split_ties)
        return duel.without_handicap(draw, draw)
    sign = 2.0 * duel.score[0] - 1.0
    lead = sign * (ours - theirs)
    return duel.without_handicap(
        ours + sign * _gaussian_distance(deviations[0], deviations[1], lead, split_ties),
        theirs - sign * _gaussian_distance(deviations[1], deviations[0], lead, split_ties),
    )


def _gaussian_distance(own: float, other: float, lead: float, split_ties: bool) -> float:
    """Return the y of the module's second equation."""
    others, ratio = 1.0 / other, own * own / other

    def equation(y: float) -> tuple[float, float, float]:
        shift, slope, bend = _hazard((y + lead) * others)
        value, slope, bend = -ratio * shift, -ratio * others * slope, -ratio * others * others * bend
        if not split_ties:
            return y + value, 1.0 + slope, bend
        pull, steep, curved = _half_tie(y / own)
        return own * pull + value, steep + slope, curved / own + bend

    # V is below 0.8 beyond zero, and the pull of half a tie is at least half as strong as that of a tie.
    reach = max(-lead, 0.0) + (1.6 if split_ties else 0.8) * ratio
    return find_root(equation, 0.0, reach, 0.0, tolerance=PERFORMANCE_TOLERANCE * min(own, other))


def _gaussian_draw(means: Pair, deviations: Pair, split_ties: bool) -> float:
    """Return the performance of both players in a draw: between their means, weighted by their certainty."""
    weights = 1.0 / (deviations[0] * deviations[0]), 1.0 / (deviations[1] * deviations[1])
    middle = (weights[0] * means[0] + weights[1] * means[1]) / (weights[0] + weights[1])
    if not split_ties:
        return middle

    def equation(p: float) -> tuple[float, float, float]:
        value, slope, bend = 0.0, 0.0, 0.0
        for mean, deviation in zip(means, deviations, strict=True):
            pull, steep, curved = _half_tie((p - mean) / deviation)
            value, slope = value + pull / deviation, slope + steep / deviation**2
            bend += curved / deviation**3
        return value, slope, bend

    return find_root(equation, min(means), max(means), middle, tolerance=PERFORMANCE_TOLERANCE * min(deviations))


def _hazard(t: float) -> tuple[float, float, float]:
    """Return V and its first and second derivatives at t."""
    shift, rest = above_one(t)
    if shift == 0.0:
        return 0.0, 0.0, 0.0
    return shift, rest - 1.0, (1.0 - rest) * (1.0 - rest) / shift - shift * rest


def _half_tie(z: float) -> tuple[float, float, float]:
    """Return (V(-z) - V(z)) / 2 and its first and second derivatives at z."""
    rising, falling = _hazard(-z), _hazard(z)
    return 0.5 * (rising[0] - falling[0]), -0.5 * (rising[1] + falling[1]), 0.5 * (rising[2] - falling[2])


def gaussian_and_logistic_mean(belief: DiffusedOne, performance: float) -> float:
    """Return the mean of the Gaussian times one logistic factor around the performance, as the array function does."""
    steepness = UNIT_STEEPNESS / math.sqrt(belief.noise)
    half, weight = 0.5 * steepness, 1.0 / belief.variance

    def equation(x: float) -> tuple[float, float, float]:
        curve = math.tanh(half * (x - performance))
        slope = steepness * half * (1.0 - curve * curve)
        return weight * (x - belief.mu) + steepness * curve, weight + slope, -steepness * curve * slope

    lower, upper, start, tolerance = _search(belief, performance, steepness)
    return find_root(equation, lower, upper, start, tolerance=tolerance)


def _search(belief: DiffusedOne, performance: float, steepness: float) -> tuple[float, float, float, float]:
    """Return bracket, start and tolerance of the search for the mean, between the mean before and the performance."""
    mu, variance = belief.mu, belief.posterior_variance
    start = mu + variance * steepness * math.tanh(0.5 * steepness * (performance - mu))
    lower, upper = (mu, performance) if mu < performance else (performance, mu)
    return lower, upper, start, MEAN_TOLERANCE * math.sqrt(variance)


def diffuse_one(memory: Memory, player: int, belief: DiffusedOne, transfer_speed: float) -> None:
    """Apply the drift to one player's memory, as ``elo_mmr_inference.diffuse`` does."""
    log_growth = transfer_speed * math.log1p(belief.drift / belief.variance_before)
    kept = math.exp(-log_growth)
    transferred = -math.expm1(-log_growth) / belief.variance_before
    total = kept * memory.weight.item(player) + transferred
    shrink = belief.variance_before / belief.variance
    if total > 0.0:
        centre = memory.centre.item(player)
        memory.centre[player] = centre + transferred / total * (belief.mu - centre)
    memory.weight[player] = shrink * total
    memory.decay[player] = memory.decay.item(player) * (shrink * kept)


def logistic_mean(memory: Memory, player: int, belief: DiffusedOne, performance: float) -> float:
    """Add a performance to one player's memory and return the new mean, as ``logistic_means`` does."""
    steepness = UNIT_STEEPNESS / math.sqrt(belief.noise)
    decay = max(memory.decay.item(player), LEAST_DECAY)
    memory.decay[player] = decay
    memory.factors.append_one(player, performance, steepness / decay, steepness)
    factors = memory.factors.rows(player)
    memory.means_in_games += 1
    if memory.means_in_games < _COMPILE_FROM:
        find_mean, (centres, amplitudes, slopes) = factor_mean, factors.tolist()
    else:
        find_mean, (centres, amplitudes, slopes) = compiled_factor_mean(), factors
    mean = find_mean(
        centres, amplitudes, slopes, memory.weight.item(player), memory.centre.item(player), decay,
        *_search(belief, performance, steepness),
    )  # fmt: skip
    if math.isnan(mean):
        raise ArithmeticError(f"the new mean of player {player} was not found")
    return mean


def forget_one(memory: Memory, player: int, belief: DiffusedOne, mu: float) -> None:
    """Fold old factors of one player into the Gaussian when that is due, as ``forget`` does."""
    length, decay = memory.factors.length.item(player), memory.decay.item(player)
    if not (length >= FOLD_FROM and length % FOLD_EVERY == 0) and decay >= RENORMALIZE_BELOW:
        return
    factors = memory.factors.rows(player)
    factors[AMPLITUDE] *= decay
    most = FOLD_TOLERANCE * belief.drift / (belief.variance * belief.posterior_variance)
    folded, total, pull, origin = 0, 0.0, 0.0, memory.centre.item(player)
    for centre, amplitude, steepness in factors.T.tolist():
        weight = amplitude * steepness / WEIGHT
        if weight * (abs(mu - centre) + 3.0 * UNIT_STEEPNESS / steepness) > most:
            break
        folded, total, pull = folded + 1, total + weight, pull + weight * (centre - origin)
    if folded:
        weight = memory.weight.item(player) + total
        memory.weight[player], memory.centre[player] = weight, origin + pull / weight
        memory.factors.drop_oldest(player, folded)
    memory.decay[player] = 1.0
