"""Unused cells of a table that point to errors: statuses among notes, and cells beyond the header."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext, ngettext

from contests.formats.places import and_more
from contests.formats.table.columns import is_remarks
from contests.formats.values import begins_with_status
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contests.formats.base import Reading, Rows
    from contests.formats.table.grid import Header

#: Up to this many rows with surplus cells get a warning each; more than that get one warning together.
_MOST_NAMED = 20


class IgnoredStatuses:
    """The cells of ignored columns that seem to be statuses, by column."""

    def __init__(self, header: Header) -> None:
        used = set(header.index.values())
        self._header = header
        self._positions = [i for i, name in enumerate(header.names) if i not in used and not is_remarks(name)]
        self._found: dict[int, dict[int, str]] = {}

    def look_at(self, line: int, cells: Sequence[str]) -> None:
        """Keep the statuses in the ignored columns of a row."""
        for i in self._positions:
            text = cells[i]
            if text and begins_with_status(text.strip()):
                self._found.setdefault(i, {})[line] = text.strip()

    def report(self, rows: Rows, reading: Reading) -> None:
        """Warn once for each column if rows with such a cell are ranked."""
        ranked = {rows.numbers[i] for i in rows.ranked()} if self._found else set()
        for i, texts in sorted(self._found.items()):
            lines = [line for line in texts if line in ranked]
            if not lines:
                continue
            message = ngettext(
                "This cell looks like a status, but Podium ignores this column and ranks the row. If it is the "
                "player’s status, use the column as “status”, or enter the code instead of the rank or score.",
                "This cell and %(more)s more look like statuses, but Podium ignores this column and ranks their rows. "
                "If these are the players’ statuses, use the column as “status”, or enter the codes instead "
                "of the ranks or scores.",
                len(lines),
            )
            column = self._header.names[i] or f"column {i + 1}"
            reading.warn(
                message % {"more": grouped(len(lines) - 1)}, row=lines[0], column=column, value=texts[lines[0]]
            )


class SurplusCells:
    """Rows with empty cells beyond the header: a cell with an unquoted delimiter has moved the cells after it."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._rows = 0
        self._found: dict[int, int] = {}

    def look_at(self, line: int, cells: Sequence[str]) -> None:
        """Count the cells of a row."""
        self._rows += 1
        if len(cells) > self._width:
            self._found[line] = len(cells)

    def report(self, reading: Reading) -> None:
        """Warn about these rows unless at least half of all rows have such cells, as spreadsheets write them."""
        if 2 * len(self._found) >= self._rows:
            return
        # The page offers each row with a warning for correction. If there are many, they are probably harmless.
        named = 1 if len(self._found) > _MOST_NAMED else len(self._found)
        for line, count in list(self._found.items())[:named]:
            text = gettext(
                "the row has %(count)s cells, but the header has %(width)s%(more)s. If a cell contains the delimiter, "
                "put it in quotes; otherwise the cells after it are in the wrong columns."
            )
            more = and_more(len(self._found)) if named == 1 else ""
            reading.warn(text % {"count": grouped(count), "width": grouped(self._width), "more": more}, row=line)
