"""TrueSkill for contests of many places, in the form of Sirotkin and Nikolenko that the Elo-MMR paper compares with.

Nikolenko and Sirotkin, "Extensions of the TrueSkill rating system", 2010. Each place has a level of which nothing is
known beforehand. All who share the place perform within ``epsilon`` of its level, and levels of neighbouring places
are at least twice ``epsilon`` apart. Inference is expectation propagation; a window so narrow acts as noise of the
variance of a uniform distribution on it.
"""

import math
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.belief import Beliefs, RoundChanges
from ratings.systems.chain import carried_over, known_from_before
from ratings.systems.parameters import number, rating_system
from ratings.systems.performance_model import PerformanceModel
from ratings.systems.system import Entrants, RatingSystem
from ratings.systems.truncation import above

Floats: TypeAlias = NDArray[np.float64]

# Weights beyond these change nothing that double precision could show.
_LEAST_WEIGHT, _GREATEST_WEIGHT = 1e-30, 1e30
# Relative: sweeps end when the gap moves by less. The authors stop at 1e-4 points or after 42 sweeps.
_TOLERANCE = 1e-12
_MOST_SWEEPS = 200
# From this sweep on each goes half the way only, so that no gap swings for ever.
_DAMPED_FROM = 50


@rating_system
class TrueSkillSPb(RatingSystem):
    """TrueSkill with levels, for thousands of distinct places.

    It computes what the paper authors' own implementation does, whose figures are those of the paper: the gaps between
    all neighbouring places carry the message of one, that between the best two, and that message counts what is known
    of the gap twice when it is cut off.
    """

    name: ClassVar[str] = "trueskill-spb"

    epsilon: float = number(
        1.0,
        "Half the width of the window around the level of a place in which those who share it perform.",
        unit="rating points",
        minimum=1e-6,
        maximum=1e6,
    )
    beta: float = number(
        175.0,
        "Deviation of one performance around the skill, in a contest of weight 1; "
        "with weight W it is divided by the square root of W.",
        unit="rating points",
        minimum=1e-3,
        maximum=1e6,
    )
    tau: float = number(
        35.0, "Deviation of the drift of a skill before each contest.", unit="rating points", minimum=0.0, maximum=1e6
    )
    mu_noob: float = number(
        1500.0, "Mean of the belief on a newcomer.", unit="rating points", minimum=-1e9, maximum=1e9
    )
    sig_noob: float = number(
        350.0, "Deviation of the belief on a newcomer.", unit="rating points", minimum=1e-3, maximum=1e6
    )

    def new_beliefs(self, n_players: int) -> Beliefs:
        """Beliefs on players of whom nothing is known."""
        return Beliefs(n_players, self.mu_noob, self.sig_noob)

    def performance_model(self, mu: Floats, sigma: Floats) -> PerformanceModel:
        """Normal performances around skills that have drifted."""
        return PerformanceModel("normal", mu, np.sqrt(sigma * sigma + (self.tau * self.tau + self.beta * self.beta)))

    def _rate(self, entrants: Entrants) -> RoundChanges:
        weight = min(max(entrants.contest.weight, _LEAST_WEIGHT), _GREATEST_WEIGHT)
        noise = self.beta * self.beta / weight + self.epsilon * self.epsilon / 3.0
        variance = entrants.sigma * entrants.sigma + self.tau * self.tau
        places = _Places(entrants, 1.0 / (variance + noise))
        mean, precision = places.levels_without_each(self.epsilon)
        known = precision / (1.0 + noise * precision)
        posterior = 1.0 / (1.0 / variance + known)
        mu = entrants.mu + posterior * known * (mean - entrants.mu)
        return entrants.conclude(mu, np.sqrt(posterior))


class _Places:
    """The levels of the places of one contest, worst first, and what performances say of them.

    share
        The precision with which each entrant's performance tells the level, shape (n,).
    precision, mean
        What all performances at a place say of its level, shape (number of places,).
    """

    def __init__(self, entrants: Entrants, share: Floats) -> None:
        contest = entrants.contest
        self.mu, self.share, self.sizes = entrants.mu, share, contest.group_sizes[::-1]
        self.place = len(self.sizes) - 1 - contest.group
        # Sums run in an order of values, so the order of the rows changes no bits.
        order = np.lexsort((share, self.mu, self.place))
        starts = np.cumsum(self.sizes) - self.sizes
        self.precision = np.add.reduceat(share[order], starts)
        self.mean = np.add.reduceat((share * self.mu)[order], starts) / self.precision

    def levels_without_each(self, epsilon: float) -> tuple[Floats, Floats]:
        """Mean and precision of the level of each entrant's place, given all performances but this one's own."""
        gap_precision, gap_mean = self._gap(epsilon)
        links = np.full(len(self.sizes) - 1, gap_precision), np.full(len(self.sizes) - 1, gap_mean)
        precision, mean = known_from_before(self.precision, self.mean, *links)
        below, below_offset = self._carried(precision, mean + gap_mean, gap_precision)
        precision, mean = known_from_before(self.precision[::-1], self.mean[::-1], links[0], -links[1])
        above, above_offset = self._carried(precision, mean - gap_mean, gap_precision, backwards=True)
        neighbours, moment = below + above, below * below_offset + above * above_offset
        alone = (self.sizes == 1)[self.place]
        others = np.where(alone, 0.0, np.maximum(self.precision[self.place] - self.share, 0.0))
        own = np.where(alone, 0.0, self.share * (self.mu - self.mean[self.place]))
        total = others + neighbours[self.place]
        return self.mean[self.place] + (moment[self.place] - own) / total, total

    def _carried(
        self, precision: Floats, predicted: Floats, gap_precision: float, *, backwards: bool = False
    ) -> tuple[Floats, Floats]:
        """What comes to each level over the gap on one side: its precision, and its mean relative to the level's."""
        carried, offset = np.zeros(len(self.sizes)), np.zeros(len(self.sizes))
        step = -1 if backwards else 1
        own = self.mean[::step]
        carried[1:] = carried_over(precision[:-1], gap_precision)
        offset[1:] = predicted[:-1] - own[1:]
        return carried[::step], offset[::step]

    def _gap(self, epsilon: float) -> tuple[float, float]:
        """Precision and mean of the message about the gap between the best two levels, which all gaps take."""
        best, best_mean = self.precision[-1], self.mean[-1]
        precision, mean = self.precision[:-1], self.mean[:-1]
        known, gap_precision, gap_mean = precision, 0.0, 0.0
        edge = 2.0 * epsilon
        for sweep in range(_MOST_SWEEPS):
            links = np.full(len(precision) - 1, gap_precision), np.full(len(precision) - 1, gap_mean)
            known, predicted = known_from_before(precision, mean, *links, guess=known)
            distance = best_mean - predicted[-1]
            variance = 1.0 / best + 1.0 / known[-1]
            deviation = math.sqrt(0.5 * variance)
            shift, excess, rest = (float(part[0]) for part in above(np.array([(distance - edge) / deviation])))
            new_precision = (2.0 - rest) / (rest * variance)
            new_mean = edge + deviation * (excess + shift * rest / (2.0 - rest))
            moved = abs(new_precision - gap_precision)
            if sweep >= _DAMPED_FROM:
                new_precision, new_mean = 0.5 * (gap_precision + new_precision), 0.5 * (gap_mean + new_mean)
            gap_precision, gap_mean = new_precision, new_mean
            if moved <= _TOLERANCE * new_precision or len(precision) == 1:
                break
        return gap_precision, gap_mean
