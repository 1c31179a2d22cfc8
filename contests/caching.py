"""Expensive values in the shared cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from django.core.cache import cache

if TYPE_CHECKING:
    from collections.abc import Callable

Value = TypeVar("Value")


def cached(key: str, make: Callable[[], Value], seconds: int) -> Value:
    """
    Return the cached value; if there is none, make it and cache it for this many seconds. None is not cached.

    Django's `get_or_set` queries the cache three times for a missing value, which is slow for large arrays.
    """
    found: Value | None = cache.get(key)
    if found is not None:
        return found
    made = make()
    if made is not None:
        cache.set(key, made, seconds)
    return made
