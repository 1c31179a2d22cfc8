"""Dates of games: one column, whose dates are all written in the same way."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from django.utils.translation import gettext, gettext_lazy

from contests.formats.values import FIRST_YEAR, LAST_YEAR, parse_moment

if TYPE_CHECKING:
    from collections.abc import Iterable

_YEAR_FIRST = re.compile(r"(\d{4})[./](\d{1,2})[./](\d{1,2})", re.ASCII)
_YEAR_LAST = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})", re.ASCII)
_MIDNIGHT = re.compile(r"(\d{4}-\d{2}-\d{2})[T ]00:00(?::00(?:\.0+)?)?")
# A time without its zone behind a date.
_TIMED = re.compile(
    r"(.*\d)(?:[T,]? ?| at | um )(?<!\d)\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[ap]\.?m\.?| uhr)?", re.I
)
#: Longer texts are no dates.
_LONGEST = 60
_WEEKDAY = re.compile(
    r"\A(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun|montag|dienstag|mittwoch"
    r"|donnerstag|freitag|samstag|sonnabend|sonntag|mo|di|mi|do|fr|sa|so|lundi|mardi|mercredi|jeudi|vendredi|samedi"
    r"|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo|lunedì|martedì|mercoledì|giovedì|venerdì|sabato"
    r"|domenica)\.?,? +(?=\w)",
    re.I,
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# The first letters, without accents, of months whose names begin differently in German, French, Spanish or Italian.
_OTHER_MONTHS = {
    "ene": 1, "gen": 1, "fev": 2, "mae": 3, "mrz": 3, "abr": 4, "avr": 4, "mag": 5, "mai": 5, "giu": 6, "juin": 6,
    "juil": 7, "lug": 7, "ago": 8, "aou": 8, "set": 9, "okt": 10, "ott": 10, "dez": 12, "dic": 12,
}  # fmt: skip
_NAMED = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th|er)?[-. ]+(?:de )?([^\W\d_]{3,10})\.?,?[- ]+(?:de )?([0-9]{4})", re.I)
_NAMED_FIRST = re.compile(r"([^\W\d_]{3,10})\.? ([0-9]{1,2})(?:st|nd|rd|th)?,? ([0-9]{4})", re.I)
_REMEDY = gettext_lazy("write it like 2025-05-01, or with time and time zone, like 2025-05-01T18:00:00Z")


class DateColumn:
    """
    Reads the dates of one column.

    1.5.2025 is the first of May. Slashes can mean day/month or month/day: the whole column shows which, because one of
    the two numbers is above 12. If nothing shows it, a date such as 1/5/2025 is an error. If the column has both
    orders, all its dates with slashes are errors.
    """

    def __init__(self, cells: Iterable[str], *, is_day_first: bool = False) -> None:
        """
        Detect the order of day and month from the cells of the column.

        is_day_first
            Whether the format of the file puts the day first.
        """
        self._is_day_first = is_day_first
        #: The first date with slashes that begins with the day, and the first one that begins with the month.
        self._day_first = self._month_first = ""
        #: Whether a date had a time without its zone, which is not used.
        self.has_unused_times = False
        for cell in cells:
            match = _YEAR_LAST.fullmatch(_day_alone(cell))
            if match and match[2] != ".":
                first, second = int(match[1]), int(match[3])
                if first > 12 >= second:
                    self._day_first = self._day_first or match[0]
                elif second > 12 >= first:
                    self._month_first = self._month_first or match[0]

    def parse(self, text: str) -> datetime:
        """Return the moment of a game, midnight UTC for a date alone; ValueError with the problem and its remedy."""
        plain = unicodedata.normalize("NFC", text.strip())
        if not plain:
            raise ValueError(gettext("the game has no date; add one, and %(remedy)s") % {"remedy": _REMEDY})
        if match := _MIDNIGHT.fullmatch(plain):  # a date in a cell of a workbook that also shows a time
            plain = match[1]
        whole, plain = plain, _day_alone(plain)
        self.has_unused_times |= ":" in whole and ":" not in plain
        if match := _YEAR_FIRST.fullmatch(plain):
            return _day(int(match[1]), int(match[2]), int(match[3]))
        if match := _YEAR_LAST.fullmatch(plain):
            return self._year_last(plain, int(match[1]), int(match[3]), int(match[4]), has_points=match[2] == ".")
        if match := _NAMED.fullmatch(plain):
            return _day(int(match[3]), _month(match[2]), int(match[1]))
        if match := _NAMED_FIRST.fullmatch(plain):
            return _day(int(match[3]), _month(match[1]), int(match[2]))
        return parse_moment(plain)

    def is_date(self, text: str) -> bool:
        """Whether a text is a date, even one that could mean either of two days."""
        try:
            self.parse(text)
        except ValueError:
            return _YEAR_LAST.fullmatch(_day_alone(text)) is not None
        return True

    def _year_last(self, text: str, first: int, second: int, year: int, *, has_points: bool) -> datetime:
        day_first, month_first = self._is_day_first or bool(self._day_first), bool(self._month_first)
        is_impossible = min(first, second) > 12 or (self._is_day_first and second > 12)
        if has_points or first == second or is_impossible or (day_first and not month_first):
            return _day(year, second, first)
        if month_first and not day_first:
            return _day(year, first, second)
        if self._day_first and self._month_first:
            text = gettext(
                "the dates in this column are not all in the same order: %(day_first)s begins with the day, but "
                "%(month_first)s with the month; write all dates like 2025-05-01"
            )
            raise ValueError(text % {"day_first": self._day_first, "month_first": self._month_first})
        raise ValueError(
            gettext(
                "%(text)s can mean %(year)s-%(second)s-%(first)s or %(year)s-%(first)s-%(second)s; write "
                "dates like 2025-05-01"
            )
            % {"text": text, "year": f"{year:04}", "second": f"{second:02}", "first": f"{first:02}"}
        )


def _day_alone(text: str) -> str:
    """Return a date without a weekday before it, and without a time that has no zone behind it."""
    plain = _WEEKDAY.sub("", text.strip()) if len(text) <= _LONGEST else text.strip()
    match = _TIMED.fullmatch(plain) if len(plain) <= _LONGEST else None
    return match[1].rstrip(" ,T") if match else plain


def _month(name: str) -> int:
    plain = "".join(char for char in unicodedata.normalize("NFKD", name.lower()) if char.isalpha())
    short = plain[:3]
    return _MONTHS.index(short) + 1 if short in _MONTHS else _OTHER_MONTHS.get(short, _OTHER_MONTHS.get(plain[:4], 0))


def _day(year: int, month: int, day: int) -> datetime:
    try:
        found = date(year, month, day)
    except ValueError:
        raise ValueError(gettext("there is no such day; correct the date")) from None
    if not FIRST_YEAR <= found.year <= LAST_YEAR:
        raise ValueError(
            gettext("the year %(year)s is not between %(first)s and %(last)s; correct it")
            % {"year": found.year, "first": FIRST_YEAR, "last": LAST_YEAR}
        )
    return datetime(found.year, found.month, found.day, tzinfo=UTC)
