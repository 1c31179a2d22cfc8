"""Reading part of a long list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from django.db.models import QuerySet


def between(rows: QuerySet[Any], bottom: int, top: int, count: int) -> list[Any]:
    """Return the rows from `bottom` to before `top` of `count`, read from the nearer end of their order."""
    if bottom <= count // 2:
        return list(rows[bottom:top])
    return list(rows.reverse()[count - top : count - bottom])[::-1]
