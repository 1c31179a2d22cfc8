"""Monotone equations with one unknown: many solved at once, or one by itself."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.numerics.factor_means import MOST_STEPS, ROUNDING, next_point

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]
Equations: TypeAlias = Callable[[Floats], tuple[Floats, Floats, Floats]]
Equation: TypeAlias = Callable[[float], tuple[float, float, float]]

# For fewer rows, narrowing costs more than it saves.
_FEW = 100


def find_roots(
    equations: Equations,
    lower: Floats,
    upper: Floats,
    start: Floats,
    *,
    tolerance: float | Floats,
    narrow: Callable[[Indices], Equations] | None = None,
    max_iterations: int = MOST_STEPS,
) -> Floats:
    """Return the root of each of many increasing functions.

    Uses Halley's method inside a shrinking bracket. A bisection replaces any step that would leave the bracket or is
    longer than half of the step before, so the search ends for every start. Each search ends independently, so the
    bits of a root never depend on other rows.

    equations
        A function from points, shape (n,), to values, first and second derivatives, same shape. Element ``i`` of each
        result must depend only on element ``i`` of the points, and the values must increase with it.
    lower, upper
        Brackets, shape (n,). A root outside its bracket is moved to the nearer end.
    start
        First guesses, shape (n,).
    tolerance
        A root is final when the next step is no longer than this (unit of the points) or than rounding
        allows. The step is still taken, so the remaining error is of the order of its cube.
    narrow
        A function that returns the equations of some of the rows; it makes the last, slow roots cheap.

    Raises ArithmeticError if a root is not found within ``max_iterations``.
    """
    roots = np.minimum(np.maximum(start, lower), upper)
    search = _Search(equations, lower, upper, roots, np.broadcast_to(tolerance, roots.shape))
    for _ in range(max_iterations):
        final = search.step()
        if final.any():
            roots[search.rows[final]] = search.points[final]
            search.keep(np.flatnonzero(~final), narrow)
            if not len(search.rows):
                return roots
    raise ArithmeticError(f"{len(search.rows)} of {len(roots)} roots not found in {max_iterations} steps")


def find_root(equation: Equation, lower: float, upper: float, start: float, *, tolerance: float) -> float:
    """Return the root of one increasing function, by the same search as ``find_roots`` with plain numbers.

    equation
        A function from a point to the value and the first and second derivatives. The derivatives must be finite.

    Raises ArithmeticError if the root is not found.
    """
    point = lower if start < lower else upper if start > upper else start
    last_step = upper - lower
    for _ in range(MOST_STEPS):
        value, slope, curvature = equation(point)
        if value > 0.0:
            upper = point
        else:
            lower = point
        following, step = next_point(point, value, slope, curvature, lower, upper, last_step)
        if step <= tolerance or step <= ROUNDING * abs(point):
            return following
        point, last_step = following, step
    raise ArithmeticError(f"root not found in {MOST_STEPS} steps")


class _Search:
    """The unfinished rows of a search: ``rows`` are their numbers, and all other arrays are aligned with them."""

    def __init__(self, equations: Equations, lower: Floats, upper: Floats, points: Floats, tolerance: Floats) -> None:
        self.equations, self.tolerance = equations, tolerance
        self.lower, self.upper, self.points = lower.copy(), upper.copy(), points.copy()
        self.last_step = upper - lower
        self.rows = np.arange(len(points))
        # The positions of the unfinished rows among those of the equations; None if all are unfinished.
        self.part: Indices | None = None
        self.all_points = self.points

    def step(self) -> NDArray[np.bool_]:
        """Move every point once; return whether each step was the last one of its row."""
        points = self.points
        values, slopes, curvatures = self._evaluate()
        above = values > 0
        np.copyto(self.upper, points, where=above)
        np.copyto(self.lower, points, where=~above)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            newton = values / slopes
            bend = 1.0 - 0.5 * newton * curvatures / slopes
            following = points - newton / np.minimum(np.maximum(bend, 0.5), 2.0)
            step = np.abs(following - points)
        accepted = (following >= self.lower) & (following <= self.upper) & (step <= 0.5 * self.last_step)
        if not accepted.all():
            following = np.where(accepted, following, self.lower + 0.5 * (self.upper - self.lower))
            step = np.abs(following - points)
        self.points, self.last_step = following, step
        return step <= np.maximum(self.tolerance, ROUNDING * np.abs(points))

    def keep(self, left: Indices, narrow: Callable[[Indices], Equations] | None) -> None:
        """Continue with only the rows at these positions."""
        if self.part is None:
            self.all_points = self.points
        part = left if self.part is None else self.part[left]
        for name in ("rows", "points", "last_step", "lower", "upper", "tolerance"):
            setattr(self, name, getattr(self, name)[left])
        if narrow is not None and len(left) and 2 * len(left) < len(self.all_points) > _FEW:
            self.equations, self.part = narrow(self.rows), None
        else:
            self.part = part

    def _evaluate(self) -> tuple[Floats, Floats, Floats]:
        if self.part is None:
            return self.equations(self.points)
        self.all_points[self.part] = self.points
        values, slopes, curvatures = self.equations(self.all_points)
        return values[self.part], slopes[self.part], curvatures[self.part]
