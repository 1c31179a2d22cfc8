"""TrueSkill: teams, draws and partial play.

Herbrich, Minka and Graepel, "TrueSkill: A Bayesian Skill Rating System", NIPS 2006. The performance of a team is the
sum of its members' performances. The performances of neighbouring places differ by more than a draw margin, those of
entries that share a place by at most the margin.

Inference on a chain needs an order of the entries that tie. Here the entry with the greater mean comes first, then the
one with the greater variance, so the order of rows does not matter. Entries that share a place and are equal in mean,
variance and size get the same result from the chain.

A game of two small sides is rated in one pass in closed form, with plain numbers, because in a game of a few players
arrays cost more time than they save.
"""

import functools
import math
from operator import mul
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from ratings.systems.algorithms.propagation import Chain, Sites
from ratings.systems.beliefs import Beliefs
from ratings.systems.contest import Contest, Entrants, RoundChanges
from ratings.systems.declarations import (
    INFERRED_TOGETHER,
    SAME_AS_ONE_PERFORMANCE,
    Description,
    Dimension,
    daily_drift,
    gettext_noop,
    newcomers_deviation,
    newcomers_mean,
    number,
    rating_points,
    rating_system,
)
from ratings.systems.numerics.truncation import above_one, site_above, site_within, within_one
from ratings.systems.performance_model import PerformanceModel
from ratings.systems.system import RatingSystem

Floats: TypeAlias = NDArray[np.float64]

# Arrays are faster for more players than this.
_FEW = 64
# The smallest variance of a team's performance, relative to the noise of one performance.
_LEAST_TOTAL = 1e-12
# The narrowest draw margin, in deviations of the difference.
_LEAST_DIFFERENCE_MARGIN = 1e-6
# The narrowest draw margin and the smallest deviation of a team, relative to the deviation of one performance.
_LEAST_MARGIN = 1e-6
# Relative to the same: entries with a smaller difference count as equal, so that rounding does not decide their order.
_ALIKE = 1e-9


@rating_system
class TrueSkill(RatingSystem):
    """TrueSkill, with draw margins by the sizes of teams. The public rating is the conservative mu - 3 sigma."""

    name: ClassVar[str] = "trueskill"
    list_order: ClassVar[int] = 60
    description: ClassVar[Description] = Description(
        title="TrueSkill",
        in_words=gettext_noop("TrueSkill"),
        good_for=gettext_noop(
            "For team games, games with draws, and games with a few players. New players’ displayed "
            "ratings rise as their uncertainty falls."
        ),
        how=gettext_noop(
            "After each contest, the estimate of every player’s skill follows from the order of finish of players "
            "or teams; ties count as draws, and an uncertain rating moves further than a settled one."
        ),
        adds_up=SAME_AS_ONE_PERFORMANCE,
        cannot_split=INFERRED_TOGETHER,
    )
    search_space: ClassVar[tuple[Dimension, ...]] = (
        Dimension("beta", 0.2, 5.0),
        Dimension("tau", 0.1, 20.0),
        Dimension("draw_probability", 0.05, 5.0),
    )
    # A first place meets one neighbour, so it leaves a larger deviation than a second place.
    is_monotone: ClassVar[bool] = False
    max_rated_places: ClassVar[int] = 250
    rates_teams: ClassVar[bool] = True
    teams_add_up: ClassVar[bool] = True
    rates_partial_play: ClassVar[bool] = True
    conservative_factor: ClassVar[float] = 3.0

    beta: float = rating_points(
        25.0 / 6.0,
        "Standard deviation of one performance around the skill, in a contest of weight 1; for weight W "
        "it is divided by the square root of W.",
    )
    tau: float = rating_points(
        25.0 / 300.0,
        "Standard deviation of the drift of a player’s skill before each contest.",
        minimum=0.0,
    )
    drift_per_day: float = daily_drift()
    draw_probability: float = number(
        0.10, "Probability that two equally skilled entries tie; it sets the draw margin.", minimum=0.0, maximum=0.999
    )
    mu_noob: float = newcomers_mean(25.0)
    sig_noob: float = newcomers_deviation(25.0 / 3.0)

    def performance_model(self, mu: Floats, sigma: Floats) -> PerformanceModel:
        """Return normal performances around the skills after the drift."""
        return PerformanceModel("normal", mu, np.sqrt(sigma * sigma + (self.tau * self.tau + self.beta * self.beta)))

    def match_model(self, mu: Floats, sigma: Floats) -> PerformanceModel:
        """Return performances around the current skills: the paper's match quality leaves out the drift."""
        return PerformanceModel("normal", mu, np.hypot(sigma, self.beta))

    def draw_margin(self, players: NDArray[np.int64]) -> Floats:
        """Return the draw margins of matches of this many players."""
        return self.beta * _unit_margin(self.draw_probability) * np.sqrt(players)

    def sigma_drifted(self, entrants: Entrants) -> Floats:
        """Return the deviations after the drift before the contest; days do not raise them above a newcomer's."""
        return np.sqrt(self._variance(entrants))

    @property
    def depends_on_activity(self) -> bool:
        """Whether deviations depend on the days since each player's last contest."""
        return self.drift_per_day > 0.0

    def _variance(self, entrants: Entrants) -> Floats:
        return entrants.variance_after(self.drift_per_day, self.sig_noob) + self.tau * self.tau

    def _rate_checked(self, beliefs: Beliefs, contest: Contest) -> RoundChanges:
        if contest.n_entries == 2 and len(contest) <= _FEW:
            noise, margin = self.beta * self.beta / contest.bounded_weight, _unit_margin(self.draw_probability)
            if self.drift_per_day:
                variances = self._variance(Entrants(beliefs, contest)).tolist()
            else:
                drift = self.tau * self.tau
                variances = [sigma * sigma + drift for sigma in beliefs.sigma[contest.players].tolist()]
            return rate_two_sides(beliefs, contest, variances, noise, margin)
        return self._rate(Entrants(beliefs, contest))

    def _rate(self, entrants: Entrants) -> RoundChanges:
        contest = entrants.contest
        variance = self._variance(entrants)
        beta = self.beta / math.sqrt(contest.bounded_weight)
        play = np.ones(len(contest)) if contest.play is None else contest.play
        teams = _Teams(contest, entrants.mu, variance, play, beta)
        evidence, moment = teams.evidence(beta * _unit_margin(self.draw_probability))
        evidence, moment, team = evidence[contest.entry], moment[contest.entry], teams.variance[contest.entry]
        total = 1.0 + evidence * team
        mu = entrants.mu + play * variance * moment / total
        # The variance of the team's performance without this player's skill.
        own = play * play
        rest = np.maximum(team - own * variance, own * (beta * beta))
        return entrants.conclude(mu, np.sqrt(variance * (1.0 + evidence * rest) / total))


def rate_two_sides(
    beliefs: Beliefs, contest: Contest, variances: list[float], noise: float, unit_margin: float
) -> RoundChanges:
    """Rate a game of two sides, won or drawn, updating ``beliefs`` in place.

    variances
        Of the skills after the drift before the contest, one for each row.
    noise
        Variance of one performance around the skill.
    unit_margin
        Draw margin divided by the root of the number of players, in deviations of a performance.

    Sums are exact before they are rounded, so the order of rows changes no bits.
    """
    players = contest.players
    if max(beliefs.last_day[players].tolist()) > contest.day:
        Entrants(beliefs, contest)  # raises ValueError
    mu_before, sigma_before, count = beliefs.mu[players], beliefs.sigma[players], beliefs.count[players]
    posterior = _partial_play if contest.play is not None else _duel if len(variances) == 2 else _full_play
    means, deviations = posterior(contest, mu_before.tolist(), variances, noise, unit_margin)
    mu, sigma = np.array(means), np.array(deviations)
    beliefs.mu[players], beliefs.sigma[players] = mu, sigma
    count += 1
    beliefs.count[players] = count
    beliefs.last_day[players] = contest.day
    performance, field = _constants(len(players))
    return RoundChanges(mu_before, sigma_before, mu, sigma, performance, contest.competition_ranks, field)


def _duel(
    contest: Contest, means: list[float], variances: list[float], noise: float, unit_margin: float
) -> tuple[list[float], list[float]]:
    """Return means and deviations after a game of one against one."""
    ours, theirs = variances
    total = ours + theirs + 2.0 * noise
    deviation, margin = math.sqrt(total), unit_margin * math.sqrt(2.0 * noise)
    if contest.group.item(0):  # the second row won
        shift, rest = _cut_difference(contest, means[1] - means[0] + _lead(contest), deviation, margin)
        shift = -shift
    else:
        shift, rest = _cut_difference(contest, means[0] - means[1] + _lead(contest), deviation, margin)
    step = shift / deviation
    moved = [means[0] + ours * step, means[1] - theirs * step]
    our_rest, their_rest = theirs + 2.0 * noise, ours + 2.0 * noise
    left = (
        math.sqrt(ours * ((our_rest + ours * rest) / total)),
        math.sqrt(theirs * ((their_rest + theirs * rest) / total)),
    )
    return moved, [*left]


def _full_play(
    contest: Contest, means: list[float], variances: list[float], noise: float, unit_margin: float
) -> tuple[list[float], list[float]]:
    """Return means and deviations after a game that everyone played in full."""
    signs = _side_signs(contest)
    performed = noise * len(means)
    total = math.fsum(variances) + performed
    deviation = math.sqrt(total)
    distance = math.fsum([*map(mul, signs, means), _lead(contest)])
    shift, rest = _cut_difference(contest, distance, deviation, unit_margin * math.sqrt(performed))
    step = shift / deviation
    moved = [mean + sign * variance * step for mean, sign, variance in zip(means, signs, variances, strict=False)]
    # Written so that a variance far above all others does not round to zero.
    left = [math.sqrt(v * ((max(total - v, noise) + v * rest) / total)) for v in variances]
    return moved, left


def _partial_play(
    contest: Contest, means: list[float], variances: list[float], noise: float, unit_margin: float
) -> tuple[list[float], list[float]]:
    """Return the same with shares of play, which are the weights of the members in the performance of the side."""
    assert contest.play is not None
    shares = [share * sign for share, sign in zip(contest.play.tolist(), _side_signs(contest), strict=True)]
    squares = [share * share for share in shares]
    total = max(math.fsum(map(mul, squares, variances)) + noise * math.fsum(squares), _LEAST_TOTAL * noise)
    deviation = math.sqrt(total)
    margin = unit_margin * math.sqrt(noise * len(means))
    distance = math.fsum([*map(mul, shares, means), _lead(contest)])
    shift, rest = _cut_difference(contest, distance, deviation, margin)
    moved, left = [], []
    for mean, variance, share, square in zip(means, variances, shares, squares, strict=True):
        own = square * variance
        moved.append(mean + share * variance * shift / deviation)
        left.append(math.sqrt(variance * ((max(total - own, square * noise) + own * rest) / total)))
    return moved, left


def _side_signs(contest: Contest) -> list[float]:
    """Return 1 for the rows of one side (the winner, if there is one), and -1 for those of the other."""
    sides = contest.entry if len(contest.group_sizes) == 1 else contest.group
    return [1.0 - 2.0 * side for side in sides.tolist()]


def _lead(contest: Contest) -> float:
    """Return the handicap of the first or winning side less that of the other, in rating points."""
    if contest.handicap is None:
        return 0.0
    sides = contest.entry if len(contest.group_sizes) == 1 else contest.group
    first, second = (contest.handicap.item(sides.tolist().index(side)) for side in (0, 1))
    return first - second


def _cut_difference(contest: Contest, distance: float, deviation: float, margin: float) -> tuple[float, float]:
    """Return the shift of the difference of the sides, in deviations, and the remaining share of its variance.

    distance
        The mean of the first or winning side minus that of the other.
    """
    if len(contest.group_sizes) == 1:
        return within_one(distance / deviation, max(margin / deviation, _LEAST_DIFFERENCE_MARGIN))
    return above_one((distance - margin) / deviation)


@functools.cache
def _constants(n: int) -> tuple[Floats, NDArray[np.int64]]:
    """Return the columns that are the same for all games of n players: performances (0) and entries (2)."""
    performance, field = np.zeros(n), np.full(n, 2)
    performance.flags.writeable = field.flags.writeable = False
    return performance, field


@functools.cache
def _unit_margin(draw_probability: float) -> float:
    """Return the draw margin divided by the root of the number of players, in deviations of a performance."""
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
        if contest.handicap is not None:
            self.mean += contest.entry_handicap  # once for a team, not for each member
        least = (_LEAST_MARGIN * beta) ** 2
        self.variance = np.maximum(np.bincount(entry, own, minlength=contest.n_entries), least)
        self.beta = beta
        self.group = np.empty(contest.n_entries, dtype=np.int64)
        self.group[contest.entry] = contest.group

    def evidence(self, unit_margin: float) -> tuple[Floats, Floats]:
        """Return the evidence about each entry's performance: precision, and precision times (mean - own mean).

        unit_margin
            Draw margin of two entries, divided by the root of their number of players.
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
        for column in chain.evidence():
            result = np.empty_like(column)
            result[order] = _shared(column, alike)
            results.append(result)
        return results[0], results[1]


def _cuts(margin: Floats, tied: NDArray[np.bool_]) -> Sites:
    """Return the sites of gaps between neighbouring entries: above the draw margin, or within it for ties."""
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
    """Return numbers that rise with the values and are equal for values that differ only by rounding."""
    order = np.argsort(values)
    number = np.empty(len(values), dtype=np.int64)
    number[order] = np.cumsum(np.diff(values[order], prepend=values[order[0]]) > tolerance)
    return number


def _shared(column: Floats, alike: NDArray[np.bool_]) -> Floats:
    """Return the column with each run of equal entries replaced by its mean."""
    starts = np.flatnonzero(np.concatenate([[True], ~alike]))
    lengths = np.diff(starts, append=len(column))
    return np.repeat(np.add.reduceat(column, starts) / lengths, lengths)
