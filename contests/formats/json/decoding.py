"""
Decoding of JSON text to values.

Malformed text becomes a problem with its line; nothing in the text can make decoding fail in another way.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING

from django.utils.translation import gettext, gettext_lazy

from contests.formats.base import UnreadableError
from contests.handles import MAX_LENGTH, printable
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contests.formats.base import Reading

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
        return gettext("a number with %(number)s digits") % {"number": grouped(self._digits)}


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return a dict that lists repeated keys under REPEATED, a key that no real file has."""
    made = dict(pairs)
    made.pop(REPEATED, None)
    if len(made) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        made[REPEATED] = sorted(name for name, count in counts.items() if count > 1)
    return made


def _lean_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Like _object, but leave out contest problems and their results, which are most of a judging system's answer."""
    return _object([pair for pair in pairs if pair[0] not in ("problems", "problemResults")])


def _whole_number(digits: str) -> object:
    return int(digits) if len(digits) <= _MAX_DIGITS else LongNumber(len(digits.lstrip("-")))


# The second decoder of each pair is slower, for texts with numbers that the first rejects.
_DECODERS = tuple(json.JSONDecoder(object_pairs_hook=_object, parse_int=number) for number in (None, _whole_number))
_LEAN_DECODERS = tuple(
    json.JSONDecoder(object_pairs_hook=_lean_object, parse_int=number) for number in (None, _whole_number)
)


#: The most frequent messages of Python's JSON decoder, in words that say what to do.
_MESSAGES = {
    "Expecting value": gettext_lazy("a value is missing here, or there is a comma too many"),
    "Expecting ',' delimiter": gettext_lazy("a comma is missing here, or the bracket that closes a list or an object"),
    "Expecting ':' delimiter": gettext_lazy("a colon is missing here, between a name and its value"),
    "Expecting property name enclosed in double quotes": gettext_lazy(
        "a name in double quotes is missing here, or there is a comma too many"
    ),
    "Unterminated string starting at": gettext_lazy("the text that begins here has no closing quotation mark"),
    "Invalid control character at": gettext_lazy(
        "there is a line break or another control character in the text here; write it as an escape such as \\n"
    ),
}
#: Lists and rows of a contest, as messages name them; other lists have the names of their keys.
_WHAT = {
    "rows": gettext_lazy("rows"),
    "players": gettext_lazy("players"),
    "standings": gettext_lazy("standings"),
}


def is_far_too_long(name: str) -> bool:
    """Whether a name is so long that checking it would take too much time."""
    return len(name) > MAX_NAME_CHARACTERS


def too_many(count: int, what: str, reading: Reading) -> str:
    """Return the message about a contest that is too large: `what` is "rows", "players", "standings" or a key."""
    text = gettext("the contest has %(number)s %(what)s; at most %(most)s are allowed.")
    named = str(_WHAT.get(what, what))
    return text % {"number": grouped(count), "what": named, "most": grouped(reading.max_rows)}


def too_long(name: str) -> str:
    """Return the message about a name that is far too long."""
    text = gettext("the name has %(number)s characters; shorten it to at most %(most)s.")
    return text % {"number": grouped(len(name)), "most": MAX_LENGTH}


def refuse_bombs(text: str, line: int) -> None:
    """Reject text whose Python objects would take many times its size."""
    for character, most in _MAX_COUNTS.items():
        if text.count(character) > most:
            text = gettext("The file contains “%(character)s” more than %(most)s times; split it.")
            raise UnreadableError(text % {"character": character, "most": grouped(most)}, row=line)


def decode(text: str, line: int) -> object:
    """Return the only value of a text; `line` is its first line in the file."""
    value, end = decode_first(text, 0, line)
    if end < len(text):
        message = gettext("there is more text after the contest; in JSON lines, each contest needs its own line.")
        raise UnreadableError(message, row=line, column=f"character {end + 1}")
    return value


def decode_first(text: str, start: int, line: int = 1, *, lean: bool = False) -> tuple[object, int]:
    """
    Return the value that begins at `start`, and the position of the next token after it.

    line
        The first line of the text in the file.
    lean
        Leave out contest problems and their results, which are most of a judging system's answer.
    """
    for decoder in _LEAN_DECODERS if lean else _DECODERS:
        try:
            value, end = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            problem = str(_MESSAGES.get(error.msg, error.msg))
            message = gettext("this is not valid JSON: %(problem)s.") % {"problem": problem}
            raise _unreadable(message, text, start, error.pos, line) from error
        except RecursionError as error:
            message = gettext("brackets are nested too deeply for a contest.")
            raise _unreadable(message, text, start, None, line) from error
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
