"""Elo-MMX, the Gaussian variant of Elo-MMR.

Ebtekar and Liu, "Elo-MMR: A Rating System for Massive Multiplayer Competitions", sections 3 and 4.
"""

from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.algorithms.elo_mmr import LOGISTIC_SCALE, Diffused, EloMMRParameters
from ratings.systems.algorithms.gaussian_performances import gaussian_performances
from ratings.systems.contest import Entrants, RoundChanges
from ratings.systems.declarations import COMPARED, MEAN_WITH_PERFORMANCE, Words, gettext_noop, rating_system
from ratings.systems.numerics.truncation import above
from ratings.systems.performance_model import PerformanceModel
from ratings.systems.situation import Situation, Surprises

Floats: TypeAlias = NDArray[np.float64]


@rating_system
class EloMMX(EloMMRParameters):
    """Elo-MM(chi): performances and beliefs are Gaussian. Memoryless, and a wild result moves it without bound."""

    name: ClassVar[str] = "elo-mmx"
    listed: ClassVar[int] = 30
    words: ClassVar[Words] = Words(
        title="Elo-MMX",
        in_words=gettext_noop("Elo-MMX"),
        good_for=gettext_noop(
            "Contests with many players whose performances are close to normal; one unusual result can "
            "move a rating far."
        ),
        how=COMPARED,
        adds_up=MEAN_WITH_PERFORMANCE,
    )
    most_rated: ClassVar[int] = 98

    def performance_model(self, mu: Floats, sigma: Floats) -> PerformanceModel:
        """Normal performances around beliefs that have drifted, before a contest of weight 1 without idle days."""
        logistic = EloMMRParameters.performance_model(self, mu, sigma)
        return PerformanceModel("normal", mu, logistic.scale / LOGISTIC_SCALE)

    def performance_share(self, situation: Situation) -> float:
        """Return the weight of the performance in the new rating."""
        belief, row = Diffused(self, situation.entrants), situation.row
        return float(belief.variance[row] / (belief.variance[row] + belief.noise[row]))

    def surprises(self, situation: Situation) -> Surprises:
        """Return the terms of the performance equation of Elo-MMX (specification, section 2)."""
        belief = Diffused(self, situation.entrants)
        deviation = np.sqrt(belief.variance + belief.noise)
        z = (belief.mu[situation.row] - belief.mu) / deviation
        won, won_excess, _ = above(z)
        lost, lost_excess, _ = above(-z)
        score = situation.score
        terms = score * won - (1.0 - score) * lost
        slopes = score * won * won_excess + (1.0 - score) * lost * lost_excess
        if not self.split_ties:
            tied = score == 0.5
            terms, slopes = np.where(tied, -z, terms), np.where(tied, 1.0, slopes)
        return Surprises(terms / deviation, 1.0 / float(np.add.reduce(slopes / (deviation * deviation))))

    def _rate(self, entrants: Entrants) -> RoundChanges:
        belief = Diffused(self, entrants)
        deviation = np.sqrt(belief.variance + belief.noise)
        performance = gaussian_performances(entrants.contest, belief.mu, deviation, split_ties=self.split_ties)
        performance = np.minimum(performance, entrants.contest.perf_ceiling)
        gain = belief.variance / (belief.variance + belief.noise)
        mu = belief.mu + gain * (performance - belief.mu)
        return entrants.conclude(mu, np.sqrt(belief.posterior_variance), performance)
