"""Expectation propagation over a chain of places: what all other places say about each place.

The better of two neighbouring places performed better, or about equally well if they tied. This cuts off the gap
between them. The cut is replaced by a Gaussian factor, its site, which has the same effect on the gap as predicted by
everything else. TrueSkill's authors send messages up and down the chain one by one. Here two recurrences give the
exact prediction of all gaps without their own sites; then all sites are set at once. The fixed point is the same. It
takes a handful of rounds whatever the number of places, because each round is a step of Newton's method for the forces
between neighbours.

In such a Gaussian chain, node i has a normal prior with a precision and a mean, and so has the link x[i+1] - x[i]. The
precision of a node given itself and all nodes before it obeys

    a[0] = own[0]      a[i+1] = own[i+1] + a[i] r[i]      r[i] = link[i] / (a[i] + link[i])

and the means obey a linear recurrence. Nothing is ever subtracted, so no digits are lost whatever the precisions. The
nonlinear recurrence is solved by Newton's method: each step is a linear recurrence with positive terms, it approaches
the solution from above, and the error is squared. Compiled code (a banded triangular solve) runs the recurrences.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dtbsv

Floats: TypeAlias = NDArray[np.float64]
Sites: TypeAlias = Callable[[Floats, Floats], tuple[Floats, Floats]]

# Relative; the step that finds a change as small as this leaves its square.
_PRECISION_TOLERANCE = 1e-9
_MOST_STEPS = 64
# Of the deviation of a gap: rounds end when no gap's mean and deviation move by more.
_TOLERANCE = 1e-10
_MOST_ROUNDS = 200
# From this round on each goes half the way only, so that nothing swings for ever.
_DAMPED_FROM = 40


def recurrence(constants: Floats, factors: Floats) -> Floats:
    """x with x[0] = constants[0] and x[i+1] = constants[i+1] + factors[i] x[i]; shapes (n,) and (n - 1,)."""
    bands = np.ones((2, len(constants)), order="F")
    np.negative(factors, out=bands[1, :-1])
    solved: Floats = dtbsv(1, bands, constants, lower=1, diag=1)
    return solved


def known_from_before(
    own_precision: Floats, own_mean: Floats, link_precision: Floats, link_mean: Floats, guess: Floats | None = None
) -> tuple[Floats, Floats]:
    """Precision and mean of each node given itself, all nodes before it and the links between them, shape (n,).

    own_precision, own_mean
        What is known of each node by itself, shape (n,); precisions positive.
    link_precision, link_mean
        What is known of x[i+1] - x[i], shape (n - 1,); a precision of 0 is no link.
    guess
        Precisions near the result, if known: saves steps.
    """
    precision = _precisions(own_precision, link_precision, own_precision if guess is None else guess)
    carried = precision[:-1] * (link_precision / (precision[:-1] + link_precision))
    total = own_precision[1:] + carried
    constants = own_mean.copy()
    constants[1:] = (own_precision[1:] * own_mean[1:] + carried * link_mean) / total
    return precision, recurrence(constants, carried / total)


def carried_over(precision: Floats, link_precision: Floats | float) -> Floats:
    """Return the precision that comes over a link from a node of this precision."""
    carried: Floats = precision * (link_precision / (precision + link_precision))
    return carried


def _precisions(own: Floats, link: Floats, guess: Floats) -> Floats:
    precision = guess
    for _ in range(_MOST_STEPS):
        share = link / (precision[:-1] + link)
        kept = 1.0 - share
        constants = own.copy()
        constants[1:] += kept * kept * link
        previous, precision = precision, recurrence(constants, share * share)
        if (np.abs(precision - previous) <= _PRECISION_TOLERANCE * precision).all():
            break
    return precision


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

    def evidence(self) -> tuple[Floats, Floats]:
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
