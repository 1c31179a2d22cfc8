"""What the cells of a table mean: ranks, numbers and statuses as people and programs write them."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from contests.formats.base import MAX_PLACE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contests.formats.base import Status

NOTHING = frozenset(("", "-", "–", "—", "n/a", "na", "none", "null"))
_STATUSES: dict[str, Status] = {
    **dict.fromkeys(("", "ok", "official", "ranked", "rated", "yes", "in competition", "finished"), "ranked"),
    **dict.fromkeys(
        (
            "unofficial", "ooc", "out of competition", "hors concours", "hc", "virtual", "practice", "upsolving",
            "guest", "unranked", "unrated", "außer konkurrenz", "a.k.",
        ),
        "unofficial",
    ),
    **dict.fromkeys(("disqualified", "dq", "dsq", "disq", "disqualification", "banned"), "disqualified"),
}  # fmt: skip

_PLACE = re.compile(r"(?:[#=]|t[-. ]?|tied? )?(\d+)(?:st|nd|rd|th|[.=º°]|\.0+)?(?: ?[-–—] ?(\d+)\.?)?", re.I | re.ASCII)
_SPACES = re.compile("[ \u00a0\u2009\u202f'’]")
_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.I | re.ASCII)
_POINTS_IN_THREES = re.compile(r"[+-]?\d{1,3}(\.\d{3})+", re.ASCII)
_COMMAS_IN_THREES = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+)?,\d*(e[+-]?\d+)?", re.I | re.ASCII)
_SPACED_THREES = re.compile("[+-]?\\d{1,3}(?:[ \u00a0\u2009\u202f'’]\\d{3})+(?:[.,]\\d*)?", re.ASCII)
_CLOCK = re.compile(r"(?:(\d{1,5}):)?(\d{1,5}):(\d{1,2}(?:\.\d+)?)", re.ASCII)
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
            raise ValueError("a rank is a whole number from 1, such as 3; correct it, or give the row a status")
        place = int(match[1])
    if not 1 <= place <= MAX_PLACE:
        raise ValueError(f"a rank is a whole number from 1 to {MAX_PLACE}; correct it")
    return place


def parse_status(text: str) -> Status:
    """Read a status by any of its names; ValueError if it is none."""
    try:
        return _STATUSES[" ".join(text.casefold().replace("_", " ").split())]
    except KeyError:
        raise ValueError(
            "known statuses are ranked (or nothing), unofficial and disqualified; use one of them"
        ) from None


def status_in_place_of_rank(text: str) -> Status | None:
    """Return the status that a cell of the rank column names ("DSQ"), None if it names none but "ranked"."""
    if not text or text[0].isdigit():
        return None
    status = _STATUSES.get(" ".join(text.casefold().split()))
    return None if status == "ranked" else status


class NumberColumn:
    """
    Reads the numbers of one column, all of them in the same notation.

    A comma is a decimal comma, or separates thousands, as the column as a whole shows; where nothing shows it, a cell
    such as 1,234 is refused rather than guessed.
    """

    def __init__(self, cells: Iterable[str], *, comma_is_decimal: bool) -> None:
        with_comma = {cell for cell in cells if "," in cell}
        self._decimal = comma_is_decimal or any(_is_decimal_for_sure(cell) for cell in with_comma)
        self._thousands = any(_is_thousands_for_sure(cell) for cell in with_comma)
        self._points_in_doubt = bool(with_comma) and self._decimal and not self._thousands

    def parse(self, text: str) -> float | None:
        """Return the number, None for nothing; ValueError says what is wrong and the remedy."""
        if text.casefold() in NOTHING:
            return None
        if len(text) > _LONGEST:
            raise ValueError(f"{_EXPECTED}; correct it, or leave the cell empty")
        plain = text.replace("\u2212", "-")
        if self._points_in_doubt and _POINTS_IN_THREES.fullmatch(plain):
            raise _ambiguous(text, plain.replace(".", ""), plain)
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
        if decimal and any(character.isdigit() for character in text):
            return text.replace(".", "").replace(",", ".")
        if _POINTS_IN_THREES.fullmatch(text):
            return text.replace(".", "")
        raise ValueError(f"{_EXPECTED}; correct it, or leave the cell empty")


def _ambiguous(text: str, one: str, other: str) -> ValueError:
    return ValueError(f"{text} can mean {one} or {other}; write it without separators of thousands, with a point")


def _is_decimal_for_sure(cell: str) -> bool:
    return bool(_DECIMAL_COMMA.fullmatch(cell)) and not _COMMAS_IN_THREES.fullmatch(cell)


def _is_thousands_for_sure(cell: str) -> bool:
    return bool(_COMMAS_IN_THREES.fullmatch(cell)) and not _DECIMAL_COMMA.fullmatch(cell)


def _without_separators(text: str) -> str:
    return text.replace(",", "") if _COMMAS_IN_THREES.fullmatch(text) else text
