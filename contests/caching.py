"""Values that are costly to make and kept in the shared cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from django.core.cache import cache

if TYPE_CHECKING:
    from collections.abc import Callable

Value = TypeVar("Value")


def cached(key: str, make: Callable[[], Value], seconds: int) -> Value:
    """
    Return the value kept under this key; otherwise make it and keep it for so many seconds. None is not kept.

    Django's `get_or_set` asks the cache three times where a value is missing, which is slow for large arrays.
    """
    found: Value | None = cache.get(key)
    if found is not None:
        return found
    made = make()
    if made is not None:
        cache.set(key, made, seconds)
    return made
