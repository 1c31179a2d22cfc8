"""A two-player game as plain numbers.

In a two-player game, arrays cost far more time than they save: NumPy needs about as long for two numbers as for a
thousand. So a ``DuelSystem`` rates such a game with plain numbers, wherever it comes from (a replay, an append, a
preview), and its bits never depend on how it arrived. The formulas are those of ``_rate``, and tests compare both.

Everything here has one element for each row of the contest. Each sum has two terms, so the order of the rows changes
no bits.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ratings.systems.contest import Entrants, RoundChanges

if TYPE_CHECKING:
    from ratings.systems.beliefs import Beliefs
    from ratings.systems.contest import Contest

Pair: TypeAlias = tuple[float, float]

_NO_PERFORMANCE, _FIELD = np.zeros(2), np.full(2, 2)
_NO_PERFORMANCE.flags.writeable = _FIELD.flags.writeable = False


class Duel:
    """The two players of a contest with ``is_duel``, and the beliefs about them before it.

    mu, sigma
        In rating points.
    strength
        The means with the handicaps: what predictions count, in rating points.
    count
        Rated contests so far.
    idle
        Days since each player's last contest; 0 for newcomers.
    score
        1 for the winner, 0 for the loser, 0.5 for both in a draw.

    Raises ValueError for a contest earlier than a player's last one.
    """

    __slots__ = (
        "beliefs", "contest", "count", "idle", "mu", "mu_before", "rows", "score", "sigma", "sigma_before", "strength",
    )  # fmt: skip

    def __init__(self, beliefs: Beliefs, contest: Contest) -> None:
        players, day = contest.players, contest.day
        self.beliefs, self.contest = beliefs, contest
        self.mu_before, self.sigma_before = beliefs.mu[players], beliefs.sigma[players]
        self.mu, self.sigma = self.mu_before.tolist(), self.sigma_before.tolist()
        self.strength: list[float] = (
            self.mu if contest.handicap is None else (self.mu_before + contest.handicap).tolist()
        )
        self.rows: list[int] = players.tolist()
        one, other = beliefs.count[players].tolist()
        last, others_last = beliefs.last_day[players].tolist()
        idle = day - last if one else 0.0, day - others_last if other else 0.0
        if idle[0] < 0.0 or idle[1] < 0.0:
            Entrants(beliefs, contest)  # raises ValueError
        self.count, self.idle = (one, other), idle
        place, others_place = contest.group.tolist()
        self.score: Pair = 0.5 * (1 + others_place - place), 0.5 * (1 + place - others_place)

    def sigma_after(self, drift_per_day: float, limit: float) -> list[float]:
        """Return the deviations after the days since each player's last contest (``Entrants.variance_after``)."""
        if drift_per_day == 0.0:
            return self.sigma
        variances = [sigma * sigma for sigma in self.sigma]
        return [
            math.sqrt(max(variance, min(variance + drift_per_day * idle, limit * limit)))
            for variance, idle in zip(variances, self.idle, strict=True)
        ]

    def without_handicap(self, one: float, other: float) -> Pair:
        """Return performances without the players' advantages, limited by the ceiling."""
        ceiling, handicap = self.contest.perf_ceiling, self.contest.handicap
        if handicap is not None:
            one, other = one - handicap.item(0), other - handicap.item(1)
        return min(one, ceiling), min(other, ceiling)

    def conclude(self, mu: Pair, sigma: Pair, performance: Pair | None = None) -> RoundChanges:
        """Store the new values that all systems keep in the beliefs, and return the changes.

        Without performances (rating points) they are reported as 0.
        """
        beliefs, contest = self.beliefs, self.contest
        for row, player in enumerate(self.rows):
            beliefs.mu[player], beliefs.sigma[player] = mu[row], sigma[row]
            beliefs.count[player] = self.count[row] + 1
            beliefs.last_day[player] = contest.day
        shown = _NO_PERFORMANCE if performance is None else np.array(performance)
        return RoundChanges(
            self.mu_before, self.sigma_before, np.array(mu), np.array(sigma), shown, contest.competition_ranks, _FIELD
        )
