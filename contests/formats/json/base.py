"""
The base of all JSON formats: decodes text to values, and adds the array "remarks" to an annotated file.

Malformed text becomes a problem with its line; nothing in the text can make decoding fail in another way. The layout
and the numbers of an annotated document stay as they are.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from contests.formats.base import Reading, Report, UnreadableError
from contests.formats.reader import Reader, sentences_of
from contests.formats.sources import decoded_text
from contests.formats.table.columns import REMARKS
from contests.handles import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import BinaryIO

    from contests.formats.table.columns import ReadingOptions


class JsonReader(Reader):
    """A JSON format, annotated with arrays of remarks."""

    def annotate(self, stream: BinaryIO, report: Report, options: ReadingOptions) -> bytes:
        return _annotated_document(stream, report)


# Strings are matched without repeated alternatives, so that long ones take little time and memory.
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{},]', re.DOTALL)
_LISTS_OF_STANDINGS = ("standings", "rows", "result")
_ENTRY = ("handle", "rank", "score")
_DEEPEST = 100
_MAX_CHARACTERS = 5_000_000


def place_of(text: str, start: int, position: int | None = None) -> tuple[str, int]:
    """
    Return the place of a position within the value that begins at `start`, as words ("" if unknown), and the position.

    Without a position, return that of the first bracket nested more than 100 deep. Only the first 5,000,000 characters
    are searched.
    """
    end = min(len(text) if position is None else position, start + _MAX_CHARACTERS)
    path: list[int | str | None] = []
    for token in _TOKEN.finditer(text, start, end):
        kind = text[token.start()]
        if kind in "[{":
            path.append(0 if kind == "[" else None)
            if position is None and len(path) > _DEEPEST:
                return _words(path), token.start()
        elif not path:
            break
        elif kind in "]}":
            path.pop()
        elif kind == ",":
            last = path[-1]
            path[-1] = last + 1 if isinstance(last, int) else None
        elif path[-1] is None:
            path[-1] = token[0].strip('"')
    if position is None:
        return "", start
    return (_words(path) if position == end else ""), position


def _words(path: list[int | str | None]) -> str:
    """Return the standing on a path, if any, and the innermost name below it."""
    lists = enumerate(path[1:], 1)
    at = next((i for i, step in lists if isinstance(step, int) and path[i - 1] in _LISTS_OF_STANDINGS), None)
    below = path if at is None else path[at + 1 :]
    names = [step for step in below if isinstance(step, str)]
    if at is not None and below and isinstance(below[0], int):
        names = list(_ENTRY[below[0] : below[0] + 1])
    standing = path[at] if at is not None else None
    parts = [f"standing {standing + 1}"] if isinstance(standing, int) else []
    return ", ".join([*parts, *(printable(name, 40) for name in names[:1])])


REPEATED = "\0repeated"
_SPACE = re.compile(r"[ \t\n\r]*")
_MAX_COUNTS = {"[": 2_000_000, "{": 2_000_000, ",": 5_000_000}
_MAX_DIGITS = 4_000  # Python's own limit is 4,300
# Normalizing a text takes quadratic time if it consists of accents.
MAX_NAME_CHARACTERS = 1_000


class LongNumber:
    """A placeholder for a whole number with too many digits, so that its message can name the place."""

    def __init__(self, digits: int) -> None:
        self._digits = digits

    def __repr__(self) -> str:
        return f"a number of {self._digits:,} digits"


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return a dict that lists repeated keys under REPEATED, a key that no real file has."""
    made = dict(pairs)
    made.pop(REPEATED, None)
    if len(made) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        made[REPEATED] = sorted(name for name, count in counts.items() if count > 1)
    return made


def _lean_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Like _object, without details of problems, which are most of a judging system's answer."""
    return _object([pair for pair in pairs if pair[0] not in ("problems", "problemResults")])


def _whole_number(digits: str) -> object:
    return int(digits) if len(digits) <= _MAX_DIGITS else LongNumber(len(digits.lstrip("-")))


# The second decoder of each pair is slower, for texts with numbers that the first rejects.
_DECODERS = tuple(json.JSONDecoder(object_pairs_hook=_object, parse_int=number) for number in (None, _whole_number))
_LEAN_DECODERS = tuple(
    json.JSONDecoder(object_pairs_hook=_lean_object, parse_int=number) for number in (None, _whole_number)
)


def is_far_too_long(name: str) -> bool:
    """Whether a name is so long that checking it would take too much time."""
    return len(name) > MAX_NAME_CHARACTERS


def too_many(count: int, what: str, reading: Reading) -> str:
    """Return the message about a contest that is too large."""
    return f"the contest has {count:,} {what}; at most {reading.max_rows:,} are allowed."


def refuse_bombs(text: str, line: int) -> None:
    """Reject text whose Python objects would take many times its size."""
    for character, most in _MAX_COUNTS.items():
        if text.count(character) > most:
            raise UnreadableError(f"The file contains “{character}” more than {most:,} times; split it.", row=line)


def decode(text: str, line: int) -> object:
    """Return the only value of a text; `line` is its first line in the file."""
    value, end = decode_first(text, 0, line)
    if end < len(text):
        message = "there is more text after the contest; in JSON lines, each contest needs its own line."
        raise UnreadableError(message, row=line, column=f"character {end + 1}")
    return value


def decode_first(text: str, start: int, line: int = 1, *, lean: bool = False) -> tuple[object, int]:
    """
    Return the value that begins at `start`, and the position of the next token after it.

    line
        The first line of the text in the file.
    lean
        Leave out details of problems, as in answers of judging systems.
    """
    for decoder in _LEAN_DECODERS if lean else _DECODERS:
        try:
            value, end = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            raise _unreadable(f"this is not valid JSON: {error.msg}.", text, start, error.pos, line) from error
        except RecursionError as error:
            raise _unreadable("brackets are nested too deeply for a contest.", text, start, None, line) from error
        except ValueError:
            continue  # a whole number with more digits than Python converts
        return value, skip_space(text, end)
    raise AssertionError("numbers of any length are read")


def _unreadable(message: str, text: str, start: int, position: int | None, line: int) -> UnreadableError:
    place, position = place_of(text, start, position)
    character = f"character {position - text.rfind(chr(10), 0, position)}"
    column = f"{place}, {character}" if place else character
    return UnreadableError(message, row=line + text.count("\n", 0, position), column=column)


def skip_space(text: str, start: int) -> int:
    match = _SPACE.match(text, start)
    return match.end() if match else start


def row_lines(text: str, start: int, line: int, path: Sequence[str] = ("standings",)) -> list[int]:
    """Return the lines of the elements of the list at a path in the (valid) value that begins at `start`."""
    for key in path:
        found = _position_of(text, start, key)
        if found is None:
            return []
        line += text.count("\n", start, found)
        start = found
    lines = []
    for offset in _element_offsets(text, start):
        line += text.count("\n", start, offset)
        start = offset
        lines.append(line)
    return lines


def _position_of(text: str, start: int, name: str) -> int | None:
    """Return where the (last) value of a key begins, None if the value at `start` is not an object with the key."""
    found = None
    position = skip_space(text, start + 1)
    while text[start] == "{" and text[position : position + 1] == '"':
        key, colon = decode_first(text, position)
        position = skip_space(text, colon + 1)
        if key == name:
            found = position
        _, position = decode_first(text, position)
        position = skip_space(text, position + 1)
    return found


def _element_offsets(text: str, start: int) -> Iterator[int]:
    position = skip_space(text, start + 1)
    while text[start] == "[" and text[position] != "]":
        yield position
        _, position = decode_first(text, position)
        if text[position] == ",":
            position = skip_space(text, position + 1)


_WHITE_SPACE = " \t\r\n"
_MAX_CONTESTS = 100_000


def _annotated_document(stream: BinaryIO, report: Report) -> bytes:
    """
    Return the document with "remarks" as the last key of each contest that has problems.

    UnreadableError if it is not valid JSON, or contains no object.
    """
    text = decoded_text(stream.read(), Reading("", Report()))
    refuse_bombs(text, 1)
    return _encoded(_annotated(text, sentences_of(report)))


def annotated_lines(stream: BinaryIO, report: Report) -> bytes:
    """Annotate JSON lines like documents, line by line; a line that is not valid JSON stays unchanged."""
    text = decoded_text(stream.read(), Reading("", Report()))
    refuse_bombs(text, 1)
    if text.count("\n") > _MAX_CONTESTS:
        raise _too_many()
    remarks_of_row: dict[int | None, list[str]] = {}
    for row, sentence in sentences_of(report):
        remarks_of_row.setdefault(row, []).append(sentence)
    lines = text.split("\n")
    sound = [number for number, line in enumerate(lines, 1) if _is_object(line)]
    if not sound:
        raise UnreadableError("No line of the file is a JSON object, so there is no place for remarks.")
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
        raise UnreadableError("The file contains no JSON object, so there is no place for remarks.")
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
    return UnreadableError(f"The file has more than {_MAX_CONTESTS:,} contests; split it.")


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")
