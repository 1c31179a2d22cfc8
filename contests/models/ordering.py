"""The total order in which contests are rated: by end, then sequence, then id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from django.db.models import Q

if TYPE_CHECKING:
    from datetime import datetime


class InOrder(Protocol):
    """The values of a contest that determine its position."""

    pk: Any
    ends_at: datetime
    sequence: int


def is_before(contest: InOrder, path: str = "") -> Q:
    """
    Return the condition that a contest comes before this one.

    path
        The lookup path from the filtered rows to the contest, such as "contest__"; empty for contests.
    """
    return _beside(contest, path, "lt")


def is_after(contest: InOrder, path: str = "") -> Q:
    """Return the condition that a contest comes after this one; `path` as in `is_before`."""
    return _beside(contest, path, "gt")


def _beside(contest: InOrder, path: str, side: str) -> Q:
    end, sequence = contest.ends_at, contest.sequence
    same_end = Q(**{f"{path}sequence__{side}": sequence}) | Q(
        **{f"{path}sequence": sequence, f"{path}id__{side}": contest.pk}
    )
    return Q(**{f"{path}ends_at__{side}": end}) | Q(same_end, **{f"{path}ends_at": end})
