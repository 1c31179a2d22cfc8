"""Which of a player's names a page shows first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contests.handles import words_of

if TYPE_CHECKING:
    from contests.models import Player


def first_name(player: Player, names_first: bool = True) -> str:
    """Return the real name of a player, or the handle if there is none or the community shows handles first."""
    return player.name if names_first and player.name else player.handle


def second_name(player: Player, names_first: bool = True) -> str:
    """Return the other name of a player, if it tells more: not "lewis-hamilton" of Lewis Hamilton."""
    if not player.name or sorted(words_of(player.name)) == sorted(words_of(player.handle)):
        return ""
    return player.handle if names_first else player.name
