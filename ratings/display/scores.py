"""The sort score: what players are ordered by, and what display mappings turn into a shown number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, overload

import numpy as np

from ratings.display.checks import finite, require_number

if TYPE_CHECKING:
    from collections.abc import Mapping as Dictionary

    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]

DEFAULT_CENTRE = 1500.0
"""Where newcomers start (rating points), and so the centre of a pool that nobody has measured yet."""

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
    without any spread, has no width of its own: its temperature is `DEFAULT_TEMPERATURE`; an empty pool's centre is
    `DEFAULT_CENTRE`.
    """
    x = finite(scores, "scores")
    if x.size == 0:
        return DEFAULT_CENTRE, DEFAULT_TEMPERATURE
    temperature = float(np.std(x, ddof=1)) / 2 if x.size > 1 else 0.0
    # Equal scores have a rounding residue instead of a zero deviation, and nobody can read a thousandth of a point.
    return float(np.mean(x)), temperature if temperature >= 0.001 else DEFAULT_TEMPERATURE
