"""A table with a header, its cells still text, to the rows of a contest."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from contests.formats.base import UnreadableError
from contests.formats.cells import NOTHING, NumberColumn, parse_place, parse_status, status_in_place_of_rank
from contests.formats.columns import FIELDS, field_of, suggestion
from contests.formats.countries import country_code
from contests.formats.escape import csv_unescaped
from contests.formats.rows import Rows
from contests.handles import clean_handle, is_plain, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from contests.formats.base import Reading, Status

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Header:
    """The columns of a table: how many, what the file calls them, and where each known field is."""

    names: tuple[str, ...]
    index: dict[str, int]

    @property
    def width(self) -> int:
        return len(self.names)

    def name(self, field: str) -> str:
        return self.names[self.index[field]] if field in self.index else field


def read_header(cells: Sequence[str], line: int, reading: Reading) -> Header | None:
    """Return the header, None if no row could be read with it; every problem of it is reported."""
    names = [printable(cell.strip()) for cell in cells]
    while names and not names[-1]:
        names.pop()
    index: dict[str, int] = {}
    if not any(field_of(name) for name in names):
        known = ", ".join(FIELDS)
        message = f"the first line must name the columns; put a line above it with some of {known}."
        reading.error(message, row=line, value=" ".join(names[:8]))
        return None
    for i, name in enumerate(names):
        field = field_of(name) if name else None
        if not name:
            reading.error(f"column {i + 1} has no name; give it one, or delete it.", row=line)
        elif field is None:
            reading.error(f"unknown column: {suggestion(name)}.", row=line, column=name)
        elif field in index:
            reading.error(f"“{names[index[field]]}” and “{name}” both mean {field}; delete one.", row=line, column=name)
        else:
            index[field] = i
    _choose_handle(index, names, line, reading)
    if "handle" in index and not ("rank" in index or "score" in index):
        reading.error("neither ranks nor scores; add a column “rank” or “score”.", row=line)
    usable = "handle" in index and ("rank" in index or "score" in index)
    return Header(tuple(names), index) if usable else None


def _choose_handle(index: dict[str, int], names: Sequence[str], line: int, reading: Reading) -> None:
    """Take names, or team names, for handles where there are no handles."""
    if "handle" in index:
        return
    for field in ("name", "team"):
        if field in index:
            index["handle"] = index.pop(field)
            name = names[index["handle"]]
            reading.warn("no column “handle”; players are known by this one instead.", row=line, column=name)
            return
    reading.error(f"no column “handle” that says who played; known columns are {', '.join(FIELDS)}.", row=line)


def table_rows(
    records: Iterable[tuple[int, Sequence[str]]], header: Header, reading: Reading, *, decimal_comma: bool
) -> Rows:
    """Return the rows, every cell read; what cannot be read is reported."""
    lines: list[int] = []
    kept: list[Sequence[str]] = []
    errors_before = reading.report.error_count
    for line, cells in records:
        lines.append(line)
        kept.append(cells)
    # With rows missing, the ranks of the others would seem to have gaps.
    is_complete = reading.report.error_count == errors_before
    if not kept:
        raise UnreadableError("there are no rows below the column names; add one for each player.")
    rows = _Table(header, lines, kept, reading).rows(decimal_comma=decimal_comma)
    rows.places_are_sound &= is_complete
    return rows


class _Table:
    """Reads one column after the other; every problem knows its line and the name of its column."""

    def __init__(self, header: Header, lines: list[int], records: list[Sequence[str]], reading: Reading) -> None:
        self._header, self._lines, self._reading = header, lines, reading
        self._columns = list(zip(*records, strict=True))

    def rows(self, *, decimal_comma: bool) -> Rows:
        handles = [csv_unescaped(cell.strip()) for cell in self._cells("handle") or ()]
        rows = Rows(handles, [], [], self._lines, self._locate, scores_decide=True)
        errors_before = self._reading.report.error_count
        rows.places, rows.statuses = self._places_and_statuses()
        rows.places_are_sound = self._reading.report.error_count == errors_before
        errors_before = self._reading.report.error_count
        scores = self._numbers("score", decimal_comma=decimal_comma)
        rows.scores = scores or [None] * len(handles)
        rows.penalties = self._numbers("penalty", decimal_comma=decimal_comma)
        rows.scores_are_sound = self._reading.report.error_count == errors_before
        rows.names = self._texts("name")
        rows.teams = self._texts("team")
        rows.countries = self._countries()
        return rows

    def _locate(self, i: int, field: str) -> tuple[int, str]:
        return self._lines[i], self._header.name(field)

    def _cells(self, field: str) -> Sequence[str] | None:
        return self._columns[self._header.index[field]] if field in self._header.index else None

    def _each(
        self, field: str, parse: Callable[[str], _Value], otherwise: _Value, cells: Sequence[str] | None = None
    ) -> list[_Value] | None:
        """Read a column cell by cell; a cell that cannot be read is reported and becomes `otherwise`."""
        cells = self._cells(field) if cells is None else cells
        if cells is None:
            return None
        values = []
        for i, cell in enumerate(cells):
            try:
                values.append(parse(cell.strip()))
            except ValueError as error:
                values.append(otherwise)
                self._reading.error(f"{error}.", row=self._lines[i], column=self._header.name(field), value=cell)
        return values

    def _places_and_statuses(self) -> tuple[list[int | None], list[Status] | None]:
        """Read ranks and statuses; a status may also stand in the place of the rank ("DSQ")."""
        count = len(self._lines)
        statuses: list[Status] = self._each("status", parse_status, "ranked") or ["ranked"] * count
        cells = list(self._cells("rank") or [""] * count)
        for i, cell in enumerate(cells):
            status = status_in_place_of_rank(cell.strip())
            if status is not None:
                cells[i] = ""
                statuses[i] = status
        places = self._each("rank", parse_place, None, cells) or []
        return places, None if set(statuses) == {"ranked"} else statuses

    def _numbers(self, field: str, *, decimal_comma: bool) -> list[float | None] | None:
        cells = self._cells(field)
        if cells is None:
            return None
        column = NumberColumn([cell.strip() for cell in cells], comma_is_decimal=decimal_comma)
        return self._each(field, column.parse_time if field == "penalty" else column.parse, None)

    def _texts(self, field: str) -> list[str] | None:
        """Read a column of free text; the rules for its characters are those of handles, but it may be empty."""
        cells = self._cells(field)
        if cells is None:
            return None
        texts = [csv_unescaped(cell.strip()) for cell in cells]
        for i, text in enumerate(texts):
            if text and not is_plain(text):
                cleaned = clean_handle(text, repair=self._reading.repair)
                texts[i] = cleaned.handle
                row, column = self._locate(i, field)
                for fault in cleaned.faults:
                    self._reading.error(f"{fault}.", row=row, column=column, value=text)
                for remark in cleaned.remarks:
                    self._reading.warn(f"{remark}.", row=row, column=column, value=text)
        return texts

    def _countries(self) -> list[str] | None:
        cells = self._cells("country")
        if cells is None:
            return None
        names = [cell.strip() for cell in cells]
        codes = {name: country_code(name) or "" for name in set(names)}
        counts = Counter(name for name in names if not codes[name] and name.casefold() not in NOTHING)
        for name, count in counts.items():
            more = f" (in {count:,} rows)" if count > 1 else ""
            row, column = self._locate(names.index(name), "country")
            message = f"unknown country, left empty{more}; use an ISO 3166 code such as DE, or the English name."
            self._reading.warn(message, row=row, column=column, value=name)
        return [codes[name] for name in names]
