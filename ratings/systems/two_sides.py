"""TrueSkill for one game of two small sides: one pass in closed form, number by number.

In a game of a few players arrays cost more than they save.
"""

import functools
import math
from operator import mul
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.belief import Beliefs, RoundChanges
from ratings.systems.contest import Contest
from ratings.systems.system import Entrants
from ratings.systems.truncation import above_one

Floats: TypeAlias = NDArray[np.float64]

# With more players arrays are faster.
FEW = 64
# No team performs more exactly, in units of the noise of one performance.
_LEAST = 1e-12


def rate_two_sides(beliefs: Beliefs, contest: Contest, noise: float, drift: float, unit_margin: float) -> RoundChanges:
    """Rate a game that one of two sides won, updating ``beliefs`` in place.

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
    """Means and deviations after a game of one against one."""
    winner = contest.group.item(0)  # the row: the second one, if the first is not in the first group
    ours, theirs = variances
    total = ours + theirs + 2.0 * noise
    deviation = math.sqrt(total)
    distance = means[winner] - means[1 - winner] - unit_margin * math.sqrt(2.0 * noise)
    shift, rest = above_one(distance / deviation)
    step = shift / deviation if winner == 0 else -shift / deviation
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
    """Means and deviations after a game that everybody played from start to end."""
    signs = [1.0 - 2.0 * side for side in contest.group.tolist()]
    performed = noise * len(means)
    total = math.fsum(variances) + performed
    deviation = math.sqrt(total)
    distance = math.fsum(map(mul, signs, means)) - unit_margin * math.sqrt(performed)
    shift, rest = above_one(distance / deviation)
    step = shift / deviation
    moved = [mean + sign * variance * step for mean, sign, variance in zip(means, signs, variances, strict=False)]
    # Written so that something is left of the variance of one of whom far less is known than of all others.
    left = [math.sqrt(v * ((max(total - v, noise) + v * rest) / total)) for v in variances]
    return moved, left


def _partial_play(
    contest: Contest, means: list[float], variances: list[float], noise: float, unit_margin: float
) -> tuple[list[float], list[float]]:
    """The same with shares of play, which weigh what each member adds to the performance of the side."""
    assert contest.play is not None
    sides = zip(contest.play.tolist(), contest.group.tolist(), strict=True)
    shares = [share * (1.0 - 2.0 * side) for share, side in sides]
    squares = [share * share for share in shares]
    total = max(math.fsum(map(mul, squares, variances)) + noise * math.fsum(squares), _LEAST * noise)
    deviation = math.sqrt(total)
    distance = math.fsum(map(mul, shares, means)) - unit_margin * math.sqrt(noise * len(means))
    shift, rest = above_one(distance / deviation)
    moved, left = [], []
    for mean, variance, share, square in zip(means, variances, shares, squares, strict=True):
        own = square * variance
        moved.append(mean + share * variance * shift / deviation)
        left.append(math.sqrt(variance * ((max(total - own, square * noise) + own * rest) / total)))
    return moved, left


@functools.cache
def _constants(n: int) -> tuple[Floats, NDArray[np.int64]]:
    """The columns that are the same for all games of n players: no performances, two entries."""
    performance, field = np.zeros(n), np.full(n, 2)
    performance.flags.writeable = field.flags.writeable = False
    return performance, field
