"""Glicko-2 for contests of many players: each contest is a rating period in which everyone meets everyone.

Glickman, "Example of the Glicko-2 system" (2012); comments name its steps. ``round_robin.py`` has the games.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratings.systems.algorithms.round_robin import game_terms, games_of_first, round_robin, steepness_of
from ratings.systems.beliefs import Beliefs
from ratings.systems.contest import Entrants, RoundChanges
from ratings.systems.declarations import (
    Description,
    Dimension,
    gettext_noop,
    newcomers_deviation,
    newcomers_mean,
    number,
    rating_points,
    rating_system,
)
from ratings.systems.numerics.logistic_sums import LogisticSum
from ratings.systems.performance_model import PerformanceModel
from ratings.systems.sides import Sides
from ratings.systems.situation import Result, Situation, Surprises
from ratings.systems.system import Outcomes, RatingSystem, sums_ahead

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

# In deviations of a newcomer. The example's single Newton step overshoots if the games' likelihood is nearly linear.
_LONGEST_STEP = 10.0
# Games with less information (1 / v) than this have no effect.
_LEAST_INFORMATION = 1e-60
# The tolerance for the logarithm of the squared volatility; Glickman's example has 1e-6.
_VOLATILITY_TOLERANCE = 1e-12
# After this many steps of the Illinois method, brackets are halved instead.
_ILLINOIS_STEPS = 60


@rating_system
class Glicko2(RatingSystem):
    """Glicko-2: mean, deviation, and a volatility that grows when results surprise.

    A contest is a rating period in which each player meets each other player once; a tie is half a win. The weight of
    the contest is the number of times that each of these games counts. A large contest therefore has far more effect
    than it should: deviations collapse.

    As in the example, contests may raise a deviation above a newcomer's; idle periods may not. The example does not
    limit volatilities and steps, so upsets in large fields would make ratings explode. Here no volatility exceeds the
    deviation of a newcomer, and no contest moves a mean by more than ten of these deviations. Losing on purpose can
    pay, because it raises the volatility (Elo-MMR paper, section 5.1).
    """

    name: ClassVar[str] = "glicko2"
    list_order: ClassVar[int] = 90
    description: ClassVar[Description] = Description(
        title="Glicko-2",
        in_words=gettext_noop("Glicko-2"),
        good_for=gettext_noop(
            "For two-player games, rated in periods. In contests with many players, a single contest changes ratings "
            "far too much."
        ),
        how=gettext_noop(
            "Each contest counts as a round robin, in which everyone plays everyone else: beating strong players "
            "raises a rating, and an uncertain rating moves further than a settled one."
        ),
    )
    search_space: ClassVar[tuple[Dimension, ...]] = (
        Dimension("tau", 0.1, 3.0),
        Dimension("volatility_noob", 0.01, 10.0),
        Dimension("sig_noob", 0.2, 4.0),
    )

    rates_teams: ClassVar[bool] = True

    tau: float = number(
        0.5,
        "How much volatilities may change in one contest; Glickman recommends 0.3 to 1.2.",
        minimum=1e-3,
        maximum=10.0,
    )
    volatility_noob: float = number(
        0.06,
        "Volatility of a new player: standard deviation of the drift of a player’s skill in one rating period, in "
        "units of the scale.",
        minimum=1e-6,
        maximum=10.0,
    )
    scale: float = rating_points(
        173.7178,
        "Rating points in one unit of Glicko-2’s internal scale: 400 / ln 10, as published.",
    )
    period_days: float = number(
        0.0,
        "Days in a rating period. The uncertainty grows once for each period without a contest. With 0, only "
        "a player’s own contests count as periods.",
        unit="days",
        minimum=0.0,
        maximum=1e6,
    )
    mu_noob: float = newcomers_mean()
    sig_noob: float = newcomers_deviation()

    def new_beliefs(self, n_players: int) -> Beliefs:
        """Return beliefs about players who have not competed."""
        return Beliefs(n_players, self.mu_noob, self.sig_noob, extra={"volatility": self.volatility_noob})

    def performance_model(self, mu: Floats, sigma: Floats) -> PerformanceModel:
        """Return logistic performances whose variance is half of a game's variance plus that of the belief.

        A game between players known exactly is logistic in the rating difference, with the internal scale, so each
        player has half of its variance. The function g adds the variance of the belief.
        """
        return PerformanceModel("logistic", mu, np.hypot(self.scale / math.sqrt(2.0), math.sqrt(3.0) / math.pi * sigma))

    def rate_player(
        self,
        mu: float,
        sigma: float,
        volatility: float,
        opponent_mu: ArrayLike,
        opponent_sigma: ArrayLike,
        scores: ArrayLike,
    ) -> tuple[float, float, float]:
        """Return mean, deviation and volatility of one player after a rating period, as in Glickman's example.

        opponent_mu, opponent_sigma, scores
            One entry for each game, shape (k,): rating points, and 1, 0.5 or 0 for a win, a draw or a loss.

        Raises ValueError, naming the value, on values that are not finite, not positive or not scores.
        """
        _check_player(mu, sigma, volatility)
        centres, deviations, results = _checked_games(opponent_mu, opponent_sigma, scores)
        steepness = steepness_of(deviations / self.scale)
        value = slope = np.zeros(1)
        if len(results):
            value, slope, _ = LogisticSum(centres / self.scale, 1.0 / steepness, steepness)(np.array([mu / self.scale]))
        surplus = value - np.add.reduce(steepness * (1.0 - results))
        rated = self._step(np.array([mu]), np.array([sigma]), np.array([volatility]), surplus, -slope)
        return float(rated[0][0]), float(rated[1][0]), float(rated[2][0])

    @property
    def depends_on_activity(self) -> bool:
        """Whether deviations depend on the days since each player's last contest."""
        return self.period_days > 0.0

    def sigma_drifted(self, entrants: Entrants) -> Floats:
        """Return the deviations after the whole rating periods between contests (the paper's closing remark).

        As in Glickman's first system, they do not grow beyond a newcomer's.
        """
        if self.period_days == 0.0:
            return entrants.sigma
        volatility = entrants.beliefs.extra["volatility"][entrants.players]
        idle_periods = np.maximum(np.floor(entrants.idle / self.period_days) - 1.0, 0.0)
        grown = np.hypot(entrants.sigma, np.sqrt(idle_periods) * volatility * self.scale)
        return np.minimum(grown, np.maximum(entrants.sigma, self.sig_noob))

    def surprises(self, situation: Situation) -> Surprises:
        """Return the games with each entry; the new deviation determines their effect on the rating."""
        entrants = situation.entrants
        phi = self.sigma_drifted(entrants) / self.scale
        sides = Sides.of(situation.contest, entrants.strength / self.scale, phi)
        return Surprises(game_terms(situation, sides.mu, sides.spread), math.nan)

    def points_of_games(self, situation: Situation, result: Result, terms: Surprises) -> float:
        """Return the rating points per unit of the games, from the new deviation."""
        change = result.mu - float(situation.entrants.mu[situation.row])
        total = float(np.add.reduce(terms.terms))
        if self.period_days and change * total > 0.0:
            # Past volatilities are not known, so the change is not exactly the step of the games.
            return change / total
        return result.sigma**2 / self.scale * situation.contest.bounded_weight

    def outcomes_by_place(self, entrants: Entrants) -> Callable[[Indices], Outcomes]:
        """Return the outcomes by place: wins against everyone behind."""
        volatility = entrants.beliefs.extra["volatility"][entrants.players]
        sigma = self.sigma_drifted(entrants)
        steepness, surplus, information = games_of_first(entrants.strength / self.scale, sigma / self.scale)
        weight = entrants.contest.bounded_weight
        surpluses = weight * (surplus - sums_ahead(steepness))

        def outcomes(places: Indices) -> Outcomes:
            same, sums = np.ones(len(places)), surpluses[places - 1]
            before = same * entrants.mu[0], same * sigma[0], same * volatility[0]
            mu, after, _ = self._step(*before, sums, same * weight * information)
            return mu, after, np.zeros(len(places))

        return outcomes

    def _rate(self, entrants: Entrants) -> RoundChanges:
        volatility = entrants.beliefs.extra["volatility"]
        before = volatility[entrants.players]
        sigma = self.sigma_drifted(entrants)
        sides = Sides.of(entrants.contest, entrants.strength / self.scale, sigma / self.scale)
        surplus, information = (each[sides.entry] for each in round_robin(sides.contest, sides.mu, sides.spread))
        weight = entrants.contest.bounded_weight
        mu, sigma, volatility[entrants.players] = self._step(
            entrants.mu, sigma, before, weight * surplus, weight * information
        )
        return entrants.conclude(mu, sigma)

    def _step(
        self, mu: Floats, sigma: Floats, volatility: Floats, surplus: Floats, information: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Return new means, deviations and volatilities, shape (n,), from sum g (s - E) and 1 / v; steps 4 to 8."""
        information = np.maximum(information, _LEAST_INFORMATION)
        phi = sigma / self.scale
        most = max(self.sig_noob / self.scale, self.volatility_noob)
        changed = _volatilities(phi, volatility, surplus, information, tau=self.tau, greatest=most)
        variance = 1.0 / (1.0 / (phi * phi + changed * changed) + information)
        step = np.clip(variance * surplus, -_LONGEST_STEP * most, _LONGEST_STEP * most)
        return mu + self.scale * step, self.scale * np.sqrt(variance), changed


def _volatilities(
    phi: Floats, volatility: Floats, surplus: Floats, information: Floats, *, tau: float, greatest: float
) -> Floats:
    """Return the volatilities after one rating period (step 5 of Glickman's example), shape (n,).

    All values are on Glicko-2's internal scale.

    phi, volatility
        Deviations and volatilities before the period, shape (n,).
    surplus, information
        sum_j g_j (s_j - E_j) and 1 / v > 0 of the games, shape (n,).
    tau
        The limit on changes of volatilities.
    greatest
        The upper limit of volatilities.

    After an upset that volatility alone cannot explain, the equation may have several roots. To find the same root as
    the published iteration, the brackets, however wide, and the steps are the same.

    Uses the Illinois method for all players at once. Each search ends independently, so the bits of a result never
    depend on other players.
    """
    equations = _Equations(tau, phi * phi, 2.0 * np.log(volatility), surplus * surplus - information, information)
    first, second = equations.brackets()
    logarithms = second.copy()
    rows = np.flatnonzero(equations(first) * equations(second) < 0.0)
    searched = equations.of(rows)
    first, second = first[rows], second[rows]
    at_first, at_second = searched(first), searched(second)
    steps = 0
    while len(rows):
        steps += 1
        with np.errstate(divide="ignore", invalid="ignore"):
            third = first + (first - second) * at_first / (at_second - at_first)
        if steps > _ILLINOIS_STEPS:
            third = 0.5 * (first + second)
        at_third = searched(third)
        crossed = at_third * at_second <= 0.0
        at_first = np.where(crossed, at_second, at_first if steps > _ILLINOIS_STEPS else 0.5 * at_first)
        first, second, at_second = np.where(crossed, second, first), third, at_third
        left = np.abs(second - first) > _VOLATILITY_TOLERANCE
        logarithms[rows[~left]] = first[~left]
        rows, first, second = rows[left], first[left], second[left]
        at_first, at_second, searched = at_first[left], at_second[left], searched.of(np.flatnonzero(left))
    return np.minimum(np.exp(0.5 * logarithms), greatest)


@dataclass(frozen=True, slots=True, eq=False)
class _Equations:
    """The paper's f, as a function of the logarithm x of the squared volatility; its root is the result.

    With u = 1 / v and S the surplus, Delta = S / u. The equation is multiplied by u squared, so that it stays finite if
    games between very unequal players have almost no information (u near 0). ``excess`` is S squared minus u.
    """

    tau: float
    phi_square: Floats
    start: Floats
    excess: Floats
    information: Floats

    def __call__(self, logarithm: Floats) -> Floats:
        variance = np.exp(logarithm)
        seen = self.information * (self.phi_square + variance)
        pull = variance * (self.excess - self.information * seen) / (2.0 * (1.0 + seen) ** 2)
        return pull - (logarithm - self.start) / self.tau**2

    def of(self, rows: NDArray[np.intp]) -> "_Equations":
        """Return the equations of some of the players."""
        columns = (self.phi_square, self.start, self.excess, self.information)
        return _Equations(self.tau, *(column[rows] for column in columns))

    def brackets(self) -> tuple[Floats, Floats]:
        """Return the first brackets: A and B of the paper's step 5.2."""
        surprise = self.excess - self.information * self.information * self.phi_square
        with np.errstate(divide="ignore", invalid="ignore"):
            above = np.log(surprise) - 2.0 * np.log(self.information)
        below = self.start - self.tau
        low = ~(surprise > 0.0) & (self(below) < 0.0)
        while low.any():
            below = np.where(low, below - self.tau, below)
            low &= self(below) < 0.0
        return self.start.copy(), np.where(surprise > 0.0, above, below)


def _check_player(mu: float, sigma: float, volatility: float) -> None:
    if not math.isfinite(mu):
        raise ValueError(f"mu = {mu!r} is not allowed: it must be finite")
    for name, value in (("sigma", sigma), ("volatility", volatility)):
        if not 0.0 < value < math.inf:
            raise ValueError(f"{name} = {value!r} is not allowed: it must be finite and positive")


def _checked_games(mu: ArrayLike, sigma: ArrayLike, scores: ArrayLike) -> tuple[Floats, Floats, Floats]:
    games = tuple(np.asarray(column, dtype=np.float64) for column in (mu, sigma, scores))
    shapes = [column.shape for column in games]
    if games[0].ndim != 1 or len(set(shapes)) > 1:
        shown = ", ".join(map(str, shapes))
        raise ValueError(f"opponent_mu, opponent_sigma and scores have shapes {shown}: give one entry for each game")
    rules = (
        ("opponent_mu", np.isfinite(games[0]), "finite"),
        ("opponent_sigma", np.isfinite(games[1]) & (games[1] > 0.0), "finite and positive"),
        ("scores", (games[2] >= 0.0) & (games[2] <= 1.0), "from 0 to 1"),
    )
    for (name, fits, allowed), column in zip(rules, games, strict=True):
        if not fits.all():
            game = int(fits.argmin())
            raise ValueError(f"{name} = {column[game]} in game {game} is not allowed: it must be {allowed}")
    return games[0], games[1], games[2]
