"""Names of players: real name and handle in the order that the community prefers, and a monogram."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.core.cache import cache
from django.core.signals import request_started
from django.db.models.signals import post_delete, post_save

from contests.caching import cached
from contests.handles import words_of
from contests.models import Community

if TYPE_CHECKING:
    from contests.models import Player

#: Pages name hundreds of players of several communities, so the few communities that prefer handles are cached.
_KEY, _SECONDS = "names:handles-first", 300
#: The same for the current request, from its first name on; each thread answers a request of its own.
_request = threading.local()
_ACCENT = r"[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
#: More accents on one letter than any language uses. They would cover the lines above and below.
_MANY_ACCENTS = re.compile(f"({_ACCENT}{{3}}){_ACCENT}+")
#: Letters of a word that fit beside the monogram in the usual size on a screen of 360 pixels.
LONGEST_WORD = 13


def first_name(player: Player, names_first: bool | None = None) -> str:
    """
    Return the real name of a player, or the handle if there is none or the community shows handles first.

    names_first
        The choice of the community; None to look it up.
    """
    return _legible(player.name if player.name and _names_first(player, names_first) else player.handle)


def second_name(player: Player, names_first: bool | None = None) -> str:
    """Return the other name of a player if it adds information, unlike "lewis-hamilton" for Lewis Hamilton."""
    if not player.name or sorted(words_of(player.name)) == sorted(words_of(player.handle)):
        return ""
    return _legible(player.handle if _names_first(player, names_first) else player.name)


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a player: `first`, `second` below it (empty if there is only one), and one or two letters."""

    first: str
    second: str
    initials: str

    @property
    def is_long(self) -> bool:
        """Whether the first name has a word that needs a smaller font to fit on one line on a phone."""
        return is_long(self.first)


def names_of(player: Player, *, names_first: bool) -> Names:
    """Return the names of a player in the order that the community prefers; a player without a name has the handle."""
    first, second = (player.name, player.handle) if names_first else (player.handle, player.name)
    if not first or first == second:
        first, second = player.handle, ""
    return Names(_legible(first), _legible(second), initials_of(player.name or player.handle))


def is_long(name: str) -> bool:
    """Return whether a name has a word that needs a smaller font to fit on one line on a phone."""
    return max(map(len, name.split()), default=0) > LONGEST_WORD


def _legible(name: str) -> str:
    """Return a name with at most three accents on each letter."""
    return _MANY_ACCENTS.sub(r"\1", name)


def initials_of(name: str) -> str:
    """
    Return the first letters of the first and the last word of a name; "#" for digits alone, empty for symbols alone.

    Text in brackets at the end, such as a country, is ignored. So are digits, which would look like a place.
    """
    name = re.sub(r"(?<=\S)\s*\([^()]*\)\s*$", "", name)
    words = "".join(letter if letter.isalnum() else " " for letter in name.replace("'", "").replace("’", "")).split()
    first = [found[0] for word in words if (found := [letter for letter in word if letter.isalpha()])]
    if not first:
        return "#" if words else ""
    return "".join(letter.upper()[:1] for letter in (first if len(first) == 1 else (first[0], first[-1])))


def _names_first(player: Player, known: bool | None) -> bool:
    if known is not None:
        return known
    handles_first: frozenset[str] | None = getattr(_request, "handles_first", None)
    if handles_first is None:
        handles_first = _request.handles_first = cached(_KEY, _handles_first, _SECONDS)
    return player.community_id not in handles_first


def _handles_first() -> frozenset[str]:
    return frozenset(Community.objects.filter(names_first=False).values_list("pk", flat=True))


def _start(**_: Any) -> None:
    _request.handles_first = None


def _forget(**_: Any) -> None:
    _request.handles_first = None
    cache.delete(_KEY)


request_started.connect(_start, dispatch_uid="names-start")
post_save.connect(_forget, sender=Community, dispatch_uid="names-saved")
post_delete.connect(_forget, sender=Community, dispatch_uid="names-deleted")
