"""Expectation propagation over a chain of places: what all other places say about each place.

The better of two neighbouring places performed better, or about equally well if they tied. This cuts off the gap
between them. The cut is replaced by a Gaussian factor, its site, which changes the mean and variance that everything
else predicts for the gap as the cut would. TrueSkill's authors send messages up and down the chain one by one. Here two
recurrences give the exact prediction of all gaps without their own sites; then all sites are set at once. The fixed
point is the same. It takes a handful of rounds whatever the number of places, because each round is a step of Newton's
method for the forces between neighbours.

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

# Relative: after a step with a change as small as this, the error is about its square.
_PRECISION_TOLERANCE = 1e-9
_MOST_STEPS = 64
# Relative to the deviation of a gap: rounds end when no gap's mean or deviation moves by more.
_TOLERANCE = 1e-10
_MOST_ROUNDS = 200
# From this round on, sites move only half of the way, so that none oscillates forever.
_DAMPED_FROM = 40


def recurrence(constants: Floats, factors: Floats) -> Floats:
    """Return x with x[0] = constants[0] and x[i+1] = constants[i+1] + factors[i] x[i]; shapes (n,) and (n - 1,)."""
    bands = np.ones((2, len(constants)), order="F")
    np.negative(factors, out=bands[1, :-1])
    solved: Floats = dtbsv(1, bands, constants, lower=1, diag=1)
    return solved


def known_from_before(
    own_precision: Floats, own_mean: Floats, link_precision: Floats, link_mean: Floats, guess: Floats | None = None
) -> tuple[Floats, Floats]:
    """Return precision and mean of each node given itself, all nodes before it and the links between, shape (n,).

    own_precision, own_mean
        The prior of each node, shape (n,); precisions are positive.
    link_precision, link_mean
        The prior of each link x[i+1] - x[i], shape (n - 1,); a precision of 0 means no link.
    guess
        Precisions near the result, if known; they save steps.
    """
    precision = _precisions(own_precision, link_precision, own_precision if guess is None else guess)
    carried = precision[:-1] * (link_precision / (precision[:-1] + link_precision))
    total = own_precision[1:] + carried
    constants = own_mean.copy()
    constants[1:] = (own_precision[1:] * own_mean[1:] + carried * link_mean) / total
    return precision, recurrence(constants, carried / total)


def carried_over(precision: Floats, link_precision: Floats | float) -> Floats:
    """Return the precision that a node of this precision passes over a link."""
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
    """A chain of places, best first, each with a normal prior.

    precision, mean
        The prior of each place, shape (n,), n at least 2; precisions are positive.
    gap_precision, gap_mean
        The sites: Gaussian factors on the difference between each place and the next, shape (n - 1,). Their precisions
        are 0 at first.
    """

    def __init__(self, precision: Floats, mean: Floats) -> None:
        self.precision, self.mean = precision, mean
        self.gap_precision, self.gap_mean = np.zeros(len(mean) - 1), np.zeros(len(mean) - 1)
        self._from_better = self._from_worse = (precision, mean)

    def update(self) -> None:
        """Pass messages in both directions; must be called after the sites change."""
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
        """Return mean and variance of each gap, given everything except its own site."""
        better, better_mean = self._from_better
        worse, worse_mean = self._from_worse
        return better_mean[:-1] - worse_mean[1:], 1.0 / better[:-1] + 1.0 / worse[1:]

    def evidence(self) -> tuple[Floats, Floats]:
        """Return what all others say about each place, shape (n,): precision, and precision times (mean - own mean)."""
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
        """Update the sites until they no longer move.

        sites
            A function from means and variances of gaps, given everything except their own sites, to precisions and
            means of the sites; all arrays have shape (n - 1,).
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
