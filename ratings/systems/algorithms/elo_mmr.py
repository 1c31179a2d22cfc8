"""Elo-MMR(rho) and Elo-MMR(infinity).

Ebtekar and Liu, "Elo-MMR: A Rating System for Massive Multiplayer Competitions", algorithms 1 to 3, without
subsampling and without discarding old performances.
"""

import math
from collections.abc import Callable
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.algorithms import elo_mmr_duel
from ratings.systems.algorithms.elo_mmr_inference import (
    UNIT_STEEPNESS,
    copy_of,
    diffuse,
    forget,
    gaussian_and_logistic_mean,
    logistic_means,
    logistic_performances,
    means_of,
    performances_by_place,
)
from ratings.systems.beliefs import Beliefs
from ratings.systems.contest import GREATEST_WEIGHT, LEAST_WEIGHT, Contest, Entrants, RoundChanges
from ratings.systems.declarations import (
    COMPARED,
    MEAN_WITH_PERFORMANCE,
    Description,
    Dimension,
    flag,
    gettext_noop,
    newcomers_deviation,
    newcomers_mean,
    number,
    rating_points,
    rating_system,
)
from ratings.systems.duel import Duel
from ratings.systems.performance_model import PerformanceModel
from ratings.systems.sides import Sides
from ratings.systems.situation import PastPerformances, Result, Situation, Surprises, WeightedValues
from ratings.systems.system import DuelSystem, Outcomes

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

# A logistic with scale s has the deviation s * pi / sqrt(3).
LOGISTIC_SCALE = math.sqrt(3.0) / math.pi
# Relative distance below which tanh(x) / x is 1 in double precision.
_NEAR = 1e-9
# The search space for tuning any variant.
SEARCH_SPACE = (
    Dimension("weight_limit", 0.1, 4.0),
    Dimension("sig_limit", 0.25, 2.5),
    Dimension("split_ties", choices=(False, True)),
)


@rating_system
class EloMMRParameters(DuelSystem):
    """The common base of Elo-MMR's variants: the weights of contests and the drift of skills."""

    has_performance: ClassVar[bool] = True
    rates_teams: ClassVar[bool] = True
    search_space: ClassVar[tuple[Dimension, ...]] = SEARCH_SPACE

    weight_limit: float = number(
        0.2,
        "Weight of one contest compared with all earlier ones for an experienced player; a higher value "
        "makes ratings follow recent results faster.",
        minimum=1e-6,
        maximum=100.0,
    )
    sig_limit: float = rating_points(
        80.0,
        "Uncertainty that an experienced player’s rating approaches.",
    )
    drift_per_day: float = number(
        0.0,
        "How much each day adds to the variance of a rating, the square of its uncertainty.",
        unit="rating points squared per day",
        minimum=0.0,
        maximum=1e9,
    )
    noob_delay: tuple[float, ...] = number(
        (),
        "Factors for the weight of a player’s first, second, … contest; later contests count in full.",
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
        """Return logistic performances around beliefs after the drift, for a contest of weight 1 without idle days."""
        limit = self.sig_limit * self.sig_limit
        drift = self.weight_limit * limit
        noise = limit + (limit + self.drift_per_day) / self.weight_limit
        return PerformanceModel("logistic", mu, LOGISTIC_SCALE * np.sqrt(sigma * sigma + drift + noise))

    @property
    def depends_on_activity(self) -> bool:
        """Whether weights or drift depend on each player's number of contests or days since the last one."""
        return bool(self.noob_delay) or self.drift_per_day > 0.0

    def sigma_drifted(self, entrants: Entrants) -> Floats:
        """Return the deviations after the drift before the contest."""
        return np.sqrt(Diffused(self, entrants).variance)

    def diffused_one(self, duel: Duel, row: int) -> elo_mmr_duel.DiffusedOne:
        """Return the belief about one player of a game after the drift before it (algorithm 2)."""
        weight = min(duel.contest.weight, 1e300) * self.weight_limit
        if duel.count[row] < len(self.noob_delay):
            weight *= self.noob_delay[duel.count[row]]
        weight = min(max(weight, LEAST_WEIGHT), GREATEST_WEIGHT)
        limit = self.sig_limit * self.sig_limit
        drift = weight * limit + self.drift_per_day * duel.idle[row]
        noise = limit + (limit + self.drift_per_day) / weight
        before = duel.sigma[row] * duel.sigma[row]
        variance = before + drift
        posterior_variance = 1.0 / (1.0 / variance + 1.0 / noise)
        return elo_mmr_duel.DiffusedOne(duel.mu[row], drift, noise, before, variance, posterior_variance)

    def surprises(self, situation: Situation) -> Surprises:
        """Return the terms of the performance equation of Elo-MMR (docs/rating-systems.md, step 2)."""
        belief = Diffused(self, situation.entrants)
        sides = Sides.of(situation.contest, belief.strength, LOGISTIC_SCALE * np.sqrt(belief.variance + belief.noise))
        scale = sides.spread
        curve = np.tanh((sides.mu[situation.own] - sides.mu) / (2.0 * scale))
        tie = 1.0 if self.split_ties else 2.0
        weight = np.where(situation.score == 0.5, tie, 1.0)
        terms = (2.0 * situation.score - 1.0 - weight * curve) / scale
        slopes = weight * (1.0 - curve * curve) / (2.0 * scale * scale)
        return Surprises(terms, 1.0 / float(np.add.reduce(slopes)))


@rating_system
class EloMMR(EloMMRParameters):
    """Elo-MMR(rho): a Gaussian and one logistic factor for each past contest of a player."""

    name: ClassVar[str] = "elo-mmr"
    list_order: ClassVar[int] = 10
    description: ClassVar[Description] = Description(
        title="Elo-MMR",
        in_words=gettext_noop("Elo-MMR"),
        good_for=gettext_noop(
            "The default, for contests of any size. It remembers every result, and a single bad day can’t ruin "
            "a rating."
        ),
        how=COMPARED,
        adds_up=gettext_noop(
            "The new rating is a weighted average. Recent performances weigh most; older ones gradually pass their "
            "weight on to the ratings that followed them. Each part moves the rating by its weight times its distance "
            "from the previous rating, %(before)s."
        ),
    )
    search_space: ClassVar[tuple[Dimension, ...]] = (*SEARCH_SPACE, Dimension("transfer_speed", 0.01, 1.0))

    transfer_speed: float = number(
        1.0,
        "How fast individual performances merge into the Gaussian part of the rating (rho in the Elo-MMR paper). A "
        "lower value keeps more momentum, a higher one forgets outliers faster.",
        minimum=0.0,
        maximum=100.0,
    )

    def new_beliefs(self, n_players: int) -> Beliefs:
        """Return beliefs about players who have not competed."""
        return Beliefs(n_players, self.mu_noob, self.sig_noob, with_memory=True)

    def weighted_values(self, situation: Situation, result: Result, past: PastPerformances | None) -> WeightedValues:
        """Return all performances of the player with the Gaussian part of the belief (equation 7)."""
        if past is None:
            raise ValueError("elo-mmr is explained from the player's earlier contests: give their past")
        memory, belief, row = self._remembered(past), Diffused(self, situation.entrants), situation.row
        variance, drift = float(belief.variance_before[row]), float(belief.drift[row])
        memory.diffuse(float(belief.mu[row]), variance, drift, self.transfer_speed)
        return memory.weighted_values(result.performance, float(belief.noise[row]), result.mu)

    def _remembered(self, past: PastPerformances) -> "PlayerMemory":
        """Return the memory after the past contests, before the time that passed since."""
        memory = PlayerMemory(self.mu_noob, self.sig_noob)
        mu, sigma, day = self.mu_noob, self.sig_noob, 0.0
        for n in range(len(past)):
            alone = Beliefs(1, mu, sigma)
            alone.count[0], alone.last_day[0] = n, day
            contest = Contest([0], [1], float(past.weight[n]), day=float(past.day[n]))
            belief = Diffused(self, Entrants(alone, contest))
            memory.diffuse(mu, sigma * sigma, float(belief.drift[0]), self.transfer_speed)
            memory.add(float(past.performance[n]), float(belief.noise[0]))
            mu, sigma, day = float(past.mu[n]), float(past.sigma[n]), float(past.day[n])
        return memory

    def outcomes_by_place(self, entrants: Entrants) -> Callable[[Indices], Outcomes]:
        """Return the outcomes by place: the place determines the performance, and the performance the new mean."""
        belief, memory = Diffused(self, entrants), entrants.beliefs.memory
        assert memory is not None
        own = copy_of(memory, int(entrants.players[0]))
        mu, variance, drift = belief.mu[:1], belief.variance_before[:1], belief.drift[:1]
        diffuse(own, np.zeros(1, dtype=np.int64), mu, variance, drift, self.transfer_speed)
        means = means_of(own, float(belief.mu[0]), float(belief.noise[0]), float(belief.posterior_variance[0]))
        return _outcomes(self, belief, entrants, means)

    def _rate(self, entrants: Entrants) -> RoundChanges:
        belief = Diffused(self, entrants)
        memory, players = entrants.beliefs.memory, entrants.players
        assert memory is not None
        diffuse(memory, players, belief.mu, belief.variance_before, belief.drift, self.transfer_speed)
        performance = _performances(belief, entrants.contest, split_ties=self.split_ties)
        mu = logistic_means(memory, players, belief.mu, performance, belief.noise, belief.posterior_variance)
        forget(memory, players, mu, belief.posterior_variance, belief.drift / belief.variance)
        return entrants.conclude(mu, np.sqrt(belief.posterior_variance), performance)

    def _rate_duel(self, duel: Duel) -> RoundChanges:
        memory, means = duel.beliefs.memory, []
        assert memory is not None
        beliefs = self.diffused_one(duel, 0), self.diffused_one(duel, 1)
        performance = elo_mmr_duel.logistic_performances(duel, *beliefs, split_ties=self.split_ties)
        for player, belief, result in zip(duel.rows, beliefs, performance, strict=True):
            elo_mmr_duel.diffuse_one(memory, player, belief, self.transfer_speed)
            means.append(elo_mmr_duel.logistic_mean(memory, player, belief, result))
            elo_mmr_duel.forget_one(memory, player, belief, means[-1])
        return duel.conclude((means[0], means[1]), elo_mmr_duel.deviations(*beliefs), performance)


@rating_system
class EloMMRInfinity(EloMMRParameters):
    """Elo-MMR(infinity): after each contest the belief becomes Gaussian; no past performance is kept."""

    name: ClassVar[str] = "elo-mmr-infinity"
    list_order: ClassVar[int] = 20
    description: ClassVar[Description] = Description(
        title="Elo-MMR(∞)",
        in_words=gettext_noop("Elo-MMR(∞)"),
        good_for=gettext_noop(
            "Like Elo-MMR, but it doesn’t remember individual results. Of two players with the same rating and "
            "uncertainty before a contest, the one with the better place always has the higher rating afterwards."
        ),
        how=COMPARED,
        adds_up=MEAN_WITH_PERFORMANCE,
    )

    def weighted_values(self, situation: Situation, result: Result, past: PastPerformances | None) -> WeightedValues:
        """Return the belief before and the performance (equation 7)."""
        belief, row = Diffused(self, situation.entrants), situation.row
        memory = PlayerMemory(float(belief.mu[row]), math.sqrt(float(belief.variance[row])))
        return memory.weighted_values(result.performance, float(belief.noise[row]), result.mu)

    def outcomes_by_place(self, entrants: Entrants) -> Callable[[Indices], Outcomes]:
        """Return the outcomes by place: the place determines the performance, and the performance the new mean."""
        belief = Diffused(self, entrants)

        def means(performance: Floats) -> Floats:
            same = np.ones(len(performance))
            return gaussian_and_logistic_mean(
                same * belief.mu[0], same * belief.variance[0], performance, same * belief.noise[0]
            )

        return _outcomes(self, belief, entrants, means)

    def _rate(self, entrants: Entrants) -> RoundChanges:
        belief = Diffused(self, entrants)
        performance = _performances(belief, entrants.contest, split_ties=self.split_ties)
        mu = gaussian_and_logistic_mean(belief.mu, belief.variance, performance, belief.noise)
        return entrants.conclude(mu, np.sqrt(belief.posterior_variance), performance)

    def _rate_duel(self, duel: Duel) -> RoundChanges:
        beliefs = self.diffused_one(duel, 0), self.diffused_one(duel, 1)
        performance = elo_mmr_duel.logistic_performances(duel, *beliefs, split_ties=self.split_ties)
        mu = (
            elo_mmr_duel.gaussian_and_logistic_mean(beliefs[0], performance[0]),
            elo_mmr_duel.gaussian_and_logistic_mean(beliefs[1], performance[1]),
        )
        return duel.conclude(mu, elo_mmr_duel.deviations(*beliefs), performance)


class Diffused:
    """Beliefs about the participants of one contest after the drift before it (algorithm 2).

    All arrays have one entry for each row of the contest. Variances are in rating points squared: ``variance_before``
    the drift, the ``drift`` itself (the paper's gamma squared), ``variance`` after the drift, ``noise`` of the
    performance (beta squared), and ``posterior_variance`` after the contest.
    """

    def __init__(self, system: EloMMRParameters, entrants: Entrants) -> None:
        self.mu, self.strength = entrants.mu, entrants.strength
        # Limited before as well, because products with the greatest weights would overflow.
        weight = np.full(len(entrants), min(entrants.contest.weight, 1e300) * system.weight_limit)
        for nth, factor in enumerate(system.noob_delay):
            weight[entrants.count == nth] *= factor
        np.clip(weight, LEAST_WEIGHT, GREATEST_WEIGHT, out=weight)
        limit = system.sig_limit * system.sig_limit
        self.drift = weight * limit + system.drift_per_day * entrants.idle
        self.noise = limit + (limit + system.drift_per_day) / weight
        self.variance_before = entrants.sigma * entrants.sigma
        self.variance = self.variance_before + self.drift
        self.posterior_variance = 1.0 / (1.0 / self.variance + 1.0 / self.noise)


def _performances(belief: Diffused, contest: Contest, *, split_ties: bool) -> Floats:
    scale = LOGISTIC_SCALE * np.sqrt(belief.variance + belief.noise)
    sides = Sides.of(contest, belief.strength, scale)
    performance = logistic_performances(sides.contest, sides.mu, sides.spread, split_ties=split_ties)
    return sides.for_members(performance, belief.mu, scale)


def _outcomes(
    system: EloMMRParameters, belief: Diffused, entrants: Entrants, means: Callable[[Floats], Floats]
) -> Callable[[Indices], Outcomes]:
    """Return the function from places to the outcomes of row 0's player, given the new mean for each performance."""
    scale = LOGISTIC_SCALE * np.sqrt(belief.variance + belief.noise)
    performances = performances_by_place(belief.strength, scale, split_ties=system.split_ties)
    advantage = float(belief.strength[0] - belief.mu[0])
    sigma = math.sqrt(float(belief.posterior_variance[0]))

    def outcomes(places: Indices) -> Outcomes:
        performance = np.minimum(performances(places) - advantage, entrants.contest.perf_ceiling)
        return means(performance), np.full(len(places), sigma), performance

    return outcomes


class PlayerMemory:
    """Elo-MMR's memory of one player with every past performance separate, for explanations.

    Elo-MMR paper, equation 7: a rating is the weighted mean of the centre of its Gaussian part and of all
    performances,

        mu = sum_k w_k p_k / sum_k w_k,   w_k = a_k tanh((mu - p_k) i_k / 2) / (mu - p_k)

    with amplitudes a_k and steepness i_k as in ``elo_mmr_inference``: the further a performance is from the rating, the
    smaller its weight. Here no old performance is folded into the Gaussian part.

    centres, amplitudes, steepness
        The logistic factors, shape (contests so far,); rating points, 1 / points, 1 / points.
    """

    def __init__(self, mu: float, sigma: float) -> None:
        self.centre, self.weight = mu, 1.0 / (sigma * sigma)
        self.centres, self.amplitudes, self.steepness = np.empty(0), np.empty(0), np.empty(0)

    def diffuse(self, mu: float, variance: float, drift: float, transfer_speed: float) -> None:
        """Apply the drift of the skill (algorithm 2), given the mean and variance of the belief before it."""
        growth = math.log1p(drift / variance)
        kept = math.exp(-transfer_speed * growth)
        transferred = -math.expm1(-transfer_speed * growth) / variance
        total = kept * self.weight + transferred
        shrink = variance / (variance + drift)
        if total > 0.0:
            self.centre += transferred / total * (mu - self.centre)
        self.weight = shrink * total
        self.amplitudes = self.amplitudes * (shrink * kept)

    def add(self, performance: float, noise: float) -> None:
        """Append the factor of a performance with this variance."""
        steepness = UNIT_STEEPNESS / math.sqrt(noise)
        self.centres = np.append(self.centres, performance)
        self.amplitudes = np.append(self.amplitudes, steepness)
        self.steepness = np.append(self.steepness, steepness)

    def weighted_values(self, performance: float, noise: float, mu: float) -> WeightedValues:
        """Append a contest's performance, and return the values of which the new rating ``mu`` is the weighted mean."""
        self.add(performance, noise)
        damping = self.damping(mu)
        full = 0.5 * self.amplitudes * self.steepness
        levels, weights = np.append(self.centre, self.centres), np.append(self.weight, full * damping)
        return WeightedValues(levels, weights, float(damping[-1]))

    def damping(self, mu: float) -> Floats:
        """Return the share of its full weight that each performance keeps at its distance from a rating, 0 to 1."""
        x = 0.5 * (mu - self.centres) * self.steepness
        near = np.abs(x) < _NEAR
        safe = np.where(near, 1.0, x)
        return np.where(near, 1.0, np.tanh(safe) / safe)
