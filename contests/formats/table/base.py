"""What all formats of tables have in common: a grid of cells gives the contest, and a first look at its columns."""

from __future__ import annotations

from abc import abstractmethod
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO

from contests.formats.reader import Reader, Sketch, SketchColumn
from contests.formats.table.columns import ReadingOptions, field_of, is_remarks, near_fields
from contests.formats.table.grid import MOST_COLUMNS, column_names, guessed_fields, table_start
from contests.formats.table.standings import read_table
from contests.formats.values import parse_place
from contests.handles import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contests.formats.base import ParsedContest, Reading
    from contests.formats.table.grid import Grid

_SAMPLED_ROWS = 50
_SAMPLES = 3
_SAMPLE_LENGTH = 40


class TableReader(Reader):
    """A format of tables: `grid` gives the rows, which are one contest."""

    @abstractmethod
    def grid(self, stream: BinaryIO, reading: Reading) -> Grid:
        """Return the table with its cells still text."""

    def read(self, stream: BinaryIO, reading: Reading) -> Iterator[ParsedContest]:
        yield from read_table(self.grid(stream, reading), reading)

    def sketch(self, stream: BinaryIO, reading: Reading) -> Sketch:
        return _sketch_of(self.grid(stream, reading), reading.options)


def _sketch_of(grid: Grid, options: ReadingOptions) -> Sketch:
    """Look at the first rows of a table; UnreadableError if there are none."""
    start = table_start(grid, options)
    rows = [record.cells for record in islice(start.below, _SAMPLED_ROWS) if not record.fault]
    line, cells = start.number, start.cells
    if options.header_row is None and _is_data(cells):
        rows.insert(0, cells)
        line, cells = 0, [""] * len(cells)
    names = ["" if line == 0 else name for name in column_names(cells, line=line)][:MOST_COLUMNS]
    fields = guessed_fields(names)
    columns = [_column(i, name, fields[i], rows) for i, name in enumerate(names)]
    chosen = ReadingOptions(fields, grid.sheet, line, options.decimal_comma)
    return Sketch("table", list(grid.sheets), grid.sheet, line, columns, chosen)


def _is_data(cells: Sequence[str]) -> bool:
    """Whether the row that should name the columns is one of a player: a rank among its cells, and no known name."""
    return not any(field_of(cell) for cell in cells) and any(_is_rank(cell.strip()) for cell in cells)


def _is_rank(cell: str) -> bool:
    try:
        return parse_place(cell) is not None
    except ValueError:
        return False


def _column(i: int, name: str, field: str, rows: list[Sequence[str]]) -> SketchColumn:
    cells = (row[i].strip() for row in rows if i < len(row))
    samples = [printable(cell, _SAMPLE_LENGTH - 1)[:_SAMPLE_LENGTH] for cell in islice(filter(None, cells), _SAMPLES)]
    near = [] if field or not name or is_remarks(name) or field_of(name) else near_fields(name)
    return SketchColumn(i, name, field, samples, near[0] if near else "")
