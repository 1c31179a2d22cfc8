"""TopCoder's system, as described by the site and compared in the Elo-MMR paper.

Everyone's expected rank, with normal performances whose deviations may all differ, is computed in linear time.
E_i = sum_j Phi((m_j - m_i) / sqrt(s_i^2 + s_j^2)) depends on i, and on j, only through a smooth function of (m, log s).
So the players are spread over the knots of a grid around them: twelve equispaced knots in m and Chebyshev nodes in
log s. The knots are summed against each other, with one convolution along m for each pair of deviations, and everyone's
sum is interpolated from the grid.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import fft
from scipy.special import ndtr, ndtri

from ratings.systems.contest import Entrants, RoundChanges
from ratings.systems.declarations import (
    MEAN_WITH_PERFORMANCE,
    Description,
    Dimension,
    gettext_noop,
    newcomers_deviation,
    newcomers_mean,
    number,
    rating_system,
)
from ratings.systems.duel import Duel, Pair
from ratings.systems.numerics.logistic_sums import DistinctPlayers
from ratings.systems.numerics.pair_sums import KNOTS, add_to_knots, lagrange_weights
from ratings.systems.performance_model import PerformanceModel
from ratings.systems.situation import Situation, Surprises
from ratings.systems.system import DuelSystem, Outcomes, SigmaMeans

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

# The range of volatilities, in rating points, so that their squares stay finite.
_LEAST_VOLATILITY, _GREATEST_VOLATILITY = 1e-6, 1e30
# Up to this many distinct players, summing all pairs is cheaper than a grid.
_ALL_PAIRS = 200
_PAIRS_AT_ONCE = 1 << 16
_PLAYERS_AT_ONCE = 4_096
# Beyond this many deviations a normal distribution function is 0 or 1 in double precision, relative to one half.
_REACH = 9.0
# Distance between knots, relative to the smallest deviation of a difference: an error of 2e-12 of a curve's height.
_SPACING = 0.15
# In log s all curves are analytic and bounded up to pi / 4 from the real axis; this sets the speed of convergence.
_ANALYTIC = np.pi / 4
_DIGITS = 9.0  # of the error bound; actual errors are near 1e-13
_MOST_NODES = 128
_HALF_ROOT = math.sqrt(0.5)
_STANDARD_NORMAL = NormalDist()
_QUARTILE = _STANDARD_NORMAL.inv_cdf(0.75)


@rating_system
class TopCoder(DuelSystem):
    """TopCoder: a rating and a volatility, which are the mean and the deviation of a player's normal performances.

    The deviation of the beliefs is the volatility. It grows after surprising results, and later changes grow with it.
    So losing on purpose can pay (Elo-MMR paper, section 5.1). The site itself starts newcomers at 1200 with a
    volatility of 535.

    The formulas have constants in rating points: contests count less for ratings above 2000 and above 2500, and no
    contest moves a rating by more than a cap, 900 points for a newcomer and 150 in the long run. The cap applies only
    to the rating; the volatility uses the change before the cap.
    """

    name: ClassVar[str] = "topcoder"
    list_order: ClassVar[int] = 50
    description: ClassVar[Description] = Description(
        title="TopCoder",
        in_words=gettext_noop("the TopCoder system"),
        good_for=gettext_noop(
            "For series that already use TopCoder ratings. Because of the volatility, players can gain by losing "
            "on purpose."
        ),
        how=gettext_noop(
            "After each contest, a rating moves towards the performance; first contests count most. The volatility "
            "says how much a player’s performances vary."
        ),
        adds_up=MEAN_WITH_PERFORMANCE,
    )
    search_space: ClassVar[tuple[Dimension, ...]] = (
        Dimension("weight_noob", 0.2, 1.6),
        Dimension("weight_limit", 0.2, 5.0),
        Dimension("sig_noob", 0.2, 4.0),
    )
    # The volatility grows with a surprise, so the mean minus a multiple of it can be lower after a better place.
    is_monotone: ClassVar[bool] = False
    has_performance: ClassVar[bool] = True
    sigma_means: ClassVar[SigmaMeans] = "volatility"

    weight_noob: float = number(
        0.6,
        "How much a new player’s first contest counts towards the new rating, as a share from 0 to 1.",
        minimum=1e-6,
        maximum=0.999,
    )
    weight_limit: float = number(
        0.18,
        "How much one contest counts towards an experienced player’s new rating, as a share from 0 to 1.",
        minimum=1e-6,
        maximum=0.999,
    )
    mu_noob: float = newcomers_mean(description="Rating of a new player. TopCoder uses 1200.")
    sig_noob: float = newcomers_deviation(
        description="Volatility of a new player. TopCoder uses 535.", label="New players’ volatility"
    )

    def performance_model(self, mu: Floats, sigma: Floats) -> PerformanceModel:
        """Return normal performances with the volatility as deviation, as in the expected ranks."""
        return PerformanceModel("normal", mu, np.maximum(sigma, _LEAST_VOLATILITY))

    def performance_share(self, situation: Situation) -> float:
        """Return the weight of the performance in the new rating."""
        entrants, row = situation.entrants, situation.row
        contests = 1.0 + entrants.count[row : row + 1].astype(np.float64)
        weight = situation.contest.bounded_weight
        ratio = float(self.weights_and_caps(entrants.mu[row : row + 1], contests, weight)[0][0])
        return ratio / (1.0 + ratio)

    def surprises(self, situation: Situation) -> Surprises:
        """Return expected minus actual place, opponent by opponent."""
        mu, volatility = situation.entrants.strength, situation.entrants.sigma
        spread = np.hypot(volatility, volatility[situation.row]) / math.sqrt(situation.contest.bounded_weight)
        expected = ndtr((mu[situation.row] - mu) / spread)
        n = len(mu)
        place = float(np.add.reduce(1.0 - expected))
        quantile = float(ndtri(np.clip(place / n, 0.5 / n, 1.0 - 0.5 / n)))
        density = math.exp(-0.5 * quantile**2) / math.sqrt(2.0 * math.pi)
        field = math.sqrt(float(np.mean(volatility**2)) + float(np.var(mu)) * n / (n - 1))
        return Surprises(situation.score - expected, field / (n * density))

    def outcomes_by_place(self, entrants: Entrants) -> Callable[[Indices], Outcomes]:
        """Return the outcomes by place: only the actual rank depends on it."""
        mu, volatility, n = entrants.strength, entrants.sigma, len(entrants)
        own = float(entrants.mu[0])
        weight = entrants.contest.bounded_weight
        spread = np.hypot(volatility, volatility[0]) / math.sqrt(weight)
        expected = np.full(1, float(np.add.reduce(ndtr((mu - mu[0]) / spread))))
        factor = competition_factor(mu, volatility)
        counts = 1.0 + float(entrants.count[0])

        def outcomes(places: Indices) -> Outcomes:
            distance = normal_quantiles(expected, n) - normal_quantiles(places.astype(np.float64) - 0.5, n)
            performance = np.minimum(own + factor * distance, entrants.contest.perf_ceiling)
            same = np.ones(len(places))
            after, sigma = self.step(same * own, same * volatility[0], performance, same * counts, weight)
            return after, sigma, performance

        return outcomes

    def _rate(self, entrants: Entrants) -> RoundChanges:
        contest_weight = entrants.contest.bounded_weight
        rating, volatility = entrants.mu, entrants.sigma
        performance = _performances(entrants, contest_weight)
        contests = 1.0 + entrants.count.astype(np.float64)
        rating, volatility = self.step(rating, volatility, performance, contests, contest_weight)
        return entrants.conclude(rating, volatility, performance)

    def _rate_duel(self, duel: Duel) -> RoundChanges:
        performance = _duel_performances(duel)
        ours, theirs = (self._duel_step(duel, row, performance[row]) for row in (0, 1))
        return duel.conclude((ours[0], theirs[0]), (ours[1], theirs[1]), performance)

    def _duel_step(self, duel: Duel, row: int, performance: float) -> tuple[float, float]:
        """Return rating and volatility of one player after a two-player game, as ``step`` does."""
        rating, volatility, contests = duel.mu[row], duel.sigma[row], 1.0 + duel.count[row]
        share = self.weight_limit + (self.weight_noob - self.weight_limit) / contests
        weight = duel.contest.bounded_weight * share / (1.0 - share)
        weight *= 0.8 if rating >= 2500.0 else 0.9 if rating >= 2000.0 else 1.0
        cap = (150.0 + 1500.0 / (contests + 1.0)) * share / (0.18 + 0.42 / contests)
        cap *= math.sqrt(duel.contest.bounded_weight)
        change = weight * (performance - rating) / (1.0 + weight)
        variance = change * change / weight + volatility * volatility / (1.0 + weight)
        volatility = min(max(math.sqrt(variance), _LEAST_VOLATILITY), _GREATEST_VOLATILITY)
        return rating + min(max(change, -cap), cap), volatility

    def step(
        self, rating: Floats, volatility: Floats, performance: Floats, contests: Floats, contest_weight: float
    ) -> tuple[Floats, Floats]:
        """Return rating and volatility after the n-th contest with these performances, all of one shape."""
        weight, cap = self.weights_and_caps(rating, contests, contest_weight)
        change = weight * (performance - rating) / (1.0 + weight)
        surprise = change / np.sqrt(weight)
        variance = surprise * surprise + volatility * volatility / (1.0 + weight)
        volatility = np.clip(np.sqrt(variance), _LEAST_VOLATILITY, _GREATEST_VOLATILITY)
        return rating + np.clip(change, -cap, cap), volatility

    def weights_and_caps(self, rating: Floats, contests: Floats, contest_weight: float) -> tuple[Floats, Floats]:
        """Return the weight of the performance relative to the rating, and the largest change, in the n-th contest."""
        share = self.weight_limit + (self.weight_noob - self.weight_limit) / contests
        weight = contest_weight * share / (1.0 - share)
        weight *= np.where(rating >= 2500.0, 0.8, np.where(rating >= 2000.0, 0.9, 1.0))
        cap = (150.0 + 1500.0 / (contests + 1.0)) * share / (0.18 + 0.42 / contests) * np.sqrt(contest_weight)
        return weight, cap


def _performances(entrants: Entrants, contest_weight: float) -> Floats:
    """Return the rating at which the actual rank would be expected, by the site's formula, in rating points."""
    contest, n = entrants.contest, len(entrants)
    rating, volatility = entrants.strength, entrants.sigma
    expected = expected_ranks(rating, volatility / np.sqrt(contest_weight))
    actual = contest.competition_ranks - 1.0 + 0.5 * contest.group_sizes[contest.group]
    performance = rating + competition_factor(rating, volatility) * (
        normal_quantiles(expected, n) - normal_quantiles(actual, n)
    )
    return contest.without_handicap(performance)


def _duel_performances(duel: Duel) -> Pair:
    """Return the performances in a two-player game, where both the actual and the expected ranks add up to 2."""
    (one, other), (volatility, others) = duel.strength, duel.sigma
    variance, distance = volatility * volatility + others * others, one - other
    spread = math.sqrt(variance / duel.contest.bounded_weight)
    # The favourite's expected rank is 1/2 and the probability of losing, and the quantile is that of half of it.
    upset = 0.5 * math.erfc(_HALF_ROOT * abs(distance) / spread)
    favourites = _STANDARD_NORMAL.inv_cdf(0.25 + 0.5 * upset)
    expected = math.copysign(favourites, -distance)
    gain = expected + _QUARTILE * (2.0 * duel.score[0] - 1.0)
    gain *= math.sqrt(0.5 * (variance + distance * distance))
    return duel.without_handicap(one + gain, other - gain)


def competition_factor(rating: Floats, volatility: Floats) -> float:
    """Return the spread of the field, in rating points; sums are sorted, so the order of the rows changes no bits."""
    rating, volatility = np.sort(rating), np.sort(volatility)
    distance = rating - np.add.reduce(rating) / len(rating)
    spread = np.add.reduce(distance * distance) / (len(rating) - 1)
    return float(np.sqrt(np.add.reduce(volatility * volatility) / len(rating) + spread))


def normal_quantiles(ranks: Floats, n: int) -> Floats:
    """Return the normal quantile of ranks / n, from the nearer end, so that neither tail loses digits."""
    from_end = np.clip(np.minimum(ranks, n - ranks), 0.5, 0.5 * n)
    return np.copysign(ndtri(from_end / n), ranks - 0.5 * n)


def expected_ranks(centres: Floats, deviations: Floats) -> Floats:
    """Return for each player the sum of the probabilities of being beaten by each player, shape (n,).

    Everyone counts one half for themselves.

    centres, deviations
        Mean and deviation of the players' normal performances, shape (n,), same unit; the order changes no bits.

    Errs by less than 3e-12 n. If the grid would be too large for the players, all pairs are summed.
    """
    players = DistinctPlayers(centres, deviations)
    return players.for_players(_rank_sums(players.centre, players.width, players.number))


def _rank_sums(centres: Floats, deviations: Floats, number: Floats) -> Floats:
    """Return the same for distinct players in the order of (centre, deviation), each counted ``number`` times."""
    if len(centres) > _ALL_PAIRS:
        grid = _Grid(centres, deviations)
        if grid.cost < len(centres) ** 2:
            return grid.read_off(grid.sums_at_knots(grid.spread(number)))
    return _rank_sums_by_pairs(centres, deviations, number)


def _rank_sums_by_pairs(centres: Floats, deviations: Floats, number: Floats) -> Floats:
    sums = np.empty_like(centres)
    square = deviations * deviations
    rows = max(1, _PAIRS_AT_ONCE // len(centres))
    for begin in range(0, len(centres), rows):
        block = slice(begin, begin + rows)
        ahead = centres - centres[block, None]
        ahead /= np.sqrt(square + square[block, None])
        sums[block] = np.add.reduce(ndtr(ahead) * number, axis=1)
    return sums


@dataclass(slots=True, eq=False)
class _Grid:
    """Knots around the players: equispaced in m, with long gaps shortened, and Chebyshev nodes in log s."""

    centres: Floats
    deviations: Floats
    nodes: Floats = field(init=False)
    spacing: float = field(init=False)
    length: float = field(init=False)
    position: Floats = field(init=False)

    def __post_init__(self) -> None:
        low, high = float(self.deviations.min()), float(self.deviations.max())
        self.nodes = _chebyshev_nodes(np.log(low), np.log(high))
        self.spacing = _SPACING * np.sqrt(2.0) * low
        gaps = np.diff(self.centres, prepend=self.centres[0])
        self.position = np.cumsum(np.minimum(gaps, _REACH * np.sqrt(2.0) * high)) / self.spacing
        self.length = float(self.position[-1]) + len(KNOTS)

    @property
    def cost(self) -> float:
        """The approximate number of pairs that would take as long."""
        if len(self.nodes) > _MOST_NODES:
            return np.inf
        return 3.0 * len(self.nodes) * (len(self.nodes) * self.length + len(KNOTS) * len(self.centres) / 4)

    def spread(self, number: Floats) -> Floats:
        """Return the mass of players on each knot, shape (nodes, knots along m)."""
        masses = np.zeros((len(self.nodes), int(self.length) + 1))
        for block, cell, along, across in self._blocks():
            along *= number[block]
            add_to_knots(masses, cell, across[:, None] * along)
        return masses

    def sums_at_knots(self, masses: Floats) -> Floats:
        """Return the sum over all knots at each knot, same shape."""
        knots = masses.shape[1]
        size = fft.next_fast_len(2 * knots - 1, real=True)
        spectra = fft.rfft(masses, size)
        distance = self.spacing * np.concatenate([np.arange(knots), np.arange(knots - size, 0)])
        square = np.exp(2.0 * self.nodes)
        sums = np.empty_like(masses)
        for node in range(len(square)):
            behind = -distance / np.sqrt(square[node] + square[:, None])
            products = fft.rfft(ndtr(behind))
            products *= spectra
            sums[node] = fft.irfft(np.add.reduce(products, axis=0), size)[:knots]
        return sums

    def read_off(self, sums: Floats) -> Floats:
        """Return the sums at the players, interpolated from the knots around each, shape (n,)."""
        results = np.zeros_like(self.centres)
        for block, cell, along, across in self._blocks():
            for knot, weight in enumerate(along):
                results[block] += weight * np.add.reduce(sums[:, cell + knot] * across, axis=0)
        return results

    def _blocks(self) -> Iterator[tuple[slice, Indices, Floats, Floats]]:
        """Yield blocks of players, their cells along m, and the weights of the knots around them, along m and in s."""
        logarithms = np.log(self.deviations)
        for begin in range(0, len(self.centres), _PLAYERS_AT_ONCE):
            block = slice(begin, begin + _PLAYERS_AT_ONCE)
            whole = np.floor(self.position[block])
            along = lagrange_weights(self.position[block] - whole, KNOTS)
            yield block, whole.astype(np.int64), along, lagrange_weights(logarithms[block], self.nodes)


def _chebyshev_nodes(low: float, high: float) -> Floats:
    """Return enough nodes to interpolate between ``low`` and ``high``, the logarithms of the extreme deviations."""
    half = 0.5 * (high - low)
    if half <= 0.0:
        return np.array([low])
    ratio = _ANALYTIC / half
    rate = np.log(ratio + np.sqrt(1.0 + ratio * ratio))
    number = 2 + int(np.ceil(_DIGITS * np.log(10.0) / rate))
    nodes: Floats = low + half + half * np.cos(np.pi * (np.arange(number) + 0.5) / number)
    return nodes
