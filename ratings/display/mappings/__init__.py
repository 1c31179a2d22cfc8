"""All display mappings, found by looking through this folder, and reading the stored choice of one."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ratings.display.mappings.base import (
    Mapping,
    Newcomer,
    Part,
    Sentence,
    display_mapping,
    gettext_noop,
    part,
    raw_threshold,
    round_half_up,
    show_band,
)
from ratings.display.mappings.fermi import Fermi, win_probability_from_shown
from ratings.display.mappings.offset import Offset
from ratings.display.scores import (
    DEFAULT_CENTRE,
    DEFAULT_TEMPERATURE,
    conservative_factor,
    sort_score,
    width_of_pool,
)

if TYPE_CHECKING:
    from collections.abc import Mapping as Dictionary

__all__ = [
    "DEFAULT_CENTRE",
    "DEFAULT_MAPPING",
    "DEFAULT_TEMPERATURE",
    "MAPPINGS",
    "Fermi",
    "Mapping",
    "Newcomer",
    "Offset",
    "Part",
    "Sentence",
    "conservative_factor",
    "display_mapping",
    "gettext_noop",
    "mapping_from_dict",
    "part",
    "raw_threshold",
    "register_mapping",
    "round_half_up",
    "show_band",
    "sort_score",
    "unregister_mapping",
    "width_of_pool",
    "win_probability_from_shown",
]

MAPPINGS: dict[str, type[Mapping]] = {}
"""All mappings by name, in the order in which forms list them."""

DEFAULT_MAPPING = Offset.name
"""The mapping of a series that nobody has chosen one for."""


def register_mapping(mapping: type[Mapping]) -> type[Mapping]:
    """Make a mapping known everywhere; ValueError if another one has its name."""
    if MAPPINGS.get(mapping.name, mapping) is not mapping:
        raise ValueError(f"there are two display mappings named {mapping.name!r}")
    known = sorted([*MAPPINGS.values(), mapping], key=lambda each: (each.listed, each.name))
    MAPPINGS.clear()
    MAPPINGS.update({each.name: each for each in known})
    return mapping


def unregister_mapping(name: str) -> None:
    """Forget a mapping; KeyError if there is none of that name."""
    del MAPPINGS[name]


def _register_all() -> None:
    """Register the mappings of all modules in this folder."""
    for found in pkgutil.iter_modules(__path__, prefix=f"{__name__}."):
        for value in vars(import_module(found.name)).values():
            if (
                isinstance(value, type)
                and issubclass(value, Mapping)
                and value.__module__ == found.name
                and value.PARTS
            ):
                register_mapping(value)


_register_all()


def mapping_from_dict(
    stored: Dictionary[str, Any], *, centre: float | None = None, temperature: float | None = None
) -> Mapping:
    """Read a stored display choice: ``{"mapping": "offset", ...}`` or ``{"mapping": "fermi", "range": 10000}``.

    centre, temperature
        Of the run that is shown (rating points); they replace those of a mapping that follows the players and leave
        others alone.

    ValueError names the key that is unknown, or the parameter and its allowed range. The key ``k`` is checked here
    and read by `conservative_factor`.
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
        raise ValueError(f"unknown parameter {unknown[0]!r} of mapping {name!r}; known are {', '.join([*known, 'k'])}")
    measured = {"centre": centre, "temperature": temperature}
    for each in kind.PARTS:
        if each.is_measured and measured.get(each.name) is not None:
            numbers[each.name] = measured[each.name]
    return kind(**numbers)
