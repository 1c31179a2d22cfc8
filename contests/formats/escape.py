"""Text for tables that spreadsheets open: a name must never run as a formula there."""

from __future__ import annotations

import re

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_ESCAPED = re.compile(r"''*[=+\-@\t\r]")


def csv_safe(text: str) -> str:
    """Return the text with an apostrophe before it if a spreadsheet would take it for a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def csv_unescaped(text: str) -> str:
    """Undo csv_safe, so that what was exported comes in again as it was."""
    return text[1:] if _ESCAPED.match(text) else text
