"""
Standings files to checked contests: one reader for each format, one contract for all (`base`).

Reads text formats, plain or gzip, bounded in size; knows nothing of Django and stores nothing. The formats, with
examples, are described in docs/formats.md.
"""

from __future__ import annotations

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
    Report,
    UnreadableError,
)
from contests.formats.csv import DelimitedText
from contests.formats.directory import read_directory
from contests.formats.json import JsonDocument, JsonLines
from contests.formats.sources import head_of, opened

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "MAX_BYTES",
    "MAX_ROWS",
    "READERS",
    "ParseError",
    "ParsedContest",
    "ParsedStanding",
    "Problem",
    "Reader",
    "Report",
    "iter_contests",
    "read_contests",
]

# In the order in which they are asked about a file of unknown extension; the last one takes everything.
READERS: tuple[Reader, ...] = (JsonLines(), JsonDocument(), DelimitedText())


def iter_contests(
    source: Path | BinaryIO | bytes,
    *,
    filename: str,
    report: Report,
    repair: bool = False,
    max_bytes: int = MAX_BYTES,
    max_rows: int = MAX_ROWS,
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
    """
    reading = Reading(filename, report, repair=repair, max_bytes=max_bytes, max_rows=max_rows)
    try:
        if isinstance(source, Path) and source.is_dir():
            yield from read_directory(source, reading)
            return
        with opened(source, max_bytes) as stream:
            reader = _reader_for(filename, head_of(stream))
            yield from reader.read(stream, reading)
    except UnreadableError as error:
        report.add_first(error.problem)


def read_contests(
    source: Path | BinaryIO | bytes,
    *,
    filename: str,
    report: Report | None = None,
    repair: bool = False,
    max_bytes: int = MAX_BYTES,
    max_rows: int = MAX_ROWS,
) -> list[ParsedContest]:
    """Return all contests of a file; ParseError has all its problems. Warnings are in `report`, if one is given."""
    report = Report() if report is None else report
    contests = list(
        iter_contests(source, filename=filename, report=report, repair=repair, max_bytes=max_bytes, max_rows=max_rows)
    )
    if report.errors:
        raise ParseError(report)
    return contests


def _reader_for(filename: str, head: bytes) -> Reader:
    name = filename.lower().removesuffix(".gz")
    for reader in READERS:
        if name.endswith(reader.extensions):
            return reader
    return next(reader for reader in READERS if reader.recognizes(head))
