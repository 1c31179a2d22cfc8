"""Read staged files with the choices and corrections of their organizers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, cast

from django.conf import settings
from django.utils.translation import gettext

from contests.formats import ParseError, Problem, ReadingOptions, Report, file_rows, iter_contests, sketch
from contests.formats.events import event_of
from contests.formats.table.columns import GAME_FIELDS, NAME_PARTS, field_of, is_remarks
from contests.handles import handle_key, printable, single_spaced
from contests.matching.known_names import community_of
from contests.queries.names import players_by_handle
from contests.uploads.staging import Column, Columns, open_content
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import BinaryIO

    from contests.formats import FileRows, ParsedContest, ParsedStanding, Sketch
    from contests.uploads.staging import Choices, Staged


#: The games of a file that can be uploaded; the command imports any number.
MOST_GAMES = 200_000


class Reading(NamedTuple):
    """
    A staged file as Podium has read it.

    contest
        None if there are errors.
    sketch
        None if the file cannot be read at all.
    options
        The options with which it was read, None for the defaults.
    """

    contest: ParsedContest | None
    sketch: Sketch | None
    options: ReadingOptions | None


def read_staged(
    staged: Staged, choices: Choices, report: Report, *, progress: Callable[[int], None] | None = None
) -> Reading:
    """
    Read a staged file with the standings of one contest, or the games of one event; add every problem to `report`.

    Raises ContestError if the file is gone.
    """
    found = _sketched(staged, choices, report)
    if found is None:
        return Reading(None, None, None)
    options = _options(found, choices, report)
    contest = _one_contest(staged, options, report, progress)
    return Reading(None if report.errors else contest, found, options)


def read_valid(
    staged: Staged, choices: Choices, report: Report, progress: Callable[[int], None] | None = None
) -> tuple[ParsedContest, ReadingOptions | None]:
    """Return the contest of a staged file and the options in use; raise ParseError if the file has errors."""
    reading = read_staged(staged, choices, report, progress=progress)
    if reading.contest is None:
        raise ParseError(report)
    return reading.contest, reading.options


def read_file_rows(staged: Staged, options: ReadingOptions | None, numbers: Collection[int]) -> FileRows | None:
    """Return the rows of a staged table with these numbers as they are in the file; None if it is not a table."""
    with open_content(staged) as content:
        stream = cast("BinaryIO", content)
        return file_rows(
            stream, filename=staged.filename, numbers=numbers, options=options, max_bytes=settings.PODIUM_UPLOAD_LIMIT
        )


def options_in_use(staged: Staged, choices: Choices) -> ReadingOptions | None:
    """Return the options with which Podium reads the file, None for the defaults."""
    report = Report()
    found = _sketched(staged, choices, report)
    return None if found is None else _options(found, choices, report)


def columns_of(found: Sketch | None, choices: Choices) -> Columns:
    """Return the way a table was read, for the form in which its organizer changes it."""
    if found is None or found.kind != "table":
        return Columns()
    chosen = choices.options.columns if choices.options is not None else None
    fields = found.options.columns or {} if chosen is None else chosen
    columns = [Column(each.position, each.name, fields.get(each.position, ""), each.samples) for each in found.columns]
    comma = choices.options.decimal_comma if choices.options is not None else None
    return Columns(list(found.sheets), found.sheet, found.header_row, comma, columns)


def _sketched(staged: Staged, choices: Choices, report: Report) -> Sketch | None:
    try:
        with open_content(staged) as content:
            stream = cast("BinaryIO", content)  # Django's files have the same methods
            return sketch(
                stream, filename=staged.filename, max_bytes=settings.PODIUM_UPLOAD_LIMIT, options=choices.reading
            )
    except ParseError as error:
        for problem in error.report.errors:
            report.add(problem)
        return None


def _options(found: Sketch, choices: Choices, report: Report) -> ReadingOptions | None:
    """Return the options for reading the sketched file, with the organizer's corrections."""
    options = _chosen_or_found(found, choices, report)
    if not choices.corrections:
        return options
    return replace(options or ReadingOptions(), corrections=choices.corrections)


def _chosen_or_found(found: Sketch, choices: Choices, report: Report) -> ReadingOptions | None:
    """
    Return the options for reading the sketched file.

    If the organizer has not chosen the columns, columns without a name and unknown ones are ignored with a warning,
    because the page offers the choice. Everything else that is ambiguous remains an error of the reader.
    """
    if found.kind != "table" or (choices.options is not None and choices.options.columns is not None):
        return choices.options
    fields = set((found.options.columns or {}).values())
    named = [column for column in found.columns if column.name and not column.field and not is_remarks(column.name)]
    if "share" not in fields:  # the reader ignores a column “Played” of numbers of games, with a warning
        named = [column for column in named if field_of(column.name) != "share"]
    unknown = [column for column in named if field_of(column.name) is None]
    if found.header_row == 0 and not fields.isdisjoint(GAME_FIELDS):
        return found.options  # only the content shows that the rows are games
    has_unnamed = any(not column.name for column in found.columns)
    if (
        not (unknown or has_unnamed)
        or len(unknown) < len(named)
        or fields.isdisjoint(("handle", *NAME_PARTS))
        or fields.isdisjoint(("rank", "score", "penalty"))
    ):
        return choices.options
    for column in unknown:
        if column.near:
            text = gettext(
                "Unknown column, ignored. Did you mean %(name)s? Choose its contents under “How the file is read”."
            )
            problem = text % {"name": column.near}
        else:
            problem = gettext(
                "Unknown column, ignored. To use this column, choose its contents under “How the file is read”."
            )
        report.add(
            Problem(
                problem,
                "warning",
                row=found.header_row or None,
                column=column.name,
            )
        )
    return replace(choices.options or ReadingOptions(), ignores_unknown=True)


def _one_contest(
    staged: Staged, options: ReadingOptions | None, report: Report, progress: Callable[[int], None] | None
) -> ParsedContest | None:
    contests: list[ParsedContest] = []
    with open_content(staged) as content:
        stream = cast("BinaryIO", content)
        for contest in iter_contests(
            stream, filename=staged.filename, report=report, max_bytes=settings.PODIUM_UPLOAD_LIMIT, options=options,
            progress=progress, calls_lines_rows=True,
        ):  # fmt: skip
            contests.append(contest)
            if contest.game is None and len(contests) > 1:
                report.add(
                    Problem(
                        gettext(
                            "The file contains several contests, but a draft holds one. Split the file, or ask the "
                            "site administrators to import all of it with the command import_contests."
                        )
                    )
                )
                break
            if len(contests) > MOST_GAMES:
                text = gettext("The file has more than %(most)s games; split it.")
                report.add(Problem(text % {"most": grouped(MOST_GAMES)}))
                break
    _join_spaces(staged, contests, report)
    if not contests and not report.errors:
        report.add(
            Problem(gettext("The file contains no contest. It needs a header line and one line for each participant."))
        )
    if contests and contests[0].game is not None:
        return _one_event(contests, report)
    return contests[0] if contests else None


def _join_spaces(staged: Staged, contests: Sequence[ParsedContest], report: Report) -> None:
    """
    Replace runs of white space in handles with one space, except in the handles of known players.

    Pages show both in the same way, so no one could tell such a new player from a known one.
    """
    rows = [row for contest in contests for row in contest.standings] + report.people
    wide = {row.handle for row in rows if single_spaced(row.handle) != row.handle}
    if not wide:
        return
    known = players_by_handle(community_of(staged.series_id), wide)
    names = {handle: single_spaced(handle) for handle in wide if handle_key(handle) not in known}
    for contest in contests:
        contest.standings = _renamed(contest.standings, names)
        if contest.game is None:
            _report_same_names(contest.standings, report)
    report.people = _renamed(report.people, names)


def _renamed(rows: Sequence[ParsedStanding], names: Mapping[str, str]) -> list[ParsedStanding]:
    return [row._replace(handle=names[row.handle]) if row.handle in names else row for row in rows]


def _report_same_names(rows: Sequence[ParsedStanding], report: Report) -> None:
    """Report rows whose handles have become the same."""
    first: dict[str, ParsedStanding] = {}
    for row in rows:
        earlier = first.setdefault(handle_key(row.handle), row)
        if earlier is not row:
            text = gettext(
                "This is the same player as “%(handle)s” in row %(row)s, under another name. Keep only one of the "
                "two rows."
            )
            problem = text % {"handle": printable(earlier.handle), "row": earlier.row}
            report.add(Problem(problem, row=row.row, value=printable(row.handle), other_row=earlier.row))


def _one_event(games: list[ParsedContest], report: Report) -> ParsedContest:
    """Return the event of all games of a file; warn if the file names several."""
    names = {game.game.event for game in games if game.game is not None and game.game.event}
    if len(names) > 1:
        report.add(
            Problem(
                gettext(
                    "The file has games from %(number)s events, but a draft holds only one event, so all of the games "
                    "go into it. To keep the events apart, upload one file for each."
                )
                % {"number": grouped(len(names))},
                "warning",
            )
        )
    return event_of(games)
