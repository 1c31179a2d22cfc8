"""All rating systems by name: those of the folder ``algorithms``, and any that are registered besides."""

import pkgutil
from importlib import import_module
from typing import Any

from ratings.systems import algorithms
from ratings.systems.system import RatingSystem

SYSTEMS: dict[str, type[RatingSystem]] = {}
"""All systems by name, in the order in which lists name them."""


def register_system(system: type[RatingSystem]) -> type[RatingSystem]:
    """Make a system known everywhere; ValueError if another one has its name."""
    if SYSTEMS.get(system.name, system) is not system:
        raise ValueError(f"there are two rating systems named {system.name!r}")
    known = sorted([*SYSTEMS.values(), system], key=lambda each: (each.listed, each.name))
    SYSTEMS.clear()
    SYSTEMS.update({each.name: each for each in known})
    return system


def unregister_system(name: str) -> None:
    """Forget a system; KeyError if there is none of that name."""
    del SYSTEMS[name]


def get_system(name: str, **parameters: Any) -> RatingSystem:
    """Return the rating system of that name with the given parameters, all others at their defaults.

    Raises ValueError naming what is wrong and what is allowed.
    """
    if not isinstance(name, str) or name not in SYSTEMS:
        raise ValueError(f"there is no rating system {name!r}; known are: {', '.join(SYSTEMS)}")
    known = [parameter.name for parameter in SYSTEMS[name].PARAMETERS]
    for unknown in parameters:
        if unknown not in known:
            raise ValueError(f"{name} has no parameter {unknown!r}; known are: {', '.join(known) or 'none'}")
    return SYSTEMS[name](**parameters)


def _register_all() -> None:
    """Register the systems of all modules in the folder: the classes made there that have a name."""
    for found in pkgutil.iter_modules(algorithms.__path__, prefix=f"{algorithms.__name__}."):
        for value in vars(import_module(found.name)).values():
            is_system = isinstance(value, type) and issubclass(value, RatingSystem) and hasattr(value, "name")
            if is_system and value.__module__ == found.name:
                register_system(value)


_register_all()
