"""Advice on tables of games that Podium does not read as they are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django.utils.translation import gettext, ngettext

from contests.formats.table.columns import NAME_PARTS, PLAYER_FIELDS, fields_of, names_of_games, simple_name
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from contests.formats.base import Reading
    from contests.formats.table.grid import TableStart

# "Ann vs Bo"; with dashes only if they stand alone, because names can contain them.
_BOTH = re.compile(r"[^\W\d_].*?\s(?:vs?\.?|gegen|contre|contro|contra|[-–—])\s.*[^\W\d_].*", re.I)
# Names of players that are numbered: beside “Player 1”, “Player 3” is a third player.
_NUMBERED = frozenset(
    ("player", "p", "name", "entrant", "competitor", "participant", "spieler", "teilnehmer", "joueur", "jugador",
     "giocatore")
)  # fmt: skip
# Columns of one of the two players of a side.
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
    if not {*PLAYER_FIELDS, *NAME_PARTS}.isdisjoint(fields_of(names)):
        return False, start
    if sum(bool(_MEMBER.fullmatch(simple_name(name))) for name in names) >= 4:
        reading.error(_join_members(), row=start.number or None, value=" ".join(names[:8]))
        return True, start
    first, start = start.peeked()
    for i, name in enumerate(names):
        cells = {each.number: each.cells[i].strip() for each in first if not each.fault and i < len(each.cells)}
        filled = {row: cell for row, cell in cells.items() if cell}
        if filled and all(len(cell) <= _LONGEST and _BOTH.fullmatch(cell) for cell in filled.values()):
            text = gettext(
                "this column has both players of each game; split it into two columns, “player a” and “player b”."
            )
            row, cell = next(iter(filled.items()))
            reading.error(text, row=row, column=name or f"column {i + 1}", value=cell)
            return True, start
    return False, start


def refuses_columns(names: Sequence[str], row: int | None, reading: Reading) -> bool:
    """Report columns of further players, and blocks of columns side by side; return whether there are some."""
    plain = [simple_name(name) for name in names]
    first = next((i for i, field in names_of_games(names).items() if field == "player_a"), None)
    if first is None:
        return False
    stem, number = plain[first][:-1], plain[first][-1:]
    third = stem + {"1": "3", "a": "c"}.get(number, "")
    if (stem in _NUMBERED and third != stem and third in plain) or any(name.startswith("partner") for name in plain):
        reading.error(_join_members(), row=row, value=" ".join(names[:8]))
        return True
    if plain.count(plain[first]) > 1:
        text = gettext(
            "the table has several blocks of columns side by side; put the rows of the other blocks below those "
            "of the first one."
        )
        reading.error(text, row=row, column=names[first])
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
            "this name ends with a seed, a rating or a note in brackets. Delete the brackets and their contents; "
            "otherwise, they will become part of the player’s handle.",
            "this name and %(more)s more end with a seed, a rating or a note in brackets. Delete the brackets and "
            "their contents; otherwise, they will become part of the players’ handles.",
            len(bracketed),
        )
        reading.warn(text % {"more": grouped(len(bracketed) - 1)}, row=row, value=name)
    joined = [(row, name) for name, row in rows.items() if _JOINED.fullmatch(name)]
    if 2 * len(joined) > len(rows):
        row, name = joined[0]
        text = gettext(
            "Podium treats each name like this one as a single player. If these are teams of several players, join "
            "their members with “+”, as in “Ann + Bo”."
        )
        reading.warn(text, row=row, value=name)


def _join_members() -> str:
    return gettext(
        "the table has several columns for the players of one side; join them in one cell with “+”, as in “Ann + Bo”."
    )
