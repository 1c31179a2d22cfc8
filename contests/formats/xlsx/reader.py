"""Excel workbooks (.xlsx): one sheet is the table, its cells read as people see them."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, BinaryIO

from contests.formats.base import UnreadableError
from contests.formats.table.grid import CellFault, Grid, Record, names_a_table
from contests.formats.table.standings import read_table
from contests.formats.xlsx.package import Package
from contests.formats.xlsx.sheet import merged_ranges, sheet_rows, shown
from contests.formats.xlsx.xml import shared_strings
from contests.handles import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contests.formats.base import ParsedContest, Reading
    from contests.formats.xlsx.package import SheetPart
    from contests.formats.xlsx.sheet import CellValue, MergedRange, SheetRow

_PEEKED_ROWS = 20
_PEEKED_SHEETS = 20


class Workbook:
    """An Excel workbook; the sheet is chosen, or the first that people see with a header that can be used."""

    name = "XLSX"
    extensions = (".xlsx", ".xlsm", ".xltx", ".xltm")

    def recognizes(self, head: bytes) -> bool:
        return head.startswith(b"PK\x03\x04")

    def grid(self, stream: BinaryIO, reading: Reading) -> Grid:
        return Sheet(stream, reading).grid()

    def read(self, stream: BinaryIO, reading: Reading) -> Iterator[ParsedContest]:
        yield from read_table(self.grid(stream, reading), reading)


class Sheet:
    """The sheet of a workbook that is the table; its rows can be read more than once."""

    def __init__(self, stream: BinaryIO, reading: Reading) -> None:
        self._package = Package(stream.read())
        self._reading = reading
        if not self._package.formats_are_known:
            reading.warn("The formats of the cells cannot be read; check that dates and times came as they should.")
        self._strings = shared_strings(self._package)
        self._part = _chosen_sheet(self._package, self._strings, reading.options.sheet)
        self.name = self._part.name
        self._package.start_again()
        self.merged = merged_ranges(self._package, self._part.path)

    def rows(self) -> Iterator[SheetRow]:
        """Yield the rows with all their cells, also those that people do not see."""
        self._package.start_again()
        return _filled(sheet_rows(self._package, self._part.path, self._strings), self.merged)

    def grid(self) -> Grid:
        names = tuple(sheet.name for sheet in self._package.sheets)
        grid = Grid(iter(()), is_sheet=True, sheet=self.name, sheets=names)
        grid.merged_down = [(merge.first_row, merge.last_row) for merge in self.merged]
        grid.records = _records(_visible(self.rows(), self._reading), grid)
        return grid


def _chosen_sheet(package: Package, strings: list[str], wanted: str | None) -> SheetPart:
    if not package.sheets:
        raise UnreadableError("The workbook has no sheet; put the table into one, and save it again.")
    if wanted is not None:
        for sheet in package.sheets:
            if sheet.name == wanted:
                return sheet
        listed = ", ".join(f"“{printable(sheet.name)}”" for sheet in package.sheets[:_PEEKED_SHEETS])
        raise UnreadableError(f"There is no sheet “{printable(wanted)}”; choose one of {listed}.")
    visible = [sheet for sheet in package.sheets if sheet.is_visible] or package.sheets
    if len(visible) == 1:
        return visible[0]
    filled = []
    for sheet in visible[:_PEEKED_SHEETS]:
        rows = list(islice(sheet_rows(package, sheet.path, strings), _PEEKED_ROWS))
        if any(names_a_table(_texts(row)) for row in rows if not row.is_hidden):
            return sheet
        if rows:
            filled.append(sheet)
    return (filled or visible)[0]


def _visible(rows: Iterator[SheetRow], reading: Reading) -> Iterator[SheetRow]:
    """Leave out the rows that people do not see, and say so."""
    first, count = 0, 0
    for row in rows:
        if row.is_hidden:
            first, count = first or row.number, count + 1
        else:
            yield row
    if count:
        what = "a hidden row was" if count == 1 else f"{count:,} hidden rows were"
        reading.warn(f"{what} left out; show them in the workbook if they belong to the standings.", row=first)


def _filled(rows: Iterator[SheetRow], merged: list[MergedRange]) -> Iterator[SheetRow]:
    """Put the value of cells merged over several rows into each of these rows that has other cells too."""
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
