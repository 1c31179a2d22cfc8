"""The base of all table formats: reads a contest, or games, from a grid of cells."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from dataclasses import replace
from operator import itemgetter
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, TypeVar

from django.utils.translation import gettext, ngettext

from contests.formats.assembly import HandleKeys, assembled
from contests.formats.base import Heading, Rows, UnreadableError
from contests.formats.countries import country_code
from contests.formats.games.advice import refuses_games
from contests.formats.games.detection import table_start_of
from contests.formats.games.table import is_table_of_games, read_games
from contests.formats.numbers import NumberColumn, is_rounded, is_time
from contests.formats.reader import FileRows, Reader, Sketch
from contests.formats.table.columns import totals_in
from contests.formats.table.escape import cells_unescaped
from contests.formats.table.grid import Record, column_letter, corrected, read_header
from contests.formats.table.ignored import IgnoredStatuses, SurplusCells
from contests.formats.table.sketching import file_rows, sketch_of
from contests.formats.values import (
    NOTHING,
    Codes,
    checked_handicap,
    code_in,
    counts_games,
    parse_place,
    parse_share,
    parse_status,
)
from contests.handles import clean_handle, is_plain
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from contests.formats.base import ParsedContest, Reading, Status
    from contests.formats.table.grid import CellFault, Grid, Header


_Value = TypeVar("_Value")


class TableReader(Reader):
    """A table format; the rows of `grid` are one contest or, if their columns say so, games."""

    @abstractmethod
    def grid(self, stream: BinaryIO, reading: Reading) -> Grid:
        """Return the table with text cells."""

    def read(self, stream: BinaryIO, reading: Reading) -> Iterator[ParsedContest]:
        yield from _read_table(self._corrected_grid(stream, reading), reading)

    def sketch(self, stream: BinaryIO, reading: Reading) -> Sketch:
        return sketch_of(self._corrected_grid(stream, reading), reading.options)

    def rows(self, stream: BinaryIO, reading: Reading, numbers: Collection[int]) -> FileRows | None:
        return file_rows(self.grid(stream, reading), reading.options, frozenset(numbers))

    def _corrected_grid(self, stream: BinaryIO, reading: Reading) -> Grid:
        grid = self.grid(stream, reading)
        if reading.options.corrections:
            grid.records = corrected(grid.records, reading.options.corrections, grid.cell_faults)
        return grid


def _read_table(grid: Grid, reading: Reading) -> Iterator[ParsedContest]:
    """Yield the contest of a table if it has no errors; report every problem."""
    if grid.is_sheet:
        reading.letters = {}
    start, chosen = table_start_of(grid, reading.options)
    if chosen is not None:
        reading.options = replace(reading.options, columns=chosen)
    if start.above:
        count = len(start.above)
        text = ngettext(
            "the row above the column names was ignored.",
            "the %(count)s rows above the column names were ignored.",
            count,
        )
        shown = " ".join(cell.strip() for cell in start.above[0].cells[:8])
        reading.warn(text % {"count": count}, row=start.above[0].number, value=shown)
    if is_table_of_games(start, reading.options.columns):
        yield from read_games(start, grid, reading)
        return
    if reading.options.columns is None:
        is_refused, start = refuses_games(start, reading)
        if is_refused:
            return
    header = read_header(cells_unescaped(start.cells), start.number, reading)
    if header is None:
        return
    comma = reading.options.decimal_comma
    notation = _Notation(grid.comma_is_decimal if comma is None else comma, comma is not None, grid.is_sheet)
    ignored = IgnoredStatuses(header)
    rows = _rows(_whole_records(start.below, header, grid, ignored, reading), header, grid, notation, reading)
    if rows is None:
        return
    ignored.report(rows, reading)
    contest = assembled(Heading(), rows, HandleKeys(), reading)
    if contest is not None and not reading.report.errors:
        yield contest


def _whole_records(
    records: Iterator[Record], header: Header, grid: Grid, ignored: IgnoredStatuses, reading: Reading
) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield number and used cells of each row that fits the header; show the cells to `ignored`; report other rows."""
    width = header.width
    used = itemgetter(*header.index.values())  # at least two columns: the player, and a rank or score
    nameless = []
    if reading.options.columns is None:
        nameless = [i for i, name in enumerate(header.names) if not name and i not in header.index.values()]
    surplus = SurplusCells(width)
    for count, (line, cells, fault) in enumerate(records, 1):
        if count > reading.max_rows:
            raise UnreadableError(
                gettext("The table has more than %(most)s rows, the limit for a contest.")
                % {"most": grouped(reading.max_rows)},
                row=line,
            )
        reading.advance()
        if fault:
            reading.error(fault, row=line)
            continue
        if len(cells) < width and grid.is_sheet:
            cells = [*cells, *[""] * (width - len(cells))]
        if len(cells) < width or any(cell.strip() for cell in cells[width:]):
            _report_width(cells, width, line, grid, reading)
            continue
        nameless = _report_nameless(nameless, cells, line, header, grid, reading)
        picked = used(cells)
        if any(cell and not cell.isspace() for cell in picked):  # a row can be empty except for ignored columns
            ignored.look_at(line, cells)
            if not grid.is_sheet:
                surplus.look_at(line, cells)
            yield line, picked
    surplus.report(reading)


def _report_nameless(
    nameless: list[int], cells: Sequence[str], line: int, header: Header, grid: Grid, reading: Reading
) -> list[int]:
    """Report unnamed columns that have content in this row; return those that are empty so far."""
    filled = [i for i in nameless if cells[i].strip()]
    for i in filled:
        cell = f"{column_letter(i)}{header.line}" if grid.is_sheet else None
        numbers = {"number": i + 1, "where": reading.at_line(line)}
        if reading.options.ignores_unknown:
            message = gettext("column %(number)s has no name, so its content was ignored, for example in %(where)s.")
            reading.warn(message % numbers, row=header.line, value=cells[i], cell=cell)
            continue
        message = gettext(
            "column %(number)s has no name, but it has content, for example in %(where)s; give it a name, or delete it."
        )
        reading.error(message % numbers, row=header.line, value=cells[i], cell=cell)
    return [i for i in nameless if i not in filled] if filled else nameless


def _report_width(cells: Sequence[str], width: int, line: int, grid: Grid, reading: Reading) -> None:
    if grid.is_sheet:
        i = next(i for i, cell in enumerate(cells) if i >= width and cell.strip())
        message = gettext(
            "this cell is to the right of the last named column; give its column a name, or delete the cell."
        )
        reading.error(message, row=line, value=cells[i], column=f"column {i + 1}", cell=f"{column_letter(i)}{line}")
        return
    if len(cells) > width:
        text = ngettext(
            "the row has %(count)s cell, but the header has %(width)s; put cells that contain the delimiter in quotes.",
            "the row has %(count)s cells, but the header has %(width)s; put cells that contain the delimiter in "
            "quotes.",
            len(cells),
        )
    else:
        text = ngettext(
            "the row has %(count)s cell, but the header has %(width)s; add the missing cells.",
            "the row has %(count)s cells, but the header has %(width)s; add the missing cells.",
            len(cells),
        )
    reading.error(text % {"count": grouped(len(cells)), "width": width}, row=line)


def _rows(
    records: Iterator[tuple[int, Sequence[str]]], header: Header, grid: Grid, notation: _Notation, reading: Reading
) -> Rows | None:
    """Return the rows with parsed cells, None if every row has an error; report all errors."""
    lines: list[int] = []
    kept: list[Sequence[str]] = []
    errors_before = reading.report.error_count
    for line, cells in records:
        lines.append(line)
        kept.append(cells)
    # Without the faulty rows, the ranks of the others would seem to have gaps.
    is_complete = reading.report.error_count == errors_before
    if not kept and not is_complete:
        return None
    if not kept:
        raise UnreadableError(gettext("there are no rows below the column names; add one for each player."))
    rows = _Table(header, lines, kept, grid.cell_faults, reading).rows(notation)
    rows.places_are_sound &= is_complete
    return rows


class _Notation(NamedTuple):
    """Whether commas in numbers are decimal (None: detect), whether that is chosen, and whether this is a sheet."""

    comma_is_decimal: bool | None
    is_chosen: bool
    is_sheet: bool


class _Table:
    """Parses column by column, and reports problems with line and column name."""

    def __init__(
        self,
        header: Header,
        lines: list[int],
        records: list[Sequence[str]],
        faults: dict[tuple[int, int], CellFault],
        reading: Reading,
    ) -> None:
        self._header, self._lines, self._reading = header, lines, reading
        columns = zip(header.index, zip(*records, strict=True), strict=True)
        self._columns: dict[str, Sequence[str]] = {field: cells_unescaped(cells) for field, cells in columns}
        self._faulty = {field: self._report_faults(field, faults) for field in header.index} if faults else {}
        header.join_names(self._columns)

    def rows(self, notation: _Notation) -> Rows:
        handles = self._handles()
        rows = Rows(handles, [], [], self._lines, self._locate, scores_decide=True)
        errors_before = self._reading.report.error_count
        self._warn_of_totals(handles)
        self._warn_of_rounded(handles)
        rows.places, rows.statuses = self._places_and_statuses()
        rows.places_are_sound = self._reading.report.error_count == errors_before and not (
            self._faulty.get("rank") or self._faulty.get("status")
        )
        errors_before = self._reading.report.error_count
        scores = self._numbers("score", notation)
        rows.scores = scores or [None] * len(handles)
        rows.penalties = self._numbers("penalty", notation)
        rows.has_times = any(map(is_time, self._cells("penalty") or ()))
        rows.scores_are_sound = self._reading.report.error_count == errors_before and not (
            self._faulty.get("score") or self._faulty.get("penalty")
        )
        rows.names = self._texts("name")
        rows.teams = self._texts("team")
        rows.countries = self._countries()
        rows.shares = self._shares()
        rows.handicaps = self._numbers("handicap", notation)
        return rows

    def _handles(self) -> list[str]:
        """Return the handles; in a row without one that has a rank, or in a table without ranks, the name is used."""
        handles = [cell.strip() for cell in self._cells("handle") or ()]
        ranks, names = self._cells("rank"), [cell.strip() for cell in self._cells("name") or ()]
        for i, name in enumerate(names):
            if name and not handles[i] and (ranks is None or ranks[i].strip()) and not totals_in([name]):
                handles[i] = name
                text = gettext("This row has no handle, so Podium uses the name as the handle.")
                self._warn(i, "handle", text, name)
        return handles

    def _shares(self) -> list[float | None] | None:
        """Return the shares of play; ignore a column of another meaning, unless it is chosen."""
        name = self._header.name("share")
        if self._reading.options.columns is None and counts_games(name, self._cells("share") or ()):
            self._reading.warn(gettext("unknown column, ignored."), row=self._header.line, column=name)
            return None
        return self._each("share", parse_share, None)

    def _warn_of_totals(self, handles: Sequence[str]) -> None:
        ranks = self._cells("rank")
        unranked = [i for i in range(len(handles)) if ranks is None or ranks[i].strip().casefold() in NOTHING]
        for k in totals_in([handles[i] for i in unranked]):
            text = gettext("This row looks like a total. If no player has this name, leave the row out.")
            self._warn(unranked[k], "handle", text, handles[unranked[k]])

    def _warn_of_rounded(self, handles: Sequence[str]) -> None:
        """Warn once of handles that a spreadsheet treated as numbers and rounded."""
        if rounded := [i for i, handle in enumerate(handles) if is_rounded(handle)]:
            text = ngettext(
                "A spreadsheet has treated this handle as a number and rounded it, so its last digits are lost. Format "
                "the column as text, and enter the handle again.",
                "A spreadsheet has treated this handle and %(more)s more as numbers and rounded them, so their last "
                "digits are lost. Format the column as text, and enter the handles again.",
                len(rounded),
            )
            self._warn(rounded[0], "handle", text % {"more": grouped(len(rounded) - 1)}, handles[rounded[0]])

    def _locate(self, i: int, field: str) -> tuple[int, str]:
        return self._lines[i], self._header.name(field)

    def _cells(self, field: str) -> Sequence[str] | None:
        return self._columns.get(field)

    def _report_faults(self, field: str, faults: dict[tuple[int, int], CellFault]) -> bool:
        """Report the cells of a column without a value, and replace them with harmless texts."""
        position = self._header.index[field]
        found = [(i, fault) for i, line in enumerate(self._lines) if (fault := faults.get((line, position)))]
        cells = list(self._columns[field])
        for i, fault in found:
            cells[i] = f"row {self._lines[i]}" if field in ("handle", *self._header.parts) else ""
            row, column = self._locate(i, field)
            self._reading.error(f"{fault.message}.", row=row, column=column, value=fault.shown or None)
        self._columns[field] = cells
        return bool(found)

    def _each(self, field: str, parse: Callable[[str], _Value], otherwise: _Value) -> list[_Value] | None:
        """Parse a column cell by cell; report unreadable cells and replace them with `otherwise`."""
        cells = self._cells(field)
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
        """Parse ranks and statuses; a code such as DSQ instead of a rank, score or penalty also sets the status."""
        count = len(self._lines)
        codes = Codes(self._each("status", parse_status, "ranked") or ["ranked"] * count)
        for field in ("rank", "score", "penalty"):
            self._take_codes(field, codes)
        codes.take_dashes(*([cell.strip() for cell in self._cells(field) or ()] for field in ("rank", "score")))
        codes.report(self._warn)
        places = self._each("rank", parse_place, None) or [None] * count
        return places, None if set(codes.statuses) == {"ranked"} else codes.statuses

    def _take_codes(self, field: str, codes: Codes) -> None:
        """Apply and remove the codes of a column, so that only numbers remain."""
        cells = self._cells(field)
        found = [(i, code) for i, cell in enumerate(cells or ()) if (code := code_in(cell.strip()))]
        if cells is None or not found:
            return
        cells = list(cells)
        for i, code in found:
            codes.set(i, field, code)
            cells[i] = ""
        self._columns[field] = cells

    def _warn(self, i: int, field: str, message: str, value: str) -> None:
        line, column = self._locate(i, field)
        self._reading.warn(message, row=line, column=column, value=value)

    def _numbers(self, field: str, notation: _Notation) -> list[float | None] | None:
        cells = self._cells(field)
        if cells is None:
            return None
        texts = [cell.strip() for cell in cells]
        column = NumberColumn(
            texts, comma_is_decimal=notation.comma_is_decimal, is_chosen=notation.is_chosen, is_sheet=notation.is_sheet
        )
        # Times of a race often have three decimals.
        if column.doubtful is not None and field != "penalty":
            self._warn(texts.index(column.doubtful), field, column.doubt(), column.doubtful)
        if field == "handicap":
            return self._each(field, lambda text: checked_handicap(column.parse(text.removeprefix("+"))), None)
        return self._each(field, column.parse_time if field == "penalty" else column.parse, None)

    def _texts(self, field: str) -> list[str] | None:
        """Return a column of free text; the same characters are allowed as in handles, but cells can be empty."""
        cells = self._cells(field)
        if cells is None:
            return None
        texts = [cell.strip() for cell in cells]
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
            row, column = self._locate(names.index(name), "country")
            message = ngettext(
                "unknown country, left empty; use an ISO 3166 code such as DE, or the usual name.",
                "unknown country, left empty (in %(count)s rows); use an ISO 3166 code such as DE, or the usual name.",
                count,
            )
            message %= {"count": grouped(count)}
            self._reading.warn(message, row=row, column=column, value=name)
        return [codes[name] for name in names]
