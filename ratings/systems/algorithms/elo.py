"""Elo's system, with the logistic curve of today or Elo's own Gaussian one.

Herbrich, Minka, Graepel, "TrueSkill", sections 1 and 4; Ebtekar and Liu, "Elo-MMR", section 1.
"""

import math
from collections.abc import Callable
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from ratings.systems.algorithms.round_robin import duel_changes, duels_by_place, surprises_of_duels
from ratings.systems.contest import Entrants, RoundChanges
from ratings.systems.declarations import (
    EXPECTED,
    Description,
    Dimension,
    choice,
    gettext_noop,
    newcomers_deviation,
    newcomers_mean,
    rating_points,
    rating_system,
)
from ratings.systems.numerics.pair_sums import LOGISTIC, NORMAL
from ratings.systems.performance_model import PerformanceModel
from ratings.systems.situation import Situation, Surprises
from ratings.systems.system import Outcomes, RatingSystem, SigmaMeans

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]


@rating_system
class Elo(RatingSystem):
    """Elo: ratings move by K times the difference between score and expected score.

    A contest of more than two players is rated as the average of all its duels (the duelling heuristic); its weight
    multiplies K. A team plays at the mean of its members' ratings, and each member gets the team's change. Each member
    meets all members of the other teams. If two teams have unequal sizes, the members of the larger one share what
    those of the smaller one win or lose.

    Zero-sum: the sum of all ratings is unchanged, to rounding. The deviation never changes.
    """

    name: ClassVar[str] = "elo"
    list_order: ClassVar[int] = 100
    description: ClassVar[Description] = Description(
        title="Elo",
        in_words=gettext_noop("Elo"),
        good_for=gettext_noop(
            "Easy to check by hand. Also works for teams. What one side gains, the other loses. A new player’s rating "
            "is accurate only after dozens of contests."
        ),
        how=EXPECTED,
    )
    search_space: ClassVar[tuple[Dimension, ...]] = (
        Dimension("k_factor", 0.1, 20.0),
        Dimension("curve", choices=("logistic", "gaussian")),
    )
    rates_teams: ClassVar[bool] = True
    sigma_means: ClassVar[SigmaMeans] = "nothing"

    k_factor: float = rating_points(
        24.0,
        "The most that one contest of weight 1 can move a rating (Elo’s K).",
        minimum=1e-6,
    )
    curve: str = choice(
        "logistic", "Shape of the expected score as a function of the rating difference.", ("logistic", "gaussian")
    )
    scale: float = rating_points(
        400.0,
        "With the logistic curve: the rating difference at which the stronger player is ten times as likely to win.",
    )
    beta: float = rating_points(
        200.0,
        "With the Gaussian curve: standard deviation of one performance. With the default, which is Elo’s own value, "
        "expected scores are within 2 percentage points of the logistic curve with its default scale.",
    )
    mu_noob: float = newcomers_mean(description="Rating of a new player.")
    sig_noob: float = newcomers_deviation(
        description="Elo computes no uncertainty. Exports and the API give this number for every player."
    )

    def performance_model(self, mu: Floats, sigma: Floats) -> PerformanceModel:
        """Return the performances whose differences follow the curve: Bradley-Terry's, or Thurstone's normal ones."""
        if self.curve == "gaussian":
            return PerformanceModel("normal", mu, np.full_like(mu, self.beta))
        return PerformanceModel("gumbel", mu, np.full_like(mu, self.scale / math.log(10.0)))

    def surprises(self, situation: Situation) -> Surprises:
        """Return the duels with each entry: score minus expected score."""
        difference = situation.strength[situation.own] - situation.strength
        if self.curve == "gaussian":
            expected = ndtr(difference / (math.sqrt(2.0) * self.beta))
        else:
            expected = expit(difference * math.log(10.0) / self.scale)
        return surprises_of_duels(situation, expected, self.k_factor)

    def outcomes_by_place(self, entrants: Entrants) -> Callable[[Indices], Outcomes]:
        """Return the outcomes by place: one win more or less per place."""
        mu = float(entrants.mu[0])
        strength = entrants.strength
        difference = strength[0] - strength[1:]
        if self.curve == "gaussian":
            return duels_by_place(entrants, mu, ndtr(difference / (math.sqrt(2.0) * self.beta)), self.k_factor)
        return duels_by_place(entrants, mu, expit(difference * (math.log(10.0) / self.scale)), self.k_factor)

    def _rate(self, entrants: Entrants) -> RoundChanges:
        if self.curve == "gaussian":
            shape, scale = NORMAL, math.sqrt(2.0) * self.beta
        else:
            shape, scale = LOGISTIC, self.scale / math.log(10.0)
        changes = duel_changes(entrants.contest, entrants.strength, self.k_factor, shape, scale)
        return entrants.conclude(entrants.mu + changes, entrants.sigma)
