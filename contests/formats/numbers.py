"""Numbers and times in the columns of tables, whatever their decimal separator is."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from django.utils.translation import gettext

from contests.formats.values import COMMAS_IN_THREES, DATE_REMEDY, MAX_LENGTH, NOTHING, is_date

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_SPACES = re.compile("[ \u00a0\u2009\u202f'’]")
_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.I | re.ASCII)
_POINTS_IN_THREES = re.compile(r"[+-]?\d{1,3}(\.\d{3})+", re.ASCII)
_DECIMAL_COMMA = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+)?,\d*(e[+-]?\d+)?", re.I | re.ASCII)
_SPACED_THREES = re.compile("[+-]?\\d{1,3}(?:[ \u00a0\u2009\u202f'’]\\d{3})+(?:[.,]\\d*)?", re.ASCII)
# Points of chess tournaments: 4½, ½, 4 1/2.
_HALVES = re.compile(r"([+-]?)(\d{0,6})(?: ?½|(?<=\d) 1/2)", re.ASCII)
_CLOCK = re.compile(r"(?:(\d{1,5}):)?(\d{1,5}):(\d{1,2}(?:[.,]\d+)?)", re.ASCII)
# Times with units: 58'12", 58 min 12, 1h04m10s, 1h 04min 10s.
_UNITS = re.compile(
    r"(?:(\d{1,5}) ?(?:h|hrs?|hours?|std)\.? ?)?(\d{1,5}) ?(?:['’′]|m|min\.?) ?"
    r"(\d{1,2}(?:[.,]\d+)?) ?(?:[\"”″]|''|’’|′′|s|secs?\.?|sek\.?)?",
    re.I | re.ASCII,
)
# Points out of a maximum: 38/40.
_OUT_OF = re.compile(r"(\d{1,6}(?:[.,]\d+)?) ?/ ?(\d{1,6}(?:[.,]\d+)?)", re.ASCII)
# A time whose parts are separated by points, 1.02.33, and not a date.
_TIME_WITH_POINTS = re.compile(r"\d{1,3}\.[0-5]\d\.[0-5]\d", re.ASCII)
# Numbers as spreadsheets show them if they have many digits: 1.23E+16.
_ROUNDED = re.compile(r"[1-9](?:[.,]\d+)?e\+\d{2,3}", re.I | re.ASCII)
_SECONDS = re.compile(r"(\d{1,7}(?:[.,]\d+)?) ?(?:s|secs?\.?|sek\.?)", re.I | re.ASCII)
# Decimals behind the quote, as in athletics: 4'02"10.
_DECIMALS_LAST = re.compile(r"(\d{1,5})['’′](\d{1,2})(?:[\"”″]|''|’’|′′)(\d{1,3})", re.ASCII)
# Times with one unit: 3:05 h has no seconds, 3:05 min no hours.
_CLOCK_WITH_UNIT = re.compile(
    r"(\d{1,5}(?::\d{1,2})?:\d{1,2}(?:[.,]\d+)?) ?(?:(h|hrs?\.?|hours?|std\.?)|min\.?)", re.I | re.ASCII
)


class _NotANumberError(ValueError):
    """A cell whose text is in no notation of numbers."""


class NumberColumn:
    """
    Reads the numbers of one column, all in the same notation.

    The whole column shows whether a comma is a decimal comma or separates thousands. If nothing shows it, a cell such
    as 1,234 is an error; so is 1.234 beside 890, or 1,234 beside 890 if the file implies decimal commas.

    doubtful
        A cell such as 1.234 that is read with a decimal point, if all points of the column could separate thousands.
    """

    def __init__(
        self, cells: Iterable[str], *, comma_is_decimal: bool | None, is_chosen: bool = False, is_sheet: bool = False
    ) -> None:
        """
        Detect the meaning of commas from the cells of the column.

        comma_is_decimal
            Known meaning of commas, None if unknown.
        is_chosen
            Whether the organizer chose it; then the cells cannot change it.
        is_sheet
            Whether the cells are those of a workbook: then 1.23 can be a number that is shown as 1.230.
        """
        distinct = set(cells)
        with_comma = {cell for cell in distinct if "," in cell}
        shows = not is_chosen
        self._decimal = bool(comma_is_decimal) or (shows and any(_is_surely_decimal(cell) for cell in with_comma))
        self._thousands = (is_chosen and not comma_is_decimal) or (
            shows and any(_is_surely_thousands(cell) for cell in with_comma)
        )
        # 1,234 beside 890, although the delimiter implies decimal commas.
        all_commas_in_threes = bool(with_comma) and all(COMMAS_IN_THREES.fullmatch(cell) for cell in with_comma)
        self._commas_in_doubt = self._decimal and shows and all_commas_in_threes and any(map(_is_in_hundreds, distinct))
        # 1.234 beside 56,7 or, where commas are decimal commas, beside 890: probably 1234.
        with_point = [cell for cell in distinct if "." in cell]
        all_in_threes = bool(with_point) and all(_POINTS_IN_THREES.fullmatch(cell) for cell in with_point)
        # Numbers in workbooks have no zeros at their end, so cells with one are texts.
        all_in_threes &= not is_sheet or any(cell.endswith("0") for cell in with_point)
        has_thousands = (bool(with_comma) and self._decimal) or (all_in_threes and _shows_thousands(distinct))
        self._points_in_doubt = has_thousands and not self._thousands and shows
        is_remarkable = all_in_threes and not (self._points_in_doubt or self._thousands) and shows
        self.doubtful = min(with_point) if is_remarkable else None
        self._points_separate = is_chosen and bool(comma_is_decimal)
        self._refuses_decimal_commas = is_chosen and not comma_is_decimal

    def doubt(self) -> str:
        """Return a message about `doubtful`."""
        return gettext(
            "Podium reads the point in %(text)s as a decimal point. If it separates thousands, choose the comma as "
            "the decimal separator."
        ) % {"text": self.doubtful}

    def parse(self, text: str) -> float | None:
        """Return the number, None for an empty cell or a dash; ValueError with the problem and its remedy."""
        if text.casefold() in NOTHING:
            return None
        if len(text) > MAX_LENGTH:
            raise _NotANumberError(_no_number(text))
        plain = text.replace("\u2212", "-")
        if (self._points_in_doubt or self._points_separate) and _POINTS_IN_THREES.fullmatch(plain):
            if self._points_in_doubt and plain.count(".") == 1:
                raise _ambiguous(text, plain.replace(".", ""), plain)
            plain = plain.replace(".", "")
        if not _PLAIN.fullmatch(plain):
            plain = self._plain(plain)
        value = float(plain)
        if not math.isfinite(value):
            raise ValueError(gettext("the number is too large; correct it, or leave the cell empty"))
        return value

    def parse_time(self, text: str) -> float | None:
        """Parse a number, or a time such as 1:02:03, 62:03 or 1h02m03s, as seconds."""
        seconds = _time(text)
        if seconds is not None:
            return seconds
        try:
            return self.parse(text)
        except _NotANumberError as error:
            is_spoilt = is_date(text) and not _TIME_WITH_POINTS.fullmatch(text)
            raise error if is_spoilt else _NotANumberError(_no_time()) from None

    def _plain(self, text: str) -> str:
        if text.casefold().lstrip("+-") in ("nan", "inf", "infinity", "infinite", "∞", "#n/a", "#value!", "#div/0!"):
            raise ValueError(gettext("this is not a usable number; correct it, or leave the cell empty"))
        if halves := _HALVES.fullmatch(text):
            return f"{halves[1]}{halves[2] or 0}.5"
        if _SPACED_THREES.fullmatch(text):
            text = _SPACES.sub("", text)
        if _PLAIN.fullmatch(text):
            return text
        thousands, decimal = COMMAS_IN_THREES.fullmatch(text), _DECIMAL_COMMA.fullmatch(text)
        if thousands and decimal and (self._commas_in_doubt or self._decimal == self._thousands):
            raise _ambiguous(text, text.replace(",", ""), text.replace(",", "."))
        if thousands and (not decimal or self._thousands):
            return text.replace(",", "")
        if decimal and any(character.isdigit() for character in text) and not self._refuses_decimal_commas:
            return text.replace(".", "").replace(",", ".")
        if _POINTS_IN_THREES.fullmatch(text):
            return text.replace(".", "")
        raise _NotANumberError(_no_number(text))


def _no_number(text: str) -> str:
    if out_of := _OUT_OF.fullmatch(text[:MAX_LENGTH]):
        names = {"points": out_of[1], "most": out_of[2], "remedy": DATE_REMEDY}
        message = gettext(
            "this is not a number; write it like 1234.5. If it means %(points)s of %(most)s points, enter only "
            "%(points)s"
        )
        if is_date(text):
            message = gettext(
                "this is not a number; write it like 1234.5. If it means %(points)s of %(most)s points, enter only "
                "%(points)s. It may also be a date: %(remedy)s"
            )
        return message % names
    if is_date(text):
        return gettext("this is a date, not a number such as 1234.5; %(remedy)s") % {"remedy": DATE_REMEDY}
    return gettext("this is not a number; enter a number such as 1234.5, or leave the cell empty")


def _no_time() -> str:
    return gettext(
        "this is neither a number nor a time; enter a time such as 58:12 or 1:02:33, or a number such as 1234.5, or "
        "leave the cell empty"
    )


def _ambiguous(text: str, one: str, other: str) -> ValueError:
    return ValueError(
        gettext(
            "%(text)s can mean %(one)s or %(other)s; write it without thousands separators and with a decimal point, "
            "or choose the decimal separator"
        )
        % {"text": text, "one": one, "other": other}
    )


def _shows_thousands(cells: Collection[str]) -> bool:
    """Whether there are whole numbers of up to three digits, like 890, or numbers with several points."""
    return any(cell.count(".") > 1 or (cell.isascii() and cell.isdecimal() and len(cell) <= 3) for cell in cells)


def _is_in_hundreds(cell: str) -> bool:
    """Whether this is a whole number of 100 or more, without separators."""
    return cell.isascii() and cell.isdecimal() and len(cell.lstrip("0")) >= 3


def _is_surely_decimal(cell: str) -> bool:
    return bool(_DECIMAL_COMMA.fullmatch(cell)) and not COMMAS_IN_THREES.fullmatch(cell)


def _is_surely_thousands(cell: str) -> bool:
    return bool(COMMAS_IN_THREES.fullmatch(cell)) and not _DECIMAL_COMMA.fullmatch(cell)


def is_rounded(text: str) -> bool:
    """Whether the text is a number of many digits that a spreadsheet has rounded, such as 1.23E+16."""
    return text[:1].isdecimal() and _ROUNDED.fullmatch(text) is not None


def is_time(text: str) -> bool:
    """Whether the text is a time such as 1:02:03, 62:03.5 or 1h02m03s."""
    return _time(text.strip()) is not None


def _time(text: str) -> float | None:
    """Return a time in seconds, None for other texts and for times such as 1:72:03 and 1:75."""
    if len(text) > MAX_LENGTH:
        return None
    if seconds := _SECONDS.fullmatch(text):
        return _decimal(seconds[1])
    if last := _DECIMALS_LAST.fullmatch(text):
        return _in_seconds(None, last[1], f"{last[2]}.{last[3]}")
    if with_unit := _CLOCK_WITH_UNIT.fullmatch(text):
        return _with_unit(with_unit[1], is_hours=with_unit[2] is not None)
    match = _CLOCK.fullmatch(text) or _UNITS.fullmatch(text)
    return None if match is None else _in_seconds(*match.groups())


def _with_unit(clock: str, *, is_hours: bool) -> float | None:
    """Return a time whose first number is of the unit: hours, or else minutes."""
    first, *rest = clock.split(":")
    if not is_hours:
        return _in_seconds(None, first, rest[0]) if len(rest) == 1 else None
    return _in_seconds(first, rest[0], rest[1] if len(rest) > 1 else "0") if rest[0].isdecimal() else None


def _in_seconds(hours: str | None, minutes: str, seconds: str) -> float | None:
    if _decimal(seconds) >= 60 or (hours is not None and int(minutes) >= 60):
        return None
    return int(hours or 0) * 3600 + int(minutes) * 60 + _decimal(seconds)


def _decimal(text: str) -> float:
    return float(text.replace(",", "."))
