"""TrueSkill for one game of two small sides: one pass in closed form, number by number.

In a game of a few players arrays cost more than they save.
"""

import functools
import math
from operator import mul
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.beliefs import Beliefs
from ratings.systems.contest import Contest, Entrants, RoundChanges
from ratings.systems.numerics.truncation import above_one, within_one

Floats: TypeAlias = NDArray[np.float64]

# With more players arrays are faster.
FEW = 64
# No team performs more exactly, in units of the noise of one performance.
_LEAST = 1e-12
# No draw margin is narrower, in deviations of the difference.
_LEAST_MARGIN = 1e-6


def rate_two_sides(beliefs: Beliefs, contest: Contest, noise: float, drift: float, unit_margin: float) -> RoundChanges:
    """Rate a game of two sides, won or drawn, updating ``beliefs`` in place.

    noise, drift
        Variances of one performance around the skill, and of the skill before a contest.
    unit_margin
        Draw margin over the root of the players' number, in deviations of a performance.

    Sums are exact before they are rounded, so the order of rows changes no bits.
    """
    players = contest.players
    if max(beliefs.last_day[players].tolist()) > contest.day:
        Entrants(beliefs, contest)  # refuses those who played later already
    mu_before, sigma_before, count = beliefs.mu[players], beliefs.sigma[players], beliefs.count[players]
    variances = [sigma * sigma + drift for sigma in sigma_before.tolist()]
    posterior = _partial_play if contest.play is not None else _duel if len(variances) == 2 else _full_play
    means, deviations = posterior(contest, mu_before.tolist(), variances, noise, unit_margin)
    mu, sigma = np.array(means), np.array(deviations)
    beliefs.mu[players], beliefs.sigma[players] = mu, sigma
    count += 1
    beliefs.count[players] = count
    beliefs.last_day[players] = contest.day
    performance, field = _constants(len(players))
    return RoundChanges(mu_before, sigma_before, mu, sigma, performance, contest.competition_ranks, field)


def _duel(
    contest: Contest, means: list[float], variances: list[float], noise: float, unit_margin: float
) -> tuple[list[float], list[float]]:
    """Return means and deviations after a game of one against one."""
    ours, theirs = variances
    total = ours + theirs + 2.0 * noise
    deviation, margin = math.sqrt(total), unit_margin * math.sqrt(2.0 * noise)
    if contest.group.item(0):  # the second row won
        shift, rest = _cut(contest, means[1] - means[0], deviation, margin)
        shift = -shift
    else:
        shift, rest = _cut(contest, means[0] - means[1], deviation, margin)
    step = shift / deviation
    moved = [means[0] + ours * step, means[1] - theirs * step]
    our_rest, their_rest = theirs + 2.0 * noise, ours + 2.0 * noise
    left = (
        math.sqrt(ours * ((our_rest + ours * rest) / total)),
        math.sqrt(theirs * ((their_rest + theirs * rest) / total)),
    )
    return moved, [*left]


def _full_play(
    contest: Contest, means: list[float], variances: list[float], noise: float, unit_margin: float
) -> tuple[list[float], list[float]]:
    """Return means and deviations after a game that everyone played from start to end."""
    signs = _signs(contest)
    performed = noise * len(means)
    total = math.fsum(variances) + performed
    deviation = math.sqrt(total)
    shift, rest = _cut(contest, math.fsum(map(mul, signs, means)), deviation, unit_margin * math.sqrt(performed))
    step = shift / deviation
    moved = [mean + sign * variance * step for mean, sign, variance in zip(means, signs, variances, strict=False)]
    # Written so that something is left of the variance of one of whom far less is known than of all others.
    left = [math.sqrt(v * ((max(total - v, noise) + v * rest) / total)) for v in variances]
    return moved, left


def _partial_play(
    contest: Contest, means: list[float], variances: list[float], noise: float, unit_margin: float
) -> tuple[list[float], list[float]]:
    """Return the same with shares of play, which weigh what each member adds to the performance of the side."""
    assert contest.play is not None
    shares = [share * sign for share, sign in zip(contest.play.tolist(), _signs(contest), strict=True)]
    squares = [share * share for share in shares]
    total = max(math.fsum(map(mul, squares, variances)) + noise * math.fsum(squares), _LEAST * noise)
    deviation = math.sqrt(total)
    margin = unit_margin * math.sqrt(noise * len(means))
    shift, rest = _cut(contest, math.fsum(map(mul, shares, means)), deviation, margin)
    moved, left = [], []
    for mean, variance, share, square in zip(means, variances, shares, squares, strict=True):
        own = square * variance
        moved.append(mean + share * variance * shift / deviation)
        left.append(math.sqrt(variance * ((max(total - own, square * noise) + own * rest) / total)))
    return moved, left


def _signs(contest: Contest) -> list[float]:
    """1 for the rows of one side, the winner if there is one, and -1 for those of the other."""
    sides = contest.entry if len(contest.group_sizes) == 1 else contest.group
    return [1.0 - 2.0 * side for side in sides.tolist()]


def _cut(contest: Contest, distance: float, deviation: float, margin: float) -> tuple[float, float]:
    """Return how far the result moves the difference of the sides, in deviations, and the share of its variance left.

    distance
        The mean of the first or winning side less that of the other.
    """
    if len(contest.group_sizes) == 1:
        return within_one(distance / deviation, max(margin / deviation, _LEAST_MARGIN))
    return above_one((distance - margin) / deviation)


@functools.cache
def _constants(n: int) -> tuple[Floats, NDArray[np.int64]]:
    """Return the columns that are the same for all games of n players: no performances, two entries."""
    performance, field = np.zeros(n), np.full(n, 2)
    performance.flags.writeable = field.flags.writeable = False
    return performance, field
