"""Many monotone equations with one unknown each, solved at once."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Equations: TypeAlias = Callable[[Floats], tuple[Floats, Floats]]


def find_roots(
    equations: Equations,
    lower: Floats,
    upper: Floats,
    start: Floats,
    *,
    tolerance: float | Floats,
    max_iterations: int = 200,
) -> Floats:
    """Find the root of each of many increasing functions.

    Newton's method, kept inside a shrinking bracket: a step that would leave the bracket, or that
    is not at most half as long as the one before, is replaced by a bisection. So the search ends
    whatever the start. Each root stops by itself, so its bits never depend on its neighbours.

    equations
        Maps points, shape (n,), to values and derivatives there, same shape. Element ``i`` of both
        must depend on element ``i`` of the points alone, and the value increase with it.
    lower, upper
        Brackets, shape (n,). A root outside is moved to the nearer end.
    start
        First guesses, shape (n,).
    tolerance
        A root is final when the next step is no longer than this (unit of the points) or than
        rounding allows. The step is still taken, so for Newton the error is of its square.

    Raises ArithmeticError when a root is not found within ``max_iterations``.
    """
    lower, upper = lower.copy(), upper.copy()
    points = np.clip(start, lower, upper)
    last_step = upper - lower
    active = np.ones(points.shape, dtype=bool)
    for _ in range(max_iterations):
        values, slopes = equations(points)
        above = values > 0
        np.copyto(upper, points, where=above)
        np.copyto(lower, points, where=~above)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            newton = points - values / slopes
            shorter = np.abs(newton - points) <= 0.5 * last_step
        accepted = (newton >= lower) & (newton <= upper) & shorter
        following = np.where(accepted, newton, lower + 0.5 * (upper - lower))
        step = np.abs(following - points)
        np.copyto(points, following, where=active)
        np.copyto(last_step, step, where=active)
        active &= step > np.maximum(tolerance, 4 * np.finfo(float).eps * np.abs(points))
        if not active.any():
            return points
    raise ArithmeticError(f"{np.count_nonzero(active)} of {points.size} roots not found in {max_iterations} steps")
