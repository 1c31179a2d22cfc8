"""
Text in tables for spreadsheets, which must never run a name as a formula.

All downloads follow one rule: numbers stay numbers, and text that begins like a formula gets an apostrophe before it.
The readers of tables remove the apostrophe, so that reading a download gives the same values.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Besides =, +, - and @: white space that some programs ignore, and full-width forms that some keyboards type.
_STARTS = "=+\\-@\t\r\n＝＋－＠"
# Some programs skip white space and invisible marks at the start of a cell before they look for a formula.
_MARKS = "\\s\ufeff\u200b\u200e\u200f"
_SKIPPED = f"{_MARKS}'"
_FORMULA = re.compile(rf"[{_SKIPPED}]*[{_STARTS}]")
_ESCAPED = re.compile(rf"'[{_SKIPPED}]*[{_STARTS}]")
_BEGINS_LIKE_ONE = re.compile(rf"[{_MARKS}]*[{_STARTS}]")
# Numbers as people write them: 1,234.5 and 1.234,5 and -1e-5, also percentages and times.
_NUMBER = re.compile(r"[+-]?(?:\d[\d.,:'’\u00a0\u2009\u202f ]*|[.,]\d+)(?:e[+-]?\d+)?%?", re.IGNORECASE | re.ASCII)


def csv_safe(text: str) -> str:
    """Return the text with an apostrophe before it if a spreadsheet would run it as a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def csv_row(cells: Iterable[Any]) -> list[Any]:
    """Return the cells of a row, with csv_safe applied to texts; numbers stay numbers."""
    return [csv_safe(cell) if isinstance(cell, str) else cell for cell in cells]


def csv_unescaped(text: str) -> str:
    """Undo csv_safe."""
    return text[1:] if _ESCAPED.match(text) else text


def cells_unescaped(cells: Sequence[str]) -> list[str]:
    """Return the cells without the apostrophes that downloads add."""
    return [csv_unescaped(cell.strip()) if "'" in cell[:9] else cell for cell in cells]


def cell_safe(cell: str) -> str:
    """
    Return a cell of an annotated file, with an apostrophe if a spreadsheet would run it as a formula.

    A cell that is already escaped stays as it is; the readers find the same value in it.
    """
    text = cell.strip()
    if _BEGINS_LIKE_ONE.match(text) and len(text) > 1 and not _NUMBER.fullmatch(text):
        return f"'{text}"
    # Readers ignore white space around a cell; some programs do too, and would then run a formula.
    return text if _BEGINS_LIKE_ONE.match(cell) else cell
