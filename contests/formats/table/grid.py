"""A table before its columns are known: numbered rows of cells, whichever kind of file they come from."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain, dropwhile, islice
from typing import TYPE_CHECKING, NamedTuple

from contests.formats.base import UnreadableError
from contests.formats.table.columns import WHO, field_of, is_remarks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contests.formats.table.columns import ReadingOptions

MOST_COLUMNS = 200
# So many rows that are not empty are looked at for the names of the columns.
_PEEKED_ROWS = 20
_MOST_HEADER_ROWS = 4


class Record(NamedTuple):
    """
    One row that is not empty.

    number
        1-based line where it begins, or row of the sheet.
    fault
        Why it cannot be read, in words; its cells are then what can be shown of it.
    """

    number: int
    cells: Sequence[str]
    fault: str = ""


class CellFault(NamedTuple):
    """A cell without a value: what is seen there, and why that is no value, with the remedy."""

    shown: str
    message: str


@dataclass(slots=True)
class Grid:
    """
    A table, its cells still text, read once and from the front.

    records
        The rows that are not empty.
    comma_is_decimal
        What the kind of the table says of commas in numbers; None: its columns show it.
    is_sheet
        Whether it is a sheet of a workbook: places are cells, and a row may be shorter than the header.
    sheet, sheets
        Its name, and the names of all sheets of the workbook.
    cell_faults
        (row, 0-based position) -> fault, of the rows read so far.
    merged_down
        (first row, last row) of cells merged over several rows, which a header of several rows has.
    """

    records: Iterator[Record]
    comma_is_decimal: bool | None = None
    is_sheet: bool = False
    sheet: str | None = None
    sheets: tuple[str, ...] = ()
    cell_faults: dict[tuple[int, int], CellFault] = field(default_factory=dict)
    merged_down: Sequence[tuple[int, int]] = ()


class TableStart(NamedTuple):
    """
    Where a table begins.

    number
        Line of the names of the columns, 0 if it has none.
    cells
        The names as they stand there; without names, as many empty texts as there are columns.
    below
        The rows below.
    above
        The rows that were skipped because they stand above the names.
    """

    number: int
    cells: list[str]
    below: Iterator[Record]
    above: list[Record]


def table_start(grid: Grid, options: ReadingOptions) -> TableStart:
    """Find the names of the columns, where the options say or where they seem to be; UnreadableError if it is empty."""
    number = options.header_row
    records = dropwhile(lambda record: record.number < number, grid.records) if number else grid.records
    first = list(islice(records, _PEEKED_ROWS))
    if not first:
        where = (
            f"there is nothing in line {number:,} or below; choose the line of the column names again."
            if number
            else ("The file is empty; it needs a line with column names and one line for each player.")
        )
        raise UnreadableError(where)
    if number == 0:
        width = max(len(record.cells) for record in first)
        return TableStart(0, [""] * width, chain(first, records), [])
    i = 0 if number else likely_header([record.cells for record in first])
    top, above = first[i], first[:i]
    if top.fault:
        raise UnreadableError(top.fault, row=top.number)
    # Of names in several rows, some merged over all of them, the lowest row is the one that names each column.
    merged = [last for first_row, last in grid.merged_down if first_row == top.number]
    last = max((last for last in merged if last - top.number < _MOST_HEADER_ROWS), default=top.number)
    while i + 1 < len(first) and first[i + 1].number <= last:
        i += 1
    return TableStart(top.number, list(first[i].cells), chain(first[i + 1 :], records), above)


def names_a_table(cells: Sequence[str]) -> bool:
    """Whether the cells name who played, and a rank or score."""
    fields = {field_of(cell) for cell in cells[:MOST_COLUMNS]}
    return not fields.isdisjoint(WHO) and not fields.isdisjoint(("rank", "score"))


def likely_header(rows: Sequence[Sequence[str]]) -> int:
    """Return which of the first rows names the columns: the first that names all it needs, else the most telling."""
    for i, cells in enumerate(rows):
        if names_a_table(cells):
            return i
    known = [known_columns(cells) for cells in rows]
    return known.index(max(known))


def known_columns(cells: Sequence[str]) -> int:
    """Return how many of the cells are names of columns that we know."""
    return sum(1 for cell in cells[:MOST_COLUMNS] if field_of(cell) or is_remarks(cell))
