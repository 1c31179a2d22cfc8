"""Tables of games, one game in each row: date, two sides, and the result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext, ngettext

from contests.formats.base import UnreadableError
from contests.formats.games.advice import warn_of_names
from contests.formats.games.building import GameBuilder, Place, Side
from contests.formats.games.dates import DateColumn
from contests.formats.games.header import SIDES, GameColumns, read_columns
from contests.formats.games.results import (
    Result,
    compared,
    doubt_about_zeros,
    is_bye,
    is_empty_side,
    is_retirement,
    is_undecided,
    is_walkover,
    letters_of,
    of_bye,
    of_colours,
    parse_result,
    parse_score,
    points_of_bye,
    winner_of,
)
from contests.formats.numbers import NumberColumn
from contests.formats.table.columns import (
    AWAY_NAMES,
    GAME_FIELDS,
    HOME_NAMES,
    names_losers,
    names_of_games,
    names_winners,
)
from contests.formats.table.escape import cells_unescaped
from contests.formats.table.grid import column_letter, column_names
from contests.formats.values import NOTHING, checked_handicap
from contests.wording import grouped, listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from contests.formats.base import ParsedContest, Reading
    from contests.formats.table.grid import Grid, Record, TableStart

_HANDICAPS = ("handicap_a", "handicap_b")
#: Rows without a result that a remark names.
_ROWS_NAMED = 5
#: Names of columns that say which side the players had.
_KINDS = {
    "white": "white", "weiss": "white", "weiß": "white", "blancs": "white", "blancas": "white", "white player": "white",
    "black": "black", "schwarz": "black", "noirs": "black", "negras": "black", "black player": "black",
    **dict.fromkeys(HOME_NAMES, "home"), **dict.fromkeys(AWAY_NAMES, "away"),
}  # fmt: skip
#: Letters for the winner beside columns of the home and the away side.
_HOME_OR_AWAY = {"h": 1, "a": -1}
_DECIDES_BY_NAME = Result(1, 1.0, 0.0)
_POINTS = {1: (1.0, 0.0), 0: (0.5, 0.5), -1: (0.0, 1.0)}


def is_table_of_games(start: TableStart, chosen: Mapping[int, str] | None) -> bool:
    """Whether the rows are games: according to the chosen columns or, without a choice, to the names of the columns."""
    if chosen is not None:
        return not set(chosen.values()).isdisjoint(GAME_FIELDS)
    return bool(names_of_games(start.cells))


def read_games(start: TableStart, grid: Grid, reading: Reading) -> Iterator[ParsedContest]:
    """Yield the games of a table in the order of its rows, and report every problem."""
    names = column_names(start.cells, line=start.number)
    if reading.letters is not None:
        reading.letters.update({name: column_letter(i) for i, name in reversed(list(enumerate(names)))})
    columns = read_columns(names, start, reading)
    if columns is None:
        return
    records = [_unescaped(record) for record in start.below]
    if not records:
        raise UnreadableError(gettext("there are no rows below the column names; add one for each game."))
    yield from _Games(columns, records, grid, reading).read()


def _unescaped(record: Record) -> Record:
    return record._replace(cells=cells_unescaped(record.cells))


class _Games:
    """One pass over the rows of a table of games."""

    def __init__(self, columns: GameColumns, records: list[Record], grid: Grid, reading: Reading) -> None:
        self._columns, self._records, self._grid, self._reading = columns, records, grid, reading
        self._builder = GameBuilder(reading, reports_undated=True)
        self._first_side_won = names_winners(columns.name("player_a")) or names_losers(columns.name("player_b"))
        self._result_column = columns.name("result" if "result" in columns.index else "score_a")
        self._has_scores = {"score_a", "score_b"} <= columns.index.keys()
        self._kinds = tuple(_KINDS.get(columns.name(field).casefold(), "") for field in SIDES)
        self._at_home = _HOME_OR_AWAY if {"home", "away"} & set(self._kinds) else {}
        self._letters = {**self._at_home, **letters_of(self._cells("result"))}
        self._dates = DateColumn(self._cells("date"))
        self._handicaps = {field: NumberColumn(self._cells(field), comma_is_decimal=None) for field in _HANDICAPS}
        self._open: list[int] = []
        self._undecided: list[int] = []
        # Games with colours: the rows with 0-0, and whether all other results are 1-0, ½-½ or 0-1.
        self._pointless: list[int] = []
        self._has_colours = self._has_points_only = self._kinds == ("white", "black")

    def read(self) -> Iterator[ParsedContest]:
        """Yield the games that have no errors."""
        for record in self._records:
            self._reading.advance()
            self._reading.give_up_on_many_errors()
            game = self._game(record)
            if game is not None:
                yield game
        self._warn_of_rows_left_out()
        self._warn_of_pointless()
        if self._dates.has_unused_times:
            text = gettext(
                "the times have no time zone, so Podium uses only the days. Games on the same day are rated in the "
                "order in which they appear in the file."
            )
            self._reading.warn(text, column=self._columns.name("date"))
        warn_of_names(
            ((record.number, self._cell(record, side)) for record in self._records for side in SIDES), self._reading
        )
        if not self._builder.count and not self._reading.report.errors:
            raise UnreadableError(gettext("The table has no finished games."))

    def _warn_of_rows_left_out(self) -> None:
        if rows := self._open:
            text = ngettext(
                "%(number)s row was left out because the game has no result yet: row %(rows)s.",
                "%(number)s rows were left out because their games have no result yet: rows %(rows)s.",
                len(rows),
            )
            self._reading.warn(text % _numbered(rows))
        if rows := self._undecided:
            text = ngettext(
                "%(number)s row was left out because it does not name both players yet: row %(rows)s.",
                "%(number)s rows were left out because they do not name both players yet: rows %(rows)s.",
                len(rows),
            )
            self._reading.warn(text % _numbered(rows))

    def _warn_of_pointless(self) -> None:
        """Warn of each 0-0 if all other games gave one point in all: both sides can have lost."""
        for row in self._pointless if self._has_points_only else ():
            text = doubt_about_zeros(in_one_column="result" in self._columns.index)
            self._reading.warn(text, row=row, column=self._result_column)

    def _game(self, record: Record) -> ParsedContest | None:
        if self._has_faults(record):
            return None
        if any(is_undecided(self._cell(record, field)) for field in SIDES):
            self._undecided.append(record.number)
            return None
        errors = self._reading.report.error_count
        ends_at = self._date(record)
        result = self._result(record)
        handicaps = [self._handicap(record, field) for field in _HANDICAPS]
        if result is None or self._reading.report.error_count > errors:
            return None
        a, b = (
            Side(self._cell(record, field), self._columns.name(field), kind, handicap)
            for field, kind, handicap in zip(SIDES, self._kinds, handicaps, strict=True)
        )
        bye = self._bye(record)
        if bye == "player_a":
            a = b
        if bye is not None and is_empty_side(a.text):
            self._reading.error(gettext("both sides are byes; enter the player, or delete the row."), row=record.number)
            return None
        if bye is None and not result.is_walkover:
            if (result.better, result.score_a) == (0, 0.0):
                self._pointless.append(record.number)
            else:
                self._has_points_only &= (result.score_a, result.score_b) in _POINTS.values()
        return self._builder.game(
            a, b if bye is None else None, result, Place(record.number, self._result_column), ends_at=ends_at,
            event=self._cell(record, "event"), round=self._cell(record, "round"),
        )  # fmt: skip

    def _has_faults(self, record: Record) -> bool:
        """Report an unreadable row, one with too many cells, and used cells of a workbook that have no value."""
        row, cells, width = record.number, record.cells, len(self._columns.names)
        if record.fault:
            self._reading.error(record.fault, row=row)
            return True
        if len(cells) > width and any(cell.strip() for cell in cells[width:]):
            text = gettext(
                "the row has %(count)s cells, but the header has %(width)s; put cells that contain the delimiter in "
                "quotes."
            )
            self._reading.error(text % {"count": grouped(len(cells)), "width": width}, row=row)
            return True
        found = False
        for field, position in self._columns.index.items():
            fault = self._grid.cell_faults.get((row, position))
            if fault:
                found = True
                name = self._columns.name(field)
                self._reading.error(f"{fault.message}.", row=row, column=name, value=fault.shown or None)
        return found

    def _cells(self, field: str) -> list[str]:
        return [self._cell(record, field) for record in self._records] if field in self._columns.index else []

    def _cell(self, record: Record, field: str) -> str:
        position = self._columns.index.get(field)
        return record.cells[position].strip() if position is not None and position < len(record.cells) else ""

    def _error(self, error: ValueError, record: Record, field: str) -> None:
        value = self._cell(record, field) or None
        self._reading.error(f"{error}.", row=record.number, column=self._columns.name(field), value=value)

    def _date(self, record: Record) -> datetime | None:
        if "date" not in self._columns.index:
            return None
        try:
            return self._dates.parse(self._cell(record, "date"))
        except ValueError as error:
            self._error(error, record, "date")
            return None

    def _handicap(self, record: Record, field: str) -> float | None:
        try:
            return checked_handicap(self._handicaps[field].parse(self._cell(record, field).removeprefix("+")))
        except ValueError as error:
            self._error(error, record, field)
            return None

    def _result(self, record: Record) -> Result | None:
        """Return the result of a row; None if there is none yet, or after reporting an error."""
        text = self._cell(record, "result")
        if empty := self._bye(record):
            return self._of_bye(record, empty)
        if (better := self._letters.get(text.casefold())) is not None:
            return self._and_winner(record, self._and_scores(record, Result(better, *_POINTS[better])))
        if self._has_colours and "+" in text and (coloured := of_colours(text, first="w")) is not None:
            return self._and_winner(record, coloured)
        if self._has_winner_alone(record, text):
            return self._by_winner(record)
        if is_retirement(text):
            return self._of_retirement(record)
        if is_walkover(text):
            return self._of_walkover(record)
        if self._has_scores and not text:
            return self._and_winner(record, self._compared(record))
        if not text and "result" not in self._columns.index:
            return self._by_winner(record)
        try:
            result = parse_result(text)
        except ValueError as error:
            self._error(error, record, "result")
            return None
        if result is None:
            self._open.append(record.number)
        return self._and_winner(record, self._and_scores(record, result))

    def _of_walkover(self, record: Record) -> Result | None:
        """Return the result of a game without play by the winner or the scores of the row; None after an error."""
        result = None
        if self._names_winner(record):
            result = self._by_winner(record)
            if result is None:
                return None
        elif self._has_scores and all(self._cell(record, score) for score in ("score_a", "score_b")):
            result = self._compared(record)
        if result is not None and result.better:
            return result._replace(is_walkover=True)
        try:
            return parse_result(self._cell(record, "result"))
        except ValueError as error:
            self._error(error, record, "result")
            return None

    def _of_retirement(self, record: Record) -> Result | None:
        """Return the result of a game that one side gave up, according to the winner that the row names."""
        if self._names_winner(record):
            return self._by_winner(record)
        text = gettext(
            "one side gave up, and the row does not say which one; enter 1-0 or 0-1, or add a column “winner”"
        )
        self._error(ValueError(text), record, "result")
        return None

    def _and_scores(self, record: Record, result: Result | None) -> Result | None:
        """Return the result with the scores of the two sides if the row has them; None after reporting an error."""
        has_scores = self._has_scores and not any(
            self._cell(record, score).casefold() in NOTHING for score in ("score_a", "score_b")
        )
        if result is None or result.is_walkover or not has_scores:
            return result
        found = self._compared(record)
        if found is None:
            return None
        if found.better == result.better:
            return found if (result.score_a, result.score_b) in _POINTS.values() else result
        if found.better == 0:
            # Equal scores before a tie-break.
            return found._replace(better=result.better)
        text = gettext("the scores contradict the result; correct one of the two")
        self._error(ValueError(text), record, "result")
        return None

    def _has_winner_alone(self, record: Record, text: str) -> bool:
        """Whether the row names the winner, but has neither a result nor scores."""
        has_score = any(self._cell(record, score).casefold() not in NOTHING for score in ("score_a", "score_b"))
        return self._names_winner(record) and text.casefold() in NOTHING and not has_score

    def _names_winner(self, record: Record) -> bool:
        """Whether the columns or a cell of the row say who won, apart from result and scores."""
        return self._first_side_won or self._cell(record, "winner").casefold() not in NOTHING

    def _by_winner(self, record: Record) -> Result | None:
        """Return the result of a row that has only a winner."""
        if "winner" not in self._columns.index:
            return _DECIDES_BY_NAME
        text = self._cell(record, "winner")
        if text.casefold() in NOTHING:
            self._open.append(record.number)
            return None
        better = self._better(record, text)
        return None if better is None else Result(better, *_POINTS[better])

    def _and_winner(self, record: Record, result: Result | None) -> Result | None:
        """Return the result with the winner that a tie-break such as penalties decided; report contradictions."""
        if result is not None and self._first_side_won:
            result = self._agreed(record, result, 1, "player_a")
        text = self._cell(record, "winner")
        if result is None or text.casefold() in NOTHING:
            return result
        better = self._better(record, text)
        return result if better is None else self._agreed(record, result, better, "winner")

    def _agreed(self, record: Record, result: Result, better: int, field: str) -> Result | None:
        """Return the result with the winner that a field names; None after reporting a contradiction."""
        if better == result.better:
            return result
        is_tie_break = result.better == 0 and result.score_a != 0.5 and not result.is_walkover
        if is_tie_break:
            return result._replace(better=better)
        text = gettext("the winner contradicts the result; correct one of the two")
        self._error(ValueError(text), record, field)
        return None

    def _better(self, record: Record, text: str) -> int | None:
        """Return who won according to the column of winners, as in `Result`; None after reporting an error."""
        word = text.casefold()
        for side, field in ((1, "player_a"), (-1, "player_b")):
            if word in (self._cell(record, field).casefold(), self._columns.name(field).casefold()):
                return side
        if word in self._at_home:
            return self._at_home[word]
        if (better := winner_of(word)) is not None:
            return better
        message = gettext("the winner is neither of the two sides; enter the name as in the row, or “draw”")
        self._error(ValueError(message), record, "winner")
        return None

    def _bye(self, record: Record) -> str | None:
        """Return the field of the side that says that the other one has a bye, None if two players met."""
        is_said = is_bye(self._cell(record, "result"))
        for field in ("player_b", "player_a"):
            text = self._cell(record, field)
            if is_empty_side(text) or (not text and is_said):
                return field
        return None

    def _of_bye(self, record: Record, empty: str) -> Result | None:
        """Return the result of a bye, whose `empty` side has no player; None after reporting an error."""
        text = self._cell(record, "result")
        field = "result" if text or not self._has_scores else "score_b" if empty == "player_a" else "score_a"
        try:
            found = self._given_for_bye(record, text, field)
        except ValueError as error:
            self._error(error, record, field)
            return None
        if found is not None and self._first_side_won:
            found = self._agreed(record, found, 1, "player_a")
            if found is None:
                return None
        if found is not None and found.better == 1 and empty == "player_a":
            message = gettext("a bye cannot win; enter 0-1 if the player gets a point for the bye, and 0-0 if not")
            self._error(ValueError(message), record, field)
            return None
        return of_bye(found, is_first=empty == "player_b", points=points_of_bye(self._cell(record, empty)))

    def _given_for_bye(self, record: Record, text: str, field: str) -> Result | None:
        """Return the result of a row with a bye, None if it has none; ValueError with the remedy."""
        if text:
            return None if is_bye(text) or is_walkover(text) else parse_result("1" if text == "+" else text)
        if not self._has_scores or self._cell(record, field).casefold() in NOTHING:
            return None
        scores = (self._cell(record, score) for score in ("score_a", "score_b"))
        return compared(*(0.0 if score.casefold() in NOTHING else parse_score(score) for score in scores))

    def _compared(self, record: Record) -> Result | None:
        if not self._cell(record, "score_a") and not self._cell(record, "score_b"):
            self._open.append(record.number)
            return None
        scores = []
        for field in ("score_a", "score_b"):
            try:
                scores.append(parse_score(self._cell(record, field)))
            except ValueError as error:
                self._error(error, record, field)
        return compared(*scores) if len(scores) == 2 else None


def _numbered(rows: Sequence[int]) -> dict[str, str]:
    """Return the number of rows left out and the first of them, for a message."""
    return {"number": grouped(len(rows)), "rows": listed([grouped(row) for row in rows], _ROWS_NAMED)}
