"""Kreimeier's form of Elo: natural units, newcomers at the mean, and decay towards the mean.

Bernd Kreimeier, "Rising from the Ranks: Rating for Multiplayer Games", 2000.
"""

from collections.abc import Callable
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ratings.systems.algorithms.round_robin import duel_changes, duels_by_place, surprises_of_duels
from ratings.systems.beliefs import Beliefs
from ratings.systems.contest import Contest, Entrants, RoundChanges
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
from ratings.systems.numerics.pair_sums import LOGISTIC
from ratings.systems.performance_model import PerformanceModel
from ratings.systems.situation import Situation, Surprises
from ratings.systems.system import Outcomes, RatingSystem, SigmaMeans

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]


@rating_system
class Kreimeier(RatingSystem):
    """Kreimeier: Elo with a temperature, around the mean of all players.

    Everyone who has competed belongs to the pool. Newcomers enter at its current mean, so the others' ratings keep
    their meaning when players come or go. Decay draws everyone in the pool towards the mean with the time since the
    pool's last contest: high ratings fall, low ratings rise, and the sum is unchanged. The change in a contest counts
    from the rating after the decay, and for newcomers from the mean.

    Contests are rated as in Elo: as the average of all duels, with teams at the mean of their members and the same
    change for each member. The sum of all ratings is unchanged, to rounding, whatever the sizes of the teams.
    Confidence is a second number (contests, days since the last one), never part of the rating.
    """

    name: ClassVar[str] = "kreimeier"
    list_order: ClassVar[int] = 110
    description: ClassVar[Description] = Description(
        title="Kreimeier",
        in_words=gettext_noop("the Kreimeier system"),
        good_for=gettext_noop(
            "For a closed club, with or without teams. New players start at the average, which never drifts. "
            "Ratings are displayed from 0 to 10,000."
        ),
        how=gettext_noop(
            "After each contest, a rating moves by how much better or worse the player did than expected; "
            "what one player wins, the others lose. New players start at the average of all players."
        ),
    )
    search_space: ClassVar[tuple[Dimension, ...]] = (
        Dimension("max_gain", 0.01, 5.0),
        Dimension("decay", choices=(0.0, 0.003, 0.01, 0.03, 0.1)),
    )
    rates_teams: ClassVar[bool] = True
    needs_pool: ClassVar[bool] = True
    sigma_means: ClassVar[SigmaMeans] = "nothing"
    default_mapping: ClassVar[str] = "fermi"

    temperature: float = rating_points(
        1.0,
        "Rating difference at which the stronger player is 2.718 times as likely to win; a low value "
        "makes small differences decisive.",
        minimum=1e-6,
    )
    max_gain: float = rating_points(
        1.0,
        "The most that one contest of weight 1 can move a rating.",
        minimum=1e-6,
    )
    decay: float = number(
        0.0,
        "In each period, a rating loses this share of its distance from the mean. Kreimeier’s example uses 0.1. Decay "
        "is off by default, because he prefers to show the confidence in a rating beside it.",
        minimum=0.0,
        maximum=1.0,
    )
    period_days: float = number(
        30.0,
        "Length of the decay period. Partial periods count in proportion.",
        unit="days",
        minimum=1e-3,
        maximum=1e6,
    )
    mu_noob: float = newcomers_mean(
        0.0, "Rating of the first players, when the pool is empty.", label="First players’ rating"
    )
    sig_noob: float = newcomers_deviation(
        1.0, "The system computes no uncertainty. Exports and the API give this number for every player."
    )

    @property
    def natural_temperature(self) -> float:
        """The rating difference that multiplies the odds by e, which Kreimeier calls the temperature."""
        return self.temperature

    def performance_model(self, mu: Floats, sigma: Floats) -> PerformanceModel:
        """Return Bradley-Terry performances, whose differences follow Kreimeier's Fermi function."""
        return PerformanceModel("gumbel", mu, np.full_like(mu, self.temperature))

    def surprises(self, situation: Situation) -> Surprises:
        """Return the duels with each entry: score minus expected score."""
        difference = situation.strength[situation.own] - situation.strength
        return surprises_of_duels(situation, expit(difference / self.temperature), self.max_gain)

    def outcomes_by_place(self, entrants: Entrants) -> Callable[[Indices], Outcomes]:
        """Return the outcomes by place: one win more or less per place."""
        # Entry and decay change the ratings before the contest, whatever its result; the engine computes them.
        changes = self.rate_round(entrants.beliefs.copy(), entrants.contest)
        assert changes is not None  # there are no ties
        mu, handicap = changes.mu_before, entrants.contest.handicap
        strength = mu if handicap is None else mu + handicap
        return duels_by_place(entrants, mu[0], expit((strength[0] - strength[1:]) / self.temperature), self.max_gain)

    def _rate(self, entrants: Entrants) -> RoundChanges:
        beliefs, players = entrants.beliefs, entrants.players
        pool = beliefs.count > 0
        newcomers = entrants.count == 0
        keeps = self._kept(beliefs, pool, entrants.contest)
        if pool.any() and (keeps < 1.0 or newcomers.any()):
            ratings = beliefs.mu[pool]
            # Sorted, so that the numbering of the players changes no bits.
            mean = float(np.add.reduce(np.sort(ratings)) / len(ratings))
            if keeps < 1.0:
                beliefs.mu[pool] = mean + keeps * (ratings - mean)
            beliefs.mu[players[newcomers]] = mean
            entrants.mu = beliefs.mu[players]
        changes = duel_changes(entrants.contest, entrants.strength, self.max_gain, LOGISTIC, self.temperature)
        return entrants.conclude(entrants.mu + changes, entrants.sigma)

    def _kept(self, beliefs: Beliefs, pool: NDArray[np.bool_], contest: Contest) -> float:
        """Return the share of the distance from the mean that remains after the time since the pool's last contest."""
        if self.decay == 0.0 or not pool.any():
            return 1.0
        last = float(beliefs.last_day[pool].max())
        if contest.day < last:
            raise ValueError(
                f"the contest of day {contest.day:g} comes after one of day {last:g} in the pool: "
                "rate contests in order of time"
            )
        return float((1.0 - self.decay) ** ((contest.day - last) / self.period_days))
