"""From the internal sort score x to the number that people read.

A mapping is a view: chosen per series, changed without re-rating, and monotone, so that it never reorders players
(`spec/rating-systems.md`, section 9). Internal values stay in double precision; only `show` rounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias, overload

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping as Dictionary

    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Integers: TypeAlias = NDArray[np.int64]

DEFAULT_CENTRE = 1500.0
"""Where newcomers start (rating points), and so the centre of a pool that nobody has measured yet."""

DEFAULT_TEMPERATURE = 175.0
"""Temperature (rating points) for a pool without a spread: half of a newcomer's deviation of 350."""

# Beyond this nobody's score lies; clipping keeps sums finite and every shown integer exact in a double.
_FARTHEST = 1e12
# exp(-600) is still a normal double, so no underflow is signalled whatever NumPy's error state.
_FARTHEST_EXPONENT = 600.0
# Exponents are snapped to this grid: the rounding of exp and of the quotient is not monotone from one double to the
# next, but a step of the grid changes the result by thousands of units in the last place.
_EXPONENT_GRID = 2.0**40


class Mapping(Protocol):
    """A monotone view of scores. All methods take a number or an array, and answer in kind."""

    @overload
    def show(self, x: float) -> int: ...
    @overload
    def show(self, x: ArrayLike) -> Integers: ...

    @overload
    def position(self, x: float) -> float: ...
    @overload
    def position(self, x: ArrayLike) -> Floats: ...

    @overload
    def inverse(self, shown: float) -> float: ...
    @overload
    def inverse(self, shown: ArrayLike) -> Floats: ...

    def to_dict(self) -> dict[str, Any]: ...


def round_half_up(values: Floats) -> Integers:
    """Round to the nearest integer, halves upwards.

    Half-to-even, NumPy's own rounding, would make every second step of a shown rating wider than its neighbours.
    """
    floor = np.floor(values)
    return (floor + (values - floor >= 0.5)).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Offset:
    """max(minimum, offset + scale · (x - centre)): the familiar four-digit rating.

    offset
        Shown points at the centre.
    scale
        Shown points per rating point.
    centre
        Score x shown as the offset, in rating points.
    minimum
        Smallest shown value, a whole number.
    """

    offset: float = 1500.0
    scale: float = 1.0
    centre: float = DEFAULT_CENTRE
    minimum: float = 1.0

    name: ClassVar[str] = "offset"

    def __post_init__(self) -> None:
        _require_number("offset", self.offset, -1_000_000, 1_000_000)
        _require_number("scale", self.scale, 0.01, 1000)
        _require_number("centre", self.centre, -1_000_000, 1_000_000)
        _require_number("minimum", self.minimum, -1_000_000, 1_000_000)
        if self.minimum != int(self.minimum):
            raise ValueError(f"minimum must be a whole number between -1,000,000 and 1,000,000, not {self.minimum!r}")

    def show(self, x: Any) -> Any:
        """The rounded points that people read; never below the minimum."""
        return _like(x, round_half_up(self._line(x)))

    def position(self, x: Any) -> Any:
        """The same without rounding, for coordinates in graphs."""
        return _like(x, self._line(x))

    def inverse(self, shown: Any) -> Any:
        """The score x at a position; at the minimum, the largest such x. ValueError below the minimum."""
        values = _finite(shown, "shown")
        if np.any(values < self.minimum):
            raise ValueError(
                f"nothing is shown below the minimum of {self.minimum:g} points, so {shown!r} has no score"
            )
        return _like(shown, self.centre + (values - self.offset) / self.scale)

    def to_dict(self) -> dict[str, Any]:
        """JSON form, read back by `mapping_from_dict`."""
        return {
            "mapping": self.name,
            "offset": self.offset,
            "scale": self.scale,
            "centre": self.centre,
            "minimum": self.minimum,
        }

    def _line(self, x: Any) -> Floats:
        scores = np.clip(_finite(x, "x"), -_FARTHEST, _FARTHEST)
        return np.maximum(self.minimum, self.offset + self.scale * (scores - self.centre))


@dataclass(frozen=True, slots=True)
class Fermi:
    """range / (1 + exp(-(x - centre)/temperature)): a fixed range that nobody leaves (Kreimeier).

    range
        The shown value that is approached and never passed, a whole number of points.
    centre, temperature
        Mean, and half the standard deviation, of the pool's x in rating points (`width_of_pool`). About 95 % of a
        normal pool are then shown between 2.5 % and 97.5 % of the range.
    """

    range: float = 10_000.0
    centre: float = DEFAULT_CENTRE
    temperature: float = DEFAULT_TEMPERATURE

    name: ClassVar[str] = "fermi"

    def __post_init__(self) -> None:
        _require_number("range", self.range, 100, 1_000_000)
        _require_number("centre", self.centre, -1_000_000, 1_000_000)
        _require_number("temperature", self.temperature, 0.001, 1_000_000)
        if self.range != int(self.range):
            raise ValueError(f"range must be a whole number between 100 and 1,000,000, not {self.range!r}")

    def show(self, x: Any) -> Any:
        """The rounded points that people read, from 0 to the range."""
        return _like(x, round_half_up(self._curve(x)))

    def position(self, x: Any) -> Any:
        """The same without rounding, for coordinates in graphs."""
        return _like(x, self._curve(x))

    def inverse(self, shown: Any) -> Any:
        """The score x at a position strictly between 0 and the range; ValueError elsewhere."""
        values = _finite(shown, "shown")
        if np.any((values <= 0) | (values >= self.range)):
            raise ValueError(f"shown must be between 0 and {self.range:g}, both excluded, not {shown!r}")
        return _like(shown, self.centre + self.temperature * np.log(values / (self.range - values)))

    def to_dict(self) -> dict[str, Any]:
        """JSON form, read back by `mapping_from_dict`; a series stores it without centre and temperature."""
        return {
            "mapping": self.name,
            "range": self.range,
            "centre": self.centre,
            "temperature": self.temperature,
        }

    def _curve(self, x: Any) -> Floats:
        scores = np.clip(_finite(x, "x"), -_FARTHEST, _FARTHEST)
        exponent = np.clip((scores - self.centre) / self.temperature, -_FARTHEST_EXPONENT, _FARTHEST_EXPONENT)
        exponent = np.rint(exponent * _EXPONENT_GRID) / _EXPONENT_GRID
        small = np.exp(-np.abs(exponent))
        return self.range * np.where(exponent < 0, small, 1.0) / (1.0 + small)


def mapping_from_dict(
    stored: Dictionary[str, Any], *, centre: float | None = None, temperature: float | None = None
) -> Offset | Fermi:
    """Read a stored display choice: ``{"mapping": "offset", ...}`` or ``{"mapping": "fermi", "range": 10000}``.

    centre, temperature
        Of the run that is shown (rating points); they replace those of a Fermi mapping and leave others alone.

    ValueError names the key that is unknown, or the parameter and its allowed range. The key ``k`` is checked here
    and read by `conservative_factor`.
    """
    kinds: dict[str, type[Offset] | type[Fermi]] = {Offset.name: Offset, Fermi.name: Fermi}
    name = stored.get("mapping")
    if not isinstance(name, str) or name not in kinds:
        raise ValueError(f"mapping must be one of {', '.join(sorted(kinds))}, not {name!r}")
    conservative_factor(stored)
    kind = kinds[name]
    known = list(kind.__dataclass_fields__)
    parameters = {key: value for key, value in stored.items() if key not in ("mapping", "k")}
    unknown = [key for key in parameters if key not in known]
    if unknown:
        raise ValueError(f"unknown parameter {unknown[0]!r} of mapping {name!r}; known are {', '.join([*known, 'k'])}")
    if kind is Fermi:
        given = {"centre": centre, "temperature": temperature}
        parameters |= {key: value for key, value in given.items() if value is not None}
    return kind(**parameters)


def conservative_factor(stored: Dictionary[str, Any]) -> float:
    """The factor k of a stored display choice: how many deviations the sort score lies below the mean; default 0."""
    k = stored.get("k", 0.0)
    _require_number("k", k, 0, 10)
    return float(k)


@overload
def sort_score(mu: float, sigma: float, k: float, sig_limit: float) -> float: ...
@overload
def sort_score(mu: Floats, sigma: Floats, k: float, sig_limit: float) -> Floats: ...
def sort_score(mu: Any, sigma: Any, k: float, sig_limit: float) -> Any:
    """The score x = μ - k (σ - σ_lim) by which players are ordered; all in rating points."""
    return mu - k * (sigma - sig_limit)


def show_band(mapping: Mapping, x: Any, sigma: Any) -> tuple[Any, Any]:
    """Lower and upper edge, unrounded, of the band one deviation around scores x, for graphs."""
    return mapping.position(np.subtract(x, sigma)), mapping.position(np.add(x, sigma))


def raw_threshold(mapping: Mapping, shown: float) -> float:
    """The smallest score x that is shown as at least this many points; -inf when every score is.

    With it, sorted scores can be cut into tiers, and the cut agrees to the last bit with the shown numbers.
    """
    if mapping.show(-_FARTHEST) >= shown:
        return -np.inf
    if mapping.show(_FARTHEST) < shown:
        raise ValueError(f"no score is shown as {shown!r} points or more")
    low, high = -_FARTHEST, _FARTHEST
    # Bisection down to neighbouring doubles: the mapping itself decides, so that no rounding of an inverse matters.
    while np.nextafter(low, high) < high:
        middle = low + (high - low) / 2
        low, high = (low, middle) if mapping.show(middle) >= shown else (middle, high)
    return high


def width_of_pool(scores: ArrayLike) -> tuple[float, float]:
    """Centre and temperature of the Fermi mapping for a pool: the mean and half the standard deviation of its x.

    The variance is the sum of squares over N - 1, as in Kreimeier's article. A pool of fewer than two players, or one
    without any spread, has no width of its own: its temperature is `DEFAULT_TEMPERATURE`; an empty pool's centre is
    `DEFAULT_CENTRE`.
    """
    x = _finite(scores, "scores")
    if x.size == 0:
        return DEFAULT_CENTRE, DEFAULT_TEMPERATURE
    temperature = float(np.std(x, ddof=1)) / 2 if x.size > 1 else 0.0
    # Equal scores have a rounding residue instead of a zero deviation, and nobody can read a thousandth of a point.
    return float(np.mean(x)), temperature if temperature >= 0.001 else DEFAULT_TEMPERATURE


def win_probability_from_shown(a: Any, b: Any, range: float = 10_000.0) -> Any:  # noqa: A002  the spec's word
    """How likely a player shown as a beats one shown as b in a Fermi display, without an exponential.

    1/(1 + b(1-a)/(a(1-b))) with a, b as shares of the range (`spec/rating-systems.md`, section 9). Values closer than
    half a point to an end are taken as half a point from it: a rounded 0 can stand for that, and nobody is certain.
    """
    first, second = _finite(a, "a"), _finite(b, "b")
    for name, values in (("a", first), ("b", second)):
        if np.any((values < 0) | (values > range)):
            raise ValueError(f"{name} must be between 0 and the range {range:g}")
    first, second = np.clip(first, 0.5, range - 0.5) / range, np.clip(second, 0.5, range - 0.5) / range
    probability = 1 / (1 + second * (1 - first) / (first * (1 - second)))
    return float(probability) if probability.ndim == 0 else probability


def _require_number(name: str, value: object, lowest: float, highest: float) -> None:
    """ValueError unless a finite number within the bounds; a text or a boolean is none."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not lowest <= value <= highest:  # type: ignore[operator]
        raise ValueError(f"{name} must be a number between {lowest:,} and {highest:,}, not {value!r}")


def _finite(values: ArrayLike, name: str) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{name} must be finite: neither NaN nor infinity can be shown")
    return array


def _like(given: Any, result: NDArray[Any]) -> Any:
    """A plain Python number for a number, an array for an array."""
    return result.item() if np.ndim(given) == 0 else result
