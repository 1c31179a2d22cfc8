"""The mean of a belief with many logistic factors, number by number: in plain Python, or compiled by Numba.

Both are the same function and give the same bits, so a replay may change from one to the other between any two games.
Numba takes half a second to load and 70 MB of memory, so only long replays ask for the compiled function.

Numba keeps what it compiled, and compiles again only if *this* file or Numba changes. So everything that the function
calls is in this file.
"""

import math
from collections.abc import Callable, Sequence
from functools import cache

MOST_STEPS = 200
ROUNDING = 4 * 2.0**-52


def next_point(
    point: float, value: float, slope: float, curvature: float, lower: float, upper: float, last_step: float
) -> tuple[float, float]:
    """Return the next point of a search for a root, and its distance: Halley's step, or else a bisection.

    value, slope, curvature
        An increasing function and its derivatives at the point.
    lower, upper
        The bracket; one of its ends is the point.
    last_step
        The length of the step before.
    """
    following = math.nan
    if slope > 0.0:
        newton = value / slope
        bend = 1.0 - 0.5 * newton * (curvature / slope)
        following = point - newton / (0.5 if bend < 0.5 else 2.0 if bend > 2.0 else bend)
    step = abs(following - point)
    if not (lower <= following <= upper and step <= 0.5 * last_step):
        following = lower + 0.5 * (upper - lower)
        step = abs(following - point)
    return following, step


def factor_mean(
    centres: Sequence[float],
    amplitudes: Sequence[float],
    steepness: Sequence[float],
    weight: float,
    centre: float,
    decay: float,
    lower: float,
    upper: float,
    start: float,
    tolerance: float,
) -> float:
    """Return the zero of w (x - c) + d sum_k a_k tanh((x - p_k) i_k / 2), the mean of ``elo_mmr_inference``; or NaN.

    centres, amplitudes, steepness
        The factors' p, a and i, shape (their number,): rating points, 1 / points, 1 / points.
    weight, centre, decay
        The w (1 / points squared), c (rating points) and d.
    lower, upper, start, tolerance
        As in ``roots.find_root``, in rating points.

    NaN if the search does not end, which finite numbers do not cause.
    """
    point = lower if start < lower else upper if start > upper else start
    last_step = upper - lower
    for _ in range(MOST_STEPS):
        value = slope = bend = 0.0
        for level, amplitude, steep in zip(centres, amplitudes, steepness):  # noqa: B905 - Numba has no strict
            curve = math.tanh(0.5 * steep * (point - level))
            rise = amplitude * steep * (1.0 - curve * curve)
            value += amplitude * curve
            slope += rise
            bend -= rise * steep * curve
        value = weight * (point - centre) + decay * value
        if value > 0.0:
            upper = point
        else:
            lower = point
        slope, bend = weight + 0.5 * decay * slope, 0.5 * decay * bend
        following, step = next_point(point, value, slope, bend, lower, upper, last_step)
        if step <= tolerance or step <= ROUNDING * abs(point):
            return following
        point, last_step = following, step
    return math.nan


@cache
def compiled_factor_mean() -> Callable[..., float]:
    """Return ``factor_mean`` compiled for the rows of arrays.

    Loading Numba takes half a second, and compiling for the first time another second.
    """
    from numba import njit
    from numba.extending import register_jitable

    register_jitable(next_point)
    try:
        compiled: Callable[..., float] = njit(factor_mean, cache=True)
    except RuntimeError:  # no folder to keep it in: it is compiled again in each process
        compiled = njit(factor_mean)
    return compiled
