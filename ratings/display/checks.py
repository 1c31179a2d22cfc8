"""Checks of the numbers that displays are made of; each error names the number and what is allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def require_number(name: str, value: object, lowest: float, highest: float) -> None:
    """Raise ValueError unless this is a number within the bounds; a text or a boolean is none."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not lowest <= value <= highest:  # type: ignore[operator]
        raise ValueError(f"{name} must be a number between {lowest:,} and {highest:,}, not {value!r}")


def require_whole(name: str, value: Any, lowest: float, highest: float) -> None:
    """Raise ValueError unless a number within the bounds is whole, be it written as 3 or as 3.0."""
    if value != int(value):
        raise ValueError(f"{name} must be a whole number between {lowest:,} and {highest:,}, not {value!r}")


def require_integer(name: str, value: object, lowest: int, highest: int) -> None:
    """Raise ValueError unless this is an integer within the bounds, of Python's own type."""
    if type(value) is not int or not lowest <= value <= highest:
        raise ValueError(f"{name} must be a whole number between {lowest:,} and {highest:,}, not {value!r}")


def finite(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return the values as an array; ValueError for NaN and infinity, which cannot be shown."""
    array = np.asarray(values, dtype=np.float64)
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{name} must be finite: neither NaN nor infinity can be shown")
    return array
