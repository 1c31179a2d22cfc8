"""
Standings files to checked contests: one reader for each format, one contract for all (`base`).

Reads text formats, plain or gzip, bounded in size; knows nothing of Django and stores nothing. The formats, with
examples, are described in docs/formats.md.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from contests.formats.base import (
    MAX_BYTES,
    MAX_ROWS,
    ParsedContest,
    ParsedStanding,
    ParseError,
    Problem,
    Reader,
    Reading,
    ReadingOptions,
    Report,
    UnreadableError,
)
from contests.formats.json.annotate import annotated_document, annotated_lines
from contests.formats.json.clics import Clics
from contests.formats.json.codeforces import Codeforces
from contests.formats.json.directory import read_directory
from contests.formats.json.reader import JsonDocument, JsonLines
from contests.formats.sources import head_of, opened
from contests.formats.table.annotate import annotated_name, annotated_text
from contests.formats.table.reader import DelimitedText
from contests.formats.table.sketch import Sketch, SketchColumn, sketch_of, sketch_of_document
from contests.formats.xlsx.annotate import annotated_workbook
from contests.formats.xlsx.reader import Workbook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from contests.formats.table.grid import TableReader

__all__ = [
    "MAX_BYTES",
    "MAX_ROWS",
    "READERS",
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
    "iter_contests",
    "read_contests",
    "sketch",
]

_WORKBOOK = Workbook()
_TEXT_TABLE = DelimitedText()
_TABLES: tuple[TableReader, ...] = (_WORKBOOK, _TEXT_TABLE)
# In the order in which they are asked whether a file is theirs: those that know what they look for first; the last one
# takes everything.
READERS: tuple[Reader, ...] = (Codeforces(), Clics(), JsonLines(), JsonDocument(), *_TABLES)


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
) -> Iterator[ParsedContest]:
    """
    Yield the sound contests of a file one by one; every problem goes to `report`, which is complete at the end.

    Never raises for what the file holds. If `report.errors` is not empty at the end, nothing of it should be stored.

    source
        A path (also of a directory of numbered JSON files), an open binary stream, or the content.
    filename
        Its extension chooses the reader (.gz is looked through); if it is unknown, the content does.
    repair
        Mend damaged names and repeated players instead of refusing them, each with a warning: for archives.
    max_bytes, max_rows
        The size allowed, unpacked, and the rows allowed in one contest.
    options
        What is said of a table; documents (JSON) say it themselves. What is not said is found out.
    progress
        Called with the number of rows read, about every 1,000 rows. What it raises ends the reading.
    """
    reading = Reading(filename, report, repair, max_bytes, max_rows, options or ReadingOptions(), progress)
    try:
        if isinstance(source, Path) and source.is_dir():
            yield from read_directory(source, reading)
            return
        with opened(source, max_bytes) as stream:
            reader = _reader_for(filename, head_of(stream))
            for contest in reader.read(stream, reading):
                if reader not in _TABLES:
                    reading.advance(len(contest.standings))
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
    """Return all contests of a file; ParseError has all its problems. Warnings are in `report`, if one is given."""
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
    Return what a file seems to be, from its first rows; ParseError if it cannot be read at all.

    options
        What is known already: another sheet than the one that would be guessed, or another line of column names.
    """
    reading = Reading(filename, Report(), max_bytes=max_bytes, options=options or ReadingOptions())
    try:
        with opened(source, max_bytes) as stream:
            reader = _table_reader_for(filename, head_of(stream))
            return sketch_of_document() if reader is None else sketch_of(reader.grid(stream, reading), reading.options)
    except UnreadableError as error:
        reading.report.add_first(reading.placed(error.problem))
        raise ParseError(reading.report) from error


def annotated(
    source: Path | BinaryIO | bytes,
    *,
    filename: str,
    report: Report,
    options: ReadingOptions | None = None,
    max_bytes: int = MAX_BYTES,
) -> tuple[bytes, str]:
    """
    Return a file again, with what its report says written beside each row, and a name for it.

    A table keeps its format and its lines, and gets a column "remarks"; what is about the whole file stands in the
    header of that column. A JSON document gets an array "remarks". Reading leaves both out, so that the file can be
    mended and sent again. ParseError if the file is so damaged that nothing can be written into it.

    report
        What `iter_contests` said of the file.
    options
        With which it was read.
    """
    options = options or ReadingOptions()
    try:
        with opened(source, max_bytes) as stream:
            reader = _reader_for(filename, head_of(stream))
            if reader is _WORKBOOK:
                return annotated_workbook(stream, report, options), annotated_name(filename, ".xlsx")
            extension = _extension(filename)
            if _table_reader_for(filename, head_of(stream)) is not None:
                extension = extension if extension in _TEXT_TABLE.extensions else ".csv"
                return annotated_text(stream, report, options), annotated_name(filename, extension)
            if isinstance(reader, JsonLines):
                return annotated_lines(stream, report), annotated_name(filename, ".jsonl")
            return annotated_document(stream, report), annotated_name(filename, ".json")
    except UnreadableError as error:
        problem = replace(error.problem, message=f"The file cannot be annotated. {error.problem.message}")
        raise ParseError(Report(errors=[problem])) from error


def _extension(filename: str) -> str:
    return Path(filename.lower().removesuffix(".gz")).suffix


def _table_reader_for(filename: str, head: bytes) -> TableReader | None:
    reader = _reader_for(filename, head)
    return next((table for table in _TABLES if table is reader), None)


def _reader_for(filename: str, head: bytes) -> Reader:
    """
    Return the reader that knows the content, among those for the extension, or among all if it is unknown.

    What is a workbook, and what is none, the content alone says: text that is called .xlsx is common.
    """
    if _WORKBOOK.recognizes(head):
        return _WORKBOOK
    name = filename.lower().removesuffix(".gz")
    fitting = [reader for reader in READERS if name.endswith(reader.extensions) and reader is not _WORKBOOK]
    readers = fitting or READERS
    return next((reader for reader in readers if reader.recognizes(head)), readers[-1])
