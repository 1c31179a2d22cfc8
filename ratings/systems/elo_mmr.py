"""Elo-MMR(rho) and Elo-MMR(infinity).

Ebtekar and Liu, "Elo-MMR: A Rating System for Massive Multiplayer
Competitions", algorithms 1 to 3, without subsampling and without forgetting.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.belief import Beliefs, RoundChanges
from ratings.systems.contest import Contest
from ratings.systems.parameters import Parameter, check_parameters, parameters_of
from ratings.systems.performances import logistic_performances
from ratings.systems.posterior import diffuse, forget, gaussian_and_logistic_mean, logistic_means

Floats: TypeAlias = NDArray[np.float64]

# A logistic with scale s has the deviation s * pi / sqrt(3).
_SCALE = math.sqrt(3.0) / math.pi
# Weights beyond these change nothing that double precision could show.
_LEAST_WEIGHT, _GREATEST_WEIGHT = 1e-12, 1e12

_SHARED = (
    Parameter(
        "weight_limit",
        "Weight of one contest against all earlier ones for an experienced player; "
        "more makes ratings follow recent results faster.",
        default=0.2,
        minimum=1e-6,
        maximum=100.0,
    ),
    Parameter(
        "sig_limit",
        "Deviation that an experienced player's belief tends to.",
        default=80.0,
        unit="rating points",
        minimum=1e-3,
        maximum=1e6,
    ),
    Parameter(
        "drift_per_day",
        "Variance that a day without contests adds to the belief.",
        default=0.0,
        unit="rating points squared per day",
        minimum=0.0,
        maximum=1e9,
    ),
    Parameter(
        "noob_delay",
        "Factors on the weight of a player's first, second, ... contest; later ones count in full.",
        default=(),
        kind="numbers",
        minimum=0.0,
        maximum=100.0,
        inclusive=(False, True),
    ),
    Parameter(
        "split_ties",
        "Count a tie as half a win and half a loss, rather than as evidence of equal performance.",
        default=False,
        kind="flag",
    ),
    Parameter(
        "mu_noob",
        "Mean of the belief on a newcomer.",
        default=1500.0,
        unit="rating points",
        minimum=-1e9,
        maximum=1e9,
    ),
    Parameter(
        "sig_noob",
        "Deviation of the belief on a newcomer.",
        default=350.0,
        unit="rating points",
        minimum=1e-3,
        maximum=1e6,
    ),
)
_TRANSFER_SPEED = Parameter(
    "transfer_speed",
    "How fast single performances melt into the Gaussian part of the belief (the paper's rho); "
    "less keeps more momentum, more forgets outliers faster.",
    default=1.0,
    minimum=0.0,
    maximum=100.0,
)


@dataclass(frozen=True, slots=True)
class EloMMR:
    """Elo-MMR(rho): a Gaussian and one logistic factor for each past contest of a player."""

    name: ClassVar[str] = "elo-mmr"
    rates_teams: ClassVar[bool] = False
    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (*_SHARED, _TRANSFER_SPEED)

    weight_limit: float = 0.2
    sig_limit: float = 80.0
    drift_per_day: float = 0.0
    noob_delay: tuple[float, ...] = ()
    split_ties: bool = False
    mu_noob: float = 1500.0
    sig_noob: float = 350.0
    transfer_speed: float = 1.0

    def __post_init__(self) -> None:
        check_parameters(self)

    def parameters(self) -> dict[str, Any]:
        """The parameters by name, as JSON knows them."""
        return parameters_of(self)

    def new_beliefs(self, n_players: int) -> Beliefs:
        """Beliefs on players of whom nothing is known."""
        return Beliefs(n_players, self.mu_noob, self.sig_noob, with_memory=True)

    def rate_round(self, beliefs: Beliefs, contest: Contest) -> RoundChanges | None:
        """Rate one contest, updating ``beliefs`` in place; None, and nothing changed, if it says nothing.

        Raises ValueError on teams, on players outside the pool and on a contest before a player's last one.
        """
        if not contest.check(self.name, len(beliefs), rates_teams=False).says_something:
            return None
        belief = _Diffused(self, beliefs, contest)
        memory, players = beliefs.memory, contest.players
        assert memory is not None
        diffuse(memory, players, belief.mu, belief.variance_before, belief.drift, self.transfer_speed)
        performance = belief.performances(contest, split_ties=self.split_ties)
        mu = logistic_means(memory, players, belief.mu, performance, belief.noise, belief.posterior_variance)
        forget(memory, players, mu, belief.posterior_variance, belief.drift / belief.variance)
        return belief.conclude(beliefs, contest, mu, performance)


@dataclass(frozen=True, slots=True)
class EloMMRInfinity:
    """Elo-MMR(infinity): after each contest the belief becomes Gaussian; no past performance is kept."""

    name: ClassVar[str] = "elo-mmr-infinity"
    rates_teams: ClassVar[bool] = False
    PARAMETERS: ClassVar[tuple[Parameter, ...]] = _SHARED

    weight_limit: float = 0.2
    sig_limit: float = 80.0
    drift_per_day: float = 0.0
    noob_delay: tuple[float, ...] = ()
    split_ties: bool = False
    mu_noob: float = 1500.0
    sig_noob: float = 350.0

    def __post_init__(self) -> None:
        check_parameters(self)

    def parameters(self) -> dict[str, Any]:
        """The parameters by name, as JSON knows them."""
        return parameters_of(self)

    def new_beliefs(self, n_players: int) -> Beliefs:
        """Beliefs on players of whom nothing is known."""
        return Beliefs(n_players, self.mu_noob, self.sig_noob)

    def rate_round(self, beliefs: Beliefs, contest: Contest) -> RoundChanges | None:
        """Rate one contest, updating ``beliefs`` in place; None, and nothing changed, if it says nothing.

        Raises ValueError on teams, on players outside the pool and on a contest before a player's last one.
        """
        if not contest.check(self.name, len(beliefs), rates_teams=False).says_something:
            return None
        belief = _Diffused(self, beliefs, contest)
        performance = belief.performances(contest, split_ties=self.split_ties)
        mu = gaussian_and_logistic_mean(belief.mu, belief.variance, performance, belief.noise)
        return belief.conclude(beliefs, contest, mu, performance)


class _Diffused:
    """Beliefs on the participants of one contest after the time that passed before it (algorithm 2).

    All arrays have one entry for each row of the contest; variances in rating points squared.
    """

    def __init__(self, system: EloMMR | EloMMRInfinity, beliefs: Beliefs, contest: Contest) -> None:
        players = contest.players
        self.mu, self.sigma = beliefs.mu[players], beliefs.sigma[players]
        count = beliefs.count[players]
        idle = np.where(count > 0, contest.day - beliefs.last_day[players], 0.0)
        if idle.min() < 0:
            player = players[idle.argmin()]
            raise ValueError(
                f"the contest of day {contest.day:g} comes after one of day {beliefs.last_day[player]:g} "
                f"for player {player}: rate contests in order of time"
            )
        weight = np.full(len(players), contest.weight * system.weight_limit)
        for number, factor in enumerate(system.noob_delay):
            weight[count == number] *= factor
        np.clip(weight, _LEAST_WEIGHT, _GREATEST_WEIGHT, out=weight)
        limit = system.sig_limit * system.sig_limit
        self.drift = weight * limit + system.drift_per_day * idle
        self.noise = limit + (limit + system.drift_per_day) / weight
        self.variance_before = self.sigma * self.sigma
        self.variance = self.variance_before + self.drift
        self.posterior_variance = 1.0 / (1.0 / self.variance + 1.0 / self.noise)

    def performances(self, contest: Contest, *, split_ties: bool) -> Floats:
        scale = _SCALE * np.sqrt(self.variance + self.noise)
        return np.minimum(logistic_performances(contest, self.mu, scale, split_ties=split_ties), contest.perf_ceiling)

    def conclude(self, beliefs: Beliefs, contest: Contest, mu: Floats, performance: Floats) -> RoundChanges:
        """Write what every system remembers, and say what changed."""
        players = contest.players
        sigma = np.sqrt(self.posterior_variance)
        beliefs.mu[players], beliefs.sigma[players] = mu, sigma
        beliefs.count[players] += 1
        beliefs.last_day[players] = contest.day
        field = np.full(len(players), len(players))
        return RoundChanges(self.mu, self.sigma, mu, sigma, performance, contest.competition_ranks, field)
