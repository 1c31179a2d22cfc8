"""Where in a JSON text a position is, in the words of the other messages: "standing 3, rank"."""

from __future__ import annotations

import re

from contests.handles import printable

# Strings are matched without alternatives under a star, so that long ones take neither time nor memory.
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{},]', re.DOTALL)
_LISTS_OF_STANDINGS = ("standings", "rows", "result")
_ENTRY = ("handle", "rank", "score")
_DEEPEST = 100
_MOST_CHARACTERS = 5_000_000


def place_of(text: str, start: int, position: int | None = None) -> tuple[str, int]:
    """
    Return the place of a position within the value that begins at `start`, in words, and the position.

    Without a position, that of the first bracket that is nested more than 100 deep is looked for. The words are empty
    if there is nothing to say; a text is looked through for no more than 5,000,000 characters.
    """
    end = min(len(text) if position is None else position, start + _MOST_CHARACTERS)
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
    """Say the standing that a path leads into, if any, and the innermost name on it."""
    lists = enumerate(path[1:], 1)
    at = next((i for i, step in lists if isinstance(step, int) and path[i - 1] in _LISTS_OF_STANDINGS), None)
    below = path if at is None else path[at + 1 :]
    names = [step for step in below if isinstance(step, str)]
    if at is not None and below and isinstance(below[0], int):
        names = list(_ENTRY[below[0] : below[0] + 1])
    standing = path[at] if at is not None else None
    parts = [f"standing {standing + 1}"] if isinstance(standing, int) else []
    return ", ".join([*parts, *(printable(name, 40) for name in names[:1])])
