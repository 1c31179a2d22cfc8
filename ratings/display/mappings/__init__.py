"""Display mappings: monotone functions from the sort score to the numbers that people read.

@display_mapping
class Example(Mapping):
    name: ClassVar[str] = "example"
    scale: float = part(1.0, "Scale", "1 shows rating points as they are.", minimum=0.01, maximum=1000)

A mapping is a view, chosen for each series and changed without rating anything again. It is monotone, so it never
reorders players (docs/rating-systems.md). Internal values stay in double precision; only `show` rounds. Everything that
distinguishes one mapping from another is declared on its class, so a new mapping is one new module in this folder.
"""

from __future__ import annotations

import math
import pkgutil
from abc import ABC, abstractmethod
from dataclasses import Field, dataclass, field, fields
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar, dataclass_transform, overload

import numpy as np

from ratings.display.scores import conservative_factor, finite, require_number, require_whole

if TYPE_CHECKING:
    from collections.abc import Mapping as Dictionary
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Integers: TypeAlias = NDArray[np.int64]

DEFAULT_MAPPING = "offset"
"""The mapping of a series for which no one has chosen another."""

FARTHEST = 1e12
"""Scores are limited to this distance from zero, so that sums are finite and displayed integers exact in a double."""

#: The default K of season points is this share of the distance at which the odds are ten to one.
_DEFAULT_K_SHARE = 0.15

AnyMapping = TypeVar("AnyMapping")


def gettext_noop(message: str) -> str:
    """Mark a text for translation by the pages, without importing Django."""
    return message


@dataclass(frozen=True, slots=True)
class Part:
    """One number of a mapping: how it is stored and checked, and its field in forms.

    label, help
        Label and help text of the form field, in English; the form translates them.
    minimum, maximum
        The allowed range, inclusive.
    is_whole
        Whether it must be a whole number.
    is_measured
        Whether each run measures it on the players, so that no one has to choose it after the first run.
    is_main
        Whether the short form for a new series asks for it too.
    """

    name: str
    label: str
    help: str
    default: float
    minimum: float
    maximum: float
    is_whole: bool = False
    is_measured: bool = False
    is_main: bool = False

    def check(self, value: object) -> None:
        """Raise ValueError, with the allowed range, unless the value is allowed."""
        require_number(self.name, value, self.minimum, self.maximum)
        if self.is_whole:
            require_whole(self.name, value, self.minimum, self.maximum)


def part(default: float, label: str, help: str, *, minimum: float, maximum: float, **traits: bool) -> Any:  # noqa: A002
    """Declare a number of a mapping; `traits` are those of `Part`."""
    settings = {"label": label, "help": help, "minimum": minimum, "maximum": maximum, **traits}
    return field(default=default, metadata=settings)


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A rating system's belief about a new player, from which mappings compute a suitable display.

    mu, sigma
        Mean and deviation, in rating points.
    k
        The system's public value lies this many deviations below the mean.
    temperature
        The rating difference that multiplies the odds by e; None if it depends on the players.
    has_position
        Whether ratings are positions on a ladder with their signs changed; then mu is the top position.
    """

    mu: float
    sigma: float
    k: float = 0.0
    temperature: float | None = None
    has_position: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence for visitors, marked for translation: `message` names its `numbers` as in %(name)s."""

    message: str
    numbers: dict[str, float]


class Mapping(ABC):
    """A monotone view of scores. Methods that take a number return a number; those that take an array, an array.

    name
        The name in stored displays.
    list_order
        Forms list mappings in ascending order of this number.
    title
        Its line in the list of mappings.
    kind
        A noun phrase for it within a sentence.
    formula
        The formula of the displayed number, for the form; may be empty.
    has_own_odds
        Whether the displayed numbers of two players alone determine the odds between them.
    PARTS
        Descriptions of its numbers.
    """

    __slots__ = ()

    name: ClassVar[str]
    list_order: ClassVar[int] = 1000
    title: ClassVar[str]
    kind: ClassVar[str]
    formula: ClassVar[str] = ""
    has_own_odds: ClassVar[bool] = False
    PARTS: ClassVar[tuple[Part, ...]] = ()

    def __post_init__(self) -> None:
        for each in self.PARTS:
            each.check(getattr(self, each.name))

    @abstractmethod
    def _curve(self, scores: Floats) -> Floats:
        """Return the displayed values of scores: monotone, and not rounded."""

    @abstractmethod
    def inverse(self, shown: Any) -> Any:
        """Return the score displayed at a position; ValueError if there is none."""

    @overload
    def show(self, x: float) -> int: ...
    @overload
    def show(self, x: ArrayLike) -> Integers: ...
    def show(self, x: Any) -> Any:
        """Return the rounded points that people read."""
        return like(x, round_half_up(self._curve(_scores(x))))

    @overload
    def position(self, x: float) -> float: ...
    @overload
    def position(self, x: ArrayLike) -> Floats: ...
    def position(self, x: Any) -> Any:
        """Return the points without rounding, for coordinates in graphs."""
        return like(x, self._curve(_scores(x)))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, read by `mapping_from_dict`."""
        return {"mapping": self.name, **{each.name: getattr(self, each.name) for each in self.PARTS}}

    @property
    def step(self) -> float | None:
        """Displayed points per rating point; None if this depends on the rating."""
        return None

    @property
    def least(self) -> int:
        """The smallest possible displayed number."""
        return self.show(-FARTHEST)

    @property
    def greatest(self) -> float | None:
        """The upper limit of displayed numbers; None if there is none."""
        return None

    def cuts_off(self, shown: float) -> bool:
        """Return whether different ratings have this displayed number because the scale ends there."""
        return False

    @property
    def in_words(self) -> str:
        """A noun phrase with its main numbers, within a sentence."""
        return self.kind

    @property
    def sentence(self) -> Sentence | None:
        """An explanation of the displayed number for visitors; None if it equals the rating points."""
        return None

    @classmethod
    def follows_players(cls) -> bool:
        """Return whether runs measure some of its parts, so that it follows the players."""
        return any(each.is_measured for each in cls.PARTS)

    def thresholds(self, scores: Sequence[float]) -> list[int]:
        """Return the thresholds of the default tiers in ascending order, in displayed points, given the scores where
        they begin."""
        return [self.show(float(x)) for x in scores]

    @classmethod
    def suitable_display(cls, newcomer: Newcomer) -> dict[str, Any]:
        """Return the stored display with this mapping that suits a rating system."""
        return {"mapping": cls.name, **cls.conservative_part(newcomer)}

    @staticmethod
    def conservative_part(newcomer: Newcomer) -> dict[str, Any]:
        """Return k for a stored display if the system displays ratings below the mean; an empty dict otherwise."""
        return {"k": newcomer.k} if newcomer.k else {}

    def season_k(self, scale: float) -> float:
        """Return the default K of season points, in displayed points; odds are ten to one at a distance of `scale`."""
        return _DEFAULT_K_SHARE * scale

    def odds(self, shown: Any, scale: float) -> Floats:
        """Return displayed numbers on a scale on which a difference of 1 multiplies the odds by e."""
        return np.asarray(shown, dtype=np.float64) * (math.log(10.0) / scale)

    def elo_gains(self, k: float, level: Floats, surplus: Floats) -> Floats:
        """Return the gain of an Elo step at these levels, in displayed points, shape (n,).

        surplus
            Share of opponents beaten minus the expected share, times the weight of the contest.
        """
        return k * surplus


@dataclass_transform(frozen_default=True, field_specifiers=(part,))
def display_mapping(cls: type[AnyMapping]) -> type[AnyMapping]:
    """Make a class a frozen dataclass of its parts, and describe them in `PARTS`."""
    made: Any = dataclass(frozen=True, slots=True)(cls)
    made.PARTS = tuple(_part(each) for each in fields(made))
    return made


def _part(declared: Field[Any]) -> Part:
    return Part(name=declared.name, default=declared.default, **declared.metadata)  # type: ignore[arg-type]


def round_half_up(values: Floats) -> Integers:
    """Round to the nearest integer, halves upwards.

    NumPy rounds half to even, which would make every second step of a displayed rating wider than its neighbours.
    """
    floor = np.floor(values)
    return (floor + (values - floor >= 0.5)).astype(np.int64)


def like(given: Any, result: NDArray[Any]) -> Any:
    """Return the result as a Python number if the input was a number, otherwise as an array."""
    return result.item() if np.ndim(given) == 0 else result


def within(value: float, bound: float) -> float:
    """Return the value, or the nearest end of the range from -bound to bound."""
    return max(-bound, min(bound, value))


def _scores(x: Any) -> Floats:
    return np.clip(finite(x, "x"), -FARTHEST, FARTHEST)


def show_band(mapping: Mapping, x: Any, sigma: Any) -> tuple[Any, Any]:
    """Return the unrounded edges of the band of one deviation around scores x, for graphs."""
    return mapping.position(np.subtract(x, sigma)), mapping.position(np.add(x, sigma))


def raw_threshold(mapping: Mapping, shown: float) -> float:
    """Return the smallest score x that is displayed as at least this many points; -inf if every score is.

    It divides sorted scores into tiers in exact agreement with the displayed numbers.
    """
    if mapping.show(-FARTHEST) >= shown:
        return -np.inf
    if mapping.show(FARTHEST) < shown:
        raise ValueError(f"no score is shown as {shown!r} points or more")
    low, high = -FARTHEST, FARTHEST
    # Bisection down to neighbouring doubles with the mapping itself, so that rounding in an inverse has no effect.
    while np.nextafter(low, high) < high:
        middle = low + (high - low) / 2
        low, high = (low, middle) if mapping.show(middle) >= shown else (middle, high)
    return high


MAPPINGS: dict[str, type[Mapping]] = {}
"""All mappings by name, in the order in which forms list them."""


def register_mapping(mapping: type[Mapping]) -> type[Mapping]:
    """Add a mapping to the registry; ValueError if another one has its name."""
    if MAPPINGS.get(mapping.name, mapping) is not mapping:
        raise ValueError(f"there are two display mappings named {mapping.name!r}")
    known = sorted([*MAPPINGS.values(), mapping], key=lambda each: (each.list_order, each.name))
    MAPPINGS.clear()
    MAPPINGS.update({each.name: each for each in known})
    return mapping


def unregister_mapping(name: str) -> None:
    """Remove a mapping from the registry; KeyError if there is none of that name."""
    del MAPPINGS[name]


def register_all() -> None:
    """Register the mappings of all modules in this folder."""
    for found in pkgutil.iter_modules(__path__, prefix=f"{__name__}."):
        for value in vars(import_module(found.name)).values():
            is_mapping = isinstance(value, type) and issubclass(value, Mapping)
            if is_mapping and value.__module__ == found.name and value.PARTS:
                register_mapping(value)


def mapping_from_dict(
    stored: Dictionary[str, Any], *, centre: float | None = None, temperature: float | None = None
) -> Mapping:
    """Return the mapping of a stored display, such as ``{"mapping": "fermi", "range": 10000}``.

    centre, temperature
        Measurements of the displayed run (rating points). They replace those of a mapping that follows the players and
        do not affect other mappings.

    Raises ValueError, which names the unknown key, or the parameter and its allowed range. The key ``k`` is checked
    here and read by `conservative_factor`.
    """
    name = stored.get("mapping")
    if not isinstance(name, str) or name not in MAPPINGS:
        raise ValueError(f"mapping must be one of {', '.join(sorted(MAPPINGS))}, not {name!r}")
    conservative_factor(stored)
    kind = MAPPINGS[name]
    known = [each.name for each in kind.PARTS]
    numbers = {key: value for key, value in stored.items() if key not in ("mapping", "k")}
    unknown = [key for key in numbers if key not in known]
    if unknown:
        names = ", ".join([*known, "k"])
        raise ValueError(f"unknown parameter {unknown[0]!r} of mapping {name!r}; its parameters are {names}")
    measured = {"centre": centre, "temperature": temperature}
    for each in kind.PARTS:
        if each.is_measured and measured.get(each.name) is not None:
            numbers[each.name] = measured[each.name]
    return kind(**numbers)
