"""Sketches of tables: the columns with samples, and single rows as they are in the file."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from contests.formats.games.detection import table_start_of
from contests.formats.reader import FileRow, FileRows, Sketch, SketchColumn
from contests.formats.table.columns import MAX_COLUMNS, field_of, fields_of, is_remarks, near_fields
from contests.formats.table.grid import column_names, guessed_fields
from contests.formats.table.options import ReadingOptions
from contests.formats.values import counts_games, parse_place
from contests.handles import printable

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from contests.formats.table.grid import Grid

_SAMPLED_ROWS = 50
_SAMPLES = 3
_SAMPLE_LENGTH = 40


def sketch_of(grid: Grid, options: ReadingOptions) -> Sketch:
    """Return a sketch from the first rows of a table; UnreadableError if there are none."""
    start, by_content = table_start_of(grid, options)
    rows = [record.cells for record in islice(start.below, _SAMPLED_ROWS) if not record.fault]
    line, cells = start.number, start.cells
    if options.header_row is None and _is_data(cells):
        rows.insert(0, cells)
        line, cells = 0, [""] * len(cells)
    names = ["" if line == 0 else name for name in column_names(cells, line=line)][:MAX_COLUMNS]
    fields = guessed_fields(names) if by_content is None else {i: by_content.get(i, "") for i in range(len(names))}
    for i, name in enumerate(names):
        if fields[i] == "share" and counts_games(name, [row[i] for row in rows if i < len(row)]):
            fields[i] = ""
    taken = set(fields.values())
    columns = [_column(i, name, fields[i], rows, taken) for i, name in enumerate(names)]
    chosen = ReadingOptions(fields, grid.sheet, line, options.decimal_comma)
    return Sketch("table", list(grid.sheets), grid.sheet, line, columns, chosen)


def file_rows(grid: Grid, options: ReadingOptions, numbers: frozenset[int]) -> FileRows:
    """Return rows of a table as they are in the file, without corrections; UnreadableError if it is empty."""
    start, by_content = table_start_of(grid, options)
    names = column_names(start.cells, line=start.number)
    if options.columns is not None:
        fields = {i: field for i, field in options.columns.items() if field}
    else:
        found = guessed_fields(names) if by_content is None else by_content
        fields = {i: field for i, field in found.items() if field}
    rows, last = [], max(numbers, default=0)
    for record in start.below:
        if record.number > last:
            break
        if record.number in numbers:
            cells = grid.split(record.cells[0]) if record.fault else list(record.cells)
            if grid.is_sheet:
                cells += [""] * (len(names) - len(cells))
            has_more = any(cell.strip() for cell in cells[len(names) :])
            is_whole = bool(record.fault) or len(cells) < len(names) or has_more
            rows.append(FileRow(record.number, cells, is_whole))
    return FileRows(start.number, names, fields, rows)


def _is_data(cells: Sequence[str]) -> bool:
    """Whether the supposed header is a row of a player: it has a rank, and no known column name."""
    return not any(fields_of(cells)) and any(_is_rank(cell.strip()) for cell in cells)


def _is_rank(cell: str) -> bool:
    try:
        return parse_place(cell) is not None
    except ValueError:
        return False


def _column(i: int, name: str, field: str, rows: list[Sequence[str]], taken: Collection[str]) -> SketchColumn:
    cells = (row[i].strip() for row in rows if i < len(row))
    samples = [printable(cell, _SAMPLE_LENGTH - 1)[:_SAMPLE_LENGTH] for cell in islice(filter(None, cells), _SAMPLES)]
    near = [] if field or not name or is_remarks(name) or field_of(name) else near_fields(name, taken)
    return SketchColumn(i, name, field, samples, near[0] if near else "")
