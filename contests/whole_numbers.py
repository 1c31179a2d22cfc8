"""Whole numbers that arrive as texts: in addresses, forms and cursors."""

from __future__ import annotations

#: The largest id; ids beyond this are in no table, and some databases refuse to compare with them.
MAX_ID = 2**63 - 1


def whole_number_of(text: str, *, most: int = MAX_ID) -> int | None:
    """
    Return the number from 0 to `most` that a text of ASCII digits says; None for any other text.

    Python's own `int` also takes signs, spaces, underscores and the digits of all scripts, and `isdigit` takes "²".
    """
    if not (text.isascii() and text.isdigit()) or len(text) > len(str(most)):
        return None
    number = int(text)
    return number if number <= most else None
