"""A directory of numbered JSON files, 0.json, 1.json, ..., one contest each, as the Elo-MMR reference keeps them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from contests.formats.base import UnreadableError
from contests.formats.json.contest import ContestObjects
from contests.formats.json.reader import read_document
from contests.formats.sources import opened, too_large

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from contests.formats.base import ParsedContest, Reading


def read_directory(directory: Path, reading: Reading) -> Iterator[ParsedContest]:
    """Yield the contests in the order of the numbers; the number is the id of a contest that has none."""
    paths = _numbered(directory)
    left = reading.max_bytes
    objects = ContestObjects(reading)
    for path in paths:
        left -= path.stat().st_size
        if left < 0:
            raise too_large(reading.max_bytes)
        try:
            with opened(path, reading.max_bytes) as stream:
                yield from read_document(stream, reading, objects, path.name)
        except UnreadableError as error:
            reading.report.add(replace(error.problem, contest=path.name))


def _numbered(directory: Path) -> list[Path]:
    found = {}
    for path in directory.iterdir():
        stem, _, extension = path.name.partition(".")
        if extension in ("json", "json.gz") and stem.isascii() and stem.isdigit():
            found[path] = int(stem)
    if not found:
        raise UnreadableError(f"The directory {directory.name} holds no numbered JSON files (0.json, 1.json, …).")
    return sorted(found, key=lambda path: (found[path], path.name))
