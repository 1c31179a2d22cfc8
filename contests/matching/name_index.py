"""
The index of players' names, and the search that uses it.

Search finds players by the words of their names, regardless of case, accents, punctuation and order. The index holds
these words, and the keys by which similar names are found (`contests.matching.near_keys`).

The rows are derived from handles, names and aliases, and are written in the same transaction. Code that changes a name
sends `names_changed` (the models do); imports of many players call `add_players`. The rows of a merged player stay
with that player, and a lookup continues to the player it was merged into.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q

from contests.bulk import chunks, insert_arrays, insert_missing, insert_rows, values_by_key
from contests.handles import handle_key, query_words, search_words
from contests.matching.near_keys import known_keys
from contests.matching.similarity import forms_of
from contests.models import Player, PlayerAlias, PlayerNearKey, PlayerWord

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from django.db.models import QuerySet
    from numpy.typing import NDArray

    #: Player id, handle, name.
    Named = tuple[int, str, str]


#: Players whose rows are made at once: what bounds the memory.
BLOCK = 5_000
#: New players whose rows are written at once.
NEW_BLOCK = 50_000


def index_players(player_ids: Iterable[int]) -> None:
    """Write the index rows of these players anew."""
    for ids in chunks(sorted(set(player_ids)), 900):
        with transaction.atomic():
            PlayerWord.objects.filter(player__in=ids).delete()
            PlayerNearKey.objects.filter(player__in=ids).delete()
            _add(ids)


def index_all_players() -> int:
    """Write the whole index anew; return how many players there are."""
    count, last = 0, 0
    with transaction.atomic():
        with connection.cursor() as cursor:
            for model in (PlayerWord, PlayerNearKey):
                cursor.execute(f"DELETE FROM {connection.ops.quote_name(model._meta.db_table)}")
        while ids := list(Player.objects.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:BLOCK]):
            for part in chunks(ids, 900):
                _add(part)
            count, last = count + len(ids), ids[-1]
    return count


def index_if_empty() -> None:
    """Write the index where there are players and no index: after an update from a version that had none."""
    if not PlayerWord.objects.exists() and not PlayerNearKey.objects.exists() and Player.objects.exists():
        index_all_players()


def add_players(named: Sequence[Named]) -> None:
    """
    Write the index rows of new players, who have no aliases yet; players whom another import has indexed are left out.

    Many at once take much less time than the same ones few by few: rows in the order of an index are written quickly.
    """
    for block in chunks(named, NEW_BLOCK):
        ids = [pk for pk, *_ in block]
        known = {
            pk for model in (PlayerWord, PlayerNearKey) for pk in values_by_key(model, "player_id", "player_id", ids)
        }
        words, owners, keys = _rows([one for one in block if one[0] not in known])
        insert_rows(PlayerWord, ("player_id", "word"), sorted(words, key=lambda row: row[1]))
        order = np.argsort(keys, kind="stable")
        insert_arrays(PlayerNearKey, {"player_id": owners[order], "key": keys[order]})


def _rows(named: Sequence[Named]) -> tuple[list[tuple[int, str]], NDArray[np.int64], NDArray[np.int64]]:
    """Return rows of words, and the players and keys of rows of keys."""
    words = [(pk, word) for pk, handle, name in named for word in search_words(handle, name)]
    ids, places, keys = np.array([pk for pk, *_ in named], dtype=np.int64), [], []
    for start in range(0, len(named), BLOCK):
        made, owners = known_keys([forms_of(handle, name) for _, handle, name in named[start : start + BLOCK]])
        keys.append(made)
        places.append(owners + start)
    if not keys:
        return words, np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    return words, ids[np.concatenate(places)], np.concatenate(keys)


def _add(ids: Sequence[int]) -> None:
    named: list[Named] = list(Player.objects.filter(pk__in=ids).values_list("pk", "handle", "name"))
    names = {pk: name for pk, _, name in named}
    aliases = PlayerAlias.objects.filter(player__in=ids).values_list("player_id", "handle")
    words, owners, keys = _rows([*named, *((pk, handle, names[pk]) for pk, handle in aliases)])
    # Of a player with several names, some have the same words and keys.
    insert_missing(PlayerWord, ("player_id", "word"), words)
    insert_missing(PlayerNearKey, ("player_id", "key"), list(zip(owners.tolist(), keys.tolist(), strict=True)))


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
