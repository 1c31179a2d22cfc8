"""Glicko-2, for contests of many: each is a rating period in which everybody meets everybody.

Glickman, "Example of the Glicko-2 system" (2012); its steps are named below. ``round_robin.py`` has the games.
"""

import math
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratings.systems.algorithms.round_robin import round_robin, steepness_of
from ratings.systems.algorithms.volatility import volatilities
from ratings.systems.belief import Beliefs, RoundChanges
from ratings.systems.numerics.kernels import LogisticSum
from ratings.systems.parameters import newcomers_deviation, newcomers_mean, number, rating_system
from ratings.systems.performance_model import PerformanceModel
from ratings.systems.system import Entrants, RatingSystem

Floats: TypeAlias = NDArray[np.float64]

# In deviations of a newcomer: the example's one Newton step overshoots where the games' likelihood is nearly straight.
_LONGEST_STEP = 10.0
# Games that say less (1 / v) than this say nothing.
_LEAST_INFORMATION = 1e-60


@rating_system
class Glicko2(RatingSystem):
    """Glicko-2: mean, deviation, and a volatility that grows when results surprise.

    A contest is a rating period in which each player meets each other one once; a tie is half a win. Its weight says
    how many times each of these games counts. A large contest so says far more than it should: deviations collapse.

    As in the example, contests may raise a deviation above a newcomer's; idle periods may not. The example sets no
    limits to volatilities and steps either, and upsets in large fields would make ratings explode: here no volatility
    exceeds the deviation of a newcomer, and no contest moves a mean by more than ten of these. Losing on purpose can
    pay, because it raises the volatility (Elo-MMR paper, section 5.1).
    """

    name: ClassVar[str] = "glicko2"

    tau: float = number(
        0.5,
        "How much volatilities may change in one contest; Glickman advises 0.3 to 1.2.",
        minimum=1e-3,
        maximum=10.0,
    )
    volatility_noob: float = number(
        0.06,
        "Volatility of a newcomer: deviation of the drift of a skill in one rating period, in units of the scale.",
        minimum=1e-6,
        maximum=10.0,
    )
    scale: float = number(
        173.7178,
        "Rating points in one unit of Glicko-2's internal scale: 400 / ln 10, as published.",
        unit="rating points",
        minimum=1e-3,
        maximum=1e6,
    )
    period_days: float = number(
        0.0,
        "Days in a rating period: for each that passes without a contest the deviation grows once more. "
        "0: only the contests that a player takes part in are periods.",
        unit="days",
        minimum=0.0,
        maximum=1e6,
    )
    mu_noob: float = newcomers_mean()
    sig_noob: float = newcomers_deviation()

    def new_beliefs(self, n_players: int) -> Beliefs:
        """Beliefs on players of whom nothing is known."""
        return Beliefs(n_players, self.mu_noob, self.sig_noob, extra={"volatility": self.volatility_noob})

    def performance_model(self, mu: Floats, sigma: Floats) -> PerformanceModel:
        """Logistic performances of the variance of a game's outcome, shared by its two players, and of the belief.

        A game between players known exactly is logistic in the difference with the internal scale, so each player has
        half its variance; g() widens it by the variance of the belief.
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
        """Mean, deviation and volatility of one player after a rating period with any games, as in Glickman's example.

        opponent_mu, opponent_sigma, scores
            One entry for each game, shape (k,): rating points, and 1, 0.5 or 0 for a win, a draw or a loss.

        Raises ValueError naming what is not finite, not positive or no score.
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

    def _rate(self, entrants: Entrants) -> RoundChanges:
        volatility = entrants.beliefs.extra["volatility"]
        before = volatility[entrants.players]
        sigma = self._after_idle_periods(entrants, before)
        surplus, information = round_robin(entrants.contest, entrants.mu / self.scale, sigma / self.scale)
        weight = entrants.contest.bounded_weight
        mu, sigma, volatility[entrants.players] = self._step(
            entrants.mu, sigma, before, weight * surplus, weight * information
        )
        return entrants.conclude(mu, sigma)

    def _after_idle_periods(self, entrants: Entrants, volatility: Floats) -> Floats:
        """Deviations after the whole rating periods between contests (the paper's closing remark), rating points.

        As in Glickman's first system they do not grow beyond a newcomer's: nobody is less known.
        """
        if self.period_days == 0.0:
            return entrants.sigma
        idle_periods = np.maximum(np.floor(entrants.idle / self.period_days) - 1.0, 0.0)
        grown = np.hypot(entrants.sigma, np.sqrt(idle_periods) * volatility * self.scale)
        return np.minimum(grown, np.maximum(entrants.sigma, self.sig_noob))

    def _step(
        self, mu: Floats, sigma: Floats, volatility: Floats, surplus: Floats, information: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Steps 4 to 8: new means, deviations, volatilities from sum g (s - E) and 1 / v, shape (n,) all."""
        information = np.maximum(information, _LEAST_INFORMATION)
        phi = sigma / self.scale
        most = max(self.sig_noob / self.scale, self.volatility_noob)
        changed = volatilities(phi, volatility, surplus, information, tau=self.tau, greatest=most)
        variance = 1.0 / (1.0 / (phi * phi + changed * changed) + information)
        step = np.clip(variance * surplus, -_LONGEST_STEP * most, _LONGEST_STEP * most)
        return mu + self.scale * step, self.scale * np.sqrt(variance), changed


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
