"""JSON text to values, with a problem and its line where that fails; nothing in the text can make it fail otherwise."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING

from contests.formats.base import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterator

REPEATED = "\0repeated"
_SPACE = re.compile(r"[ \t\n\r]*")
_MOST = {"[": 2_000_000, "{": 2_000_000, ",": 5_000_000}


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Make a dict that remembers which keys came more than once, under a key that no file should hold."""
    made = dict(pairs)
    made.pop(REPEATED, None)
    if len(made) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        made[REPEATED] = sorted(name for name, count in counts.items() if count > 1)
    return made


_DECODER = json.JSONDecoder(object_pairs_hook=_object)


def refuse_bombs(text: str, line: int) -> None:
    """Refuse text that would take many times its own size as Python objects."""
    for character, most in _MOST.items():
        if text.count(character) > most:
            raise UnreadableError(
                f"More than {most:,} times “{character}”: too much at once; split the file.", row=line
            )


def decode(text: str, line: int) -> object:
    """Return the one value that the text is; `line` is the line of the file that the text begins with."""
    value, end = decode_first(text, 0, line)
    if end < len(text):
        message = "something follows after the contest; in JSON lines each contest has a line of its own."
        raise UnreadableError(message, row=line, column=f"character {end + 1}")
    return value


def decode_first(text: str, start: int, line: int = 1) -> tuple[object, int]:
    """
    Return the value that begins at `start`, and the position of the next thing after it.

    `line` is the line of the file that the text begins with.
    """
    try:
        value, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        row = line + text.count("\n", 0, error.pos)
        column = f"character {error.pos - text.rfind(chr(10), 0, error.pos)}"
        raise UnreadableError(f"this is not valid JSON: {error.msg}.", row=row, column=column) from error
    except RecursionError as error:
        row = line + text.count("\n", 0, start)
        raise UnreadableError("brackets are nested too deeply to be a contest.", row=row) from error
    except ValueError as error:
        row = line + text.count("\n", 0, start)
        raise UnreadableError("a number has far too many digits.", row=row) from error
    return value, skip_space(text, end)


def skip_space(text: str, start: int) -> int:
    match = _SPACE.match(text, start)
    return match.end() if match else start


def row_lines(text: str, start: int, line: int) -> list[int]:
    """Return the line of each element of "standings" in the (valid) object that begins at `start`."""
    lines = []
    for offset in _row_offsets(text, start):
        line += text.count("\n", start, offset)
        start = offset
        lines.append(line)
    return lines


def _row_offsets(text: str, start: int) -> Iterator[int]:
    position = skip_space(text, start + 1)
    while position < len(text) and text[position] == '"':
        key, colon = decode_first(text, position)
        position = skip_space(text, colon + 1)
        if key == "standings" and text[position] == "[":
            yield from _element_offsets(text, position)
            return
        _, position = decode_first(text, position)
        position = skip_space(text, position + 1)


def _element_offsets(text: str, start: int) -> Iterator[int]:
    position = skip_space(text, start + 1)
    while text[position] != "]":
        yield position
        _, position = decode_first(text, position)
        if text[position] == ",":
            position = skip_space(text, position + 1)
