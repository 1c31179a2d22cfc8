"""Who may be meant by a handle that nobody has."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from contests.queries.visibility import visible_players
from ratings.queries.search import key_of, nearest_players
from web.public.search.suggestions import find_players

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

    from contests.models import Player

#: What separates the words of a handle or a name.
_BETWEEN = re.compile(r"[\W_]+")


def likely_players(handle: str, most: int, user: User | AnonymousUser) -> list[Player]:
    """
    Return players whose handle, or a word of handle or name, looks like an unknown handle, the most alike first.

    Candidates are those whose handle begins alike, and those who have the beginning of its longest word anywhere; each
    of them is compared letter by letter.
    """
    key = key_of(handle)
    if not key:
        return []
    longest = max(_BETWEEN.split(key), key=len) or key
    alike = nearest_players(handle, visible_players(user), most)
    holding, __ = find_players(longest[: max(3, len(longest) * 2 // 3)], most, user)
    candidates = {player.pk: player for player in (*alike, *holding)}
    return sorted(candidates.values(), key=lambda player: -_likeness(key, player))[:most]


def _likeness(key: str, player: Player) -> float:
    """Return how alike they are, from 0 to 1: as a whole, in the best of words, or with the words in any order."""
    words = _BETWEEN.split(player.handle_key)
    named = {player.handle_key, *words, *_BETWEEN.split(player.name.casefold())}
    in_order = _ratio(" ".join(sorted(_BETWEEN.split(key))), " ".join(sorted(words)))
    return max(in_order, *(_ratio(key, word) for word in named))


def _ratio(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()
