"""
The index of players' names: the words that search finds them by, and the keys of names that are nearly theirs.

Its rows follow from handles, names and aliases, and are written in the same transaction as these: whatever changes a
name sends `names_changed` (the models do), and imports of many players call `add_players`. The rows of a merged player
stay with that player, whoever looks them up goes on to the one it became.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import connection, transaction

from contests.bulk import chunks, insert_missing
from contests.folding import search_words
from contests.likeness import forms_of
from contests.models import Player, PlayerAlias, PlayerNearKey, PlayerWord
from contests.near_keys import known_keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    #: Player id, handle, name.
    Named = tuple[int, str, str]

#: Players whose rows are made at once: what bounds the memory.
BLOCK = 5_000


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
    """Write the index rows of new players, who have no aliases yet."""
    for block in chunks(named, BLOCK):
        words = [(pk, word) for pk, handle, name in block for word in search_words(handle, name)]
        keys, owners = known_keys([forms_of(handle, name) for _, handle, name in block])
        ids = [block[i][0] for i in owners.tolist()]
        insert_missing(PlayerWord, ("player_id", "word"), words)
        insert_missing(PlayerNearKey, ("player_id", "key"), list(zip(ids, keys.tolist(), strict=True)))


def _add(ids: Sequence[int]) -> None:
    named: list[Named] = list(Player.objects.filter(pk__in=ids).values_list("pk", "handle", "name"))
    names = {pk: name for pk, _, name in named}
    aliases = PlayerAlias.objects.filter(player__in=ids).values_list("player_id", "handle")
    add_players([*named, *((pk, handle, names[pk]) for pk, handle in aliases)])
