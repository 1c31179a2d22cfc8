"""
The index of players' names: the words that search finds them by, and the keys of names that are nearly theirs.

Its rows follow from handles, names and aliases, and are written in the same transaction as these: whatever changes a
name sends `names_changed` (the models do), and imports of many players call `add_players`. The rows of a merged player
stay with that player, and a lookup leads on to the player it became.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from django.db import connection, transaction

from contests.bulk import chunks, insert_arrays, insert_missing, insert_rows, values_by_key
from contests.folding import search_words
from contests.matching.near_keys import known_keys
from contests.matching.similarity import forms_of
from contests.models import Player, PlayerAlias, PlayerNearKey, PlayerWord

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
