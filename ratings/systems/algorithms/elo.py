"""Elo's system, with the logistic curve of today or Elo's own Gaussian one.

Herbrich, Minka, Graepel, "TrueSkill", sections 1 and 4; Ebtekar and Liu, "Elo-MMR", section 1.
"""

import math
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.algorithms.duels import duel_changes
from ratings.systems.belief import RoundChanges
from ratings.systems.numerics.pair_sums import LOGISTIC, NORMAL
from ratings.systems.parameters import choice, newcomers_deviation, newcomers_mean, number, rating_system
from ratings.systems.performance_model import PerformanceModel
from ratings.systems.system import Entrants, RatingSystem, SigmaMeans

Floats: TypeAlias = NDArray[np.float64]


@rating_system
class Elo(RatingSystem):
    """Elo: ratings move by K times the difference of score and expected score.

    A contest of many is rated as the average of all its duels (the duelling heuristic); its weight multiplies K. A
    team plays at the mean of its members' ratings, and each member gets the team's change. Each member meets all
    members of the other teams; of two teams of unequal size, the members of the larger one share what those of the
    smaller one win or lose.

    Zero-sum: the sum of all ratings is unchanged to rounding. The deviation stays what it was.
    """

    name: ClassVar[str] = "elo"
    rates_teams: ClassVar[bool] = True
    sigma_means: ClassVar[SigmaMeans] = "nothing"

    k_factor: float = number(
        24.0,
        "The most that one contest of weight 1 can move a rating (Elo's K).",
        unit="rating points",
        minimum=1e-6,
        maximum=1e6,
    )
    curve: str = choice(
        "logistic", "Shape of the expected score as a function of the difference of ratings.", ("logistic", "gaussian")
    )
    scale: float = number(
        400.0,
        "With the logistic curve: the difference of ratings at which the stronger is ten times as likely to win.",
        unit="rating points",
        minimum=1e-3,
        maximum=1e6,
    )
    beta: float = number(
        200.0,
        "With the Gaussian curve: deviation of one performance. At the default, Elo's own, "
        "equals are told apart as by the logistic curve at its default, to two percent.",
        unit="rating points",
        minimum=1e-3,
        maximum=1e6,
    )
    mu_noob: float = newcomers_mean(description="Rating of a newcomer.")
    sig_noob: float = newcomers_deviation(description="Deviation shown for everybody: Elo keeps none of its own.")

    def performance_model(self, mu: Floats, sigma: Floats) -> PerformanceModel:
        """The performances whose differences have the curve: Bradley and Terry's, or Thurstone's normal ones."""
        if self.curve == "gaussian":
            return PerformanceModel("normal", mu, np.full_like(mu, self.beta))
        return PerformanceModel("gumbel", mu, np.full_like(mu, self.scale / math.log(10.0)))

    def _rate(self, entrants: Entrants) -> RoundChanges:
        if self.curve == "gaussian":
            shape, scale = NORMAL, math.sqrt(2.0) * self.beta
        else:
            shape, scale = LOGISTIC, self.scale / math.log(10.0)
        changes = duel_changes(entrants.contest, entrants.mu, self.k_factor, shape, scale)
        return entrants.conclude(entrants.mu + changes, entrants.sigma)
