"""TrueSkill's predictions for teams: who wins, and how close the match will be.

Herbrich, Minka and Graepel, "TrueSkill: A Bayesian Skill Rating System", 2006. As there, skills count as they are
believed now, without the drift before the next contest.
"""

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from ratings.systems.belief import Beliefs
from ratings.systems.forecast.prediction import checked_field
from ratings.systems.system import RatingSystem

Floats: TypeAlias = NDArray[np.float64]


def team_win_probability(system: RatingSystem, beliefs: Beliefs, team_a: ArrayLike, team_b: ArrayLike) -> float:
    """The probability that team a performs better than team b; for ``trueskill``.

    team_a, team_b
        Indices in the pool, shape (size,), all different.

    Phi((sum of mu_a - sum of mu_b) / sqrt(n beta squared + sum of sigma squared)) over the n players of both. Raises
    ValueError on other systems, empty teams, repeated players and those outside the pool.
    """
    mean, noise, variance = _performances(system, beliefs, (team_a, team_b))
    return float(ndtr((mean[0] - mean[1]) / math.sqrt(noise.sum() + variance.sum())))


def match_quality(system: RatingSystem, beliefs: Beliefs, teams: Sequence[ArrayLike]) -> float:
    """The probability that all teams tie, relative to that of equal teams known exactly; for ``trueskill``.

    teams
        Two or more, each the indices of its players in the pool, shape (size,); all players different.

    From 0 to 1; 1 is the closest match there can be. Two players: sqrt(2 beta² / c²) exp(-(mu_a - mu_b)² / (2 c²))
    with c² = 2 beta² + sigma_a² + sigma_b². Raises ValueError as ``team_win_probability`` does.
    """
    mean, noise, variance = _performances(system, beliefs, teams)
    # The differences of neighbouring teams have a tridiagonal covariance B D B', D diagonal with the variances of the
    # teams: its determinant is prod(D) sum(1 / D), and the quadratic form is the spread about the weighted mean.
    total = noise + variance
    share = 1.0 / total
    spread = share * (mean - (share * mean).sum() / share.sum()) ** 2
    log_quality = np.log(noise / total).sum() + math.log((1.0 / noise).sum() / share.sum()) - spread.sum()
    return min(math.exp(0.5 * log_quality), 1.0)


def _performances(system: RatingSystem, beliefs: Beliefs, teams: Sequence[ArrayLike]) -> tuple[Floats, Floats, Floats]:
    """Mean of each team's performance, and its variance by the noise of performances and by the beliefs on skills."""
    if system.name != "trueskill":
        raise ValueError(f"{system.name} does not predict matches of teams: trueskill does")
    if len(teams) < 2:
        raise ValueError(f"a match needs at least two teams, not {len(teams)}")
    sizes = np.array([np.size(team) for team in teams])
    if not sizes.all():
        raise ValueError(f"team {int(sizes.argmin())} has no players")
    players = checked_field(beliefs, np.concatenate([np.ravel(team) for team in teams]))
    first = np.cumsum(sizes) - sizes
    beta = system.parameters()["beta"]
    mean = np.add.reduceat(beliefs.mu[players], first)
    variance = np.add.reduceat(np.square(beliefs.sigma[players]), first)
    return mean, sizes * beta * beta, variance
