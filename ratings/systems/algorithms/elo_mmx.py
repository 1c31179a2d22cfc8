"""Elo-MMX, the Gaussian variant of Elo-MMR.

Ebtekar and Liu, "Elo-MMR: A Rating System for Massive Multiplayer Competitions", sections 3 and 4.
"""

from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.algorithms.elo_mmr import LOGISTIC_SCALE, Diffused, EloMMRParameters
from ratings.systems.algorithms.gaussian_performances import gaussian_performances
from ratings.systems.belief import RoundChanges
from ratings.systems.parameters import rating_system
from ratings.systems.performance_model import PerformanceModel
from ratings.systems.system import Entrants

Floats: TypeAlias = NDArray[np.float64]


@rating_system
class EloMMX(EloMMRParameters):
    """Elo-MM(chi): performances and beliefs are Gaussian. Memoryless, and a wild result moves it without bound."""

    name: ClassVar[str] = "elo-mmx"

    def performance_model(self, mu: Floats, sigma: Floats) -> PerformanceModel:
        """Normal performances around beliefs that have drifted, before a contest of weight 1 without idle days."""
        logistic = EloMMRParameters.performance_model(self, mu, sigma)
        return PerformanceModel("normal", mu, logistic.scale / LOGISTIC_SCALE)

    def _rate(self, entrants: Entrants) -> RoundChanges:
        belief = Diffused(self, entrants)
        deviation = np.sqrt(belief.variance + belief.noise)
        performance = gaussian_performances(entrants.contest, belief.mu, deviation, split_ties=self.split_ties)
        performance = np.minimum(performance, entrants.contest.perf_ceiling)
        gain = belief.variance / (belief.variance + belief.noise)
        mu = belief.mu + gain * (performance - belief.mu)
        return entrants.conclude(mu, np.sqrt(belief.posterior_variance), performance)
