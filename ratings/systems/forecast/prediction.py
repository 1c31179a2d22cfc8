"""Predictions of the next contest: who wins, who takes which place, and how close a match of teams will be.

All follows from a system's ``performance_model``: performances are independent, the higher one places before the
lower one, ties have no probability of their own. So the probability that A finishes ahead of B is the same in a duel
and in a field of any size. Predictions are for a contest of weight 1 right after each player's last one.
"""

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from ratings.systems.beliefs import Beliefs
from ratings.systems.forecast.places import place_probabilities
from ratings.systems.performance_model import PerformanceModel, mean_places, probability_to_beat
from ratings.systems.system import RatingSystem

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]


def win_probability(system: RatingSystem, beliefs: Beliefs, a: ArrayLike, b: ArrayLike) -> Floats:
    """Return the probability that player a finishes ahead of player b, in a duel or in any field.

    a, b
        Indices of players in the pool; broadcast against each other, the result has their common shape.

    Exact to 1e-9. Raises ValueError on a player outside the pool or against themselves.
    """
    first, second = np.broadcast_arrays(_indices(beliefs, a), _indices(beliefs, b))
    if (first == second).any():
        raise ValueError(f"player {first[first == second][0]} cannot meet themselves: give two different players")
    # Only those asked about, each once.
    players, position = np.unique(np.stack([first.ravel(), second.ravel()]), return_inverse=True)
    model = _model(system, beliefs, players)
    position = position.reshape(2, -1)
    return probability_to_beat(model, position[0], position[1]).reshape(first.shape)


def expected_places(system: RatingSystem, beliefs: Beliefs, players: ArrayLike) -> Floats:
    """Return the mean of each one's place when these players meet, from 1 to n, shape (n,), in the order given.

    1 + sum_j P(j finishes ahead of i), to 1e-9 n; in about linear time. Raises ValueError on fewer than two players,
    on repeated ones and on those outside the pool.
    """
    return mean_places(_model(system, beliefs, checked_field(beliefs, players)))


def place_distribution(system: RatingSystem, beliefs: Beliefs, players: ArrayLike, of: int) -> Floats:
    """Return the probabilities of the places 1 to n of one player when these n meet, shape (n,); they add up to 1.

    players
        Indices in the pool, shape (n,).
    of
        The player, one of them (an index in the pool).

    Exact to 1e-9. Raises ValueError as ``expected_places`` does, and if the player is not among them.
    """
    field = checked_field(beliefs, players)
    return place_probabilities(_model(system, beliefs, field), position_in_field(field, of))


def team_win_probability(system: RatingSystem, beliefs: Beliefs, team_a: ArrayLike, team_b: ArrayLike) -> float:
    """Return the probability that team a performs better than team b; for ``trueskill``.

    Herbrich, Minka and Graepel, "TrueSkill: A Bayesian Skill Rating System", 2006. As there, skills count as they are
    believed now, without the drift before the next contest.

    team_a, team_b
        Indices in the pool, shape (size,), all different.

    Phi((sum of mu_a - sum of mu_b) / sqrt(n beta squared + sum of sigma squared)) over the n players of both. Raises
    ValueError on other systems, empty teams, repeated players and those outside the pool.
    """
    mean, noise, variance = _team_performances(system, beliefs, (team_a, team_b))
    return float(ndtr((mean[0] - mean[1]) / math.sqrt(noise.sum() + variance.sum())))


def match_quality(system: RatingSystem, beliefs: Beliefs, teams: Sequence[ArrayLike]) -> float:
    """Return the probability that all teams tie, relative to that of equal teams known exactly; for ``trueskill``.

    teams
        Two or more, each the indices of its players in the pool, shape (size,); all players different.

    From 0 to 1; 1 is the closest match there can be. Two players: sqrt(2 beta² / c²) exp(-(mu_a - mu_b)² / (2 c²))
    with c² = 2 beta² + sigma_a² + sigma_b². Raises ValueError as ``team_win_probability`` does.
    """
    mean, noise, variance = _team_performances(system, beliefs, teams)
    # The differences of neighbouring teams have a tridiagonal covariance B D B', D diagonal with the variances of the
    # teams: its determinant is prod(D) sum(1 / D), and the quadratic form is the spread about the weighted mean.
    total = noise + variance
    share = 1.0 / total
    spread = share * (mean - (share * mean).sum() / share.sum()) ** 2
    log_quality = np.log(noise / total).sum() + math.log((1.0 / noise).sum() / share.sum()) - spread.sum()
    return min(math.exp(0.5 * log_quality), 1.0)


def _team_performances(
    system: RatingSystem, beliefs: Beliefs, teams: Sequence[ArrayLike]
) -> tuple[Floats, Floats, Floats]:
    """Return the mean of each team's performance, and its variance by the noise and by the beliefs on skills."""
    if not system.predicts_teams:
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


def checked_field(beliefs: Beliefs, players: ArrayLike) -> Indices:
    """Return the players of a field, shape (n,); ValueError unless at least two, distinct and all in the pool."""
    field = _indices(beliefs, players)
    if field.ndim != 1 or len(field) < 2:
        raise ValueError(f"a field needs at least two players in one row, not {field.size} of shape {field.shape}")
    in_order = np.sort(field)
    repeated = in_order[1:] == in_order[:-1]
    if repeated.any():
        raise ValueError(f"player {in_order[1:][repeated][0]} is named more than once")
    return field


def position_in_field(field: Indices, player: int) -> int:
    """Return the player's position in the field; ValueError if there is none."""
    positions = np.flatnonzero(field == player)
    if not len(positions):
        raise ValueError(f"player {player} is not among the {len(field)} players of the field")
    return int(positions[0])


def _indices(beliefs: Beliefs, players: ArrayLike) -> Indices:
    """Return the indices as integers; ValueError unless all in the pool."""
    given = np.asarray(players)
    if given.size and given.dtype.kind not in "iu":
        raise ValueError(f"players must be whole numbers, their indices in the pool, not {given.dtype}")
    indices = given.astype(np.int64)
    outside = (indices < 0) | (indices >= len(beliefs))
    if outside.any():
        raise ValueError(f"player {indices[outside][0]} does not exist in a pool of {len(beliefs)} players")
    return indices


def _model(system: RatingSystem, beliefs: Beliefs, players: Indices) -> PerformanceModel:
    return system.performance_model(beliefs.mu[players], beliefs.sigma[players])
