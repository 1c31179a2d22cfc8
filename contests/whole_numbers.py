"""Whole numbers in the text of addresses, forms and cursors."""

from __future__ import annotations

#: The largest possible id; some databases reject comparisons with larger numbers.
MAX_ID = 2**63 - 1


def whole_number_of(text: str, *, most: int = MAX_ID) -> int | None:
    """
    Return the number from 0 to `most` in a text of ASCII digits, None for any other text.

    `int` also accepts signs, spaces, underscores and digits of all scripts, and `isdigit` accepts "²".
    """
    if not (text.isascii() and text.isdigit()) or len(text) > len(str(most)):
        return None
    number = int(text)
    return number if number <= most else None


def number_or_zero(text: str) -> int:
    """Return the number in a text of ASCII digits; 0, which no object has as its id, for any other text."""
    return whole_number_of(text) or 0
