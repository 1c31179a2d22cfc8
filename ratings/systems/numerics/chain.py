"""Gaussian chains: nodes of which each is linked to the next by a noisy difference.

Node i is known by itself as a normal with a precision and a mean, and x[i+1] - x[i] as another. What a node is known
by together with all nodes before it obeys

    a[0] = own[0]      a[i+1] = own[i+1] + a[i] r[i]      r[i] = link[i] / (a[i] + link[i])

for the precisions, and a linear recurrence for the means. Nothing is ever subtracted, so all digits hold whatever the
precisions. The nonlinear recurrence is solved by Newton's method: each step is a linear recurrence with positive
terms, it comes from above, and the error is squared. Compiled code (a banded triangular solve) runs the recurrences.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dtbsv

Floats: TypeAlias = NDArray[np.float64]

# Relative; the step that finds a change as small as this leaves its square.
_TOLERANCE = 1e-9
_MOST_STEPS = 64


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
        if (np.abs(precision - previous) <= _TOLERANCE * precision).all():
            break
    return precision
