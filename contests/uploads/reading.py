"""Reading a staged file as its organizer has said, or else as it seems to be meant."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from django.conf import settings

from contests.errors import ContestError
from contests.formats import ParseError, Problem, ReadingOptions, Report, iter_contests, sketch
from contests.formats.table.columns import field_of, is_remarks
from contests.uploads.review import Column, Columns
from contests.uploads.staging import open_content

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from contests.formats import ParsedContest, Sketch
    from contests.uploads.staging import Choices, Staged


def read_staged(
    staged: Staged, choices: Choices, report: Report, *, progress: Callable[[int], None] | None = None
) -> tuple[ParsedContest | None, Sketch | None]:
    """
    Read a staged file that should hold the standings of one contest; every problem goes to `report`.

    Returns the contest, None if there are errors, and what the file seems to be, None if it cannot be read at all.
    ContestError if the file is gone.
    """
    try:
        found = _sketched(staged, choices, report)
        if found is None:
            return None, None
        options = _options(found, choices, report)
        contest = _one_contest(staged, options, report, progress)
    except FileNotFoundError as error:
        raise ContestError(f"The file “{staged.filename}” is no longer kept; send it again.") from error
    return (None if report.errors else contest), found


def read_sound(staged: Staged, choices: Choices, report: Report) -> ParsedContest:
    """Read a staged file as `read_staged` does; ParseError if there is anything wrong with it."""
    parsed, _ = read_staged(staged, choices, report)
    if parsed is None:
        raise ParseError(report)
    return parsed


def options_in_use(staged: Staged, choices: Choices) -> ReadingOptions | None:
    """Return how the file is read, None where nothing had to be said."""
    report = Report()
    found = _sketched(staged, choices, report)
    return None if found is None else _options(found, choices, report)


def columns_of(found: Sketch | None, choices: Choices) -> Columns:
    """Return how a table was read, for its organizer to look at and to change."""
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
            stream = cast("BinaryIO", content)  # Django's files read like any other
            return sketch(
                stream, filename=staged.filename, max_bytes=settings.PODIUM_UPLOAD_LIMIT, options=choices.options
            )
    except ParseError as error:
        for problem in error.report.errors:
            report.add(problem)
        return None


def _options(found: Sketch, choices: Choices, report: Report) -> ReadingOptions | None:
    """
    Return how to read what was found.

    Where nothing was chosen, an unknown column is left out with a warning, since another choice is only a
    tap away on the page; whatever else is in doubt stays an error of the reader.
    """
    if found.kind != "table" or (choices.options is not None and choices.options.columns is not None):
        return choices.options
    named = [column for column in found.columns if column.name and not column.field and not is_remarks(column.name)]
    unknown = [column for column in named if field_of(column.name) is None]
    fields = set((found.options.columns or {}).values())
    if not unknown or len(unknown) < len(named) or "handle" not in fields or fields.isdisjoint(("rank", "score")):
        return choices.options
    for column in unknown:
        hint = f"Did you mean {column.near}? Choose" if column.near else "If it is needed, choose"
        report.add(
            Problem(
                f"Unknown column, ignored. {hint} what it holds under “How the file is read”.",
                "warning",
                row=found.header_row or None,
                column=column.name,
            )
        )
    if choices.options is None:
        return replace(found.options, decimal_comma=None)
    return replace(choices.options, columns=found.options.columns)


def _one_contest(
    staged: Staged, options: ReadingOptions | None, report: Report, progress: Callable[[int], None] | None
) -> ParsedContest | None:
    contests = []
    with open_content(staged) as content:
        stream = cast("BinaryIO", content)
        for contest in iter_contests(
            stream, filename=staged.filename, report=report, max_bytes=settings.PODIUM_UPLOAD_LIMIT, options=options,
            progress=progress,
        ):  # fmt: skip
            contests.append(contest)
            if len(contests) > 1:
                report.add(
                    Problem(
                        "The file holds several contests; a draft takes one. Split the file, or give it whole to "
                        "the command import_contests."
                    )
                )
                break
    if not contests and not report.errors:
        report.add(Problem("The file holds no contest; it needs a header line and a line for each participant."))
    return contests[0] if contests else None
