"""The field that each column of a table holds: by the names of the columns, or as chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from contests.formats.table.columns import FIELDS, WHO, field_of, is_remarks, suggestion
from contests.handles import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from contests.formats.base import Reading


@dataclass(frozen=True, slots=True)
class Header:
    """
    The columns of a table: what the file calls them, and where each known field is.

    line
        Where the names stand, None if the table has none.
    """

    names: tuple[str, ...]
    index: dict[str, int]
    line: int | None

    @property
    def width(self) -> int:
        return len(self.names)

    def name(self, field: str) -> str:
        return self.names[self.index[field]] if field in self.index else field


def column_names(cells: Sequence[str], *, line: int) -> list[str]:
    """Return what messages call the columns; a column without a name is "", unless none has one."""
    if line == 0:
        return [f"column {i}" for i in range(1, len(cells) + 1)]
    names = [printable(cell.strip()) for cell in cells]
    while names and not names[-1]:
        names.pop()
    return names


def guessed_fields(names: Sequence[str]) -> dict[int, str]:
    """Return the field of each column that has a known name, "" for the others; of two for one field the first."""
    fields: dict[int, str] = {}
    for i, name in enumerate(names):
        field = "" if is_remarks(name) else field_of(name) or ""
        fields[i] = "" if field in fields.values() else field
    if "handle" not in fields.values():
        for field in WHO:
            if field in fields.values():
                fields[next(i for i in fields if fields[i] == field)] = "handle"
                break
    return fields


def read_header(cells: Sequence[str], line: int, reading: Reading) -> Header | None:
    """Return the header, None if no row could be read with it; every problem of it is reported."""
    names = column_names(cells, line=line)
    if reading.letters is not None:
        reading.letters.update({name: column_letter(i) for i, name in reversed(list(enumerate(names)))})
    chosen = reading.options.columns
    index = _named(names, line, reading) if chosen is None else _chosen(names, chosen, line, reading)
    if index is None or "handle" not in index or not ("rank" in index or "score" in index):
        return None
    if reading.letters is not None:
        reading.letters.update({names[i]: column_letter(i) for i in index.values()})
    return Header(tuple(names), index, line or None)


def _named(names: Sequence[str], line: int, reading: Reading) -> dict[str, int] | None:
    """Return the column of each field, by the names of the columns."""
    if line == 0:
        reading.error("the table has no line with column names; choose what each column holds.")
        return None
    if not any(field_of(name) for name in names):
        known = ", ".join(FIELDS)
        message = f"the first line must name the columns; put a line above it with some of {known}."
        reading.error(message, row=line, value=" ".join(names[:8]))
        return None
    index: dict[str, int] = {}
    for i, name in enumerate(names):
        field = field_of(name) if name and not is_remarks(name) else None
        if field is None:
            if name and not is_remarks(name):
                _error(reading, f"unknown column: {suggestion(name)}.", line, i, name)
        elif field in index:
            _error(reading, f"“{names[index[field]]}” and “{name}” both mean {field}; delete one.", line, i, name)
        else:
            index[field] = i
    _choose_handle(index, names, line, reading)
    if "handle" in index and not ("rank" in index or "score" in index):
        reading.error("neither ranks nor scores; add a column “rank” or “score”.", row=line)
    return index


def _choose_handle(index: dict[str, int], names: Sequence[str], line: int, reading: Reading) -> None:
    """Take names, or team names, for handles where there are no handles."""
    for field in WHO:
        if field in index:
            if field != "handle":
                i = index["handle"] = index.pop(field)
                message = "no column “handle”; players are known by this one instead."
                reading.warn(message, row=line, column=names[i], cell=_cell(reading, line, i))
            return
    reading.error(f"no column “handle” that says who played; known columns are {', '.join(FIELDS)}.", row=line)


def _chosen(names: Sequence[str], chosen: Mapping[int, str], line: int, reading: Reading) -> dict[str, int]:
    """Return the column of each field as it was chosen; what does not go together is reported."""
    index: dict[str, int] = {}
    for i, field in sorted(chosen.items()):
        if not field:
            continue
        if i >= len(names):
            reading.error(
                f"there is no column {i + 1}, the table has {len(names)}; choose again what the columns hold.",
                row=line or None,
            )
        elif field in index:
            both = f"“{_called(names, index[field])}” and “{_called(names, i)}” are both chosen as {field}"
            _error(reading, f"{both}; choose one of them, and leave the other out.", line, i, _called(names, i))
        else:
            index[field] = i
    listed = ", ".join(_called(names, i) for i in range(min(len(names), 12)))
    if "handle" not in index:
        message = f"no column is chosen that says who played; choose “handle” for one of: {listed}."
        reading.error(message, row=line or None)
    if not ("rank" in index or "score" in index):
        message = f"neither ranks nor scores are chosen; choose “rank” or “score” for one of: {listed}."
        reading.error(message, row=line or None)
    return index


def _called(names: Sequence[str], i: int) -> str:
    return names[i] or f"column {i + 1}"


def _error(reading: Reading, message: str, line: int, i: int, name: str) -> None:
    reading.error(message, row=line or None, column=name, cell=_cell(reading, line, i))


def _cell(reading: Reading, line: int, i: int) -> str | None:
    return None if reading.letters is None or not line else f"{column_letter(i)}{line}"


def column_letter(i: int) -> str:
    """Return what a workbook calls its i-th column, counted from 0: A, B, ..., Z, AA, ..."""
    letters = ""
    i += 1
    while i:
        i, rest = divmod(i - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
