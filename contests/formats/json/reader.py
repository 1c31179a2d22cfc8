"""JSON lines with one contest each, and JSON documents with one or more contests."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from itertools import count
from typing import TYPE_CHECKING, BinaryIO

from django.utils.translation import gettext, gettext_noop

from contests.formats.base import UnreadableError
from contests.formats.json.base import JsonReader, annotated_lines
from contests.formats.json.contest import ContestObjects
from contests.formats.json.decoding import decode, decode_first, refuse_bombs, row_lines, skip_space
from contests.formats.reader import Example
from contests.formats.sources import decoded_line, decoded_text, is_wide, opened, too_large
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from contests.formats.base import ParsedContest, Reading, Report
    from contests.formats.table.options import ReadingOptions

_MAX_LINE_BYTES = 128 * 2**20
_MAX_LINES = 1_000_000


class JsonLines(JsonReader):
    """One contest on each line; only one at a time is in memory."""

    name = "JSON lines"
    label = gettext_noop("JSON lines")
    extensions = (".jsonl", ".ndjson")
    examples = (Example(gettext_noop("JSON lines"), "standings.jsonl"),)

    def recognizes(self, head: bytes) -> bool:
        first, newline, _ = head.partition(b"\n")
        return bool(newline) and first.lstrip(b"\xef\xbb\xbf \t\r").startswith(b"{") and first.rstrip().endswith(b"}")

    def read(self, stream: BinaryIO, reading: Reading) -> Iterator[ParsedContest]:
        objects = ContestObjects(reading)
        for number, line in enumerate(_lines(stream, reading), 1):
            _refuse_documents(line, number)
            reading.give_up_on_many_errors()
            try:
                text = decoded_line(line, number, reading) if isinstance(line, bytes) else line
                if not text or text.isspace():
                    continue
                refuse_bombs(text, number)
                value = decode(text.strip(), number)
            except UnreadableError as error:
                reading.report.add(error.problem)
                continue
            contest = objects.contest(value, number)
            if contest is not None:
                yield contest
        if not objects.count and not reading.report.errors:
            raise UnreadableError(gettext("There is no contest in the file."))

    def annotate(self, stream: BinaryIO, report: Report, options: ReadingOptions) -> bytes:
        return annotated_lines(stream, report, options)


class JsonDocument(JsonReader):
    """One contest, a list of contests, or contests one after another."""

    name = "JSON"
    label = "JSON"
    extensions = (".json",)
    examples = (Example(gettext_noop("JSON"), "standings.json"),)

    def recognizes(self, head: bytes) -> bool:
        return head.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")[:1] in (b"{", b"[")

    def read(self, stream: BinaryIO, reading: Reading) -> Iterator[ParsedContest]:
        yield from _read_document(stream, reading, ContestObjects(reading))


def _read_document(
    stream: BinaryIO, reading: Reading, objects: ContestObjects, filename: str = ""
) -> Iterator[ParsedContest]:
    """Yield the contests of a document; `filename` names one of several files, and gives the default id."""
    text = decoded_text(stream.read(), reading)
    refuse_bombs(text, 1)
    line, counted, count_before = 1, 0, objects.count
    for value, start in _values(text):
        line += text.count("\n", counted, start)
        counted = start
        lines_of_rows = cache(partial(row_lines, text, start, line))
        contest = objects.contest(value, line, lines_of_rows, filename)
        if contest is not None:
            yield contest
    if objects.count == count_before:
        raise UnreadableError(gettext("There is no contest in the file."))


def read_directory(directory: Path, reading: Reading) -> Iterator[ParsedContest]:
    """
    Yield the contests of a directory of numbered files, 0.json, 1.json, …, as in the Elo-MMR reference.

    They are in the order of the numbers, and the number is the default id of a contest.
    """
    paths = _numbered(directory)
    left = reading.max_bytes
    objects = ContestObjects(reading)
    for path in paths:
        left -= path.stat().st_size
        if left < 0:
            raise too_large(reading.max_bytes)
        try:
            with opened(path, reading.max_bytes) as stream:
                yield from _read_document(stream, reading, objects, path.name)
        except UnreadableError as error:
            reading.report.add(replace(error.problem, contest=path.name))


def _numbered(directory: Path) -> list[Path]:
    found = {}
    for path in directory.iterdir():
        stem, _, extension = path.name.partition(".")
        if extension in ("json", "json.gz") and stem.isascii() and stem.isdigit():
            found[path] = int(stem)
    if not found:
        text = gettext("The directory %(name)s contains no numbered JSON files (0.json, 1.json, …).")
        raise UnreadableError(text % {"name": directory.name})
    return sorted(found, key=lambda path: (found[path], path.name))


def _lines(stream: BinaryIO, reading: Reading) -> Iterator[bytes | str]:
    if is_wide(stream.peek(4)[:4]):  # type: ignore[attr-defined]
        yield from decoded_text(stream.read(), reading).split("\n")
        return
    for number in count(1):
        line = stream.readline(_MAX_LINE_BYTES)
        if not line:
            return
        if number > _MAX_LINES:
            text = gettext("The file has more than %(most)s lines; split it.")
            raise UnreadableError(text % {"most": grouped(_MAX_LINES)}, row=number)
        if len(line) == _MAX_LINE_BYTES:
            text = gettext("A line is longer than %(most)s MB; split the contest.")
            raise UnreadableError(text % {"most": _MAX_LINE_BYTES // 2**20})
        yield line


def _refuse_documents(line: bytes | str, number: int) -> None:
    """Stop with a hint if a multi-line document has the extension of JSON lines."""
    if number == 1 and line.strip() in (b"{", b"[", "{", "["):
        message = gettext(
            "The first line is not a complete contest; if the file is a JSON document, give it a name ending in .json."
        )
        raise UnreadableError(message, row=1)


def _values(text: str) -> Iterator[tuple[object, int]]:
    """Yield the contests of a document, including those of lists, each with its start position."""
    position = skip_space(text, 0)
    while position < len(text):
        if text[position] == "[":
            position = yield from _elements(text, position)
        else:
            start = position
            value, position = decode_first(text, start)
            yield value, start


def _elements(text: str, start: int) -> Generator[tuple[object, int], None, int]:
    """Yield the elements of the list that begins at `start`; return the position after the list."""
    position = skip_space(text, start + 1)
    while text[position : position + 1] != "]":
        start = position
        value, position = decode_first(text, start)
        yield value, start
        if text[position : position + 1] == ",":
            position = skip_space(text, position + 1)
        elif text[position : position + 1] != "]":
            row = 1 + text.count("\n", 0, position)
            raise UnreadableError("a comma or the end of the list, “]”, is expected.", row=row)
    return skip_space(text, position + 1)
