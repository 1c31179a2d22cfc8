"""Expectation propagation over a chain of places: what each place is told by all others.

The gap between neighbouring places is cut off (the better one performed better, or about equally well), and the cut is
replaced by a Gaussian factor, its site, that has the same effect on the gap as known from everything else. TrueSkill's
authors send messages up and down the chain one by one. Here, given all sites, everything that is known of all gaps
without their own site comes exactly from two recurrences; then all sites are set at once. The fixed point is the same.
It takes a handful of rounds whatever the number of places, as each round is a step of Newton's method for the forces
between neighbours.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.numerics.chain import carried_over, known_from_before

Floats: TypeAlias = NDArray[np.float64]
Sites: TypeAlias = Callable[[Floats, Floats], tuple[Floats, Floats]]

# Of the deviation of a gap: rounds end when no gap's mean and deviation move by more.
_TOLERANCE = 1e-10
_MOST_ROUNDS = 200
# From this round on each goes half the way only, so that nothing swings for ever.
_DAMPED_FROM = 40


class Chain:
    """Places in a row, best first, each known by itself as a normal.

    precision, mean
        Of each place by itself, shape (n,), n at least 2; precisions positive.
    gap_precision, gap_mean
        The sites: Gaussian factors on the differences of each place and the next, shape (n - 1,). At first they
        say nothing.
    """

    def __init__(self, precision: Floats, mean: Floats) -> None:
        self.precision, self.mean = precision, mean
        self.gap_precision, self.gap_mean = np.zeros(len(mean) - 1), np.zeros(len(mean) - 1)
        self._from_better = self._from_worse = (precision, mean)

    def update(self) -> None:
        """Pass on, in both directions, what is known; to be called after the sites were changed."""
        self._from_better = known_from_before(
            self.precision, self.mean, self.gap_precision, -self.gap_mean, self._from_better[0]
        )
        precision, mean = known_from_before(
            self.precision[::-1],
            self.mean[::-1],
            self.gap_precision[::-1],
            self.gap_mean[::-1],
            self._from_worse[0][::-1],
        )
        self._from_worse = precision[::-1], mean[::-1]

    def gaps(self) -> tuple[Floats, Floats]:
        """Return mean and variance of each gap, given everything but its own site."""
        better, better_mean = self._from_better
        worse, worse_mean = self._from_worse
        return better_mean[:-1] - worse_mean[1:], 1.0 / better[:-1] + 1.0 / worse[1:]

    def told(self) -> tuple[Floats, Floats]:
        """What each place is told by all others: the precision, and precision times (mean - own mean), shape (n,)."""
        precision, moment = np.zeros(len(self.mean)), np.zeros(len(self.mean))
        better, better_mean = self._from_better
        carried = carried_over(better[:-1], self.gap_precision)
        precision[1:] = carried
        moment[1:] = carried * (better_mean[:-1] - self.gap_mean - self.mean[1:])
        worse, worse_mean = self._from_worse
        carried = carried_over(worse[1:], self.gap_precision)
        precision[:-1] += carried
        moment[:-1] += carried * (worse_mean[1:] + self.gap_mean - self.mean[:-1])
        return precision, moment

    def propagate(self, sites: Sites) -> None:
        """Set the sites until they no longer move.

        sites
            Maps means and variances of gaps, known from everything else, to precisions and means of their sites;
            all arrays of shape (n - 1,).
        """
        moved_mean, moved_variance = self.gaps()
        for number in range(_MOST_ROUNDS):
            mean, variance = self.gaps()
            precision, offset = sites(mean, variance)
            if number >= _DAMPED_FROM:
                precision, offset = self._half_way(precision, offset)
            self.gap_precision, self.gap_mean = precision, offset
            last_mean, last_variance = moved_mean, moved_variance
            total = 1.0 + precision * variance
            moved_mean, moved_variance = (mean + precision * variance * offset) / total, variance / total
            self.update()
            scale = _TOLERANCE * np.sqrt(moved_variance)
            still = np.abs(moved_mean - last_mean) <= scale
            still &= np.abs(moved_variance - last_variance) <= scale * np.sqrt(moved_variance)
            if still.all() or len(mean) == 1:
                return

    def _half_way(self, precision: Floats, offset: Floats) -> tuple[Floats, Floats]:
        total = self.gap_precision + precision
        share = np.divide(precision, total, out=np.ones_like(total), where=total > 0.0)
        return 0.5 * total, self.gap_mean + share * (offset - self.gap_mean)
