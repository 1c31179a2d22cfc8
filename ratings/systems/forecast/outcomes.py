"""Probabilities that a side wins, draws or loses against another one.

The performances of a system say which side performs better, P(A > B). TrueSkill also has a draw margin: sides whose
performances differ by less draw. For the other systems, a draw counts as half a win, so P(A > B) is taken as the
expected score, P(win) + P(draw) / 2, and draws follow the model of Davidson, "On extending the Bradley-Terry model to
accommodate ties in paired comparison experiments" (1970): for sides of strengths a and b,

    win : draw : loss = a : nu sqrt(a b) : b.

The ratio a / b is the one that gives the expected score. The parameter is the draw rate nu / (2 + nu), the probability
that equal sides draw. It is estimated from the games of a series by maximum likelihood.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import ndtr, ndtri

from ratings.systems.beliefs import Beliefs
from ratings.systems.forecast.matches import handicapped, sides_of
from ratings.systems.performance_model import PerformanceModel, probability_to_beat
from ratings.systems.system import RatingSystem

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

# Expected scores are counted in this many ranges of equal width.
_RANGES = 128
# A new series counts as if it had seen this many games of equals, half of one drawn. So a single draw says little.
_GAMES_BEFORE, _DRAWS_BEFORE = 10.0, 0.5
_MOST_DRAWS = 0.999
_TOLERANCE = 1e-6
_LEAST_PROBABILITY = 1e-15


class Chances(NamedTuple):
    """Probabilities of a win, a draw and a loss of the first side, of one shape; they add up to one."""

    win: Floats
    draw: Floats
    loss: Floats


def outcome_probabilities(
    system: RatingSystem,
    beliefs: Beliefs,
    side_a: ArrayLike,
    side_b: ArrayLike,
    draw_rate: float = 0.0,
    handicap: float = 0.0,
) -> Chances:
    """Return the probabilities that side a wins, draws and loses against side b in their next contest.

    side_a, side_b
        Indices in the pool, shape (size,) or a single index, all different. Teams need a system that rates teams.
    draw_rate
        The probability that equal sides draw, from 0 to 0.999. ``trueskill`` uses its own parameter instead.
    handicap
        Advantage of side a in rating points (``ratings.systems.forecast.matches.handicapped``).

    Raises ValueError on another draw rate, teams of several players if the system rates individuals, empty sides,
    repeated players, those outside the pool, handicaps that are not finite, and handicaps on ladders.
    """
    if not 0.0 <= draw_rate <= _MOST_DRAWS:
        raise ValueError(f"draw_rate = {draw_rate!r} is not allowed: it must be from 0 to {_MOST_DRAWS}")
    players, sizes = sides_of(system, beliefs, (side_a, side_b))
    model = system.composed(system.performance_model(beliefs.mu[players], beliefs.sigma[players]), sizes)
    model = handicapped(system, model, (handicap, 0.0))
    chances = chances_of(system, model, sizes, np.array([0]), np.array([1]), draw_rate)
    return Chances(*(part.reshape(()) for part in chances))


def chances_of(
    system: RatingSystem, model: PerformanceModel, sizes: Indices, first: Indices, second: Indices, draw_rate: float
) -> Chances:
    """Return the probabilities that each first side wins, draws and loses against the second.

    sizes
        The number of players of each side of the model, shape (n,).
    first, second
        Positions in the model, of one shape (k,).
    """
    expected = probability_to_beat(model, first, second)
    margin = relative_margin(system, model, sizes, first, second)
    return by_draw_rate(expected, draw_rate) if margin is None else by_margin(expected, margin)


def relative_margin(
    system: RatingSystem, model: PerformanceModel, sizes: Indices, first: Indices, second: Indices
) -> Floats | None:
    """Return the draw margin of each pair of sides, in deviations of their difference; None without draw margins."""
    margin = system.draw_margin(sizes[first] + sizes[second])
    return None if margin is None else margin / np.hypot(model.scale[first], model.scale[second])


def by_margin(better: Floats, margin: Floats) -> Chances:
    """Return the probabilities of a win, a draw and a loss if normal performances within the margin draw.

    better
        The probability that the first side performs better.
    margin
        In deviations of the difference of the performances.
    """
    distance = ndtri(better)
    win, loss = ndtr(distance - margin), ndtr(-distance - margin)
    return Chances(win, np.maximum(1.0 - win - loss, 0.0), loss)


def by_draw_rate(expected: Floats, draw_rate: float) -> Chances:
    """Return the probabilities of a win, a draw and a loss by Davidson's model, given expected scores from 0 to 1."""
    nu = 2.0 * draw_rate / (1.0 - draw_rate)
    # The weaker side's root of the ratio r² of the strengths: (r² + nu r / 2) / (r² + nu r + 1) is the expected score.
    weaker = np.minimum(expected, 1.0 - expected)
    slope = nu * (0.5 - weaker)
    # Without draws, and with no chance for the weaker side, there is nothing to divide.
    divisor = np.maximum(slope + np.sqrt(slope * slope + 4.0 * weaker * (1.0 - weaker)), _LEAST_PROBABILITY)
    root = 2.0 * weaker / divisor
    total = root * root + nu * root + 1.0
    upset, draw = root * root / total, nu * root / total
    expected_of_weaker = expected < 0.5
    favourite = 1.0 / total
    return Chances(np.where(expected_of_weaker, upset, favourite), draw, np.where(expected_of_weaker, favourite, upset))


class DrawCounts:
    """Counts of past games by the favourite's expected score, from which ``rate`` estimates the draw rate.

    A game adds one to its range of expected scores, so the estimate costs the same for any number of games. With few
    games, it stays near the 5 % of ten imaginary games between equals.
    """

    def __init__(self) -> None:
        self._expected = np.zeros(_RANGES)
        #: Games in which the favourite won, drew and lost, by range.
        self._results = np.zeros((3, _RANGES))

    @property
    def games(self) -> float:
        """The number of games."""
        return float(np.add.reduce(self._results, axis=None))

    @property
    def draws(self) -> float:
        """The number of draws."""
        return float(np.add.reduce(self._results[1]))

    def add(self, expected: Floats, score: Floats, weight: Floats) -> None:
        """Add games.

        expected
            Expected scores of the first sides before the games, from 0 to 1, shape (k,).
        score
            1 for a win of the first side, 0.5 for a draw, 0 for a loss, shape (k,).
        weight
            How many games each of them counts for, shape (k,).
        """
        turned = expected < 0.5
        favourite = np.where(turned, 1.0 - expected, expected)
        result = np.where(turned, 2.0 * score, 2.0 - 2.0 * score).astype(np.int64)
        number = np.minimum(((favourite - 0.5) * (2 * _RANGES)).astype(np.int64), _RANGES - 1)
        self._expected += np.bincount(number, weight * favourite, _RANGES)
        counted = np.bincount(result * _RANGES + number, weight, 3 * _RANGES)
        self._results += counted.reshape(3, _RANGES)

    @property
    def rate(self) -> float:
        """The most likely probability that equal sides draw, from 0 to 0.999."""
        played = np.add.reduce(self._results, axis=0)
        used = played > 0.0
        expected = np.append(self._expected[used] / played[used], 0.5)
        decided = 0.5 * (_GAMES_BEFORE - _DRAWS_BEFORE)
        results = np.column_stack([self._results[:, used], [decided, _DRAWS_BEFORE, decided]])

        def surprise(rate: float) -> float:
            chances = np.maximum(np.stack(by_draw_rate(expected, rate)), _LEAST_PROBABILITY)
            return -float(np.add.reduce(results * np.log(chances), axis=None))

        found = minimize_scalar(surprise, bounds=(0.0, _MOST_DRAWS), method="bounded", options={"xatol": _TOLERANCE})
        return float(found.x)
