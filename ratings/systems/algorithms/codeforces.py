"""Codeforces' system of 2015, as its author described it and the Elo-MMR paper compares it (sections 1 and 6)."""

import math
from collections.abc import Callable
from typing import ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ratings.systems.contest import Contest, Entrants, RoundChanges
from ratings.systems.declarations import (
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
from ratings.systems.duel import Duel, Pair
from ratings.systems.numerics.logistic_sums import LogisticSum, logistic_table, table_knots
from ratings.systems.numerics.pair_sums import HermiteTable
from ratings.systems.numerics.roots import find_roots
from ratings.systems.performance_model import PerformanceModel
from ratings.systems.situation import Situation, Surprises
from ratings.systems.system import DuelSystem, Outcomes, SigmaMeans

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

# Up to this many pairs of a player and a distinct rating, summing all pairs is cheaper than a table.
_ALL_PAIRS = 4_000
_LEAST_MAX_KNOTS = 4_096
# In units of the scale; after the last step the error is about its cube.
_TOLERANCE = 1e-4
# Beyond this many units of the scale, a distance only shifts performances. Its hyperbolic cosine is still finite.
_FAR = 700.0


@rating_system
class Codeforces(DuelSystem):
    """Codeforces: the performance is at a rank between the actual and the expected rank.

    All performances have the same deviation, so a rating is one number; the deviation of the beliefs never changes.
    The performance is the rating at which the geometric mean of actual and expected rank would be expected. An extreme
    result moves a rating without bound. Of players with equal ratings, those who place better perform better; an
    outsider's place counts less than a favourite's.

    Inflation control applies the site's two corrections: all changes are shifted so that their sum is -n, and then by
    at most 10 more points, so that the 4 sqrt(n) players with the highest ratings before the contest gain nothing as a
    group. If players with equal ratings are at the border of this group, each of them counts in equal part.
    """

    name: ClassVar[str] = "codeforces"
    list_order: ClassVar[int] = 40
    description: ClassVar[Description] = Description(
        title="Codeforces",
        in_words=gettext_noop("the Codeforces system"),
        good_for=gettext_noop("Ratings like those on Codeforces. They react quickly, even to a lucky day."),
        how=gettext_noop(
            "After each contest, a rating moves towards the rating at which this place would have been "
            "expected in this field."
        ),
        adds_up=MEAN_WITH_PERFORMANCE,
    )
    search_space: ClassVar[tuple[Dimension, ...]] = (
        Dimension("weight", 0.05, 5.0),
        Dimension("inflation_control", choices=(False, True)),
    )
    remainder_kind: ClassVar[Literal["limit", "pool"]] = "pool"
    max_rated_places: ClassVar[int] = 1000
    has_performance: ClassVar[bool] = True
    sigma_means: ClassVar[SigmaMeans] = "nothing"

    scale: float = rating_points(
        400.0,
        "Rating difference at which the stronger player is ten times as likely to win.",
    )
    weight: float = number(
        1.0,
        "How much the performance counts relative to the rating in a contest of weight 1; a higher value moves "
        "ratings faster.",
        minimum=1e-6,
        maximum=1e6,
    )
    inflation_control: bool = flag(
        False, "Correct for inflation of the whole pool and of its best players, as Codeforces does."
    )
    mu_noob: float = newcomers_mean(description="Rating of a new player.")
    sig_noob: float = newcomers_deviation(
        description="Codeforces computes no uncertainty. Exports and the API give this number for every player."
    )

    def performance_model(self, mu: Floats, sigma: Floats) -> PerformanceModel:
        """Return Bradley-Terry performances, whose differences follow the logistic curve of the scale."""
        return PerformanceModel("gumbel", mu, np.full_like(mu, self.scale / math.log(10.0)))

    def performance_share(self, situation: Situation) -> float:
        """Return the weight of the performance in the new rating."""
        return self._share(situation.contest)

    def surprises(self, situation: Situation) -> Surprises:
        """Return expected minus actual place, opponent by opponent; half of the sum moves the performance."""
        scale = self._scale(situation.contest)
        strength = situation.entrants.strength
        expected = expit((strength[situation.row] - strength) / scale)
        slope = float(np.add.reduce(expected * (1.0 - expected))) / scale
        return Surprises(situation.score - expected, 0.5 / slope)

    @property
    def has_fast_forecast(self) -> bool:
        """Whether outcomes are independent of the others' places: true without inflation control."""
        return not self.inflation_control

    def outcomes_by_place(self, entrants: Entrants) -> Callable[[Indices], Outcomes] | None:
        """Return the outcomes by place, from the geometric mean of each place and the expected rank."""
        if not self.has_fast_forecast:
            return None
        mu, strength, n, scale = entrants.mu, entrants.strength, len(entrants), self._scale(entrants.contest)
        lowest = float(strength.min())
        centres = np.sort((strength - lowest) / scale)
        own, reach = (float(strength[0]) - lowest) / scale, 1.0 + math.log(2.0 * n)
        field = rank_curve(centres, reach)
        expected = 0.5 + float(field(np.array([own]))[0][0])
        share, advantage = self._share(entrants.contest), float(strength[0] - mu[0])

        def outcomes(places: Indices) -> Outcomes:
            target = np.clip(np.sqrt(places * expected) - 0.5, 0.5, n - 0.5)

            def equations(points: Floats) -> tuple[Floats, Floats, Floats]:
                value, slope, curvature = field(points)
                return target - value, -slope, -curvature

            lower, upper = np.full(len(places), -reach), np.full(len(places), centres[-1] + reach)
            roots = find_roots(equations, lower, upper, np.full(len(places), own), tolerance=_TOLERANCE)
            performance = np.minimum(lowest + scale * roots - advantage, entrants.contest.perf_ceiling)
            return mu[0] + share * (performance - mu[0]), np.full(len(places), entrants.sigma[0]), performance

        return outcomes

    def _scale(self, contest: Contest) -> float:
        """Return the scale of the curve in a contest of this weight, in rating points."""
        return self.scale / (math.log(10.0) * math.sqrt(contest.bounded_weight))

    def _share(self, contest: Contest) -> float:
        """Return the weight of the performance in the new rating, 0 to 1."""
        return contest.bounded_weight * self.weight / (1.0 + contest.bounded_weight * self.weight)

    def _rate(self, entrants: Entrants) -> RoundChanges:
        contest, mu = entrants.contest, entrants.mu
        actual = contest.competition_ranks + 0.5 * (contest.group_sizes[contest.group] - 1)
        performance = contest.without_handicap(_performances(entrants.strength, actual, self._scale(contest)))
        changes = self._share(contest) * (performance - mu)
        if self.inflation_control:
            changes = _without_inflation(mu, changes)
        return entrants.conclude(mu + changes, entrants.sigma, performance)

    def _rate_duel(self, duel: Duel) -> RoundChanges:
        (one, other), share = duel.mu, self._share(duel.contest)
        performance = _duel_performances(duel, self._scale(duel.contest))
        gain, others_gain = share * (performance[0] - one), share * (performance[1] - other)
        if self.inflation_control:
            # Both players are among the highest rated, who together lose 2 points already.
            mean = 0.5 * (gain + others_gain)
            gain, others_gain = gain - 1.0 - mean, others_gain - 1.0 - mean
        return duel.conclude((one + gain, other + others_gain), (duel.sigma[0], duel.sigma[1]), performance)


def _duel_performances(duel: Duel, scale: float) -> Pair:
    """Return the performances in a two-player game, whose equation has a solution in closed form.

    With c = 2 cosh(half the distance of the ratings), in units of the scale, the curve takes the value t at the
    logarithm of the positive root of t w^2 + (t - 1) c w + t - 2 above the mean of the ratings.
    """
    one, other = duel.strength
    mean, half = 0.5 * (one + other), 0.5 * (one - other) / scale
    near = min(abs(half), _FAR)
    both, beyond, lead = 2.0 * math.cosh(near), abs(half) - near, 0.5 * math.tanh(half)

    def performance(score: float, expected: float) -> float:
        target = min(max(math.sqrt((2.0 - score) * expected) - 0.5, 0.5), 1.5)
        linear = abs(1.0 - target) * both
        root = linear + math.hypot(linear, 2.0 * math.sqrt(target * (2.0 - target)))
        distance = math.log(0.5 * root / min(target, 2.0 - target))
        if target != 1.0:
            distance += beyond
        return mean + math.copysign(scale * distance, 1.0 - target)

    return duel.without_handicap(performance(duel.score[0], 1.5 - lead), performance(duel.score[1], 1.5 + lead))


def _performances(mu: Floats, actual: Floats, scale: float) -> Floats:
    """Return the rating at which the geometric mean of actual and expected rank would be expected, shape (n,).

    The equations are in units of the scale above the lowest rating, so that a common offset costs no digits. The sum
    over the field runs in ascending order of rating, so the order of the rows changes no bits.
    """
    order = np.argsort(mu)
    centres = (mu[order] - mu[order[0]]) / scale
    # At the middle of the best place a player is expected to beat all but half a player, and vice versa at the worst.
    reach = 1.0 + math.log(2.0 * len(mu))
    field = rank_curve(centres, reach)
    expected = 0.5 + field(centres)[0]
    target = np.clip(np.sqrt(actual[order] * expected) - 0.5, 0.5, len(mu) - 0.5)

    def equations(points: Floats) -> tuple[Floats, Floats, Floats]:
        value, slope, curvature = field(points)
        return target - value, -slope, -curvature

    lower, upper = np.full(len(mu), -reach), np.full(len(mu), centres[-1] + reach)
    start = field.inverse(target) if isinstance(field, HermiteTable) else centres
    performance = np.empty_like(mu)
    roots = find_roots(equations, lower, upper, start, tolerance=_TOLERANCE)
    performance[order] = mu[order[0]] + scale * roots
    return performance


def rank_curve(centres: Floats, reach: float) -> HermiteTable | LogisticSum:
    """Return the expected number of players who beat someone, as a function of the rating; centres ascend."""
    fresh = np.flatnonzero(np.diff(centres, prepend=-1.0))
    pairs = len(centres) * len(fresh)
    if pairs > _ALL_PAIRS and table_knots(centres, reach) <= max(_LEAST_MAX_KNOTS, len(centres)):
        return logistic_table(centres, reach)
    number = np.diff(fresh, append=len(centres)).astype(np.float64)
    return LogisticSum(centres[fresh], np.ones(len(fresh)), number)


def _without_inflation(mu: Floats, changes: Floats) -> Floats:
    """Return changes with the site's corrections for all players and for the highest rated, in rating points."""
    n = len(mu)
    order = np.lexsort((changes, -mu))
    changes = changes - 1.0 - np.add.reduce(changes[order]) / n
    best = min(n, round(4.0 * math.sqrt(n)))
    descending, last = changes[order], mu[order[best - 1]]
    above, down_to = int((mu > last).sum()), int((mu >= last).sum())
    tied = np.add.reduce(descending[above:down_to]) / (down_to - above)
    gain = float(np.add.reduce(descending[:above]) + (best - above) * tied)
    corrected: Floats = changes + min(max(-gain / best, -10.0), 0.0)
    return corrected
