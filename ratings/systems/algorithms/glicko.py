"""Glicko for whole rounds, as the Elo-MMR paper's public implementation compares it.

Glickman, "Parameter estimation in large dynamic paired comparison experiments" (1999): here a contest is one game
against the average opponent.
"""

import math
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.algorithms.round_robin import round_robin
from ratings.systems.belief import RoundChanges
from ratings.systems.parameters import newcomers_deviation, newcomers_mean, number, rating_system
from ratings.systems.performance_model import PerformanceModel
from ratings.systems.system import Entrants, RatingSystem

Floats: TypeAlias = NDArray[np.float64]

# A logistic with scale s has the deviation s * pi / sqrt(3).
_LOGISTIC_DEVIATION = math.pi / math.sqrt(3.0)


@rating_system
class Glicko(RatingSystem):
    """Glicko for whole rounds: a mean, and a deviation that falls with every contest and grows before it.

    Everybody meets everybody once, a tie is half a win; the average of these games counts as one game, between equals
    who are known exactly. So large contests say no more than small ones, and the deviation does not depend on the
    result: nothing is to be gained by losing on purpose. The weight of a contest divides the variance of its games.

    The average runs over all n players, the drawn game against oneself included: it is (n - 1) / n of the average over
    the opponents, one half in a game of two.
    """

    name: ClassVar[str] = "glicko"

    drift: float = number(
        35.0,
        "Deviation of the drift of a skill between two contests.",
        unit="rating points",
        minimum=0.0,
        maximum=1e6,
    )
    beta: float = number(
        400.0 * _LOGISTIC_DEVIATION / math.log(10.0),
        "Deviation of the logistic curve of a game in a contest of weight 1. "
        "At the default, 400 points of difference are odds of ten to one.",
        unit="rating points",
        minimum=1e-3,
        maximum=1e6,
    )
    mu_noob: float = newcomers_mean()
    sig_noob: float = newcomers_deviation()

    def performance_model(self, mu: Floats, sigma: Floats) -> PerformanceModel:
        """Logistic performances around beliefs that have drifted, each with half the variance of a game.

        The difference of two has the variance sigma_i^2 + sigma_j^2 + 2 drift^2 + beta^2; it is close to a logistic.
        """
        deviation = np.sqrt(sigma * sigma + self.drift * self.drift + 0.5 * self.beta * self.beta)
        return PerformanceModel("logistic", mu, deviation / _LOGISTIC_DEVIATION)

    def _rate(self, entrants: Entrants) -> RoundChanges:
        weight = entrants.contest.bounded_weight
        # Rating points in one unit of Glickman's internal scale: the specification's 1 / q.
        unit = self.beta / (_LOGISTIC_DEVIATION * math.sqrt(weight))
        phi = np.hypot(entrants.sigma, self.drift) / unit
        # The lowest mean as the origin, so that no digits go to a common offset.
        surplus, _ = round_robin(entrants.contest, (entrants.mu - entrants.mu.min()) / unit, phi)
        variance = 1.0 / (1.0 / (phi * phi) + 0.25)
        mu = entrants.mu + unit * variance * surplus / len(entrants)
        return entrants.conclude(mu, unit * np.sqrt(variance))
