"""Glicko for whole rounds, as the Elo-MMR paper's public implementation compares it.

Glickman, "Parameter estimation in large dynamic paired comparison experiments" (1999): here a contest is one game
against the average opponent.
"""

import math
from collections.abc import Callable
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.algorithms.round_robin import game_terms, games_of_first, round_robin
from ratings.systems.contest import Entrants, RoundChanges
from ratings.systems.declarations import (
    Description,
    Dimension,
    daily_drift,
    gettext_noop,
    newcomers_deviation,
    newcomers_mean,
    rating_points,
    rating_system,
)
from ratings.systems.duel import Duel
from ratings.systems.performance_model import PerformanceModel
from ratings.systems.sides import Sides
from ratings.systems.situation import Situation, Surprises
from ratings.systems.system import DuelSystem, Outcomes, sums_ahead

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

# A logistic with scale s has the deviation s * pi / sqrt(3).
_LOGISTIC_DEVIATION = math.pi / math.sqrt(3.0)
# Glickman's g is 1 / sqrt(1 + this * phi^2).
_CERTAINTY = 3.0 / math.pi**2


@rating_system
class Glicko(DuelSystem):
    """Glicko for whole rounds: a mean, and a deviation that falls with every contest and grows before it.

    Everyone meets everyone once, and a tie is half a win. The average of these games counts as one game between equals
    who are known exactly. So large contests carry no more information than small ones, and the deviation does not
    depend on the result: losing on purpose gains nothing. The weight of a contest divides the variance of its games.

    The average is over all n players, including the drawn game against oneself. So it is (n - 1) / n of the average
    over the opponents, and one half of it in a two-player game.
    """

    name: ClassVar[str] = "glicko"
    list_order: ClassVar[int] = 80
    description: ClassVar[Description] = Description(
        title="Glicko",
        in_words=gettext_noop("Glicko"),
        good_for=gettext_noop(
            "Counts each contest as one game against an average opponent. Simple, with smooth rating changes."
        ),
        how=gettext_noop(
            "After each contest, a rating moves according to how the player did against the field. Beating players "
            "whose ratings are settled counts more, and an uncertain rating moves further than a settled one."
        ),
    )
    search_space: ClassVar[tuple[Dimension, ...]] = (Dimension("drift", 0.05, 5.0), Dimension("sig_noob", 0.2, 4.0))

    rates_teams: ClassVar[bool] = True

    drift: float = rating_points(
        35.0,
        "Standard deviation of the drift of a player’s skill between two contests.",
        minimum=0.0,
    )
    drift_per_day: float = daily_drift()
    beta: float = rating_points(
        400.0 * _LOGISTIC_DEVIATION / math.log(10.0),
        "Standard deviation of the logistic curve of a game in a contest of weight 1. At the default, a "
        "difference of 400 points means odds of ten to one.",
    )
    mu_noob: float = newcomers_mean()
    sig_noob: float = newcomers_deviation()

    def performance_model(self, mu: Floats, sigma: Floats) -> PerformanceModel:
        """Return logistic performances around the beliefs after the drift, each with half the variance of a game.

        The difference of two has the variance sigma_i^2 + sigma_j^2 + 2 drift^2 + beta^2; it is close to a logistic.
        """
        deviation = np.sqrt(sigma * sigma + self.drift * self.drift + 0.5 * self.beta * self.beta)
        return PerformanceModel("logistic", mu, deviation / _LOGISTIC_DEVIATION)

    def sigma_drifted(self, entrants: Entrants) -> Floats:
        """Return the deviations after the drift before the contest.

        As in Glickman's article, days do not raise them above that of a newcomer.
        """
        return np.hypot(np.sqrt(entrants.variance_after(self.drift_per_day, self.sig_noob)), self.drift)

    @property
    def depends_on_activity(self) -> bool:
        """Whether deviations depend on the days since each player's last contest."""
        return self.drift_per_day > 0.0

    def surprises(self, situation: Situation) -> Surprises:
        """Return the games with each entry, weighted by the certainty of the opponent (docs/rating-systems.md)."""
        unit = self.beta / (_LOGISTIC_DEVIATION * math.sqrt(situation.contest.bounded_weight))
        mu, phi = situation.entrants.strength / unit, self.sigma_drifted(situation.entrants) / unit
        own = float(phi[situation.row])
        variance = 1.0 / (1.0 / (own * own) + 0.25)
        sides = Sides.of(situation.contest, mu, phi)
        return Surprises(game_terms(situation, sides.mu, sides.spread), unit * variance / len(sides.mu))

    def outcomes_by_place(self, entrants: Entrants) -> Callable[[Indices], Outcomes]:
        """Return the outcomes by place: wins against everyone behind."""
        unit = self.beta / (_LOGISTIC_DEVIATION * math.sqrt(entrants.contest.bounded_weight))
        phi = self.sigma_drifted(entrants) / unit
        steepness, surplus, _ = games_of_first(entrants.strength / unit, phi)
        variance = 1.0 / (1.0 / (phi[0] * phi[0]) + 0.25)
        means = entrants.mu[0] + unit * variance * (surplus - sums_ahead(steepness)) / len(entrants)

        def outcomes(places: Indices) -> Outcomes:
            mu = means[places - 1]
            return mu, np.full(len(places), unit * math.sqrt(variance)), np.zeros(len(places))

        return outcomes

    def _rate(self, entrants: Entrants) -> RoundChanges:
        weight = entrants.contest.bounded_weight
        # Rating points in one unit of Glickman's internal scale: 1 / q of docs/rating-systems.md.
        unit = self.beta / (_LOGISTIC_DEVIATION * math.sqrt(weight))
        phi = self.sigma_drifted(entrants) / unit
        # The lowest mean is the origin, so that a common offset costs no digits.
        strength = entrants.strength
        sides = Sides.of(entrants.contest, (strength - strength.min()) / unit, phi)
        surplus = round_robin(sides.contest, sides.mu, sides.spread)[0][sides.entry]
        variance = 1.0 / (1.0 / (phi * phi) + 0.25)
        mu = entrants.mu + unit * variance * surplus / len(sides.mu)
        return entrants.conclude(mu, unit * np.sqrt(variance))

    def _rate_duel(self, duel: Duel) -> RoundChanges:
        unit = self.beta / (_LOGISTIC_DEVIATION * math.sqrt(duel.contest.bounded_weight))
        before = duel.sigma_after(self.drift_per_day, self.sig_noob)
        phi = [math.hypot(sigma, self.drift) / unit for sigma in before]
        ours = self._duel_step(duel, unit, phi, 0, 1)
        theirs = self._duel_step(duel, unit, phi, 1, 0)
        return duel.conclude((ours[0], theirs[0]), (ours[1], theirs[1]))

    @staticmethod
    def _duel_step(duel: Duel, unit: float, phi: list[float], own: int, other: int) -> tuple[float, float]:
        """Return mean and deviation of one player after a two-player game."""
        steepness = 1.0 / math.sqrt(1.0 + _CERTAINTY * phi[other] * phi[other])
        half = 0.5 * steepness * (duel.strength[other] - duel.strength[own]) / unit
        # The expected score is (1 - tanh(half)) / 2.
        surplus = steepness * (duel.score[own] - 0.5 + 0.5 * math.tanh(half))
        variance = 1.0 / (1.0 / (phi[own] * phi[own]) + 0.25)
        return duel.mu[own] + 0.5 * unit * variance * surplus, unit * math.sqrt(variance)
