"""The values that readers take and return: contests, their headings and rows, and problems with their positions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, NamedTuple, TypedDict

from django.utils.translation import gettext

from contests.handles import printable
from contests.wording import grouped, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from typing import Self, Unpack

    from contests.formats.table.options import ReadingOptions


Status = Literal["ranked", "unofficial", "disqualified"]

MAX_BYTES = 64 * 2**20
MAX_ROWS = 200_000
MAX_PROBLEMS = 1_000
ROWS_BETWEEN_PROGRESS = 1_000


def counted(number: int, noun: str) -> str:
    """Return "1 row" or "2 rows"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


@dataclass(frozen=True, slots=True)
class Problem:
    """
    An error or warning about a file.

    message
        The problem and its remedy, a sentence for organizers.
    row
        1-based line of the file, None if the problem concerns the whole file.
    column
        Name of the column in the file, or the place within a JSON line ("standing 3, rank").
    value
        The value found there, short and printable.
    contest
        Id or number of the contest, in files of several contests.
    cell
        Cell of a workbook ("C17", or "17" for a whole row), None in other files.
    other_row
        Another row that the problem concerns, such as that of the same player; None if there is none.
    """

    message: str
    severity: Literal["error", "warning"] = "error"
    row: int | None = None
    column: str | None = None
    value: str | None = None
    contest: str | None = None
    cell: str | None = None
    other_row: int | None = None

    @property
    def place(self) -> str:
        """The place in words; empty if the problem concerns the whole file."""
        if self.cell is not None:
            return ", ".join(filter(None, (gettext("row %(number)s") % {"number": self.row}, self._place_in_row)))
        parts = (
            gettext("line %(number)s") % {"number": self.row} if self.row is not None else "",
            gettext("contest %(name)s") % {"name": printable(self.contest)} if self.contest else "",
            self.column or "",
        )
        return ", ".join(part for part in parts if part)

    @property
    def _place_in_row(self) -> str:
        """The place within a row of a workbook; empty if the problem concerns the whole row."""
        if self.cell is None or not self.cell[:1].isalpha():
            return self.column or ""
        if self.column:
            return gettext("column “%(column)s” (%(cell)s)") % {"column": self.column, "cell": self.cell}
        return gettext("cell %(cell)s") % {"cell": self.cell}

    def at(self, place: str) -> str:
        """Return the problem with this place before it and the value found there after it; "" leaves out the place."""
        text = f"{place}: {self.message}" if place else self.message
        if self.value is None:
            return text
        return gettext("%(problem)s (found: %(value)s)") % {"problem": text, "value": self.value}

    def __str__(self) -> str:
        return self.at(self.place)


class ParsedStanding(NamedTuple):
    """
    One row of a contest.

    place
        The rank in the file, among all rows that have one; ranked rows always do.
    row
        1-based line in the file, or position among the contest's standings in JSON.
    share
        The share of the contest that the player took part in, above 0 and below 1; None for all of it.
    handicap
        Advantage in rating points, the same for all members of a team; None if there is none.
    """

    place: int | None
    handle: str
    score: float | None
    status: Status
    name: str
    country: str
    team: str
    penalty: float | None
    row: int
    share: float | None = None
    handicap: float | None = None

    @classmethod
    def of_handle(cls, handle: str, *, name: str = "", country: str = "", row: int = 0) -> Self:
        """Return a row of which only the player matters."""
        return cls(None, handle, None, "ranked", name, country, "", None, row)


@dataclass(frozen=True, slots=True)
class GameDetails:
    """
    The known details of a game between two sides, besides its result.

    event
        Name of the tournament or match day in the file, "" if it names none.
    round
        Round, or round and board, as in the file; "" if unknown.
    sides
        Side of each standing: "white", "black", "home", "away", or "" if unknown.
    is_walkover
        Whether the result was given without play: a forfeit, or a bye. Walkovers are not rated.
    row, column
        Line of the file, and the column or tag that has the result.
    """

    event: str = ""
    round: str = ""
    sides: tuple[str, ...] = ()
    is_walkover: bool = False
    row: int = 0
    column: str = ""


@dataclass(slots=True)
class ParsedContest:
    """
    One contest of a file, checked.

    key
        The contest's id in the file, "" if the file has none.
    ends_at, starts_at
        Aware, UTC; None if missing.
    ranks
        Competition rank of each standing among the ranked ones (a team counts once), None for others.
    game
        Details of a game; None for other contests.
    games
        The games of an event, whose `standings` are its score table with one row for each player; empty for others.
    """

    key: str
    name: str
    standings: list[ParsedStanding]
    ranks: list[int | None]
    url: str = ""
    ends_at: datetime | None = None
    starts_at: datetime | None = None
    weight: float = 1.0
    perf_ceiling: float | None = None
    has_teams: bool = False
    has_shares: bool = False
    has_handicaps: bool = False
    has_times: bool = False
    game: GameDetails | None = None
    games: list[ParsedContest] = field(default_factory=list)


@dataclass(slots=True)
class Report:
    """
    All errors and warnings of a file; keeps the first 1,000 of each and counts the others.

    people
        The rows that name a player, of the first contest that has errors; their places and scores are missing.
    """

    errors: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    errors_left_out: int = 0
    warnings_left_out: int = 0
    people: list[ParsedStanding] = field(default_factory=list)

    def add(self, problem: Problem) -> None:
        if problem.severity == "error":
            if len(self.errors) < MAX_PROBLEMS:
                self.errors.append(problem)
            else:
                self.errors_left_out += 1
        elif len(self.warnings) < MAX_PROBLEMS:
            self.warnings.append(problem)
        else:
            self.warnings_left_out += 1

    def add_first(self, problem: Problem) -> None:
        """Add the problem that ended the reading as the first error, even beyond the limit."""
        self.errors.insert(0, problem)

    @property
    def error_count(self) -> int:
        return len(self.errors) + self.errors_left_out

    @property
    def warning_count(self) -> int:
        return len(self.warnings) + self.warnings_left_out

    def lines(self) -> list[str]:
        """Return all problems as lines of text, errors first."""
        lines = [f"error: {problem}" for problem in self.errors]
        if self.errors_left_out:
            lines.append(f"… and {counted(self.errors_left_out, 'more error')}")
        lines += [f"warning: {problem}" for problem in self.warnings]
        if self.warnings_left_out:
            lines.append(f"… and {counted(self.warnings_left_out, 'more warning')}")
        return lines


class ParseError(ValueError):
    """Raised for a file with errors, which must not be stored. `report` has all problems, `problems` the errors."""

    def __init__(self, report: Report) -> None:
        self.report = report
        lines = [line for line in report.lines() if not line.startswith("warning: ")]
        super().__init__("\n".join(lines))

    @property
    def problems(self) -> list[Problem]:
        return self.report.errors


class UnreadableError(Exception):
    """Ends the reading of a file; becomes a problem of the report and never leaves the package."""

    def __init__(self, message: str, *, row: int | None = None, column: str | None = None) -> None:
        self.problem = Problem(_sentence(message), row=row, column=column)
        super().__init__(message)


class Place(TypedDict, total=False):
    """The place of a problem, with the fields of `Problem`; `value` is the value as it was read."""

    row: int | None
    column: str | None
    value: object
    contest: str | None
    cell: str | None
    other_row: int | None


@dataclass(slots=True)
class Reading:
    """
    One pass over one file: its limits, options and report.

    progress
        Called with the number of rows read, about every 1,000 rows.
    letters
        Letter of each column by name, in workbooks; None in other files.
    calls_lines_rows
        Whether messages say "row 5" instead of "line 5", as in workbooks and on the review page.
    """

    filename: str
    report: Report
    options: ReadingOptions
    repair: bool = False
    max_bytes: int = MAX_BYTES
    max_rows: int = MAX_ROWS
    progress: Callable[[int], None] | None = None
    letters: dict[str, str] | None = None
    calls_lines_rows: bool = False
    _rows_read: int = 0
    _rows_reported: int = 0
    _rows_given: int = 0

    def error(self, message: str, **place: Unpack[Place]) -> None:
        """Report an error; the first letter of the message becomes a capital."""
        self._report("error", message, place)

    def warn(self, message: str, **place: Unpack[Place]) -> None:
        """Report a warning; the first letter of the message becomes a capital."""
        self._report("warning", message, place)

    def _report(self, severity: Literal["error", "warning"], message: str, place: Place) -> None:
        row, column = place.get("row"), place.get("column")
        cell = place.get("cell") or self._cell(row, column)
        value = shown(place.get("value"))
        contest, other_row = place.get("contest"), place.get("other_row")
        self.report.add(Problem(_sentence(message), severity, row, column, value, contest, cell, other_row))

    def count(self, contest: ParsedContest) -> None:
        """Count the rows of a contest that its reader has not counted one by one."""
        self._rows_given += len(contest.standings)
        self.advance(max(0, self._rows_given - self._rows_read))

    def advance(self, rows: int = 1) -> None:
        """Count rows and report progress at intervals."""
        self._rows_read += rows
        if self.progress is not None and self._rows_read - self._rows_reported >= ROWS_BETWEEN_PROGRESS:
            self._rows_reported = self._rows_read
            self.progress(self._rows_read)

    def at_line(self, line: int | None) -> str:
        """Return a line of the file in words: "line 5", or "row 5" in workbooks and for the review page."""
        is_row = self.calls_lines_rows or self.letters is not None
        text = gettext("row %(number)s") if is_row else gettext("line %(number)s")
        return text % {"number": grouped(line or 0)}

    def placed(self, problem: Problem) -> Problem:
        """Return the problem with its cell, if the file is a workbook."""
        return replace(problem, cell=problem.cell or self._cell(problem.row, problem.column))

    def _cell(self, row: int | None, column: str | None) -> str | None:
        """Return the cell of a workbook, "C17", or "17" for a whole row; None in other files."""
        if self.letters is None or row is None:
            return None
        return f"{self.letters.get(column or '', '')}{row}"

    def give_up_on_many_errors(self) -> None:
        """Stop reading a file that is probably of another format; UnreadableError after 1,000 errors."""
        if self.report.errors_left_out:
            raise UnreadableError(
                gettext("There are more than %(most)s errors, so Podium stopped reading; fix these errors first.")
                % {"most": grouped(MAX_PROBLEMS)}
            )


def shown(value: object) -> str | None:
    """Return a short printable form of a value, None for None."""
    if value is None:
        return None
    return quoted(printable(value)) if isinstance(value, str) else printable(_short_repr(value))


def _short_repr(value: object) -> str:
    if isinstance(value, list):
        return gettext("a list of length %(number)s") % {"number": grouped(len(value))}
    if isinstance(value, dict):
        return gettext("an object")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value.bit_length() > 256:
        # repr() rejects integers of more than 4,300 digits.
        return gettext("a number with %(number)s bits") % {"number": value.bit_length()}
    return repr(value)


def _sentence(message: str) -> str:
    return message[:1].upper() + message[1:]


@dataclass(slots=True)
class Heading:
    """The details of a contest in a file, without its rows."""

    key: str = ""
    name: str = ""
    url: str = ""
    ends_at: datetime | None = None
    starts_at: datetime | None = None
    weight: float = 1.0
    perf_ceiling: float | None = None


@dataclass(slots=True)
class Rows:
    """
    The rows of one contest as columns of equal length; missing columns are None.

    locate
        Returns the line of the file and the name of the column for a row and a field ("handle", "rank", ...).
    contest
        Label of the contest in messages, None if the file has only one.
    scores_decide
        Whether a rank that contradicts the scores is an error (a table made by hand) or a warning (an archive).
    places_are_sound, scores_are_sound
        False if some of them could not be read; then checks that need all of them are skipped.
    """

    handles: Sequence[str]
    places: Sequence[int | None]
    scores: Sequence[float | None]
    numbers: Sequence[int]
    locate: Callable[[int, str], tuple[int | None, str]]
    contest: str | None = None
    scores_decide: bool = False
    places_are_sound: bool = True
    scores_are_sound: bool = True
    statuses: Sequence[Status] | None = None
    names: Sequence[str] | None = None
    countries: Sequence[str] | None = None
    teams: Sequence[str] | None = None
    penalties: Sequence[float | None] | None = None
    has_times: bool = False
    shares: Sequence[float | None] | None = None
    handicaps: Sequence[float | None] | None = None

    def ranked(self) -> list[int]:
        """Return the positions of the ranked rows."""
        if self.statuses is None:
            return list(range(len(self.handles)))
        return [i for i, status in enumerate(self.statuses) if status == "ranked"]

    def error(
        self, reading: Reading, i: int, field: str, message: str, value: object = None, other: int | None = None
    ) -> None:
        line, column = self.locate(i, field)
        other_row = None if other is None else self.locate(other, field)[0]
        reading.error(message, row=line, column=column, value=value, contest=self.contest, other_row=other_row)

    def warn(
        self, reading: Reading, i: int, field: str, message: str, value: object = None, other: int | None = None
    ) -> None:
        line, column = self.locate(i, field)
        other_row = None if other is None else self.locate(other, field)[0]
        reading.warn(message, row=line, column=column, value=value, contest=self.contest, other_row=other_row)
