"""Detection of tables of games by the content of their columns."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from contests.formats.games.dates import DateColumn
from contests.formats.games.results import is_walkover, parse_result
from contests.formats.table.columns import MAX_COLUMNS, fields_of
from contests.formats.table.grid import Record, TableStart, names_a_table, table_start

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contests.formats.table.grid import Grid
    from contests.formats.table.options import ReadingOptions


def table_start_of(grid: Grid, options: ReadingOptions) -> tuple[TableStart, dict[int, str] | None]:
    """
    Return the start of a table, and the fields of its columns if only their content shows that the rows are games.

    Such a table has no line of column names, or one that names no known column.
    """
    start = table_start(grid, options)
    if options.columns is not None or names_a_table(start.cells) or any(fields_of(start.cells)):
        return start, None
    first, start = start.peeked()
    rows = [record.cells for record in first if not record.fault]
    if start.number and options.header_row is None and _fields_by_content([start.cells]):
        # The supposed column names are a game themselves.
        top = Record(start.number, start.cells)
        start = TableStart(0, [""] * max(len(row) for row in (start.cells, *rows)), chain([top], start.below), [])
        rows = [top.cells, *rows]
    return start, _fields_by_content(rows) or None


def _fields_by_content(rows: Sequence[Sequence[str]]) -> dict[int, str]:
    """
    Return the field of each column of a table without column names: results, dates, and two columns of names.

    The result is empty unless exactly one column has results, and two have names: a third one can contain rounds,
    places or referees.
    """
    width = min(max((len(row) for row in rows), default=0), MAX_COLUMNS)
    kinds = [_kind([row[i].strip() for row in rows if i < len(row)]) for i in range(width)]
    names = [i for i, kind in enumerate(kinds) if kind == "name"]
    if kinds.count("result") != 1 or len(names) != 2 or kinds.count("date") > 1:
        return {}
    fields = dict.fromkeys(range(width), "")
    fields |= {i: kind for i, kind in enumerate(kinds) if kind in ("result", "date")}
    return fields | {names[0]: "player_a", names[1]: "player_b"}


def _kind(cells: Sequence[str]) -> str:
    filled = [cell for cell in cells if cell]
    if not filled or len(filled) < 0.8 * len(cells):
        return ""
    if all(_is_result(cell) for cell in filled):
        return "result"
    dates = DateColumn(filled)
    if all(dates.is_date(cell) for cell in filled):
        return "date"
    return "name" if any(character.isalpha() for cell in filled for character in cell) else ""


def _is_result(cell: str) -> bool:
    """Whether a cell is a result beyond doubt: two numbers, signs or halves, not a single word or number."""
    try:
        return len(cell) > 1 and not cell.isalnum() and (is_walkover(cell) or parse_result(cell) is not None)
    except ValueError:
        return False
