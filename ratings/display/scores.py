"""The sort score, by which players are ordered and from which mappings compute displayed numbers, and shared checks.

Each check's error names the number and what is allowed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, overload

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping as Dictionary

    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]

DEFAULT_CENTRE = 1500.0
"""Where newcomers start (rating points), and so the centre of a pool that no run has measured yet."""

DEFAULT_TEMPERATURE = 175.0
"""Temperature (rating points) for a pool without a spread: half of a newcomer's deviation of 350."""


def conservative_factor(stored: Dictionary[str, Any]) -> float:
    """Return the factor k of a stored display: how many deviations the score lies below the mean; default 0."""
    k = stored.get("k", 0.0)
    require_number("k", k, 0, 10)
    return float(k)


@overload
def sort_score(mu: float, sigma: float, k: float, sig_limit: float) -> float: ...
@overload
def sort_score(mu: Floats, sigma: Floats, k: float, sig_limit: float) -> Floats: ...
def sort_score(mu: Any, sigma: Any, k: float, sig_limit: float) -> Any:
    """Return the score x = μ - k (σ - σ_lim) by which players are ordered; all in rating points."""
    return mu - k * (sigma - sig_limit)


def width_of_pool(scores: ArrayLike) -> tuple[float, float]:
    """Return the centre and temperature of a pool: the mean and half the standard deviation of its scores x.

    The variance is the sum of squares over N - 1, as in Kreimeier's article. A pool of fewer than two players, or one
    without any spread, has no width of its own: its temperature is `DEFAULT_TEMPERATURE`. An empty pool's centre is
    `DEFAULT_CENTRE`.
    """
    x = finite(scores, "scores")
    if x.size == 0:
        return DEFAULT_CENTRE, DEFAULT_TEMPERATURE
    temperature = float(np.std(x, ddof=1)) / 2 if x.size > 1 else 0.0
    # Equal scores leave a rounding residue instead of a zero deviation, and a thousandth of a point is never visible.
    return float(np.mean(x)), temperature if temperature >= 0.001 else DEFAULT_TEMPERATURE


def finite(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return the values as an array; ValueError for NaN and infinity, which cannot be displayed."""
    array = np.asarray(values, dtype=np.float64)
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{name} must be finite: neither NaN nor infinity can be shown")
    return array


def require_number(name: str, value: object, lowest: float, highest: float) -> None:
    """Raise ValueError unless the value is a number within the bounds; texts and booleans are refused."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not lowest <= value <= highest:  # type: ignore[operator]
        raise ValueError(f"{name} must be a number between {lowest:,} and {highest:,}, not {value!r}")


def require_whole(name: str, value: Any, lowest: float, highest: float) -> None:
    """Raise ValueError unless a number within the bounds is whole, written as 3 or as 3.0."""
    if value != int(value):
        raise ValueError(f"{name} must be a whole number between {lowest:,} and {highest:,}, not {value!r}")


def require_integer(name: str, value: object, lowest: int, highest: int) -> None:
    """Raise ValueError unless the value is a Python `int` within the bounds."""
    if type(value) is not int or not lowest <= value <= highest:
        raise ValueError(f"{name} must be a whole number between {lowest:,} and {highest:,}, not {value!r}")
