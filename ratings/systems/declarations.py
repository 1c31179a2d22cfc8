"""Declarations of a rating system: its parameters and its texts.

A parameter is declared once, as a field of the system. Checks, documentation and forms are derived from the field.

@rating_system
class Example(RatingSystem):
    name = "example"
    noise: float = rating_points(200.0, "Deviation of one performance.")

Texts are marked for translation here; pages translate them.
"""

import math
from collections.abc import Sequence
from dataclasses import Field, dataclass, field, fields
from numbers import Real
from typing import Any, Literal, TypeAlias, TypeVar, dataclass_transform

import numpy as np

Value: TypeAlias = float | bool | str | tuple[float, ...]

System = TypeVar("System")
# People read and type the parameters that a tuning finds. Three digits are more precise than any data could show.
_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Parameter:
    """The meaning of one parameter, and its allowed values.

    kind
        ``number``, ``flag`` (true or false), ``choice`` (one of ``choices``) or ``numbers``
        (a sequence; the range holds for each of its elements).
    label
        A label for this system only; empty for the label that all parameters with this name have.
    unit
        Unit in words; empty for a pure number.
    minimum, maximum
        The allowed range; ``inclusive`` says for each end whether it is part of the range.
    """

    name: str
    description: str
    default: Value
    kind: Literal["number", "flag", "choice", "numbers"] = "number"
    label: str = ""
    unit: str = ""
    minimum: float = -math.inf
    maximum: float = math.inf
    inclusive: tuple[bool, bool] = (True, True)
    choices: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        """The allowed values in words, for error messages and forms."""
        if self.kind == "flag":
            return "true or false"
        if self.kind == "choice":
            return f"one of {', '.join(self.choices)}"
        low = f"{'at least' if self.inclusive[0] else 'more than'} {self.minimum:g}"
        high = f"{'at most' if self.inclusive[1] else 'less than'} {self.maximum:g}"
        range_in_words = f"{low} and {high}"
        return f"a list of numbers, each {range_in_words}" if self.kind == "numbers" else f"a number, {range_in_words}"

    def clean(self, system: str, value: Any) -> Value:
        """Return the value in its proper type; raise ValueError if it is not allowed."""
        if self.kind == "flag":
            if isinstance(value, (bool, np.bool_)):
                return bool(value)
        elif self.kind == "choice":
            if isinstance(value, str) and value in self.choices:
                return str(value)
        elif self.kind == "number":
            if self._in_range(value):
                return float(value)
        else:
            elements = value.tolist() if isinstance(value, np.ndarray) else value
            is_list = isinstance(elements, Sequence) and not isinstance(elements, (str, bytes, bytearray))
            if is_list and all(map(self._in_range, elements)):
                return tuple(float(element) for element in elements)
        raise ValueError(f"{system}: {self.name} = {value!r} is not allowed: it must be {self.allowed}")

    def _in_range(self, value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, Real):
            return False
        try:
            number = float(value)
        except OverflowError:  # an int or a fraction too large for a float
            return False
        if not math.isfinite(number):
            return False
        above = number >= self.minimum if self.inclusive[0] else number > self.minimum
        below = number <= self.maximum if self.inclusive[1] else number < self.maximum
        return above and below

    def _as_text(self) -> str:
        default = str(self.default).lower() if self.kind == "flag" else self.default
        default = "none" if default == () else default
        unit = f" {self.unit}" if self.unit else ""
        return f"{self.name} = {default}{unit}\n    {self.description} Allowed: {self.allowed}."


@dataclass(frozen=True, slots=True)
class Dimension:
    """One parameter that a tuning varies.

    low, high
        The range, as multiples of the default; the search covers it evenly on a logarithmic scale.
    choices
        The values to try, instead of a range.
    """

    name: str
    low: float = 1.0
    high: float = 1.0
    choices: tuple[Any, ...] = ()

    def value(self, default: Any, position: float) -> Any:
        """Return the value at a position from 0, the lower end, to 1."""
        if self.choices:
            return self.choices[min(int(position * len(self.choices)), len(self.choices) - 1)]
        factor = math.exp((1.0 - position) * math.log(self.low) + position * math.log(self.high))
        rounded = float(f"{default * factor:.{_DIGITS}g}")
        return default if rounded == float(f"{default:.{_DIGITS}g}") else rounded

    def position(self, default: Any, value: Any) -> float:
        """Return the position of a value; for a value outside the range, that of the nearest end."""
        if self.choices:
            return (self.choices.index(value) + 0.5) / len(self.choices)
        low, high = math.log(self.low), math.log(self.high)
        return min(max((math.log(value / default) - low) / (high - low), 0.0), 1.0)


def number(
    default: float | tuple[float, ...],
    description: str,
    *,
    minimum: float,
    maximum: float,
    unit: str = "",
    label: str = "",
    inclusive: tuple[bool, bool] = (True, True),
) -> Any:
    """Return a parameter that is a finite number, or a sequence of numbers if the default is a sequence."""
    kind = "numbers" if isinstance(default, tuple) else "number"
    settings = {"unit": unit, "label": label, "minimum": minimum, "maximum": maximum, "inclusive": inclusive}
    return _field(default, description, kind=kind, **settings)


def rating_points(
    default: float, description: str, *, label: str = "", minimum: float = 1e-3, maximum: float = 1e6
) -> Any:
    """Return a parameter that is a number of rating points."""
    return number(default, description, unit="rating points", label=label, minimum=minimum, maximum=maximum)


def daily_drift() -> Any:
    """Return a parameter for the growth of the variance of idle players."""
    return number(
        0.0,
        "How much each day adds to the variance of a rating, the square of its uncertainty.",
        unit="rating points squared per day",
        minimum=0.0,
        maximum=1e9,
    )


def newcomers_mean(
    default: float = 1500.0, description: str = "Estimated strength of a new player.", *, label: str = ""
) -> Any:
    """Return the parameter ``mu_noob``, which most systems have."""
    return rating_points(default, description, label=label, minimum=-1e9, maximum=1e9)


def newcomers_deviation(
    default: float = 350.0, description: str = "Uncertainty about a new player’s strength.", *, label: str = ""
) -> Any:
    """Return the parameter ``sig_noob``, which most systems have."""
    return rating_points(default, description, label=label)


def flag(default: bool, description: str) -> Any:
    """Return a parameter that is true or false."""
    return _field(default, description, kind="flag")


def choice(default: str, description: str, choices: tuple[str, ...]) -> Any:
    """Return a parameter that is one of several words."""
    return _field(default, description, kind="choice", choices=choices)


def _field(default: Value, description: str, **settings: Any) -> Any:
    return field(default=default, metadata={"description": description, **settings})


@dataclass_transform(
    frozen_default=True,
    field_specifiers=(number, rating_points, newcomers_mean, newcomers_deviation, daily_drift, flag, choice),
)
def rating_system(cls: type[System]) -> type[System]:
    """Make a class a frozen dataclass of its parameters; describe them in ``PARAMETERS`` and in its docstring."""
    made: Any = dataclass(frozen=True, slots=True)(cls)
    made.PARAMETERS = tuple(_parameter(each) for each in fields(made))
    described = "\n".join(parameter._as_text() for parameter in made.PARAMETERS)
    made.__doc__ = f"{(made.__doc__ or '').rstrip()}\n\n{described}\n"
    return made


def _parameter(described: Field[Any]) -> Parameter:
    default: Any = described.default
    return Parameter(name=described.name, default=default, **described.metadata)


def gettext_noop(message: str) -> str:
    """Mark a text for translation, without importing Django."""
    return message


#: Texts shared by several systems: the effect of a contest on a rating.
COMPARED = gettext_noop(
    "After each contest, Podium compares every player’s place with everyone else’s. Finishing ahead of "
    "strong players raises a rating, and an uncertain rating moves further than a settled one."
)
EXPECTED = gettext_noop(
    "After each contest, a rating moves by how much better or worse the player did than expected; what "
    "one player wins, the others lose."
)
_FOLLOWS = gettext_noop("After each contest, ratings follow the order of finish.")

#: Texts shared by several systems: the parts of a change. %(before)s is the rating before the contest.
MEAN_WITH_PERFORMANCE = gettext_noop(
    "The new rating is a weighted average of the previous rating (%(before)s) and the performance."
)
SUM_OF_GAMES = gettext_noop(
    "The contest counts as a set of games, one against every other player. The change follows from the sum of "
    "the scores minus the sum of the expected scores."
)
SAME_AS_ONE_PERFORMANCE = gettext_noop(
    "The results have the same effect as a single performance at the level in the table. It moves the rating by its "
    "weight times its distance from the previous rating, %(before)s."
)

#: A text shared by several systems: why no opponent has a part of the change.
INFERRED_TOGETHER = gettext_noop(
    "This system infers all strengths together from the order of finish, so the rating change can’t be split by "
    "opponent. The player’s neighbours in the table count most; everyone else counts only through them."
)


@dataclass(frozen=True, slots=True)
class Description:
    """The texts of one system.

    title
        The name in headings and lists.
    in_words
        The name within a sentence.
    good_for
        For organizers who choose a system: the contests that it suits, and its drawbacks.
    how
        For players: the effect of a contest on a rating.
    adds_up
        For players: the parts of a change; may contain the rating before the contest as %(before)s.
    cannot_split
        For players: why a change can't be split by opponent; empty if it can.
    """

    title: str
    in_words: str
    good_for: str
    how: str = _FOLLOWS
    adds_up: str = SUM_OF_GAMES
    cannot_split: str = ""
