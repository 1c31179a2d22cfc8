"""What the cells of a table mean: ranks and numbers as people and programs write them."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from contests.formats.base import MAX_PLACE
from contests.formats.statuses import NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterable

_PLACE = re.compile(r"(?:[#=]|t[-. ]?|tied? )?(\d+)(?:st|nd|rd|th|[.=º°]|\.0+)?(?: ?[-–—] ?(\d+)\.?)?", re.I | re.ASCII)
_SPACES = re.compile("[ \u00a0\u2009\u202f'’]")
_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.I | re.ASCII)
_POINTS_IN_THREES = re.compile(r"[+-]?\d{1,3}(\.\d{3})+", re.ASCII)
_COMMAS_IN_THREES = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+)?,\d*(e[+-]?\d+)?", re.I | re.ASCII)
_SPACED_THREES = re.compile("[+-]?\\d{1,3}(?:[ \u00a0\u2009\u202f'’]\\d{3})+(?:[.,]\\d*)?", re.ASCII)
_CLOCK = re.compile(r"(?:(\d{1,5}):)?(\d{1,5}):(\d{1,2}(?:\.\d+)?)", re.ASCII)
_MONTH = r"(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-zä]{0,6}\.?"
_TIME_OF_DAY = r"(?:[ T,]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[ap]m)?(?:z|[+-]\d{2}:?\d{2})?)?"
_DATE = re.compile(
    rf"(?:\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{2,4}}|\d{{1,2}}/\d{{1,2}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?[-. ]{{0,2}}{_MONTH}(?:[-., ]{{1,2}}\d{{2,4}})?"
    rf"|{_MONTH}[- ]?\d{{1,4}}(?:,? ?\d{{2,4}})?){_TIME_OF_DAY}",
    re.I,
)
_DATE_REMEDY = (
    "spreadsheets make dates of entries such as 3-5 or 1.2: format the column as text or number, and enter it again"
)
_LONGEST = 60
_EXPECTED = "a number is expected, such as 1234.5"


def parse_place(text: str) -> int | None:
    """Read 3, 3., 3rd, T3, =3, #3, and 3-5 as 3; None for nothing; ValueError otherwise."""
    if text.isdecimal() and text.isascii() and len(text) < 10:
        place = int(text)
    elif text.casefold() in NOTHING:
        return None
    else:
        match = _PLACE.fullmatch(_without_separators(text)) if len(text) <= _LONGEST else None
        if match is None or len(match[1]) > 10 or (match[2] and int(match[2][:11]) < int(match[1])):
            if is_date(text):
                raise ValueError(f"a rank is a whole number from 1, such as 3; {_DATE_REMEDY}")
            raise ValueError("a rank is a whole number from 1, or a code such as DNF, DNS, DSQ or OOC; correct it")
        place = int(match[1])
    if not 1 <= place <= MAX_PLACE:
        raise ValueError(f"a rank is a whole number from 1 to {MAX_PLACE}; correct it")
    return place


class NumberColumn:
    """
    Reads the numbers of one column, all of them in the same notation.

    A comma is a decimal comma, or separates thousands, as the column as a whole shows; where nothing shows it, a cell
    such as 1,234 is refused rather than guessed.
    """

    def __init__(self, cells: Iterable[str], *, comma_is_decimal: bool | None, is_said: bool = False) -> None:
        """
        Look through the cells of the column, for what they show of commas.

        comma_is_decimal
            What is known of commas, None if nothing is; with `is_said` it goes for every cell, whatever they show.
        """
        with_comma = {cell for cell in cells if "," in cell}
        shows = not is_said
        self._decimal = bool(comma_is_decimal) or (shows and any(_is_decimal_for_sure(cell) for cell in with_comma))
        self._thousands = (is_said and not comma_is_decimal) or (
            shows and any(_is_thousands_for_sure(cell) for cell in with_comma)
        )
        self._points_in_doubt = bool(with_comma) and self._decimal and not self._thousands and shows
        self._points_separate = is_said and bool(comma_is_decimal)
        self._is_against_what_was_said = is_said and not comma_is_decimal

    def parse(self, text: str) -> float | None:
        """Return the number, None for nothing; ValueError says what is wrong and the remedy."""
        if text.casefold() in NOTHING:
            return None
        if len(text) > _LONGEST:
            raise ValueError(_no_number(text))
        plain = text.replace("\u2212", "-")
        if (self._points_in_doubt or self._points_separate) and _POINTS_IN_THREES.fullmatch(plain):
            if self._points_in_doubt:
                raise _ambiguous(text, plain.replace(".", ""), plain)
            plain = plain.replace(".", "")
        if not _PLAIN.fullmatch(plain):
            plain = self._plain(plain)
        value = float(plain)
        if not math.isfinite(value):
            raise ValueError("the number is too large; correct it, or leave the cell empty")
        return value

    def parse_time(self, text: str) -> float | None:
        """As parse, and reads 1:02:03 and 62:03 as seconds."""
        match = _CLOCK.fullmatch(text) if len(text) <= _LONGEST else None
        if match is None:
            return self.parse(text)
        hours, minutes, seconds = match.groups()
        return int(hours or 0) * 3600 + int(minutes) * 60 + float(seconds)

    def _plain(self, text: str) -> str:
        if text.casefold().lstrip("+-") in ("nan", "inf", "infinity", "infinite", "∞", "#n/a", "#value!", "#div/0!"):
            raise ValueError("this is no finite number; correct it, or leave the cell empty")
        if _SPACED_THREES.fullmatch(text):
            text = _SPACES.sub("", text)
        if _PLAIN.fullmatch(text):
            return text
        thousands, decimal = _COMMAS_IN_THREES.fullmatch(text), _DECIMAL_COMMA.fullmatch(text)
        if thousands and decimal and self._decimal == self._thousands:
            raise _ambiguous(text, text.replace(",", ""), text.replace(",", "."))
        if thousands and (not decimal or self._thousands):
            return text.replace(",", "")
        if decimal and any(character.isdigit() for character in text) and not self._is_against_what_was_said:
            return text.replace(".", "").replace(",", ".")
        if _POINTS_IN_THREES.fullmatch(text):
            return text.replace(".", "")
        raise ValueError(_no_number(text))


def is_date(text: str) -> bool:
    """Whether the text is a date, in any of the notations that spreadsheets make of numbers such as 3-5."""
    return len(text) <= _LONGEST and bool(_DATE.fullmatch(text))


def _no_number(text: str) -> str:
    if is_date(text):
        return f"this is a date, and {_EXPECTED}; {_DATE_REMEDY}"
    return f"{_EXPECTED}; correct it, or leave the cell empty"


def _ambiguous(text: str, one: str, other: str) -> ValueError:
    return ValueError(f"{text} can mean {one} or {other}; write it without separators of thousands, with a point")


def _is_decimal_for_sure(cell: str) -> bool:
    return bool(_DECIMAL_COMMA.fullmatch(cell)) and not _COMMAS_IN_THREES.fullmatch(cell)


def _is_thousands_for_sure(cell: str) -> bool:
    return bool(_COMMAS_IN_THREES.fullmatch(cell)) and not _DECIMAL_COMMA.fullmatch(cell)


def _without_separators(text: str) -> str:
    return text.replace(",", "") if _COMMAS_IN_THREES.fullmatch(text) else text
