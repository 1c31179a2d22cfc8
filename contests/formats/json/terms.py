"""The fourth value of an entry of our own JSON form: shares of play and the handicap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext

from contests.formats.values import MAX_HANDICAP, checked_handicap, checked_share
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Callable

    from contests.formats.base import Rows


class Terms:
    """
    The shares of play and the handicaps of the entries of one contest, one value for each team member.

    error
        Reports a problem: number of the entry, field, message, value.
    """

    def __init__(self, error: Callable[[int, str, str, object], None]) -> None:
        self._error = error
        self.shares: list[float | None] = []
        self.handicaps: list[float | None] = []

    def read(self, number: int, entry: list[Any], members: int) -> None:
        """Read {"share": …, "handicap": …} at the end of an entry; report and ignore wrong values."""
        said = entry[3] if len(entry) == 4 else None
        if said is not None and not (isinstance(said, dict) and said.keys() <= {"share", "handicap"}):
            self._error(
                number, "fourth value", gettext("an object with “share”, “handicap” or both is expected."), said
            )
            said = None
        said = said or {}
        self.shares += self._shares(number, said.get("share"), members)
        self.handicaps += [self._handicap(number, said.get("handicap"))] * members

    def put(self, rows: Rows) -> None:
        """Set the columns of the rows, unless they are empty."""
        if any(share is not None for share in self.shares):
            rows.shares = self.shares
        if any(handicap is not None for handicap in self.handicaps):
            rows.handicaps = self.handicaps

    def _shares(self, number: int, value: object, members: int) -> list[float | None]:
        """Return one share for each member, from one number for all or a list."""
        given = value if isinstance(value, list) else [value] * members
        if len(given) != members:
            self._error(
                number,
                "share",
                gettext("give one share for each of the %(number)s members.") % {"number": members},
                value,
            )
            return [None] * members
        try:
            return [None if share is None else checked_share(_number(share)) for share in given]
        except ValueError:
            message = gettext("a share of the contest is expected: a number above 0 and at most 1.")
            self._error(number, "share", message, value)
            return [None] * members

    def _handicap(self, number: int, value: object) -> float | None:
        if value is None:
            return None
        try:
            return checked_handicap(_number(value))
        except ValueError:
            self._error(number, "handicap", _handicap_problem(), value)
            return None


def _handicap_problem() -> str:
    text = gettext("a number of rating points, at most %(most)s, is expected.")
    return text % {"most": grouped(round(MAX_HANDICAP))}


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e300:
        raise ValueError("not a number")
    return float(value)
