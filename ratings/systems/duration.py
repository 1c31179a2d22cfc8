"""Weights of contests that follow from their duration: longer contests say more about their players."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

BOUNDS = {"hours": (0.01, 10_000.0), "exponent": (0.0, 2.0), "minimum": (0.01, 1.0), "maximum": (1.0, 100.0)}
"""The allowed values of each rule, both ends included."""
#: Factors are rounded to this many decimals: they are the same on all machines, and pages can show them exactly.
_DECIMALS = 4


@dataclass(frozen=True, slots=True)
class DurationWeight:
    """A contest of d hours counts clamp((d / hours) ^ exponent, minimum, maximum) times.

    hours
        The duration of a contest whose weight stays as it is.
    exponent
        How much the duration matters: 0 not at all, 1 in proportion. With 1/2, the default, a contest of four times the
        length counts twice, as the mean of four times as many equally exact measurements has half the error.
    minimum, maximum
        No contest counts for less or for more than these times its weight.

    Raises ValueError on numbers outside `BOUNDS`.
    """

    hours: float = 2.0
    exponent: float = 0.5
    minimum: float = 0.25
    maximum: float = 4.0

    def __post_init__(self) -> None:
        for name, (least, most) in BOUNDS.items():
            value = getattr(self, name)
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not is_number or not least <= value <= most:
                raise ValueError(f"{name} must be a number between {least:g} and {most:g}, not {value!r}")

    def factor(self, starts_at: datetime | None, ends_at: datetime) -> float:
        """Return the factor that multiplies the weight of a contest; 1 without a start, or if it takes no time."""
        hours = (ends_at - starts_at).total_seconds() / 3600.0 if starts_at is not None else 0.0
        if hours <= 0.0:
            return 1.0
        return round(min(max((hours / self.hours) ** self.exponent, self.minimum), self.maximum), _DECIMALS)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, read by `duration_weight_from_dict`."""
        return asdict(self)


def duration_weight_from_dict(stored: Mapping[str, Any]) -> DurationWeight | None:
    """Return stored rules; None for an empty object: the duration does not matter.

    Raises ValueError, whose message says what is wrong and what is allowed.
    """
    if not stored:
        return None
    names = [field.name for field in fields(DurationWeight)]
    unknown = sorted(set(stored) - set(names))
    if unknown:
        raise ValueError(f"duration_weight: {unknown[0]!r} is unknown; the known keys are {', '.join(names)}")
    return DurationWeight(**stored)


def weighed(rules: DurationWeight | None, weight: float, starts_at: datetime | None, ends_at: datetime) -> float:
    """Return the weight with which a contest counts, given the weight that its organizers chose."""
    return weight if rules is None else weight * rules.factor(starts_at, ends_at)
