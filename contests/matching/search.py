"""Players by the words of their names, whatever the case, accents, punctuation and order; found by index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import connection
from django.db.models import Exists, OuterRef, Q

from contests.folding import query_words, search_words
from contests.handles import handle_key
from contests.models import Player, PlayerWord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db.models import QuerySet


def matching(text: str, path: str = "") -> Q:
    """
    Return the condition that a player has the text within the handle, or all its words in the names, in any order.

    path
        From the rows that are filtered to their player, such as "player__"; of players themselves, empty.
    """
    key = handle_key(text)
    condition = Q(**{f"{path}handle_key__contains": key}) if key else Q(**{f"{path}pk__in": []})
    words = query_words(text)
    if not words:
        return condition
    # Lists of ids that depend on nothing: a database makes each once, and not for every row.
    every = Q()
    for word in words:
        every &= Q(**{f"{path}pk__in": beginning(word).values("player_id")})
    return condition | every | Q(**{f"{path}pk__in": beginning("".join(words)).values("player_id")})


def first_with_words(players: QuerySet[Player], text: str, *, most: int) -> list[Player]:
    """
    Return the first of the players, by id, whose names have all words of a text, or one that begins with all of them.

    Names of players merged into them count too. Of a text without words, such as "%", the handle must begin with it.
    Each query has a limit and may stop there: a database reads on in the order of ids where many have a word, and
    takes all that the index of words gives where few have it.
    """
    words, ordered = query_words(text), players.order_by("pk")
    if not words:
        key = handle_key(text)
        return list(ordered.filter(handle_key__startswith=key)[:most]) if key else []
    found: dict[int, Player] = {}
    for looked_for in _ways(words):
        own, merged = ordered, Player.objects.exclude(merged_into=None)
        for word in looked_for:
            own = own.filter(pk__in=beginning(word).values("player_id"))
            merged = merged.filter(pk__in=beginning(word).values("player_id"))
        for rows in (own, ordered.filter(pk__in=merged.values("merged_into"))):
            found |= {player.pk: player for player in rows[:most]}
    return [found[pk] for pk in sorted(found)[:most]]


def ids_with_words(words: Sequence[str], most: int) -> list[int]:
    """
    Return the first ids of players who have all the words, or one word that begins with all of them in a row.

    A merged player is whom that one became.
    """
    found: list[int] = []
    for looked_for in _ways(words):
        driver = max(looked_for, key=len)
        rows = beginning(driver)
        for word in looked_for:
            if word != driver:
                rows = rows.filter(Exists(beginning(word).filter(player=OuterRef("player_id"))))
        found += rows.values_list("player_id", flat=True)[:most]
    ids = list(dict.fromkeys(found))
    became = dict(Player.objects.filter(pk__in=ids).exclude(merged_into=None).values_list("pk", "merged_into"))
    return list(dict.fromkeys(became.get(pk) or pk for pk in ids))


def _ways(words: Sequence[str]) -> list[list[str]]:
    """Return the words that a name may have: all of them, or one that begins with all of them in a row."""
    return [[*words], ["".join(words)]][: min(len(words), 2)]


def beginning(word: str) -> QuerySet[PlayerWord]:
    """Return the stored words that begin with a folded one, found by index."""
    words = PlayerWord.objects.filter(word__startswith=word)
    if connection.vendor == "sqlite":
        # Its LIKE does not look at case and so at no index; its order is that of code points.
        return words.filter(word__gte=word, word__lt=f"{word}\U0010ffff")
    return words


def has_words(words: Sequence[str], handle: str, name: str = "") -> bool:
    """Whether all the words, or all of them in a row, begin words of a handle or name."""
    own = search_words(handle, name)
    together = "".join(words)
    return all(any(one.startswith(word) for one in own) for word in words) or any(
        one.startswith(together) for one in own
    )


def is_whole_name(words: Sequence[str], handle: str, name: str = "") -> bool:
    """Whether the words are all of a handle or of a name, in any order."""
    together = sorted(words)
    return together in (sorted(query_words(handle)), sorted(query_words(name))) or "".join(words) == "".join(
        query_words(handle)
    )
