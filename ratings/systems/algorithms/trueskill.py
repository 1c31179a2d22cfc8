"""TrueSkill: teams, draws and partial play.

Herbrich, Minka and Graepel, "TrueSkill: A Bayesian Skill Rating System", NIPS 2006. The performance of a team is the
sum of those of its members; neighbouring places differ by more than a draw margin, entries that share a place by at
most as much.

Inference on a chain needs an order of those who tie. Here the one with the greater mean comes first, then the one
of whom less is known, so the order of rows does not matter; entries alike in all that share a place share what the
chain tells them.
"""

import functools
import math
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from ratings.systems.algorithms.propagation import Chain, Sites
from ratings.systems.algorithms.two_sides import FEW, rate_two_sides
from ratings.systems.beliefs import Beliefs
from ratings.systems.contest import Contest, Entrants, RoundChanges
from ratings.systems.declarations import (
    INFERRED_TOGETHER,
    Dimension,
    Words,
    gettext_noop,
    newcomers_deviation,
    newcomers_mean,
    number,
    rating_system,
)
from ratings.systems.numerics.truncation import site_above, site_within
from ratings.systems.performance_model import PerformanceModel
from ratings.systems.system import RatingSystem

Floats: TypeAlias = NDArray[np.float64]

# Of the noise of one performance: no draw margin is narrower, and no team performs more exactly.
_LEAST_MARGIN = 1e-6
# Of the same: entries are alike whose means differ by less, so that rounding does not decide on their order.
_ALIKE = 1e-9


@rating_system
class TrueSkill(RatingSystem):
    """TrueSkill with draw margins by the sizes of teams; public is the conservative mu - 3 sigma."""

    name: ClassVar[str] = "trueskill"
    listed: ClassVar[int] = 60
    words: ClassVar[Words] = Words(
        title="TrueSkill",
        in_words=gettext_noop("TrueSkill"),
        good_for=gettext_noop(
            "Team games, games with draws, or games of a few players. New players climb as their rating "
            "becomes certain."
        ),
        how=gettext_noop(
            "After each contest, the estimate of every skill follows from the order of finish of players "
            "or teams; ties count as draws, and an uncertain rating moves further than a settled one."
        ),
        adds_up=INFERRED_TOGETHER,
    )
    searched: ClassVar[tuple[Dimension, ...]] = (
        Dimension("beta", 0.2, 5.0),
        Dimension("tau", 0.1, 20.0),
        Dimension("draw_probability", 0.05, 5.0),
    )
    predicts_teams: ClassVar[bool] = True
    most_rated: ClassVar[int] = 250
    rates_teams: ClassVar[bool] = True
    teams_add_up: ClassVar[bool] = True
    rates_partial_play: ClassVar[bool] = True
    careful_factor: ClassVar[float] = 3.0

    beta: float = number(
        25.0 / 6.0,
        "Standard deviation of one performance around the skill, in a contest of weight 1; for weight W "
        "it is divided by the square root of W.",
        unit="rating points",
        minimum=1e-3,
        maximum=1e6,
    )
    tau: float = number(
        25.0 / 300.0,
        "Standard deviation of the drift of a skill before each contest.",
        unit="rating points",
        minimum=0.0,
        maximum=1e6,
    )
    draw_probability: float = number(
        0.10, "Probability that two equally skilled entries tie; it sets the draw margin.", minimum=0.0, maximum=0.999
    )
    mu_noob: float = newcomers_mean(25.0)
    sig_noob: float = newcomers_deviation(25.0 / 3.0)

    def performance_model(self, mu: Floats, sigma: Floats) -> PerformanceModel:
        """Normal performances around skills that have drifted."""
        return PerformanceModel("normal", mu, np.sqrt(sigma * sigma + (self.tau * self.tau + self.beta * self.beta)))

    def sigma_drifted(self, entrants: Entrants) -> Floats:
        """Return the deviations after the drift before the contest."""
        return np.hypot(entrants.sigma, self.tau)

    def _rate_checked(self, beliefs: Beliefs, contest: Contest) -> RoundChanges:
        if contest.n_entries == 2 and len(contest) <= FEW:
            noise = self.beta * self.beta / contest.bounded_weight
            return rate_two_sides(beliefs, contest, noise, self.tau * self.tau, _unit_margin(self.draw_probability))
        return self._rate(Entrants(beliefs, contest))

    def _rate(self, entrants: Entrants) -> RoundChanges:
        contest = entrants.contest
        variance = entrants.sigma * entrants.sigma + self.tau * self.tau
        beta = self.beta / math.sqrt(contest.bounded_weight)
        play = np.ones(len(contest)) if contest.play is None else contest.play
        teams = _Teams(contest, entrants.mu, variance, play, beta)
        told, moment = teams.told(beta * _unit_margin(self.draw_probability))
        told, moment, team = told[contest.entry], moment[contest.entry], teams.variance[contest.entry]
        heard = 1.0 + told * team
        mu = entrants.mu + play * variance * moment / heard
        # What the team's performance varies by without this player's skill.
        own = play * play
        rest = np.maximum(team - own * variance, own * (beta * beta))
        return entrants.conclude(mu, np.sqrt(variance * (1.0 + told * rest) / heard))


@functools.cache
def _unit_margin(draw_probability: float) -> float:
    """Draw margin of one player against nobody, in deviations of a performance."""
    return float(ndtri(0.5 * (draw_probability + 1.0)))


class _Teams:
    """The entries of one contest, each with the mean and variance of its performance; shape (n_entries,)."""

    def __init__(self, contest: Contest, mu: Floats, variance: Floats, play: Floats, beta: float) -> None:
        # Sums run in an order of values, so the order of the rows changes no bits.
        order = np.lexsort((play, variance, mu))
        entry, share = contest.entry[order], play[order]
        own = (share * share) * (variance[order] + beta * beta)
        self.size = np.bincount(entry, minlength=contest.n_entries)
        self.mean: Floats = np.bincount(entry, share * mu[order], minlength=contest.n_entries).astype(np.float64)
        least = (_LEAST_MARGIN * beta) ** 2
        self.variance = np.maximum(np.bincount(entry, own, minlength=contest.n_entries), least)
        self.beta = beta
        self.group = np.empty(contest.n_entries, dtype=np.int64)
        self.group[contest.entry] = contest.group

    def told(self, unit_margin: float) -> tuple[Floats, Floats]:
        """Return what the places say of each entry's performance: precision, and precision times (mean - own mean).

        unit_margin
            Draw margin of two entries over the root of their players' number.
        """
        alike_mean = _classes(self.mean, _ALIKE * self.beta)
        alike_variance = _classes(self.variance, _ALIKE * self.beta * self.beta)
        order = np.lexsort((-self.variance, -self.mean, self.size, -alike_variance, -alike_mean, self.group))
        mean, variance, group, size = self.mean[order], self.variance[order], self.group[order], self.size[order]
        margin = np.maximum(unit_margin * np.sqrt(size[:-1] + size[1:]), _LEAST_MARGIN * np.sqrt(variance[:-1]))
        tied = group[:-1] == group[1:]
        alike = tied.copy()
        for kind in (alike_mean[order], alike_variance[order], size):
            alike &= kind[:-1] == kind[1:]
        chain = Chain(1.0 / variance, mean)
        chain.propagate(_cuts(margin, tied))
        results = []
        for column in chain.told():
            result = np.empty_like(column)
            result[order] = _shared(column, alike)
            results.append(result)
        return results[0], results[1]


def _cuts(margin: Floats, tied: NDArray[np.bool_]) -> Sites:
    """Return what the gaps between neighbouring entries are cut to: beyond the margin, or within it where they tie."""
    decided = ~tied

    def sites(mean: Floats, variance: Floats) -> tuple[Floats, Floats]:
        if not tied.any():
            return site_above(mean, variance, margin)
        precision, offset = np.empty_like(mean), np.empty_like(mean)
        precision[decided], offset[decided] = site_above(mean[decided], variance[decided], margin[decided])
        precision[tied], offset[tied] = site_within(mean[tied], variance[tied], margin[tied])
        return precision, offset

    return sites


def _classes(values: Floats, tolerance: float) -> NDArray[np.int64]:
    """Numbers, rising with the values, that are the same for values which differ by rounding alone."""
    order = np.argsort(values)
    number = np.empty(len(values), dtype=np.int64)
    number[order] = np.cumsum(np.diff(values[order], prepend=values[order[0]]) > tolerance)
    return number


def _shared(column: Floats, alike: NDArray[np.bool_]) -> Floats:
    """Return the column with runs of entries that are alike at their mean."""
    starts = np.flatnonzero(np.concatenate([[True], ~alike]))
    lengths = np.diff(starts, append=len(column))
    return np.repeat(np.add.reduceat(column, starts) / lengths, lengths)
