"""
The base of all JSON formats: adds the array "remarks" to an annotated file.

The layout and the numbers of an annotated document stay as they are.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING

from django.utils.translation import gettext

from contests.formats.base import Reading, Report, UnreadableError
from contests.formats.json.decoding import decode_first, refuse_bombs, skip_space
from contests.formats.reader import Reader, sentences_of
from contests.formats.sources import decoded_text
from contests.formats.table.columns import REMARKS
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from contests.formats.table.options import ReadingOptions

_WHITE_SPACE = " \t\r\n"
_MAX_CONTESTS = 100_000


class JsonReader(Reader):
    """A JSON format, annotated with arrays of remarks."""

    def annotate(self, stream: BinaryIO, report: Report, options: ReadingOptions) -> bytes:
        return _annotated_document(stream, report, options)


def _annotated_document(stream: BinaryIO, report: Report, options: ReadingOptions) -> bytes:
    """
    Return the document with "remarks" as the last key of each contest that has problems.

    UnreadableError if it is not valid JSON, or contains no object.
    """
    text = decoded_text(stream.read(), Reading("", Report(), options))
    refuse_bombs(text, 1)
    return _encoded(_annotated(text, sentences_of(report)))


def annotated_lines(stream: BinaryIO, report: Report, options: ReadingOptions) -> bytes:
    """Annotate JSON lines like documents, line by line; a line that is not valid JSON stays unchanged."""
    text = decoded_text(stream.read(), Reading("", Report(), options))
    refuse_bombs(text, 1)
    if text.count("\n") > _MAX_CONTESTS:
        raise _too_many()
    remarks_of_row: dict[int | None, list[str]] = {}
    for row, sentence in sentences_of(report):
        remarks_of_row.setdefault(row, []).append(sentence)
    lines = text.split("\n")
    sound = [number for number, line in enumerate(lines, 1) if _is_object(line)]
    if not sound:
        raise UnreadableError(gettext("No line of the file is a JSON object, so Podium has nowhere to put remarks."))
    rest = [sentence for row, sentences in remarks_of_row.items() if row not in sound for sentence in sentences]
    for number in sound:
        sentences = [*(rest if number == sound[0] else []), *remarks_of_row.get(number, [])]
        lines[number - 1] = _annotated(lines[number - 1], [(None, sentence) for sentence in sentences])
    return _encoded("\n".join(lines))


def _is_object(line: str) -> bool:
    try:
        refuse_bombs(line, 1)
        start = skip_space(line, 0)
        return line[start : start + 1] == "{" and decode_first(line, start)[1] == len(line)
    except UnreadableError:
        return False


def _annotated(text: str, sentences: list[tuple[int | None, str]]) -> str:
    objects = list(_objects(text))
    if not objects:
        raise UnreadableError(gettext("The file contains no JSON object, so Podium has nowhere to put remarks."))
    lines = [0]
    for (before, _), (start, _) in pairwise(objects):
        lines.append(max(lines[-1], 1) + text.count("\n", before, start))
    remarks_of_object: list[list[str]] = [[] for _ in objects]
    for row, sentence in sentences:
        remarks_of_object[bisect_right(lines, row or 0) - 1].append(sentence)
    parts, done = [], 0
    for (start, end), remarks in zip(objects, remarks_of_object, strict=True):
        parts += [text[done:start], _with_remarks(text[start:end], remarks)]
        done = end
    return "".join([*parts, text[done:]])


def _objects(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each contest object, whether alone, in a list, or one after another."""
    position, count = skip_space(text, 0), 0
    while position < len(text):
        if text[position] in "[,]":
            position = skip_space(text, position + 1)
            continue
        start = position
        value, position = decode_first(text, start)
        if isinstance(value, dict):
            count += 1
            if count > _MAX_CONTESTS:
                raise _too_many()
            yield start, _end(text, position)


def _with_remarks(text: str, remarks: list[str]) -> str:
    """Return an object with new remarks instead of earlier ones; every row stays on its line."""
    text = _without_remarks(text)
    if not remarks:
        return text
    inside = text[:-1].rstrip(_WHITE_SPACE)
    comma = "" if inside == "{" else ", "
    return f'{inside}{comma}"{REMARKS}": {json.dumps(remarks, ensure_ascii=False)}{text[len(inside) :]}'


def _without_remarks(text: str) -> str:
    while f'"{REMARKS}"' in text:
        members = list(_members(text, 0))
        i = next((i for i, (name, _, _) in enumerate(members) if name == REMARKS), None)
        if i is None:
            break
        start = members[i - 1][2] if i else members[i][1]
        end = members[1][1] if i == 0 and len(members) > 1 else members[i][2]
        text = text[:start] + text[end:]
    return text


def _members(text: str, start: int) -> Iterator[tuple[str, int, int]]:
    """Yield the members of a (valid) object: name, start of the name, end of the value."""
    position = skip_space(text, start + 1)
    while text[position : position + 1] == '"':
        first = position
        name, colon = decode_first(text, position)
        _, after = decode_first(text, skip_space(text, colon + 1))
        yield str(name), first, _end(text, after)
        position = skip_space(text, after + 1) if text[after : after + 1] == "," else after


def _end(text: str, position: int) -> int:
    """Return the end of the value before a position, without white space."""
    while text[position - 1] in _WHITE_SPACE:
        position -= 1
    return position


def _too_many() -> UnreadableError:
    return UnreadableError(
        gettext("The file has more than %(most)s contests; split it.") % {"most": grouped(_MAX_CONTESTS)}
    )


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")
