"""Predictions of one match: which team wins, and how close the match will be.

The quality of a match is the probability density of equal performances, relative to that of equal players who are known
exactly. It is 1 for the closest possible match and falls towards 0 with the distance of the sides and with the
uncertainty about them. For normal performances this is the match quality of TrueSkill (Herbrich, Minka and Graepel,
2006); for Bradley and Terry's it is the product of k times each of the k sides' probabilities of winning, which is
4 p (1 - p) for two sides. For logistic performances it is an integral.
"""

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from ratings.systems.beliefs import Beliefs
from ratings.systems.performance_model import PerformanceModel, Shape, probability_to_beat
from ratings.systems.system import RatingSystem

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

# Logistic performances further than this many scales from the centre have no effect on a quality: exp(-26) = 5e-12.
_REACH = 26.0
# Distance between two nodes of the trapezoidal rule for k sides, in scales, times the root of k; the error is 1e-11.
_STEP = 0.8
# The most numbers in memory at once, in a table of matches by nodes.
_AT_ONCE = 1 << 20


def team_win_probability(
    system: RatingSystem, beliefs: Beliefs, team_a: ArrayLike, team_b: ArrayLike, handicap: float = 0.0
) -> float:
    """Return the probability that team a performs better than team b, from 0 to 1.

    team_a, team_b
        Indices in the pool, shape (size,), all different. Teams of one player are possible in all systems.
    handicap
        Advantage of team a (``handicapped``).

    With ``trueskill``, Phi((sum of mu_a - sum of mu_b) / sqrt(n beta squared + sum of sigma squared)) over the n
    players of both, as in its paper: the current beliefs count, without the drift before the next contest.

    Raises ValueError on teams of several players if the system rates individuals, empty teams, repeated players, those
    outside the pool, and as ``handicapped`` does.
    """
    model, _ = _sides(system, beliefs, (team_a, team_b))
    model = handicapped(system, model, (handicap, 0.0))
    return float(probability_to_beat(model, np.array([0]), np.array([1]))[0])


def match_quality(
    system: RatingSystem,
    beliefs: Beliefs,
    teams: Sequence[ArrayLike],
    handicaps: Sequence[float] | Floats | None = None,
) -> float:
    """Return how close a match will be, from 0 to 1; 1 is a match of equal players who are known exactly.

    teams
        Two or more teams, each as the indices of its players in the pool, shape (size,); all players different.
    handicaps
        Advantage of each team (``handicapped``); None if no team has one.

    With ``trueskill``, for two players: sqrt(2 beta² / c²) exp(-(mu_a - mu_b)² / (2 c²)) with c² = 2 beta² + sigma_a² +
    sigma_b². Exact to 1e-9. Raises ValueError as ``team_win_probability`` does.
    """
    model, known = _sides(system, beliefs, teams)
    model = handicapped(system, model, np.zeros(len(teams)) if handicaps is None else handicaps)
    return float(closeness(model.shape, model.location[None, :], model.scale[None, :], known[None, :])[0])


def even_handicap(system: RatingSystem, beliefs: Beliefs, side_a: ArrayLike, side_b: ArrayLike) -> float:
    """Return the advantage of side a, in rating points, with which both sides have the same chances.

    side_a, side_b
        Indices in the pool, shape (size,) or a single index, all different.

    Negative if side a is stronger: then side b needs the advantage. Raises ValueError as ``team_win_probability`` does,
    and on ladders.
    """
    players, sizes = sides_of(system, beliefs, (side_a, side_b))
    sides = system.composed(system.performance_model(beliefs.mu[players], beliefs.sigma[players]), sizes)
    advantage = float(sides.location[1] - sides.location[0])
    handicapped(system, sides, (advantage, 0.0))
    return advantage


def handicapped(system: RatingSystem, sides: PerformanceModel, handicaps: Sequence[float] | Floats) -> PerformanceModel:
    """Return the performances of sides with handicaps.

    handicaps
        Advantage of each side, in rating points: what it adds to the performance of the side, shape (k,). A game with
        an advantage of h for a player is predicted like one in which the player's rating is higher by h. In systems
        whose teams add up, the advantage counts once for the team.

    Raises ValueError on handicaps that are not finite or not one for each side, and on ladders, whose positions are not
    rating points.
    """
    added = np.asarray(handicaps, dtype=np.float64)
    if added.shape != sides.location.shape:
        raise ValueError(f"handicaps have shape {added.shape} for {len(sides.location)} sides: give one for each side")
    if not np.isfinite(added).all():
        raise ValueError(f"handicaps must be finite numbers of rating points, not {added[~np.isfinite(added)][0]}")
    if not added.any():
        return sides
    if system.has_positions:
        raise ValueError(f"{system.name} has positions and no rating points, so it has no handicaps")
    return PerformanceModel(sides.shape, sides.location + added, sides.scale)


def match_qualities(
    system: RatingSystem, beliefs: Beliefs, players: ArrayLike, opponents: ArrayLike | None = None
) -> Floats:
    """Return the quality of the match of each player against each opponent, shape (n, m).

    players, opponents
        Indices in the pool, shapes (n,) and (m,). Without opponents, the players meet each other, shape (n, n).

    The same numbers as ``match_quality`` of two players, and 0 for players against themselves. All pairs of 1,000
    players take about a second at most. Raises ValueError on players outside the pool.
    """
    rows = np.atleast_1d(beliefs.checked_indices(players))
    columns = rows if opponents is None else np.atleast_1d(beliefs.checked_indices(opponents))
    first, second = np.nonzero(rows[:, None] != columns) if opponents is not None else np.triu_indices(len(rows), 1)
    everyone, place = np.unique(np.concatenate([rows, columns]), return_inverse=True)
    model, known = performances(system, beliefs, everyone)
    pairs = np.stack([place[: len(rows)][first], place[len(rows) :][second]], axis=1)
    result = np.zeros((len(rows), len(columns)))
    result[first, second] = closeness(model.shape, model.location[pairs], model.scale[pairs], known[pairs])
    if opponents is None:
        result += result.T
    result[rows[:, None] == columns] = 0.0
    return result


def closeness(shape: Shape, location: Floats, scale: Floats, known: Floats) -> Floats:
    """Return the quality of each of m matches of k sides, shape (m,).

    location, scale
        The performances of the sides (``PerformanceModel``), shape (m, k).
    known
        What their scales would be if the players were known exactly, shape (m, k).

    Raises ValueError for Bradley and Terry's performances of different scales, which no system has.
    """
    if not len(location):
        return np.empty(0)
    if shape == "normal":
        quality = np.exp(_normal_equality(location, scale) - _normal_equality(np.zeros_like(location), known))
    elif shape == "gumbel":
        if not (np.allclose(scale, scale[:, :1]) and np.allclose(scale, known)):
            raise ValueError("Bradley and Terry's performances have one common scale")
        sides = location.shape[1]
        standard = location / scale
        total = logsumexp(standard, axis=1, keepdims=True)
        quality = np.exp(np.add.reduce(standard - total, axis=1) + sides * math.log(sides))
    else:
        # The reference is often the same for all matches.
        alike = known[:1] if (known == known[0]).all() else known
        quality = np.exp(_logistic_equality(location, scale) - _logistic_equality(np.zeros_like(alike), alike))
    return np.minimum(quality, 1.0)


def _normal_equality(location: Floats, scale: Floats) -> Floats:
    """Return the logarithm of the density of equal performances, up to a constant that depends on k alone."""
    share = np.square(1.0 / scale)
    total = np.add.reduce(share, axis=1, keepdims=True)
    spread = share * np.square(location - np.add.reduce(share * location, axis=1, keepdims=True) / total)
    logarithms: Floats = np.add.reduce(2.0 * np.log(scale) + spread, axis=1) + np.log(total[:, 0])
    return -0.5 * logarithms


def _logistic_equality(location: Floats, scale: Floats) -> Floats:
    """Return the logarithm of the density of equal performances, a product, up to a constant that depends on k alone.

    The integral runs over the performance of the side with the narrowest scale. Beyond its reach the product has no
    effect on a number from 0 to 1.
    """
    sides = location.shape[1]
    step = _STEP / math.sqrt(sides)
    nodes = np.arange(-_REACH, _REACH + step, step)
    narrowest = np.argmin(scale, axis=1)[:, None]
    center, unit = np.take_along_axis(location, narrowest, 1), np.take_along_axis(scale, narrowest, 1)
    result = np.empty(len(location))
    rows = max(1, _AT_ONCE // len(nodes))
    for begin in range(0, len(location), rows):
        part = slice(begin, begin + rows)
        product = np.ones((len(location[part]), len(nodes)))
        for side in range(sides):
            points = (center[part] - location[part, side, None] + unit[part] * nodes) / scale[part, side, None]
            tail = np.exp(-np.abs(points))
            product *= 4.0 * tail / np.square(1.0 + tail)
        result[part] = np.add.reduce(product, axis=1)
    with np.errstate(divide="ignore"):  # no common performance within reach
        logarithms: Floats = np.log(result) + np.log(unit[:, 0]) - np.add.reduce(np.log(scale), axis=1)
    return logarithms


def sides_of(system: RatingSystem, beliefs: Beliefs, teams: Sequence[ArrayLike]) -> tuple[Indices, Indices]:
    """Return the players of all teams in a row, and the size of each team.

    Raises ValueError on fewer than two teams, empty teams, teams of several players if the system rates individuals,
    repeated players and those outside the pool.
    """
    if len(teams) < 2:
        raise ValueError(f"a match needs at least two teams, not {len(teams)}")
    sizes = np.array([np.size(team) for team in teams])
    if not sizes.all():
        raise ValueError(f"team {int(sizes.argmin())} has no players")
    if sizes.max() > 1 and not system.rates_teams:
        raise ValueError(
            f"{system.name} rates individuals: it cannot predict team {int(sizes.argmax())} of several players"
        )
    return beliefs.checked_field(np.concatenate([np.ravel(team) for team in teams])), sizes


def _sides(system: RatingSystem, beliefs: Beliefs, teams: Sequence[ArrayLike]) -> tuple[PerformanceModel, Floats]:
    """Return the performances of the teams, and what their scales would be if the players were known exactly."""
    players, sizes = sides_of(system, beliefs, teams)
    model, known = performances(system, beliefs, players)
    exact = system.composed(PerformanceModel(model.shape, model.location, known), sizes)
    return system.composed(model, sizes), exact.scale


def performances(system: RatingSystem, beliefs: Beliefs, players: Indices) -> tuple[PerformanceModel, Floats]:
    """Return the players' performances, and what their scales would be if the players were known exactly."""
    mu, sigma = beliefs.mu[players], beliefs.sigma[players]
    # A volatility is part of the performance; it does not vanish with knowledge.
    certain = np.zeros_like(sigma) if system.sigma_means == "uncertainty" else sigma
    return system.match_model(mu, sigma), system.match_model(mu, certain).scale
