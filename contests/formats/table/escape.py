"""
Text for tables that spreadsheets open: a name must never run as a formula there.

All downloads follow one rule: numbers stay numbers, and text that begins like a formula gets an apostrophe before it.
The readers of tables take that apostrophe away again, so what was downloaded comes in as it was.
"""

from __future__ import annotations

import re

# Besides =, +, - and @: white space that some programs pass over, and the wide forms that some keyboards type.
_STARTS = "=+\\-@\t\r\n＝＋－＠"
_FORMULA = re.compile(rf"'*[{_STARTS}]")
_ESCAPED = re.compile(rf"''*[{_STARTS}]")
_BEGINS_LIKE_ONE = re.compile(rf"[{_STARTS}]")
# Signs and separators as people write them: 1,234.5 and 1.234,5 and -1e-5, also a percentage or a time.
_NUMBER = re.compile(r"[+-]?(?:\d[\d.,:'’\u00a0\u2009\u202f ]*|[.,]\d+)(?:e[+-]?\d+)?%?", re.IGNORECASE | re.ASCII)


def csv_safe(text: str) -> str:
    """Return the text with an apostrophe before it if a spreadsheet would take it for a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def csv_unescaped(text: str) -> str:
    """Undo csv_safe, so that what was exported comes in again as it was."""
    return text[1:] if _ESCAPED.match(text) else text


def cell_safe(cell: str) -> str:
    """
    Return a cell of a file that goes back to its sender, with an apostrophe if a spreadsheet would run it.

    The cell may have been escaped before, and stays as it is then: the readers find the same value in it either way.
    """
    text = cell.strip()
    if _BEGINS_LIKE_ONE.match(text) and len(text) > 1 and not _NUMBER.fullmatch(text):
        return f"'{text}"
    # White space around a cell says nothing to the readers, but some programs pass over it to a formula.
    return text if _BEGINS_LIKE_ONE.match(cell) else cell
