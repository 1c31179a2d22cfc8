"""
Corrections of a table's rows by its organizer: other cells for a row, or a row left out.

The file stays as it is. The readers apply the corrections to its rows before they interpret any cell.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: Podium accepts corrections in this many rows of a file, with this many characters in all.
MOST_ROWS = 1_000
MOST_CHARACTERS = 1_000_000
#: Longer cells cannot be corrected.
LONGEST = 500
_LAST_ROW = 2_000_000
_LAST_POSITION = 1_000


@dataclass(frozen=True, slots=True)
class Correction:
    """
    The organizer's correction of one row.

    cells
        0-based position -> the text that replaces the cell.
    was
        0-based position -> the cell as it is in the file; without positions beyond the end of the row.
    is_left_out
        Whether readers skip the row; `cells` is then empty.
    """

    cells: Mapping[int, str] = field(default_factory=dict)
    was: Mapping[int, str] = field(default_factory=dict)
    is_left_out: bool = False

    @property
    def characters(self) -> int:
        """The number of characters of the stored correction."""
        return sum(map(len, (*self.cells.values(), *self.was.values())))

    def apply(self, cells: Sequence[str]) -> list[str]:
        """Return the cells of the row with the correction."""
        changed = [*cells, *[""] * (max(self.cells, default=-1) + 1 - len(cells))]
        for position, text in self.cells.items():
            changed[position] = text
        return changed

    def words(self, names: Sequence[str] = ()) -> str:
        """Return the correction in words, with the names of the columns that are known."""
        if self.is_left_out:
            return "left out in the review"
        changes = []
        for position, text in self.cells.items():
            if text == self.was.get(position, ""):  # a row that is corrected whole has all of its cells
                continue
            name = names[position].strip() if position < len(names) else ""
            was = f" (was “{self.was[position]}”)" if position in self.was else ""
            changes.append(f"{name or f'column {position + 1}'} “{text}”{was}")
        return f"corrected in the review: {', '.join(changes)}" if changes else "confirmed in the review"


def corrections_as_json(corrections: Mapping[int, Correction]) -> list[dict[str, object]]:
    """Return plain values for JSON, by row; `corrections_from_json` turns them into the same corrections."""
    return [
        {
            "row": row,
            "cells": {str(position): text for position, text in sorted(each.cells.items())},
            "was": {str(position): text for position, text in sorted(each.was.items())},
            "is_left_out": each.is_left_out,
        }
        for row, each in sorted(corrections.items())
    ]


def corrections_from_json(value: object) -> dict[int, Correction]:
    """Return the corrections from the values of `corrections_as_json`; raise ValueError for other values."""
    if value is None:
        return {}
    if not isinstance(value, list) or len(value) > MOST_ROWS:
        raise ValueError(f"corrections must be a list of at most {MOST_ROWS:,} rows")
    corrections = {}
    for each in value:
        row = each.get("row") if isinstance(each, dict) else None
        if type(row) is not int or not 1 <= row <= _LAST_ROW:
            raise ValueError("each correction must be an object with the number of its row")
        cells, was = _texts(each.get("cells", {})), _texts(each.get("was", {}))
        corrections[row] = Correction(cells, was, each.get("is_left_out") is True)
    return corrections


def _texts(value: object) -> dict[int, str]:
    if not isinstance(value, dict):
        raise ValueError("the cells of a correction must be an object: position -> text")
    texts = {}
    for position, text in value.items():
        number = str(position)
        if not (number.isascii() and number.isdecimal() and int(number[:9]) < _LAST_POSITION):
            raise ValueError(f"“{number[:40]}” is not a column position")
        if not isinstance(text, str):
            raise ValueError("the cells of a correction must be texts")
        texts[int(number)] = text
    return texts
