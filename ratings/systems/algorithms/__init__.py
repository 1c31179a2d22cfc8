"""The rating systems, one module each, and the steps that several of them share."""

import pkgutil
from importlib import import_module

from ratings.systems.system import RatingSystem, register_system


def register_all() -> None:
    """Register the systems of all modules in this folder: the classes defined there that have a name."""
    for found in pkgutil.iter_modules(__path__, prefix=f"{__name__}."):
        for value in vars(import_module(found.name)).values():
            is_system = isinstance(value, type) and issubclass(value, RatingSystem) and hasattr(value, "name")
            if is_system and value.__module__ == found.name:
                register_system(value)
