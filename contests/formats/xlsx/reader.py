"""Excel workbooks (.xlsx): one sheet is the table, and its cells are read as displayed."""

from __future__ import annotations

import io
import re
import warnings
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO

import openpyxl
from django.utils.translation import gettext, ngettext
from openpyxl.cell import WriteOnlyCell

from contests.formats.base import Reading, Report, UnreadableError
from contests.formats.reader import Example, no_room, remark_for, remarks_of
from contests.formats.table.base import TableReader
from contests.formats.table.columns import MAX_COLUMNS, is_remarks
from contests.formats.table.escape import cell_safe
from contests.formats.table.grid import (
    CellFault,
    Grid,
    Record,
    TableStart,
    column_letter,
    names_a_table,
    table_start,
)
from contests.formats.xlsx.package import Package, shared_strings
from contests.formats.xlsx.sheet import merged_ranges, sheet_rows, shown
from contests.handles import printable
from contests.wording import grouped, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from openpyxl.worksheet._write_only import WriteOnlyWorksheet

    from contests.formats.reader import Remarks
    from contests.formats.table.corrections import Correction
    from contests.formats.table.options import ReadingOptions
    from contests.formats.xlsx.package import SheetPart
    from contests.formats.xlsx.sheet import CellValue, MergedRange, SheetRow

_PEEKED_ROWS = 20
_PEEKED_SHEETS = 20
_WIDTH_OF_REMARKS = 80.0
_MAX_TITLE_LENGTH = 31
_MAX_EMPTY_ROWS = 20_000
_NOT_IN_TITLES = re.compile(r"[\\*?:/\[\]\x00-\x1f]")
# Characters that XML does not allow, and underscores that look like their escape; workbooks write _x0007_.
_TO_ESCAPE = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


class Workbook(TableReader):
    """An Excel workbook; the table is the chosen sheet, or the first visible one with a usable header."""

    name = "XLSX"
    label = "Excel (XLSX)"
    extensions = (".xlsx", ".xlsm", ".xltx", ".xltm")
    examples = (Example("Excel", "standings.xlsx"),)
    is_known_by_content = True  # text files named .xlsx are common

    def recognizes(self, head: bytes) -> bool:
        return head.startswith(b"PK\x03\x04")

    def grid(self, stream: BinaryIO, reading: Reading) -> Grid:
        return Sheet(stream, reading).grid()

    def annotate(self, stream: BinaryIO, report: Report, options: ReadingOptions) -> bytes:
        return _annotated(Sheet(stream, Reading("", Report(), options)), report, options)


class Sheet:
    """The sheet of a workbook with the table; its rows can be read more than once."""

    def __init__(self, stream: BinaryIO, reading: Reading) -> None:
        self._package = Package(stream.read())
        self._reading = reading
        if not self._package.formats_are_known:
            reading.warn(gettext("The cell formats could not be read; check that dates and times are correct."))
        self._strings = shared_strings(self._package)
        self._part, others = _chosen_sheet(self._package, self._strings, reading.options.sheet)
        if others:
            text = gettext("Several sheets contain a table. Podium read only “%(read)s”, not %(others)s.")
            listed = ", ".join(quoted(printable(name)) for name in others)
            reading.warn(text % {"read": printable(self._part.name), "others": listed})
        self.name = self._part.name
        self._package.start_again()
        self.merged = merged_ranges(self._package, self._part.path)

    def rows(self) -> Iterator[SheetRow]:
        """Yield the rows with all cells, including hidden ones."""
        self._package.start_again()
        return _filled(sheet_rows(self._package, self._part.path, self._strings), self.merged)

    def grid(self) -> Grid:
        names = tuple(sheet.name for sheet in self._package.sheets)
        grid = Grid(iter(()), is_sheet=True, sheet=self.name, sheets=names)
        grid.merged_down = [(merge.first_row, merge.last_row) for merge in self.merged]
        grid.records = _records(_visible(self.rows(), self._reading), grid)
        return grid


def _chosen_sheet(package: Package, strings: list[str], wanted: str | None) -> tuple[SheetPart, list[str]]:
    """Return the sheet to read, and the names of others with a usable header if no one chose among them."""
    if not package.sheets:
        raise UnreadableError(gettext("The workbook has no sheet; put the table into a sheet and save it again."))
    if wanted is not None:
        for sheet in package.sheets:
            if sheet.name == wanted:
                return sheet, []
        listed = ", ".join(quoted(printable(sheet.name)) for sheet in package.sheets[:_PEEKED_SHEETS])
        raise UnreadableError(
            gettext("There is no sheet “%(wanted)s”; choose one of %(listed)s.")
            % {"wanted": printable(wanted), "listed": listed}
        )
    visible = [sheet for sheet in package.sheets if sheet.is_visible] or package.sheets
    if len(visible) == 1:
        return visible[0], []
    filled: list[SheetPart] = []
    tables: list[SheetPart] = []
    for sheet in visible[:_PEEKED_SHEETS]:
        rows = list(islice(sheet_rows(package, sheet.path, strings), _PEEKED_ROWS))
        if any(names_a_table(_texts(row)) for row in rows if not row.is_hidden):
            tables.append(sheet)
        elif rows:
            filled.append(sheet)
    return (tables or filled or visible)[0], [sheet.name for sheet in tables[1:]]


def _visible(rows: Iterator[SheetRow], reading: Reading) -> Iterator[SheetRow]:
    """Skip the hidden rows, with a warning."""
    first, count = 0, 0
    for row in rows:
        if row.is_hidden:
            first, count = first or row.number, count + 1
        else:
            yield row
    if count:
        text = ngettext(
            "a hidden row was ignored; unhide it in the workbook if it belongs to the standings.",
            "%(count)s hidden rows were ignored; unhide them in the workbook if they belong to the standings.",
            count,
        )
        reading.warn(text % {"count": grouped(count)}, row=first)


def _filled(rows: Iterator[SheetRow], merged: list[MergedRange]) -> Iterator[SheetRow]:
    """Copy the value of cells merged over several rows to each of these rows that has other cells."""
    anchor_of = {
        (row, merge.column): (merge.first_row, merge.column)
        for merge in merged
        for row in range(merge.first_row, merge.last_row + 1)
    }
    columns = sorted({merge.column for merge in merged})
    values: dict[tuple[int, int], CellValue] = {}
    for row in rows:
        if anchor_of:
            cells = dict(row.cells)
            for column in columns:
                anchor = anchor_of.get((row.number, column))
                if anchor and column in cells:
                    values.setdefault(anchor, cells[column])
                elif anchor and anchor in values:
                    cells[column] = values[anchor]
            row = row._replace(cells=sorted(cells.items(), key=lambda cell: cell[0]))
        yield row


def _records(rows: Iterator[SheetRow], grid: Grid) -> Iterator[Record]:
    for row in rows:
        for position, value in row.cells:
            if isinstance(value, CellFault):
                grid.cell_faults[row.number, position] = value
        yield Record(row.number, _texts(row))


def _texts(row: SheetRow) -> list[str]:
    texts = [""] * (row.cells[-1][0] + 1)
    for position, value in row.cells:
        texts[position] = shown(value)
    return texts


def _annotated(sheet: Sheet, report: Report, options: ReadingOptions) -> bytes:
    """Return a workbook with the sheet that was read: the same values in the same cells, and the remarks."""
    widths = {row.number: row.cells[-1][0] + 1 for row in _corrected(sheet.rows(), options.corrections)}
    if not widths:
        raise UnreadableError(
            gettext("The sheet “%(name)s” is empty, so Podium has nowhere to put remarks.")
            % {"name": printable(sheet.name)}
        )
    if max(widths) > len(widths) + _MAX_EMPTY_ROWS:
        raise UnreadableError(
            gettext("The sheet has more than %(most)s empty rows between rows with content; delete them.")
            % {"most": grouped(_MAX_EMPTY_ROWS)}
        )
    start = _start(sheet, options, min(widths))
    position = _remarks_position(start.cells, max(widths.values()))
    rows = (row for row in widths if row >= start.number)
    remarks = remarks_of(report, rows, options.corrections, start.cells)
    workbook = openpyxl.Workbook(write_only=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about long titles
        written = workbook.create_sheet(_title(sheet.name))
    # Merged cells of the header show which row names the columns; other merged cells are filled with their values.
    for merge in [merge for merge in sheet.merged if merge.first_row == start.number][:MAX_COLUMNS]:
        letter = column_letter(merge.column)
        written.merged_cells.add(f"{letter}{merge.first_row}:{letter}{merge.last_row}")
    written.column_dimensions[column_letter(position)].width = _WIDTH_OF_REMARKS
    _write_rows(written, _corrected(sheet.rows(), options.corrections), remarks, start.number, position)
    out = io.BytesIO()
    workbook.save(out)
    return out.getvalue()


def _corrected(rows: Iterator[SheetRow], corrections: Mapping[int, Correction]) -> Iterator[SheetRow]:
    """Yield the rows with the organizer's corrections, without those left out."""
    for row in rows:
        correction = corrections.get(row.number)
        if correction is None:
            yield row
        elif not correction.is_left_out:
            cells: dict[int, CellValue] = {**dict(row.cells), **correction.cells}
            yield row._replace(cells=sorted(cells.items(), key=lambda cell: cell[0]))


def _write_rows(
    written: WriteOnlyWorksheet, rows: Iterator[SheetRow], remarks: Remarks, header_row: int, position: int
) -> None:
    line, first = 1, 0
    for row in rows:
        first = first or row.number
        for _ in range(line, row.number):
            written.append(())
        remark = remark_for(row.number, header_row, first, remarks)
        cells: list[Any] = [None] * (position + 1)
        for i, value in row.cells:
            cells[i] = _writable(written, value)
        cells[position] = _writable(written, remark) if remark else None
        if row.is_hidden:
            written.row_dimensions[row.number].hidden = True
        written.append(cells)
        line = row.number + 1


def _remarks_position(header: Sequence[str], width: int) -> int:
    """Return the 0-based column for the remarks: that of an earlier annotation, or the first free one."""
    for i, name in enumerate(header):
        if is_remarks(name):
            return i
    position = max(len(header), width)
    if position >= MAX_COLUMNS:
        raise no_room()
    return position


def _start(sheet: Sheet, options: ReadingOptions, first_row: int) -> TableStart:
    try:
        return table_start(sheet.grid(), options)
    except UnreadableError:
        return TableStart(first_row, [], iter(()), [])


def _writable(written: WriteOnlyWorksheet, value: CellValue) -> object:
    """Return a value for openpyxl to write: text stays text, even if it looks like a formula, and is safe to edit."""
    if isinstance(value, CellFault):
        # A formula without a stored value becomes a visible error, not another formula.
        return value.shown if value.shown.startswith("#") else "#N/A"
    if not isinstance(value, str):
        return value
    text = _TO_ESCAPE.sub(lambda match: f"_x{ord(match[0]):04X}_", cell_safe(value))
    if not text.startswith(("=", "#")):
        return text
    cell = WriteOnlyCell(written)
    cell._value, cell.data_type = text[:32_767], "s"
    return cell


def _title(name: str) -> str:
    return _NOT_IN_TITLES.sub("_", name)[:_MAX_TITLE_LENGTH].strip("'") or "Standings"
