"""Elo-MMR(rho) and Elo-MMR(infinity).

Ebtekar and Liu, "Elo-MMR: A Rating System for Massive Multiplayer
Competitions", algorithms 1 to 3, without subsampling and without forgetting.
"""

import math
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.algorithms.logistic_performances import logistic_performances
from ratings.systems.algorithms.posterior import diffuse, forget, gaussian_and_logistic_mean, logistic_means
from ratings.systems.belief import Beliefs, RoundChanges
from ratings.systems.contest import Contest
from ratings.systems.parameters import flag, newcomers_deviation, newcomers_mean, number, rating_system
from ratings.systems.performance_model import PerformanceModel
from ratings.systems.system import Entrants, RatingSystem

Floats: TypeAlias = NDArray[np.float64]

# A logistic with scale s has the deviation s * pi / sqrt(3).
LOGISTIC_SCALE = math.sqrt(3.0) / math.pi
# Weights beyond these change nothing that double precision could show.
_LEAST_WEIGHT, _GREATEST_WEIGHT = 1e-12, 1e12


@rating_system
class EloMMRParameters(RatingSystem):
    """What Elo-MMR's variants share: the weights of contests and the drift of skills."""

    has_performance: ClassVar[bool] = True

    weight_limit: float = number(
        0.2,
        "Weight of one contest against all earlier ones for an experienced player; "
        "more makes ratings follow recent results faster.",
        minimum=1e-6,
        maximum=100.0,
    )
    sig_limit: float = number(
        80.0,
        "Deviation that an experienced player's belief tends to.",
        unit="rating points",
        minimum=1e-3,
        maximum=1e6,
    )
    drift_per_day: float = number(
        0.0,
        "Variance that a day without contests adds to the belief.",
        unit="rating points squared per day",
        minimum=0.0,
        maximum=1e9,
    )
    noob_delay: tuple[float, ...] = number(
        (),
        "Factors on the weight of a player's first, second, ... contest; later ones count in full.",
        minimum=0.0,
        maximum=100.0,
        inclusive=(False, True),
    )
    split_ties: bool = flag(
        False, "Count a tie as half a win and half a loss, rather than as evidence of equal performance."
    )
    mu_noob: float = newcomers_mean()
    sig_noob: float = newcomers_deviation()

    def performance_model(self, mu: Floats, sigma: Floats) -> PerformanceModel:
        """Logistic performances around beliefs that have drifted, before a contest of weight 1 without idle days."""
        limit = self.sig_limit * self.sig_limit
        drift = self.weight_limit * limit
        noise = limit + (limit + self.drift_per_day) / self.weight_limit
        return PerformanceModel("logistic", mu, LOGISTIC_SCALE * np.sqrt(sigma * sigma + drift + noise))


@rating_system
class EloMMR(EloMMRParameters):
    """Elo-MMR(rho): a Gaussian and one logistic factor for each past contest of a player."""

    name: ClassVar[str] = "elo-mmr"

    transfer_speed: float = number(
        1.0,
        "How fast single performances melt into the Gaussian part of the belief (the paper's rho); "
        "less keeps more momentum, more forgets outliers faster.",
        minimum=0.0,
        maximum=100.0,
    )

    def new_beliefs(self, n_players: int) -> Beliefs:
        """Beliefs on players of whom nothing is known."""
        return Beliefs(n_players, self.mu_noob, self.sig_noob, with_memory=True)

    def _rate(self, entrants: Entrants) -> RoundChanges:
        belief = Diffused(self, entrants)
        memory, players = entrants.beliefs.memory, entrants.players
        assert memory is not None
        diffuse(memory, players, belief.mu, belief.variance_before, belief.drift, self.transfer_speed)
        performance = _performances(belief, entrants.contest, split_ties=self.split_ties)
        mu = logistic_means(memory, players, belief.mu, performance, belief.noise, belief.posterior_variance)
        forget(memory, players, mu, belief.posterior_variance, belief.drift / belief.variance)
        return entrants.conclude(mu, np.sqrt(belief.posterior_variance), performance)


@rating_system
class EloMMRInfinity(EloMMRParameters):
    """Elo-MMR(infinity): after each contest the belief becomes Gaussian; no past performance is kept."""

    name: ClassVar[str] = "elo-mmr-infinity"

    def _rate(self, entrants: Entrants) -> RoundChanges:
        belief = Diffused(self, entrants)
        performance = _performances(belief, entrants.contest, split_ties=self.split_ties)
        mu = gaussian_and_logistic_mean(belief.mu, belief.variance, performance, belief.noise)
        return entrants.conclude(mu, np.sqrt(belief.posterior_variance), performance)


class Diffused:
    """Beliefs on the participants of one contest after the time that passed before it (algorithm 2).

    All arrays have one entry for each row of the contest; variances in rating points squared: ``variance_before``
    the drift, the ``drift`` itself (the paper's gamma squared), ``variance`` after it, ``noise`` (beta squared) of the
    performance, ``posterior_variance`` after the contest.
    """

    def __init__(self, system: EloMMRParameters, entrants: Entrants) -> None:
        self.mu = entrants.mu
        # Cut off first too: products with the greatest weights would overflow.
        weight = np.full(len(entrants), min(entrants.contest.weight, 1e300) * system.weight_limit)
        for nth, factor in enumerate(system.noob_delay):
            weight[entrants.count == nth] *= factor
        np.clip(weight, _LEAST_WEIGHT, _GREATEST_WEIGHT, out=weight)
        limit = system.sig_limit * system.sig_limit
        self.drift = weight * limit + system.drift_per_day * entrants.idle
        self.noise = limit + (limit + system.drift_per_day) / weight
        self.variance_before = entrants.sigma * entrants.sigma
        self.variance = self.variance_before + self.drift
        self.posterior_variance = 1.0 / (1.0 / self.variance + 1.0 / self.noise)


def _performances(belief: Diffused, contest: Contest, *, split_ties: bool) -> Floats:
    scale = LOGISTIC_SCALE * np.sqrt(belief.variance + belief.noise)
    return np.minimum(logistic_performances(contest, belief.mu, scale, split_ties=split_ties), contest.perf_ceiling)
