"""The columns of a table of games: the field of each one, and what is wrong with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext

from contests.formats.games.advice import refuses_columns
from contests.formats.table.columns import GAME_FIELDS, is_remarks, names_of_games, names_winners

if TYPE_CHECKING:
    from collections.abc import Mapping

    from contests.formats.base import Reading
    from contests.formats.table.grid import TableStart

SIDES = ("player_a", "player_b")


@dataclass(frozen=True, slots=True)
class GameColumns:
    """The names of all columns, and the position of each field."""

    names: list[str]
    index: Mapping[str, int]

    def name(self, field: str) -> str:
        return self.names[self.index[field]] if field in self.index else field


def read_columns(names: list[str], start: TableStart, reading: Reading) -> GameColumns | None:
    """Return the columns, chosen or found by their names; None after reporting errors."""
    chosen = reading.options.columns
    row = start.number or None
    if chosen is None and refuses_columns(names, row, reading):
        return None
    fields = names_of_games(names) if chosen is None else {i: field for i, field in chosen.items() if field}
    index: dict[str, int] = {}
    for i, field in sorted(fields.items()):
        if not field:
            if names[i] and not is_remarks(names[i]):
                reading.warn(gettext("unknown column, ignored."), row=row, column=names[i])
            continue
        if i >= len(names):
            reading.error(
                gettext("there is no column %(number)s, since the table has only %(count)s.")
                % {"number": i + 1, "count": len(names)},
                row=row,
            )
        elif field in index:
            reading.error(
                gettext("two columns are set to %(field)s; choose it for only one of them.") % {"field": field},
                row=row,
                column=names[i],
            )
        elif field not in GAME_FIELDS:
            listed = ", ".join(GAME_FIELDS)
            reading.error(
                gettext("tables of games have no column %(field)s; choose one of %(listed)s.")
                % {"field": field, "listed": listed},
                row=row,
            )
        else:
            index[field] = i
    for field in SIDES:
        if field not in index:
            text = (
                gettext("no column has the first side of each game; choose “%(field)s” for one.")
                if field == "player_a"
                else gettext("no column has the second side of each game; choose “%(field)s” for one.")
            )
            reading.error(
                text % {"field": field},
                row=row,
            )
    columns = GameColumns(names, index)
    decides = not {"result", "winner"}.isdisjoint(index) or {"score_a", "score_b"} <= index.keys()
    if not (decides or names_winners(columns.name("player_a"))):
        reading.error(
            gettext("no column has the results; choose “result” for one, or “score_a” and “score_b”."), row=row
        )
    if chosen is None:
        _warn_of_order(columns, row, reading)
    return None if reading.report.errors else columns


def _warn_of_order(columns: GameColumns, row: int | None, reading: Reading) -> None:
    """Warn if the second side, such as the away team, stands before the first one, and results have a direction."""
    first, second = (columns.index.get(side) for side in SIDES)
    if first is None or second is None or first < second or "result" not in columns.index:
        return
    text = gettext(
        "Podium reads results such as 3-1 from the point of view of “%(first)s”, although “%(second)s” comes before "
        "it. If the results are meant the other way round, swap the two players’ columns under “How the file is read”."
    )
    names = {"first": columns.names[first], "second": columns.names[second]}
    reading.warn(text % names, row=row, column=columns.name("result"))
