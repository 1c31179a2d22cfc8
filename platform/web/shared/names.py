"""Which of a player's names a page shows first, by the choice of the player's community."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.cache import cache
from django.core.signals import request_started
from django.db.models.signals import post_delete, post_save

from contests.caching import cached
from contests.handles import words_of
from contests.models import Community

if TYPE_CHECKING:
    from contests.models import Player

#: Pages name hundreds of players of several communities, so the few that prefer handles are remembered.
_KEY, _SECONDS = "names:handles-first", 300
#: The same for the current request; empty until the first name.
_remembered: list[frozenset[str]] = []


def first_name(player: Player, names_first: bool | None = None) -> str:
    """
    Return the real name of a player, or the handle if there is none or the community shows handles first.

    names_first
        The choice of the community; None to look it up.
    """
    return player.name if player.name and _names_first(player, names_first) else player.handle


def second_name(player: Player, names_first: bool | None = None) -> str:
    """Return the other name of a player, if it tells more: not "lewis-hamilton" of Lewis Hamilton."""
    if not player.name or sorted(words_of(player.name)) == sorted(words_of(player.handle)):
        return ""
    return player.handle if _names_first(player, names_first) else player.name


def _names_first(player: Player, known: bool | None) -> bool:
    if known is not None:
        return known
    if not _remembered:
        _remembered.append(cached(_KEY, _handles_first, _SECONDS))
    return player.community_id not in _remembered[0]


def _handles_first() -> frozenset[str]:
    return frozenset(Community.objects.filter(names_first=False).values_list("pk", flat=True))


def _start(**_: Any) -> None:
    _remembered.clear()


def _forget(**_: Any) -> None:
    _remembered.clear()
    cache.delete(_KEY)


request_started.connect(_start, dispatch_uid="names-start")
post_save.connect(_forget, sender=Community, dispatch_uid="names-saved")
post_delete.connect(_forget, sender=Community, dispatch_uid="names-deleted")
