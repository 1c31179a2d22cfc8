"""What each place in one contest does to one player, without rating the contest again for each place.

In these systems nothing but the others' beliefs, and who of them is ahead, decides on a player's change. All sums over
the field are the same for each place, or running sums along the order of finish: so the places of a field of 20,000
cost hardly more than one contest. The others have no fast form here; ``forecast`` rates the contest itself for them.
"""

import math
from collections.abc import Callable
from functools import singledispatch
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from ratings.systems.algorithms.codeforces import Codeforces, rank_curve
from ratings.systems.algorithms.elo import Elo
from ratings.systems.algorithms.elo_mmr import LOGISTIC_SCALE, Diffused, EloMMR, EloMMRInfinity, EloMMRParameters
from ratings.systems.algorithms.factors import AMPLITUDE, CENTRE, STEEPNESS
from ratings.systems.algorithms.glicko import Glicko
from ratings.systems.algorithms.glicko2 import Glicko2
from ratings.systems.algorithms.kreimeier import Kreimeier
from ratings.systems.algorithms.posterior import diffuse, gaussian_and_logistic_mean
from ratings.systems.algorithms.round_robin import steepness_of
from ratings.systems.algorithms.topcoder import TopCoder, competition_factor, normal_quantiles
from ratings.systems.belief import Memory
from ratings.systems.numerics.distinct import Distinct
from ratings.systems.numerics.interpolation import HermiteTable
from ratings.systems.numerics.kernels import LogisticSum, falling_curves
from ratings.systems.numerics.roots import find_roots
from ratings.systems.system import Entrants, RatingSystem

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]
#: Mean, deviation and performance after each of some places, each of their shape.
Outcomes: TypeAlias = tuple[Floats, Floats, Floats]

_LOGISTIC_DEVIATION = 1.0 / LOGISTIC_SCALE
# Up to this many pairs of a place and a player all pairs are cheaper than a table.
_ALL_PAIRS = 100_000
_MOST_KNOTS = 16_384
# In units of a scale, or of a deviation: the last step leaves the cube of it.
_TOLERANCE = 1e-4


@singledispatch
def outcomes_by_place(system: RatingSystem, entrants: Entrants) -> Callable[[Indices], Outcomes] | None:
    """A function from places, from 1, to what they do to the player in row 0; None if the system has no fast form.

    entrants
        The player, then the others in the order of finish, best first; nobody in a team.
    """
    return None


def _sums_ahead(values: Floats) -> Floats:
    """The sums of the others' values over those ahead of each place, by place from 0 for the first."""
    return np.concatenate([[0.0], np.cumsum(values[1:])])


@outcomes_by_place.register
def _(system: EloMMR, entrants: Entrants) -> Callable[[Indices], Outcomes]:
    belief, memory = Diffused(system, entrants), entrants.beliefs.memory
    assert memory is not None
    player = entrants.players[:1]
    mu, variance, drift = belief.mu[:1], belief.variance_before[:1], belief.drift[:1]
    own = _copy_of(memory, int(player[0]))
    diffuse(own, np.zeros(1, dtype=np.int64), mu, variance, drift, system.transfer_speed)
    return _with_performances(system, belief, entrants, _means_of(own, belief))


@outcomes_by_place.register
def _(system: EloMMRInfinity, entrants: Entrants) -> Callable[[Indices], Outcomes]:
    belief = Diffused(system, entrants)

    def means(performance: Floats) -> Floats:
        same = np.ones(len(performance))
        return gaussian_and_logistic_mean(
            same * belief.mu[0], same * belief.variance[0], performance, same * belief.noise[0]
        )

    return _with_performances(system, belief, entrants, means)


def _copy_of(memory: Memory, player: int) -> Memory:
    """The memory of one player as that of player 0."""
    rows = memory.factors.rows(player)
    own = Memory(np.zeros(1), np.ones(1))
    for mine, column in zip(own.columns(), memory.columns(), strict=True):
        mine[0] = column[player]
    own.factors.replace(np.zeros(1, dtype=np.int64), rows[:, :, None].copy(), np.array([rows.shape[1]]))
    return own


def _means_of(memory: Memory, belief: Diffused) -> Callable[[Floats], Floats]:
    """The new mean for each performance, as ``posterior.logistic_means`` has it."""
    factors = memory.factors.rows(0)
    centres, amplitudes, steepness = factors[CENTRE], memory.decay[0] * factors[AMPLITUDE], factors[STEEPNESS]
    weight, centre, mu = float(memory.weight[0]), float(memory.centre[0]), float(belief.mu[0])
    newest = math.pi / math.sqrt(3.0 * belief.noise[0])
    variance = float(belief.posterior_variance[0])

    def means(performance: Floats) -> Floats:
        def equations(points: Floats) -> tuple[Floats, Floats, Floats]:
            curve, product, bend = falling_curves((points[:, None] - centres) * steepness)
            value = weight * (points - centre) + np.einsum("kj,j->k", 1.0 - 2.0 * curve, amplitudes)
            slope = weight + 2.0 * np.einsum("kj,j->k", product, amplitudes * steepness)
            second = -2.0 * np.einsum("kj,j->k", bend, amplitudes * steepness * steepness)
            curve, product, bend = falling_curves((points - performance) * newest)
            value += newest * (1.0 - 2.0 * curve)
            return value, slope + 2.0 * newest**2 * product, second - 2.0 * newest**3 * bend

        start = mu + variance * newest * np.tanh(0.5 * newest * (performance - mu))
        lower, upper = np.minimum(mu, performance), np.maximum(mu, performance)
        return find_roots(equations, lower, upper, start, tolerance=_TOLERANCE * math.sqrt(variance))

    return means


def _with_performances(
    system: EloMMRParameters, belief: Diffused, entrants: Entrants, means: Callable[[Floats], Floats]
) -> Callable[[Indices], Outcomes]:
    """Performances as in ``performances``: here each group is the player alone."""
    scale = LOGISTIC_SCALE * np.sqrt(belief.variance + belief.noise)
    field, own = _LogisticField(belief.mu, scale), 1.0 / float(scale[0])
    share = 0.5 if system.split_ties else 1.0
    sigma = math.sqrt(float(belief.posterior_variance[0]))
    targets = _sums_ahead(1.0 / scale) + share * own

    def outcomes(places: Indices) -> Outcomes:
        target = targets[places - 1]
        performance = field.roots(target, float(belief.mu[0]), own if share == 1.0 else 0.0)
        performance = np.minimum(performance, entrants.contest.perf_ceiling)
        return means(performance), np.full(len(places), sigma), performance

    return outcomes


class _LogisticField:
    """The sum of all participants' falling curves, tabulated once it is asked for much."""

    def __init__(self, mu: Floats, scale: Floats) -> None:
        players = Distinct(mu, scale)
        self.sum = LogisticSum(players.centre, players.width, players.number / players.width)
        self.least, self.own = float(scale.min()), 1.0 / float(scale[0])
        self.total = float(np.add.reduce(self.sum.amplitudes))
        reach = float(scale.max()) * (2.0 + math.log(self.total / float(self.sum.amplitudes.min())))
        self.ends = float(players.centre[0]) - reach, float(players.centre[-1]) + reach
        self.table: HermiteTable | None = None
        self.asked = 0

    def roots(self, target: Floats, mu: float, own: float) -> Floats:
        """Where the sum, and the player's own curve once more with this amplitude, takes the targets."""
        self.asked += len(target) * len(self.sum.centres)
        if self.table is None and self.asked > _ALL_PAIRS:
            self.table = self.sum.tabulate(0.25 * self.own, self.total - 0.25 * self.own, _MOST_KNOTS)
        curve = self.sum if not isinstance(self.table, HermiteTable) else self.table
        first, last = (self.table.first, self.table.last) if self.table is not None else self.ends
        steepness = self.own

        def equations(points: Floats) -> tuple[Floats, Floats, Floats]:
            value, slope, bend = curve(points)
            once, product, second = falling_curves((points - mu) * steepness)
            value = target - value - own * once
            return value, own * steepness * product - slope, -bend - own * steepness * steepness * second

        start = self.table.inverse(target) if self.table is not None else np.full(len(target), mu)
        lower, upper = np.full(len(target), first), np.full(len(target), last)
        return find_roots(equations, lower, upper, start, tolerance=_TOLERANCE * self.least)


@outcomes_by_place.register
def _(system: Codeforces, entrants: Entrants) -> Callable[[Indices], Outcomes] | None:
    if system.inflation_control:
        return None
    mu, n, weight = entrants.mu, len(entrants), entrants.contest.bounded_weight
    scale = system.scale / (math.log(10.0) * math.sqrt(weight))
    lowest = float(mu.min())
    centres = np.sort((mu - lowest) / scale)
    own, reach = (float(mu[0]) - lowest) / scale, 1.0 + math.log(2.0 * n)
    field = rank_curve(centres, reach)
    expected = 0.5 + float(field(np.array([own]))[0][0])
    share = weight * system.weight / (1.0 + weight * system.weight)

    def outcomes(places: Indices) -> Outcomes:
        target = np.clip(np.sqrt(places * expected) - 0.5, 0.5, n - 0.5)

        def equations(points: Floats) -> tuple[Floats, Floats, Floats]:
            value, slope, curvature = field(points)
            return target - value, -slope, -curvature

        lower, upper = np.full(len(places), -reach), np.full(len(places), centres[-1] + reach)
        roots = find_roots(equations, lower, upper, np.full(len(places), own), tolerance=_TOLERANCE)
        performance = np.minimum(lowest + scale * roots, entrants.contest.perf_ceiling)
        return mu[0] + share * (performance - mu[0]), np.full(len(places), entrants.sigma[0]), performance

    return outcomes


@outcomes_by_place.register
def _(system: TopCoder, entrants: Entrants) -> Callable[[Indices], Outcomes]:
    mu, volatility, n = entrants.mu, entrants.sigma, len(entrants)
    weight = entrants.contest.bounded_weight
    spread = np.hypot(volatility, volatility[0]) / math.sqrt(weight)
    expected = np.full(1, float(np.add.reduce(ndtr((mu - mu[0]) / spread))))
    factor = competition_factor(mu, volatility)
    counts = 1.0 + float(entrants.count[0])

    def outcomes(places: Indices) -> Outcomes:
        distance = normal_quantiles(expected, n) - normal_quantiles(places.astype(np.float64) - 0.5, n)
        performance = np.minimum(mu[0] + factor * distance, entrants.contest.perf_ceiling)
        same = np.ones(len(places))
        after, sigma = system.step(same * mu[0], same * volatility[0], performance, same * counts, weight)
        return after, sigma, performance

    return outcomes


@outcomes_by_place.register
def _(system: Elo, entrants: Entrants) -> Callable[[Indices], Outcomes]:
    difference = entrants.mu[0] - entrants.mu[1:]
    if system.curve == "gaussian":
        return _of_duels(entrants, entrants.mu[0], ndtr(difference / (math.sqrt(2.0) * system.beta)), system.k_factor)
    return _of_duels(entrants, entrants.mu[0], expit(difference * (math.log(10.0) / system.scale)), system.k_factor)


@outcomes_by_place.register
def _(system: Kreimeier, entrants: Entrants) -> Callable[[Indices], Outcomes]:
    # Newcomers and decay move ratings before the contest, whatever its result: the engine says to where.
    changes = system.rate_round(entrants.beliefs.copy(), entrants.contest)
    assert changes is not None  # nobody is tied
    mu = changes.mu_before
    return _of_duels(entrants, mu[0], expit((mu[0] - mu[1:]) / system.temperature), system.max_gain)


def _of_duels(entrants: Entrants, mu: float, expected: Floats, gain: float) -> Callable[[Indices], Outcomes]:
    gain, n, wins = gain * entrants.contest.bounded_weight, len(entrants), float(np.add.reduce(expected))

    def outcomes(places: Indices) -> Outcomes:
        after: Floats = mu + gain * (n - places - wins) / (n - 1)
        return after, np.full(len(places), entrants.sigma[0]), np.zeros(len(places))

    return outcomes


@outcomes_by_place.register
def _(system: Glicko, entrants: Entrants) -> Callable[[Indices], Outcomes]:
    unit = system.beta / (_LOGISTIC_DEVIATION * math.sqrt(entrants.contest.bounded_weight))
    phi = np.hypot(entrants.sigma, system.drift) / unit
    steepness, surplus, _ = _games(entrants.mu / unit, phi)
    variance = 1.0 / (1.0 / (phi[0] * phi[0]) + 0.25)
    means = entrants.mu[0] + unit * variance * (surplus - _sums_ahead(steepness)) / len(entrants)

    def outcomes(places: Indices) -> Outcomes:
        mu = means[places - 1]
        return mu, np.full(len(places), unit * math.sqrt(variance)), np.zeros(len(places))

    return outcomes


@outcomes_by_place.register
def _(system: Glicko2, entrants: Entrants) -> Callable[[Indices], Outcomes]:
    volatility = entrants.beliefs.extra["volatility"][entrants.players]
    sigma = system._after_idle_periods(entrants, volatility)
    steepness, surplus, information = _games(entrants.mu / system.scale, sigma / system.scale)
    weight = entrants.contest.bounded_weight
    surpluses = weight * (surplus - _sums_ahead(steepness))

    def outcomes(places: Indices) -> Outcomes:
        same, sums = np.ones(len(places)), surpluses[places - 1]
        before = same * entrants.mu[0], same * sigma[0], same * volatility[0]
        mu, after, _ = system._step(*before, sums, same * weight * information)
        return mu, after, np.zeros(len(places))

    return outcomes


def _games(mu: Floats, phi: Floats) -> tuple[Floats, float, float]:
    """Everybody's g, and for row 0: sum g (s - E) as if all games were won, and 1 / v, on the internal scale."""
    steepness = steepness_of(phi)
    lost = expit(steepness[1:] * (mu[1:] - mu[0]))
    surplus = float(np.add.reduce(steepness[1:] * lost))
    return steepness, surplus, float(np.add.reduce(np.square(steepness[1:]) * lost * (1.0 - lost)))
