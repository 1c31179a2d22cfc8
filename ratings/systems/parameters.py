"""Parameters of rating systems: described once, checked everywhere, read by forms."""

import math
from collections.abc import Sequence
from dataclasses import Field, dataclass, fields
from typing import Any, ClassVar, Literal, Protocol, TypeAlias

Value: TypeAlias = float | bool | tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    """What one parameter means and which values it may have.

    kind
        ``number``, ``flag`` (true or false) or ``numbers`` (a sequence; the range
        holds for each of its elements).
    unit
        Unit in words; empty for a pure number.
    minimum, maximum
        The allowed range; ``inclusive`` says for each end whether it is allowed itself.
    """

    name: str
    description: str
    default: Value
    kind: Literal["number", "flag", "numbers"] = "number"
    unit: str = ""
    minimum: float = -math.inf
    maximum: float = math.inf
    inclusive: tuple[bool, bool] = (True, True)

    @property
    def allowed(self) -> str:
        """The allowed values in words, for error messages and forms."""
        if self.kind == "flag":
            return "true or false"
        low = f"{'at least' if self.inclusive[0] else 'more than'} {self.minimum:g}"
        high = f"{'at most' if self.inclusive[1] else 'less than'} {self.maximum:g}"
        range_in_words = f"{low} and {high}"
        return f"a list of numbers, each {range_in_words}" if self.kind == "numbers" else f"a number, {range_in_words}"

    def clean(self, system: str, value: Any) -> Value:
        """Return the value in its proper type; raise ValueError if it is not allowed."""
        if self.kind == "flag":
            if isinstance(value, bool):
                return value
        elif self.kind == "number":
            if self._in_range(value):
                return float(value)
        elif isinstance(value, Sequence) and not isinstance(value, str) and all(map(self._in_range, value)):
            return tuple(float(element) for element in value)
        raise ValueError(f"{system}: {self.name} = {value!r} is not allowed: it must be {self.allowed}")

    def _in_range(self, value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            return False
        above = value >= self.minimum if self.inclusive[0] else value > self.minimum
        below = value <= self.maximum if self.inclusive[1] else value < self.maximum
        return above and below


class HasParameters(Protocol):
    """A frozen dataclass whose fields are the parameters it describes."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    name: ClassVar[str]
    PARAMETERS: ClassVar[tuple[Parameter, ...]]


def check_parameters(system: HasParameters) -> None:
    """Replace each parameter of a fresh frozen dataclass by its checked value.

    Raises ValueError naming the parameter, the value given and what is allowed.
    """
    for parameter in system.PARAMETERS:
        value = parameter.clean(system.name, getattr(system, parameter.name))
        object.__setattr__(system, parameter.name, value)


def parameters_of(system: HasParameters) -> dict[str, Any]:
    """The parameters by name, as values that JSON knows."""
    values = {field.name: getattr(system, field.name) for field in fields(system)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
