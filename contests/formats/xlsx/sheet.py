"""
The cells of a sheet as values, row by row.

The XML is read in pieces and not kept, so that any sheet takes little memory. (The rows of openpyxl show neither hidden
rows nor merged cells nor formulas without a stored value, and everything outside of rows accumulates in memory.)
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from django.utils.translation import gettext, gettext_lazy
from openpyxl.utils.datetime import from_excel, from_ISO8601
from openpyxl.xml.constants import SHEET_MAIN_NS

from contests.formats.base import UnreadableError
from contests.formats.table.columns import MAX_COLUMNS
from contests.formats.table.grid import CellFault
from contests.formats.xlsx.package import PHONETIC, TEXT, fed, unescaped, xml_parser
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contests.formats.xlsx.package import Package

CellValue: TypeAlias = str | int | float | bool | datetime | date | time | timedelta | CellFault

_MAX_ROWS = 1_048_576
_MAX_CHARACTERS = 1_000_000
_MAX_MERGED = 100_000
_NAMES = ("sheetData", "row", "c", "v", "f")
_SHEET_DATA, _ROW, _CELL, _VALUE, _FORMULA = (f"{SHEET_MAIN_NS}}}{name}" for name in _NAMES)
_MERGED = re.compile(rb'mergeCell\s[^>]*?ref="\$?([A-Z]{1,3})\$?(\d{1,7}):\$?([A-Z]{1,3})\$?(\d{1,7})"')
_NO_VALUE = gettext_lazy(
    "the formula has no stored value; open your original workbook in a spreadsheet program, save it and upload it "
    "again, or enter the value"
)
_NO_TEXT = gettext_lazy("the text of the cell is missing, since the workbook is damaged; enter it again")


class SheetRow(NamedTuple):
    """A row of a sheet: its number, whether it is hidden, and its non-empty cells by 0-based position."""

    number: int
    is_hidden: bool
    cells: list[tuple[int, CellValue]]


class MergedRange(NamedTuple):
    """A merged range of cells: first and last row, 1-based, and first column, 0-based."""

    first_row: int
    last_row: int
    column: int


def sheet_rows(package: Package, path: str, strings: list[str]) -> Iterator[SheetRow]:
    """Yield the rows that have cells; UnreadableError if the rest of the sheet is unreadable."""
    cells = _Cells(package, strings)
    parser = xml_parser(cells.start, cells.end, cells.characters)
    for _ in fed(parser, package.pieces(path)):
        yield from cells.taken()
        if cells.is_complete:
            return
    yield from cells.taken()


def merged_ranges(package: Package, path: str) -> list[MergedRange]:
    """Return the cells merged over several rows; none if there are too many."""
    found = []
    before = b""
    area = 0
    for piece in package.pieces(path):
        for match in _MERGED.finditer(before + piece):
            first, last = int(match[2]), int(match[4])
            area += max(last - first, 0)
            if area > _MAX_MERGED:
                return []
            if first < last:
                found.append(MergedRange(first, last, _position(match[1].decode())))
        before = piece[-200:]
    return list(dict.fromkeys(found))


def shown(value: CellValue) -> str:
    """Return a value as displayed, dates in ISO 8601."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, CellFault):
        return value.shown
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.15g}"
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "seconds")
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(value.total_seconds(), 3), 60)
        return f"{int(minutes) // 60}:{int(minutes) % 60:02}:{seconds:02g}" if minutes >= 0 else str(value)
    return value.isoformat() if isinstance(value, date | time) else str(value)


class _Cells:
    """Builds rows from the events of the XML parser."""

    def __init__(self, package: Package, strings: list[str]) -> None:
        self._formats, self._epoch, self._strings = package.formats, package.epoch, strings
        self._rows: list[SheetRow] = []
        self._row = SheetRow(0, False, [])
        self._position = -1
        self._cell: dict[str, str] = {}
        self._value: str | None = None
        self._text: list[str] | None = None
        self._inline: list[str] = []
        self._is_formula = False
        self._length = 0
        self.is_complete = False

    def taken(self) -> list[SheetRow]:
        rows, self._rows = self._rows, []
        return rows

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == _CELL:
            self._start_cell(attributes)
        elif tag in (_VALUE, TEXT):
            self._text, self._length = [], 0
        elif tag == _FORMULA:
            self._is_formula = True
        elif tag == _ROW:
            self._start_row(attributes)

    def characters(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)
            self._length += len(text)
            if self._length > _MAX_CHARACTERS:
                raise UnreadableError(gettext("The workbook has a cell of more than a million characters; delete it."))

    def end(self, tag: str) -> None:
        if tag == _VALUE:
            self._value, self._text = "".join(self._text or ()), None
        elif tag == TEXT:
            self._inline.append("".join(self._text or ()))
            self._text = None
        elif tag == PHONETIC:
            self._inline = self._inline[:-1]
        elif tag == _CELL:
            self._end_cell()
        elif tag == _ROW:
            if self._row.cells:
                self._rows.append(self._row)
        elif tag == _SHEET_DATA:
            self.is_complete = True

    def _start_row(self, attributes: dict[str, str]) -> None:
        number = int(attributes.get("r", self._row.number + 1))
        if not self._row.number < number <= _MAX_ROWS:
            raise UnreadableError(
                gettext("The rows of the sheet are not in order, so the workbook is damaged; save it again.")
            )
        self._row = SheetRow(number, attributes.get("hidden") in ("1", "true"), [])
        self._position = -1

    def _start_cell(self, attributes: dict[str, str]) -> None:
        self._cell, self._value, self._inline, self._is_formula = attributes, None, [], False
        coordinate = attributes.get("r")
        position = self._position + 1 if coordinate is None else _position(coordinate.rstrip("0123456789"))
        if position <= self._position:
            raise UnreadableError(
                gettext("The cells of a row are not in order, so the workbook is damaged; save it again.")
            )
        self._position = position

    def _end_cell(self) -> None:
        try:
            value = self._read()
        except ValueError:
            text = self._value or ""
            value = CellFault(text, gettext("the value of the cell does not fit its type; enter it again"))
        if value is None or value == "" or (isinstance(value, str) and value.isspace()):
            return
        if self._position >= MAX_COLUMNS:
            raise UnreadableError(
                gettext(
                    "The row has a cell in column %(position)s, but at most %(most)s columns are allowed; "
                    "delete all columns beyond that limit."
                )
                % {"position": grouped(self._position + 1), "most": MAX_COLUMNS},
                row=self._row.number,
            )
        self._row.cells.append((self._position, value))

    def _read(self) -> CellValue | None:
        kind, text = self._cell.get("t", "n"), self._value
        if kind == "inlineStr":
            return unescaped("".join(self._inline))
        if self._is_formula and (text is None or (text == "" and kind != "str")):
            return CellFault("", str(_NO_VALUE))
        if text is None or text == "":
            return None
        if kind == "s":
            number = int(text)
            return self._strings[number] if 0 <= number < len(self._strings) else CellFault("", str(_NO_TEXT))
        if kind == "str":
            return unescaped(text)
        if kind == "b":
            return bool(int(text))
        if kind == "e":
            return CellFault(
                text,
                gettext("%(text)s is a spreadsheet error; correct the formula, or enter the value") % {"text": text},
            )
        return from_ISO8601(text) if kind == "d" else self._number(text.strip())

    def _number(self, text: str) -> CellValue:
        number = float(text) if not text.isdecimal() or len(text) > 15 else int(text)
        style = int(self._cell.get("s", 0))
        if style in self._formats.dates:
            try:
                moment = from_excel(number, self._epoch, timedelta=style in self._formats.durations)
            except (OverflowError, ValueError):
                return CellFault(
                    text,
                    gettext("%(text)s is formatted as a date, but is not a date; change the format of the cell")
                    % {"text": text},
                )
            return text if moment is None else moment
        digits = self._formats.digits.get(style)
        return number if digits is None else shown(number).rjust(digits, "0")


def _position(letters: str) -> int:
    """Return the 0-based position of a column from its letters; ValueError if they are invalid."""
    if not (1 <= len(letters) <= 3 and letters.isascii() and letters.isalpha()):
        raise ValueError(gettext("a cell has no valid position"))
    position = 0
    for letter in letters.upper():
        position = position * 26 + ord(letter) - ord("A") + 1
    return position - 1
