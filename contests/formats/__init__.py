"""
Readers of standings files: the list of formats, and functions for files of any format.

Each format is a reader (`contests.formats.reader.Reader`). Files can be compressed with gzip and are bounded in size.
Nothing here reads or writes the database. docs/formats.md describes the formats, with examples.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from django.utils.translation import gettext

from contests.formats.base import (
    MAX_BYTES,
    MAX_ROWS,
    ParsedContest,
    ParsedStanding,
    ParseError,
    Problem,
    Reading,
    Report,
    UnreadableError,
)
from contests.formats.games.pgn import Pgn
from contests.formats.games.sgf import Sgf
from contests.formats.games.trf import Trf
from contests.formats.json.clics import Clics
from contests.formats.json.codeforces import Codeforces
from contests.formats.json.reader import JsonDocument, JsonLines, read_directory
from contests.formats.reader import Example, FileRow, FileRows, Reader, Sketch, SketchColumn, annotated_name
from contests.formats.sources import head_of, opened
from contests.formats.table.options import ReadingOptions
from contests.formats.table.reader import DelimitedText
from contests.formats.xlsx.reader import Workbook

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

__all__ = [
    "MAX_BYTES",
    "MAX_ROWS",
    "READERS",
    "Example",
    "FileRow",
    "FileRows",
    "ParseError",
    "ParsedContest",
    "ParsedStanding",
    "Problem",
    "Reader",
    "ReadingOptions",
    "Report",
    "Sketch",
    "SketchColumn",
    "annotated",
    "example_files",
    "file_rows",
    "iter_contests",
    "listed_formats",
    "read_contests",
    "reader_for",
    "register",
    "sketch",
]

#: In the order in which they are asked whether they recognize a file; the last one recognizes everything.
READERS: list[Reader] = [
    Codeforces(),
    Clics(),
    Sgf(),
    Trf(),
    Pgn(),
    JsonLines(),
    JsonDocument(),
    Workbook(),
    DelimitedText(),
]


def register(reader: Reader) -> None:
    """Add a format; its reader is asked first whether it recognizes a file."""
    READERS.insert(0, reader)


def listed_formats() -> str:
    """Return a list of the formats for use inside a sentence, the most common ones first."""
    *others, last = (gettext(reader.label) for reader in reversed(READERS))
    return gettext("%(systems)s or %(last)s") % {"systems": ", ".join(others), "last": last}


def example_files() -> list[Example]:
    """Return the example files, those of the most common formats first."""
    return [example for reader in reversed(READERS) for example in reader.examples]


def iter_contests(
    source: Path | BinaryIO | bytes,
    *,
    filename: str,
    report: Report,
    repair: bool = False,
    max_bytes: int = MAX_BYTES,
    max_rows: int = MAX_ROWS,
    options: ReadingOptions | None = None,
    progress: Callable[[int], None] | None = None,
    calls_lines_rows: bool = False,
) -> Iterator[ParsedContest]:
    """
    Yield the error-free contests of a file one by one; `report` gets every problem and is complete at the end.

    No content of the file raises an exception. If `report.errors` is not empty at the end, store none of the contests.

    source
        A path (also of a directory of numbered JSON files), an open binary stream, or the content.
    filename
        Its extension without .gz chooses the reader, or the content if the extension is unknown.
    repair
        Repair damaged names and repeated players with a warning, instead of rejecting them; meant for archives.
    max_bytes, max_rows
        The limits for the unpacked size and for the rows of a contest.
    options
        How to read a table; None values are detected. JSON documents need no options.
    progress
        Called with the number of rows read, about every 1,000 rows. An exception ends the reading.
    calls_lines_rows
        Whether messages about one line that mention another call it "row 5" instead of "line 5".
    """
    reading = Reading(filename, report, options or ReadingOptions(), repair, max_bytes, max_rows, progress)
    reading.calls_lines_rows = calls_lines_rows
    try:
        if isinstance(source, Path) and source.is_dir():
            yield from read_directory(source, reading)
            return
        with opened(source, max_bytes) as stream:
            for contest in reader_for(filename, head_of(stream)).read(stream, reading):
                reading.count(contest)
                yield contest
    except UnreadableError as error:
        report.add_first(reading.placed(error.problem))


def read_contests(
    source: Path | BinaryIO | bytes,
    *,
    filename: str,
    report: Report | None = None,
    repair: bool = False,
    max_bytes: int = MAX_BYTES,
    max_rows: int = MAX_ROWS,
    options: ReadingOptions | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[ParsedContest]:
    """Return all contests of a file; ParseError with all problems. Warnings are in `report`, if one is given."""
    report = Report() if report is None else report
    contests = list(
        iter_contests(
            source, filename=filename, report=report, repair=repair, max_bytes=max_bytes, max_rows=max_rows,
            options=options, progress=progress,
        )
    )  # fmt: skip
    if report.errors:
        raise ParseError(report)
    return contests


def sketch(
    source: Path | BinaryIO | bytes,
    *,
    filename: str,
    max_bytes: int = MAX_BYTES,
    options: ReadingOptions | None = None,
) -> Sketch:
    """
    Return a sketch of a file from its first rows; ParseError if the file is unreadable.

    options
        Choices that replace detection, such as another sheet or another line of column names.
    """
    reading = Reading(filename, Report(), options or ReadingOptions(), max_bytes=max_bytes)
    try:
        with opened(source, max_bytes) as stream:
            return reader_for(filename, head_of(stream)).sketch(stream, reading)
    except UnreadableError as error:
        reading.report.add_first(reading.placed(error.problem))
        raise ParseError(reading.report) from error


def file_rows(
    source: Path | BinaryIO | bytes,
    *,
    filename: str,
    numbers: Collection[int],
    options: ReadingOptions | None = None,
    max_bytes: int = MAX_BYTES,
) -> FileRows | None:
    """
    Return the rows of a table with these numbers as they are in the file, without corrections.

    None for formats without rows and columns, and for files that are too damaged to find the rows.

    options
        The options that the file was read with.
    """
    reading = Reading(filename, Report(), options or ReadingOptions(), max_bytes=max_bytes)
    try:
        with opened(source, max_bytes) as stream:
            return reader_for(filename, head_of(stream)).rows(stream, reading, numbers)
    except UnreadableError:
        return None


def annotated(
    source: Path | BinaryIO | bytes,
    *,
    filename: str,
    report: Report,
    options: ReadingOptions | None = None,
    max_bytes: int = MAX_BYTES,
) -> tuple[bytes, str]:
    """
    Return a file with the problems of its report beside each row, and its file name.

    A table gets a column "remarks", whose header has the problems of the whole file; a JSON document gets an array
    "remarks". Reading ignores both, so that organizers can fix the file and upload it again. ParseError if the file is
    too damaged to annotate.

    report
        The report of `iter_contests` for the file.
    options
        The options that the file was read with.
    """
    try:
        with opened(source, max_bytes) as stream:
            reader = reader_for(filename, head_of(stream))
            extension = Path(filename.lower().removesuffix(".gz")).suffix
            content = reader.annotate(stream, report, options or ReadingOptions())
            return content, annotated_name(filename, reader.annotated_extension(extension))
    except UnreadableError as error:
        message = gettext("Podium can’t write remarks into this file. %(problem)s") % {"problem": error.problem.message}
        problem = replace(error.problem, message=message)
        raise ParseError(Report(errors=[problem])) from error


def reader_for(filename: str, head: bytes) -> Reader:
    """
    Return the reader that recognizes the first bytes of a file.

    Only the readers of its extension are asked, or all if the extension is unknown. For formats that are known by
    their content, the extension makes no difference.
    """
    for reader in READERS:
        if reader.is_known_by_content and reader.recognizes(head):
            return reader
    name = filename.lower().removesuffix(".gz")
    fitting = [each for each in READERS if name.endswith(each.extensions) and not each.is_known_by_content]
    readers = fitting or READERS
    return next((reader for reader in readers if reader.recognizes(head)), readers[-1])
