"""TrueSkill for contests of many places, in the form that the Elo-MMR paper compares with.

Nikolenko and Sirotkin, "Extensions of the TrueSkill rating system", 2010. Each place has a level with a flat prior.
All players who share the place perform within ``epsilon`` of its level, and the levels of neighbouring places are at
least twice ``epsilon`` apart. Inference is expectation propagation. Such a narrow window is replaced by noise with the
variance of a uniform distribution on it, which moves no performance by more than ``epsilon``.
"""

import math
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.algorithms.propagation import Chain, known_from_before
from ratings.systems.contest import Entrants, RoundChanges
from ratings.systems.declarations import (
    COMPARED,
    INFERRED_TOGETHER,
    SAME_AS_ONE_PERFORMANCE,
    Description,
    Dimension,
    flag,
    gettext_noop,
    newcomers_deviation,
    newcomers_mean,
    rating_points,
    rating_system,
)
from ratings.systems.numerics.truncation import above, site_above
from ratings.systems.performance_model import PerformanceModel
from ratings.systems.system import RatingSystem

Floats: TypeAlias = NDArray[np.float64]

# Relative: sweeps end when the gap changes by less. The authors stop at 1e-4 points or after 42 sweeps.
_TOLERANCE = 1e-12
_MOST_SWEEPS = 200
# From this sweep on, gaps move only half of the way, so that none oscillates forever.
_DAMPED_FROM = 50


@rating_system
class TrueSkillSPb(RatingSystem):
    """TrueSkill with levels, for thousands of distinct places.

    By default it computes the same as the implementation of the paper's authors, which produced the paper's figures.
    There, all gaps between neighbouring places use the message about the gap between the top two places, and the
    information about that gap counts twice before the truncation. So the middle of a large field learns little.
    ``own_gaps`` is the model without these two deviations.
    """

    name: ClassVar[str] = "trueskill-spb"
    list_order: ClassVar[int] = 70
    description: ClassVar[Description] = Description(
        title="TrueSkill (St. Petersburg)",
        in_words=gettext_noop("TrueSkill (St. Petersburg)"),
        good_for=gettext_noop(
            "TrueSkill for contests with hundreds of places. By default, ratings in the middle of a large field hardly "
            "change."
        ),
        how=COMPARED,
        adds_up=SAME_AS_ONE_PERFORMANCE,
        cannot_split=INFERRED_TOGETHER,
    )
    search_space: ClassVar[tuple[Dimension, ...]] = (
        Dimension("beta", 0.02, 5.0),
        Dimension("tau", 0.02, 2.0),
        Dimension("epsilon", 0.1, 50.0),
    )
    is_monotone: ClassVar[bool] = False
    max_rated_places: ClassVar[int] = 120
    conservative_factor: ClassVar[float] = 3.0

    epsilon: float = rating_points(
        1.0,
        "For players who share a place: how far their performances may differ from the level of that place.",
        minimum=1e-6,
        maximum=1e3,
    )
    beta: float = rating_points(
        175.0,
        "Standard deviation of one performance around the skill, in a contest of weight 1; for weight W "
        "it is divided by the square root of W.",
    )
    tau: float = rating_points(
        35.0,
        "Standard deviation of the drift of a player’s skill before each contest.",
        minimum=0.0,
    )
    own_gaps: bool = flag(
        False,
        "Infer each gap between neighbouring places separately. Otherwise, Podium uses its estimate of the "
        "gap between the top two places for all gaps, as the authors’ implementation does.",
    )
    mu_noob: float = newcomers_mean()
    sig_noob: float = newcomers_deviation()

    def performance_model(self, mu: Floats, sigma: Floats) -> PerformanceModel:
        """Return normal performances around the skills after the drift."""
        return PerformanceModel("normal", mu, np.sqrt(sigma * sigma + (self.tau * self.tau + self.beta * self.beta)))

    def sigma_drifted(self, entrants: Entrants) -> Floats:
        """Return the deviations after the drift before the contest."""
        return np.hypot(entrants.sigma, self.tau)

    def _rate(self, entrants: Entrants) -> RoundChanges:
        weight = entrants.contest.bounded_weight
        noise = self.beta * self.beta / weight + self.epsilon * self.epsilon / 3.0
        variance = entrants.sigma * entrants.sigma + self.tau * self.tau
        places = _Places(entrants, 1.0 / (variance + noise))
        if len(places.sizes) > 1:  # if all tie, there is no gap to truncate
            self._cut_gaps(places.chain)
        evidence, moment = places.evidence_for_each()
        posterior = 1.0 / (1.0 / variance + evidence / (1.0 + noise * evidence))
        mu = entrants.mu + posterior * moment / (1.0 + noise * evidence)
        return entrants.conclude(mu, np.sqrt(posterior))

    def _cut_gaps(self, chain: Chain) -> None:
        if self.own_gaps:
            chain.propagate(lambda gap, spread: site_above(gap, spread, 2.0 * self.epsilon))
        else:
            _share_best_gap(chain, 2.0 * self.epsilon)


class _Places:
    """The levels of the places of one contest, best first, and the evidence of the performances about them.

    share
        The precision of each entrant's performance as evidence about the level, shape (n,).
    """

    def __init__(self, entrants: Entrants, share: Floats) -> None:
        self.mu, self.share = entrants.strength, share
        self.place, self.sizes = entrants.contest.group, entrants.contest.group_sizes
        # Sums run in an order of values, so the order of the rows changes no bits.
        order = np.lexsort((share, self.mu, self.place))
        starts = np.cumsum(self.sizes) - self.sizes
        precision = np.add.reduceat(share[order], starts)
        self.chain = Chain(precision, np.add.reduceat((share * self.mu)[order], starts) / precision)

    def evidence_for_each(self) -> tuple[Floats, Floats]:
        """Return the evidence of all other entrants about the level of each entrant's place.

        The result has the precision, and precision times (mean - the entrant's own mean), shape (n,).
        """
        precision, mean = self.chain.precision[self.place], self.chain.mean[self.place]
        evidence, moment = (column[self.place] for column in self.chain.evidence())
        alone = (self.sizes == 1)[self.place]
        distance = self.mu - mean
        evidence += np.where(alone, 0.0, np.maximum(precision - self.share, 0.0))
        moment -= np.where(alone, 0.0, self.share * distance)
        return evidence, moment - evidence * distance


def _share_best_gap(chain: Chain, edge: float) -> None:
    """Use the message about the gap between the best two levels for all gaps, by iteration to a fixed point."""
    best, best_mean = float(chain.precision[0]), float(chain.mean[0])
    precision, mean = chain.precision[:0:-1], chain.mean[:0:-1]
    ones = np.ones(len(mean) - 1)
    known, gap_precision, gap_mean = precision, 0.0, 0.0
    for sweep in range(_MOST_SWEEPS):
        known, predicted = known_from_before(precision, mean, gap_precision * ones, gap_mean * ones, guess=known)
        variance = 1.0 / best + 1.0 / float(known[-1])
        # The information about the gap counts twice, so the variance is halved.
        deviation = math.sqrt(0.5 * variance)
        cut = above(np.array([(best_mean - float(predicted[-1]) - edge) / deviation]))
        shift, excess, rest = (float(part[0]) for part in cut)
        step = 1.0 if sweep < _DAMPED_FROM else 0.5
        change = (2.0 - rest) / (rest * variance) - gap_precision
        gap_precision += step * change
        gap_mean += step * (edge + deviation * (excess + shift * rest / (2.0 - rest)) - gap_mean)
        if abs(change) <= _TOLERANCE * gap_precision or not len(ones):
            break
    chain.gap_precision[:], chain.gap_mean[:] = gap_precision, gap_mean
    chain.update()
