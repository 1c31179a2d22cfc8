"""
Pages of long lists.

A cursor marks a position in a list of contests, newest first, which stays the same while contests are added and
deleted. It holds the key of a contest: the last one before a page or the first one after it. The database finds that
key in an index, so a page far down the list costs as much as the first. The package django-cursor-pagination compares
with OR and sorts NULLs last; both keep PostgreSQL from using an index on the whole key.
"""

from __future__ import annotations

import base64
import hashlib
import struct
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db.models import BooleanField, Exists, F, Func, Value

from contests.models import Contest

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from contests.models.contest import ContestQuerySet


_KEY = ("ends_at", "sequence", "id")
#: For more years than this, `years_of` reads all contests.
_MOST_YEARS = 100
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: End in microseconds, sequence, id, position in the list, and the state of the list.
_LAYOUT = struct.Struct(">qiqI6s")


class _Row(Func):
    template = "(%(expressions)s)"


class _RowComparison(Func):
    """
    A comparison of rows, for which both databases use an index on the whole key.

    Django's tuple lookups compare with OR on SQLite, which then sorts the rest of the list.
    """

    template = "%(expressions)s"
    output_field = BooleanField()


@dataclass(frozen=True, slots=True)
class Cursor:
    """
    The position of a contest in a list.

    position
        The number of the contest, from 1; 0 if unknown.
    state
        A digest of the state of the list in which the contest had this number (`state_of`).
    """

    ends_at: datetime
    sequence: int
    id: int
    position: int = 0
    state: bytes = b""

    @classmethod
    def of(cls, contest: Contest, position: int | None, state: bytes) -> Cursor:
        """Return the cursor of this contest."""
        return cls(contest.ends_at, contest.sequence, contest.pk, position or 0, state)

    @classmethod
    def read(cls, text: str) -> Cursor:
        """Return the cursor that `str` wrote; ValueError for any other text."""
        try:
            packed = base64.b64decode(text.encode("ascii"), altchars=b"-_", validate=True)
            microseconds, sequence, pk, position, state = _LAYOUT.unpack(packed)
            return cls(_EPOCH + timedelta(microseconds=microseconds), sequence, pk, position, state)
        except (ValueError, struct.error, OverflowError) as error:
            raise ValueError("not a cursor") from error

    def __str__(self) -> str:
        microseconds = (self.ends_at - _EPOCH) // timedelta(microseconds=1)
        packed = _LAYOUT.pack(microseconds, self.sequence, self.id, self.position, self.state)
        return base64.urlsafe_b64encode(packed).decode()

    def older(self, contests: ContestQuerySet) -> ContestQuerySet:
        """Return the contests after this position, newest first."""
        return contests.filter(self._compared(" < ")).newest_first()

    def newer(self, contests: ContestQuerySet) -> ContestQuerySet:
        """Return the contests before this position, the nearest first."""
        return contests.filter(self._compared(" > ")).in_order()

    def _compared(self, sign: str) -> Func:
        fields: list[Any] = [Contest._meta.get_field(name) for name in _KEY]
        values = [Value(getattr(self, name), field) for name, field in zip(_KEY, fields, strict=True)]
        return _RowComparison(_Row(*map(F, _KEY)), _Row(*values), arg_joiner=sign)


def state_of(text: str) -> bytes:
    """Return a digest of a list's state for its cursors."""
    return hashlib.sha256(text.encode(errors="replace")).digest()[:6]


def years_of(contests: ContestQuerySet) -> list[int]:
    """
    Return the years in which contests of a list ended, newest first, in three queries.

    Asking for one contest of each year in an index takes less time than reading all of them, unless few contests are
    spread over centuries.
    """
    ends = contests.order_by("ends_at", "sequence", "id").values_list("ends_at", flat=True)
    first, last = ends.first(), ends.last()
    if first is None or last is None:
        return []
    years = range(last.year, first.year - 1, -1)
    if len(years) > _MOST_YEARS:
        return [day.year for day in contests.dates("ends_at", "year", order="DESC")]
    found = ends.values_list(*(Exists(contests.filter(ends_at__year=year)) for year in years))[0]
    return [year for year, is_found in zip(years, found, strict=True) if is_found]


def between(rows: QuerySet[Any], bottom: int, top: int, count: int) -> list[Any]:
    """Return the rows from `bottom` up to `top` of `count`, read from the nearer end of the list."""
    if bottom <= count // 2:
        return list(rows[bottom:top])
    return list(rows.reverse()[count - top : count - bottom])[::-1]
