"""Advice on tables of games that Podium does not read as they are."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from django.utils.translation import gettext, ngettext

from contests.formats.games.detection import peeked
from contests.formats.table.columns import NAME_PARTS, PLAYER_FIELDS, fields_of, names_of_games, simple_name
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from contests.formats.base import Reading
    from contests.formats.table.grid import TableStart

# "Ann vs Bo"; with dashes only if they stand alone, because names can contain them.
_BOTH = re.compile(r"[^\W\d_].*?\s(?:vs?\.?|gegen|contre|contro|contra|[-–—])\s.*[^\W\d_].*", re.I)
# Columns of the third and fourth player of a game, or of one of the two players of a side.
_FURTHER = re.compile(r"(?:player|spieler|joueur|jugador|giocatore|p)[34cd]|partner\w*")
_MEMBER = re.compile(
    r"(?:(?:winner|loser|white|black|home|away|(?:team|side|pair)[ab12])(?:player)?|(?:player)?[ab])[12]"
    r"|(?:player)?[12][ab]"
)
#: A name with a seed, a rating or a note such as WC in brackets behind it.
_BRACKETED = re.compile(r".*\S\s*[(\[](?:\d{1,4}|WC|Q|LL|PR|SE|ALT)[)\]]")
#: Names of two players joined by something other than the plus sign.
_JOINED = re.compile(r".*[^\W\d_]\s*(?:[/&]|\s(?:and|und|et|y|e)\s)\s*[^\W\d_].*")


#: Longer cells are no names.
_LONGEST = 200


def refuses_games(start: TableStart, reading: Reading) -> tuple[bool, TableStart]:
    """
    Report a table whose rows are games in a form that Podium does not read; return whether it is one.

    The second value is a start from which all rows can still be read.
    """
    names = start.cells
    if names_of_games(names) or not {*PLAYER_FIELDS, *NAME_PARTS}.isdisjoint(fields_of(names)):
        return False, start
    if sum(bool(_MEMBER.fullmatch(simple_name(name))) for name in names) >= 4:
        reading.error(_join_members(), row=start.number or None, value=" ".join(names[:8]))
        return True, start
    first, start = peeked(start)
    rows = [record.cells for record in first if not record.fault]
    for i, name in enumerate(names):
        cells = [row[i].strip() for row in rows if i < len(row) and row[i].strip()]
        if cells and all(len(cell) <= _LONGEST and _BOTH.fullmatch(cell) for cell in cells):
            text = gettext(
                "this column has both players of each game; split it into two columns, “player a” and “player b”."
            )
            reading.error(text, row=first[0].number, column=name or f"column {i + 1}", value=cells[0])
            return True, start
    return False, start


def refuses_columns(names: Sequence[str], row: int | None, reading: Reading) -> bool:
    """Report columns of further players, and blocks of columns beside each other; return whether there are some."""
    if any(_FURTHER.fullmatch(simple_name(name)) for name in names):
        reading.error(_join_members(), row=row, value=" ".join(names[:8]))
        return True
    fields = Counter(filter(None, (simple_name(name) for name in names)))
    sides = [name for name, field in zip(names, names_of_games(names).values(), strict=False) if field == "player_a"]
    if sides and fields[simple_name(sides[0])] > 1:
        text = gettext(
            "the table has several blocks of columns beside each other; put the rows of the other blocks below those "
            "of the first one."
        )
        reading.error(text, row=row, column=sides[0])
        return True
    return False


def warn_of_names(names: Iterable[tuple[int, str]], reading: Reading) -> None:
    """
    Warn once if names of players end with a number in brackets, and once if they seem to join two players.

    names
        The row and the text of each side.
    """
    rows: dict[str, int] = {}
    for row, name in names:
        if len(name) <= _LONGEST:
            rows.setdefault(name, row)
    bracketed = [(row, name) for name, row in rows.items() if _BRACKETED.fullmatch(name)]
    if bracketed:
        row, name = bracketed[0]
        text = ngettext(
            "this name ends with a seed, a rating or a note in brackets. Delete it, or it becomes part of the player’s "
            "handle.",
            "this name and %(more)s more end with a seed, a rating or a note in brackets. Delete it, or it becomes "
            "part of the players’ handles.",
            len(bracketed),
        )
        reading.warn(text % {"more": grouped(len(bracketed) - 1)}, row=row, value=name)
    joined = [(row, name) for name, row in rows.items() if _JOINED.fullmatch(name)]
    if 2 * len(joined) > len(rows):
        row, name = joined[0]
        text = gettext(
            "Podium reads this name, and others like it, as one player. If these are teams of several players, join "
            "their members with “+”, as in “Ann + Bo”."
        )
        reading.warn(text, row=row, value=name)


def _join_members() -> str:
    return gettext(
        "the table has several columns for the players of one side; join them in one cell with “+”, as in “Ann + Bo”."
    )
