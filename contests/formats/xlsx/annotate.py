"""A sheet of a workbook again, its cells as values, with a column of remarks."""

from __future__ import annotations

import io
import re
import warnings
from typing import TYPE_CHECKING

import openpyxl
from openpyxl.cell import WriteOnlyCell

from contests.formats.base import Reading, Report, UnreadableError
from contests.formats.remarks import remarks_of
from contests.formats.table.annotate import no_room, remark_for
from contests.formats.table.columns import is_remarks
from contests.formats.table.escape import cell_safe
from contests.formats.table.grid import MOST_COLUMNS, CellFault, TableStart, table_start
from contests.formats.table.header import column_letter
from contests.formats.xlsx.reader import Sheet
from contests.handles import printable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, BinaryIO

    from openpyxl.worksheet._write_only import WriteOnlyWorksheet

    from contests.formats.remarks import Remarks
    from contests.formats.table.options import ReadingOptions
    from contests.formats.xlsx.sheet import CellValue

_WIDTH_OF_REMARKS = 80.0
_LONGEST_TITLE = 31
_MOST_EMPTY_ROWS = 20_000
_NOT_IN_TITLES = re.compile(r"[\\*?:/\[\]\x00-\x1f]")
# What XML cannot hold, and what would be taken for such an escape; a workbook writes it as _x0007_.
_TO_ESCAPE = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


def annotated_workbook(stream: BinaryIO, report: Report, options: ReadingOptions) -> bytes:
    """Return a workbook with the one sheet that was read: each value in its cell, and beside it the remarks."""
    sheet = Sheet(stream, Reading("", Report(), options=options))
    widths = {row.number: row.cells[-1][0] + 1 for row in sheet.rows()}
    if not widths:
        raise UnreadableError(f"The sheet “{printable(sheet.name)}” is empty, so there is no place for remarks.")
    if max(widths) > len(widths) + _MOST_EMPTY_ROWS:
        raise UnreadableError(f"More than {_MOST_EMPTY_ROWS:,} rows between the others are empty; delete them.")
    start = _start(sheet, options, min(widths))
    position = _remarks_position(start.cells, max(widths.values()))
    remarks = remarks_of(report, (row for row in widths if row >= start.number))
    workbook = openpyxl.Workbook(write_only=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of long titles
        written = workbook.create_sheet(_title(sheet.name))
    # Those of the header tell which of its rows names the columns; the others are filled with their values instead.
    for merge in [merge for merge in sheet.merged if merge.first_row == start.number][:MOST_COLUMNS]:
        letter = column_letter(merge.column)
        written.merged_cells.add(f"{letter}{merge.first_row}:{letter}{merge.last_row}")
    written.column_dimensions[column_letter(position)].width = _WIDTH_OF_REMARKS
    _write_rows(written, sheet, remarks, start.number, position)
    out = io.BytesIO()
    workbook.save(out)
    return out.getvalue()


def _write_rows(written: WriteOnlyWorksheet, sheet: Sheet, remarks: Remarks, header_row: int, position: int) -> None:
    line, first = 1, 0
    for row in sheet.rows():
        first = first or row.number
        for _ in range(line, row.number):
            written.append(())
        said = remark_for(row.number, header_row, first, remarks)
        cells: list[Any] = [None] * (position + 1)
        for i, value in row.cells:
            cells[i] = _writable(written, value)
        cells[position] = _writable(written, said) if said else None
        if row.is_hidden:
            written.row_dimensions[row.number].hidden = True
        written.append(cells)
        line = row.number + 1


def _remarks_position(header: Sequence[str], width: int) -> int:
    """Return the 0-based column for the remarks: that of an earlier annotation, or the one beside the widest row."""
    for i, name in enumerate(header):
        if is_remarks(name):
            return i
    position = max(len(header), width)
    if position >= MOST_COLUMNS:
        raise no_room()
    return position


def _start(sheet: Sheet, options: ReadingOptions, first_row: int) -> TableStart:
    try:
        return table_start(sheet.grid(), options)
    except UnreadableError:
        return TableStart(first_row, [], iter(()), [])


def _writable(written: WriteOnlyWorksheet, value: CellValue) -> object:
    """Return a value as openpyxl is to write it: text stays text, whatever it begins with, and is safe to edit."""
    if isinstance(value, CellFault):
        # A formula that was never computed comes back as an error that a spreadsheet shows, not as another formula.
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
    return _NOT_IN_TITLES.sub("_", name)[:_LONGEST_TITLE].strip("'") or "Standings"
