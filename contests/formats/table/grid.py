"""The grid of a table: numbered rows of cells from any kind of file, and the header with the fields of its columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain, dropwhile, islice
from typing import TYPE_CHECKING, NamedTuple

from django.utils.translation import gettext

from contests.formats.base import UnreadableError
from contests.formats.table.columns import (
    FIELDS,
    MAX_COLUMNS,
    NAME_PARTS,
    PLAYER_FIELDS,
    fields_of,
    is_remarks,
    names_of_games,
    names_sides_alone,
    part_beside,
    unknown_column,
)
from contests.handles import printable
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence

    from contests.formats.base import Reading
    from contests.formats.table.corrections import Correction
    from contests.formats.table.options import ReadingOptions


# Number of non-empty rows in which the column names are looked for.
_PEEKED_ROWS = 20
# Number of rows below the column names that show what the columns have.
_EXAMINED_ROWS = 50
_MAX_HEADER_ROWS = 4


class Record(NamedTuple):
    """
    One row that is not empty.

    number
        1-based line where it begins, or row of the sheet.
    fault
        Why the row is unreadable, a sentence; `cells` then has its text for display.
    """

    number: int
    cells: Sequence[str]
    fault: str = ""


class CellFault(NamedTuple):
    """A cell without a value: its displayed text, and the problem with its remedy."""

    shown: str
    message: str


@dataclass(slots=True)
class Grid:
    """
    A table with text cells, read once from top to bottom.

    records
        The rows that are not empty.
    comma_is_decimal
        Meaning of commas in numbers, if the kind of table implies it; None: detected for each column.
    is_sheet
        Whether it is a sheet of a workbook; places are then cells, and rows can be shorter than the header.
    sheet, sheets
        Its name, and the names of all sheets of the workbook.
    cell_faults
        (row, 0-based position) -> fault, of the rows read so far.
    merged_down
        (first row, last row) of cells merged over several rows, as in headers of several rows.
    split
        A function that guesses the cells of an unreadable row from its text.
    """

    records: Iterator[Record]
    comma_is_decimal: bool | None = None
    is_sheet: bool = False
    sheet: str | None = None
    sheets: tuple[str, ...] = ()
    cell_faults: dict[tuple[int, int], CellFault] = field(default_factory=dict)
    merged_down: Sequence[tuple[int, int]] = ()
    split: Callable[[str], list[str]] = str.split


def corrected(
    records: Iterator[Record],
    corrections: Mapping[int, Correction],
    faults: MutableMapping[tuple[int, int], CellFault],
) -> Iterator[Record]:
    """
    Yield the records with their corrections, without those left out.

    faults
        The cells without a value, (row, position) -> fault. Those of corrected cells are removed.
    """
    for record in records:
        correction = corrections.get(record.number)
        if correction is None:
            yield record
        elif not correction.is_left_out:
            for position in correction.cells:
                faults.pop((record.number, position), None)
            cells = () if record.fault else record.cells
            yield record._replace(cells=correction.apply(cells), fault="")


class TableStart(NamedTuple):
    """
    The header of a table and the rows around it.

    number
        Line of the column names, 0 if there are none.
    cells
        The column names as in the file; without names, as many empty texts as there are columns.
    below
        The rows below the names.
    above
        The skipped rows above the names.
    """

    number: int
    cells: list[str]
    below: Iterator[Record]
    above: list[Record]

    def peeked(self) -> tuple[list[Record], TableStart]:
        """Return the first rows below the column names, and a start from which all rows can still be read."""
        first = list(islice(self.below, _EXAMINED_ROWS))
        return first, self._replace(below=chain(first, self.below))


def table_start(grid: Grid, options: ReadingOptions) -> TableStart:
    """Find the column names, in the chosen line or by detection; UnreadableError if the table is empty."""
    number = options.header_row
    records = dropwhile(lambda record: record.number < number, grid.records) if number else grid.records
    first = list(islice(records, _PEEKED_ROWS))
    if not first:
        if number:
            text = gettext("row %(number)s and the rows below are empty; change “Row with the column names”.")
            raise UnreadableError(text % {"number": grouped(number)})
        raise UnreadableError(
            gettext("The file is empty; it needs a line with column names and one line for each player.")
        )
    if number == 0:
        width = max(len(record.cells) for record in first)
        return TableStart(0, [""] * width, chain(first, records), [])
    i = 0 if number else likely_header([record.cells for record in first])
    top, above = first[i], first[:i]
    if top.fault:
        raise UnreadableError(top.fault, row=top.number)
    # In a header of several rows, some cells are merged over all of them, and the lowest row names each column.
    merged = [last for first_row, last in grid.merged_down if first_row == top.number]
    last = max((last for last in merged if last - top.number < _MAX_HEADER_ROWS), default=top.number)
    while i + 1 < len(first) and first[i + 1].number <= last:
        i += 1
    return TableStart(top.number, list(first[i].cells), chain(first[i + 1 :], records), above)


def names_a_table(cells: Sequence[str]) -> bool:
    """Whether the cells name a player column, and a rank or score; or the columns of a table of games."""
    fields = set(fields_of(cells[:MAX_COLUMNS]))
    names_standings = not fields.isdisjoint((*PLAYER_FIELDS, *NAME_PARTS)) and not fields.isdisjoint(("rank", "score"))
    return names_standings or bool(names_of_games(cells))


def likely_header(rows: Sequence[Sequence[str]]) -> int:
    """Return the index of the likely header: the first usable one, else the row with the most known names."""
    for i, cells in enumerate(rows):
        if names_a_table(cells):
            return i
    known = [known_columns(cells) for cells in rows]
    return known.index(max(known))


def known_columns(cells: Sequence[str]) -> int:
    """Return how many of the cells are known column names."""
    games = sum(1 for field in names_of_games(cells).values() if field)
    cells = cells[:MAX_COLUMNS]
    return max(games, sum(1 for cell, field in zip(cells, fields_of(cells), strict=True) if field or is_remarks(cell)))


@dataclass(frozen=True, slots=True)
class Header:
    """
    The columns of a table: their names in the file, and the position of each known field.

    line
        Line of the names, None if the table has none.
    """

    names: tuple[str, ...]
    index: dict[str, int]
    line: int | None

    @property
    def width(self) -> int:
        return len(self.names)

    @property
    def parts(self) -> list[str]:
        """The fields whose cells are joined into names, in their order."""
        return [part for part in NAME_PARTS if part in self.index]

    def join_names(self, columns: dict[str, Sequence[str]]) -> None:
        """Replace the cells of the parts of names, by field, by the names, or by handles if there are none."""
        if parts := [columns.pop(part) for part in self.parts]:
            names = [" ".join(filter(None, map(str.strip, each))) for each in zip(*parts, strict=True)]
            columns["name" if "handle" in self.index else "handle"] = names

    def name(self, field: str) -> str:
        """Return the name of the column of a field; joined names belong to the last of their columns."""
        if field in ("handle", "name") and field not in self.index and self.parts:
            field = self.parts[-1]
        return self.names[self.index[field]] if field in self.index else field


def column_names(cells: Sequence[str], *, line: int) -> list[str]:
    """Return the names of the columns for messages, "" for a column without a name; "column 1", … if line is 0."""
    if line == 0:
        return [f"column {i}" for i in range(1, len(cells) + 1)]
    names = [printable(cell.strip()) for cell in cells]
    while names and not names[-1]:
        names.pop()
    return names


def guessed_fields(names: Sequence[str]) -> dict[int, str]:
    """Return the field of each column by its name, "" for unknown names and further columns of a field."""
    if of_games := names_of_games(names):
        return of_games
    fields: dict[int, str] = {}
    for i, found in enumerate(fields_of(names)):
        field = found or ""
        fields[i] = "" if field in fields.values() else field
    if part := part_beside(fields.values()):
        fields[next(i for i in fields if fields[i] == "name")] = part
    if not {"handle", *NAME_PARTS} & set(fields.values()):
        for field in PLAYER_FIELDS:
            if field in fields.values():
                fields[next(i for i in fields if fields[i] == field)] = "handle"
                break
    return fields


def read_header(cells: Sequence[str], line: int, reading: Reading) -> Header | None:
    """Return the header and report its problems; None if no row can be read with it."""
    names = column_names(cells, line=line)
    if reading.letters is not None:
        reading.letters.update({name: column_letter(i) for i, name in reversed(list(enumerate(names)))})
    chosen = reading.options.columns
    index = _named(names, line, reading) if chosen is None else _chosen(names, chosen, line, reading)
    if index is None or not _names_players(index) or not _names_results(index):
        return None
    if reading.letters is not None:
        reading.letters.update({names[i]: column_letter(i) for i in index.values()})
    return Header(tuple(names), index, line or None)


def _named(names: Sequence[str], line: int, reading: Reading) -> dict[str, int] | None:
    """Return the column of each field by the column names."""
    if line == 0:
        reading.error(gettext("the table has no line with column names; choose what each column contains."))
        return None
    if names_sides_alone(names):
        message = gettext(
            "the columns name the two sides of games, but no column says who won; add a column “result” or “winner”, "
            "or “score_a” and “score_b”."
        )
        reading.error(message, row=line, value=" ".join(names[:8]))
        return None
    named = fields_of(names)
    if not any(named):
        known = ", ".join(FIELDS)
        message = gettext(
            "the first line must name the columns; add a line above it with some of these names: %(known)s."
        )
        message %= {"known": known}
        reading.error(message, row=line, value=" ".join(names[:8]))
        return None
    index: dict[str, int] = {}
    for i, name in enumerate(names):
        field = named[i]
        if field is None:
            if name and not is_remarks(name) and not reading.options.ignores_unknown:
                _error(reading, unknown_column(name, set(named)), line, i, name)
        elif field in index:
            text = gettext("“%(one)s” and “%(other)s” both mean %(field)s; delete one.")
            _error(reading, text % {"one": names[index[field]], "other": name, "field": field}, line, i, name)
        else:
            index[field] = i
    if part := part_beside(index):
        index[part] = index.pop("name")
    _choose_handle(index, names, line, reading)
    _check_parts(index, names, line, reading)
    if _names_players(index) and not _names_results(index):
        message = gettext("the table has no ranks, scores or times; add a column “rank”, “score” or “time”.")
        reading.error(message, row=line)
    return index


def _names_players(index: Mapping[str, int]) -> bool:
    return not {"handle", *NAME_PARTS}.isdisjoint(index)


def _names_results(index: Mapping[str, int]) -> bool:
    return not {"rank", "score", "penalty"}.isdisjoint(index)


def _check_parts(index: Mapping[str, int], names: Sequence[str], line: int, reading: Reading) -> None:
    """Report whole names beside their parts."""
    part = next((part for part in NAME_PARTS if part in index), None)
    if part is not None and "name" in index:
        text = gettext("“%(one)s” and “%(other)s” both contain names; leave one of them out.")
        text %= {"one": _called(names, index["name"]), "other": _called(names, index[part])}
        _error(reading, text, line, index[part], _called(names, index[part]))


def _choose_handle(index: dict[str, int], names: Sequence[str], line: int, reading: Reading) -> None:
    """Use names, or team names, as handles if there are no handles."""
    parts = [_called(names, index[part]) for part in NAME_PARTS if part in index]
    if parts and "handle" not in index:
        if "last_name" not in index:
            message = gettext(
                "there is no column “handle”, so first names alone identify the players (%(columns)s): two people "
                "with the same first name would be one player. Add a column with last names."
            )
            reading.warn(message % {"columns": " + ".join(parts)}, row=line)
            return
        message = gettext("there is no column “handle”, so the names identify the players (%(columns)s).")
        reading.warn(message % {"columns": " + ".join(parts)}, row=line)
        return
    for substitute in PLAYER_FIELDS:
        if substitute in index:
            if substitute != "handle":
                i = index["handle"] = index.pop(substitute)
                message = gettext("there is no column “handle”, so this one identifies the players.")
                reading.warn(message, row=line, column=names[i], cell=_cell(reading, line, i))
            return
    reading.error(
        gettext("no column identifies the players; add a column “handle”. Known columns are %(fields)s.")
        % {"fields": ", ".join(FIELDS)},
        row=line,
    )


def _chosen(names: Sequence[str], chosen: Mapping[int, str], line: int, reading: Reading) -> dict[str, int]:
    """Return the column of each field as chosen, and report contradictions."""
    index: dict[str, int] = {}
    for i, choice in sorted(chosen.items()):
        if not choice:
            continue
        if i >= len(names):
            reading.error(
                gettext("there is no column %(number)s, since the table has only %(count)s; choose the columns again.")
                % {"number": i + 1, "count": len(names)},
                row=line or None,
            )
        elif choice in index:
            text = gettext(
                "“%(one)s” and “%(other)s” are both set to %(field)s; choose it for one of them, and leave the "
                "other out."
            )
            text %= {"one": _called(names, index[choice]), "other": _called(names, i), "field": choice}
            _error(reading, text, line, i, _called(names, i))
        else:
            index[choice] = i
    listed = ", ".join(_called(names, i) for i in range(min(len(names), 12)))
    _check_parts(index, names, line, reading)
    if not _names_players(index):
        message = gettext(
            "you have not chosen which column identifies the players; choose “handle” for one of these: %(listed)s."
        )
        message %= {"listed": listed}
        reading.error(message, row=line or None)
    if not _names_results(index):
        message = gettext(
            "you have chosen no ranks, scores or times; choose “rank”, “score” or “penalty” for one of these: "
            "%(listed)s."
        )
        message %= {"listed": listed}
        reading.error(message, row=line or None)
    return index


def _called(names: Sequence[str], i: int) -> str:
    return names[i] or gettext("column %(position)s") % {"position": i + 1}


def _error(reading: Reading, message: str, line: int, i: int, name: str) -> None:
    reading.error(message, row=line or None, column=name, cell=_cell(reading, line, i))


def _cell(reading: Reading, line: int, i: int) -> str | None:
    return None if reading.letters is None or not line else f"{column_letter(i)}{line}"


def column_letter(i: int) -> str:
    """Return the letters of a workbook's i-th column, counted from 0: A, B, ..., Z, AA, ..."""
    letters = ""
    i += 1
    while i:
        i, rest = divmod(i - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
