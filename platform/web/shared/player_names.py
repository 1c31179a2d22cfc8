"""What a player is called: name and handle in the order that the community prefers, and a monogram."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contests.models import Player


#: Letters of a word that fit beside the monogram in the usual size on a screen of 360 pixels.
LONGEST_WORD = 13


@dataclass(frozen=True, slots=True)
class Names:
    """What a player is called: `first`, `second` below it (empty if there is only one), and one or two letters."""

    first: str
    second: str
    initials: str

    @property
    def is_long(self) -> bool:
        """Whether the first name has a word that needs small letters to stay in one line on a phone."""
        return max(map(len, self.first.split()), default=0) > LONGEST_WORD


def names_of(player: Player, *, names_first: bool) -> Names:
    """Return the names of a player in the order that the community prefers; a player without a name has the handle."""
    first, second = (player.name, player.handle) if names_first else (player.handle, player.name)
    if not first or first == second:
        first, second = player.handle, ""
    return Names(first, second, initials_of(player.name or player.handle))


def initials_of(name: str) -> str:
    """Return the first letters of the first and the last word of a name; empty if it has no letters and digits."""
    words = "".join(letter if letter.isalnum() else " " for letter in name.replace("'", "").replace("’", "")).split()
    letters = [words[0][0], words[-1][0]] if len(words) > 1 else [words[0][0]] if words else []
    return "".join(letter.upper()[:1] for letter in letters)
