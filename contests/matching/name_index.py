"""
The index of players' names, and the search that uses it.

Search finds players by the words of their names, regardless of case, accents, punctuation and order. The index holds
these words, and the keys by which similar names are found (`contests.matching.similarity`).

The rows are derived from handles, names and aliases, and are written in the same transaction. Code that changes a name
sends `names_changed` (the models do); imports of many players call `add_players`. The rows of a merged player stay
with that player, and a lookup continues to the player it was merged into.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Coalesce

from contests.bulk import chunks, insert_arrays, insert_missing, insert_rows, values_by_key
from contests.handles import handle_key, query_words, search_words
from contests.matching.similarity import forms_of, known_keys
from contests.models import Player, PlayerAlias, PlayerMerge, PlayerNearKey, PlayerWord, Standing

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from django.db.models import QuerySet
    from numpy.typing import NDArray

    #: Player id, handle, name.
    Named = tuple[int, str, str]


#: The number of players indexed at once, which limits the memory.
BLOCK = 5_000
#: The number of new players whose rows are written at once.
NEW_BLOCK = 50_000
#: The number of names that are looked up in one query.
_NAMES_AT_ONCE = 50
#: The number of players that are looked up in the index after an update; a few may have a handle without letters.
OLDEST = 100


def index_players(player_ids: Iterable[int]) -> None:
    """Rewrite the index rows of these players."""
    for ids in chunks(sorted(set(player_ids)), 900):
        with transaction.atomic():
            PlayerWord.objects.filter(player__in=ids).delete()
            PlayerNearKey.objects.filter(player__in=ids).delete()
            _add(ids)


def index_merged_players(community: str) -> None:
    """Rewrite the index rows of the merged players of a community, after its series became more or less visible."""
    index_players(Player.objects.filter(community=community).exclude(merged_into=None).values_list("pk", flat=True))


def index_all_players() -> int:
    """Rebuild the whole index; return the number of players."""
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
    """
    Build the index after an update that emptied a table of it: if it has no rows of the oldest players.

    Processes of the old version may have indexed new players in the meantime.
    """
    oldest = list(Player.objects.order_by("pk").values_list("pk", flat=True)[:OLDEST])
    indexed = (model.objects.filter(player__in=oldest).exists() for model in (PlayerWord, PlayerNearKey))
    if oldest and not all(indexed):
        index_all_players()


def salt_of(community: str) -> int:
    """
    Return the number that the near keys of a community are combined with, by exclusive or.

    So one index serves all communities, and a lookup finds no one of another community, however many share a key.
    """
    digest = hashlib.blake2b(community.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def add_players(community: str, named: Sequence[Named]) -> None:
    """
    Write the index rows of new players of a community, without aliases; skip those that another import has indexed.

    One call for many players is much faster than many calls, because rows in the order of an index are written quickly.
    """
    for block in chunks(named, NEW_BLOCK):
        ids = [pk for pk, *_ in block]
        known = {
            pk for model in (PlayerWord, PlayerNearKey) for pk in values_by_key(model, "player_id", "player_id", ids)
        }
        words, owners, keys = _rows([one for one in block if one[0] not in known], salt_of(community))
        insert_rows(PlayerWord, ("player_id", "word"), sorted(words, key=lambda row: row[1]))
        order = np.argsort(keys, kind="stable")
        insert_arrays(PlayerNearKey, {"player_id": owners[order], "key": keys[order]})


def _rows(named: Sequence[Named], salt: int) -> tuple[list[tuple[int, str]], NDArray[np.int64], NDArray[np.int64]]:
    """Return rows of words, and the player ids and keys of the rows of keys, with the salt of their community."""
    words = [(pk, word) for pk, handle, name in named for word in search_words(handle, name)]
    ids, places, keys = np.array([pk for pk, *_ in named], dtype=np.int64), [], []
    for start in range(0, len(named), BLOCK):
        made, owners = known_keys([forms_of(handle, name) for _, handle, name in named[start : start + BLOCK]])
        keys.append(made ^ np.int64(salt))
        places.append(owners + start)
    if not keys:
        return words, np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    return words, ids[np.concatenate(places)], np.concatenate(keys)


def _add(ids: Sequence[int]) -> None:
    by_community: dict[str, list[Named]] = {}
    merged: set[int] = _merged_in_private(ids)
    private: set[tuple[int, str]] = set()
    names: dict[int, tuple[str, str]] = {}
    for pk, handle, name, community in Player.objects.filter(pk__in=ids).values_list(
        "pk", "handle", "name", "community_id"
    ):
        by_community.setdefault(community, []).append((pk, handle, name))
        names[pk] = community, name
    aliases = PlayerAlias.objects.filter(player__in=ids).values_list("player_id", "handle", "series")
    for pk, handle, series in aliases:
        by_community[names[pk][0]].append((pk, handle, names[pk][1]))
        if series is not None:
            private.add((pk, handle))
    for community, named in by_community.items():
        _, owners, keys = _rows(named, salt_of(community))
        # Visitors search by words; only organizers of the community compare similar names.
        words = [
            (pk, word)
            for pk, handle, name in named
            if pk not in merged and (pk, handle) not in private
            for word in search_words(handle, name)
        ]
        # Several names of a player may share words and keys.
        insert_missing(PlayerWord, ("player_id", "word"), words)
        insert_missing(PlayerNearKey, ("player_id", "key"), list(zip(owners.tolist(), keys.tolist(), strict=True)))


def _merged_in_private(ids: Sequence[int]) -> set[int]:
    """Return the merged players without a result that anyone could read; their names must not lead to the kept one."""
    merges = PlayerMerge.objects.filter(merged__in=ids, split_at=None)
    rows = list(merges.values_list("merged", "merged__merged_into", "standings"))
    public = Standing.objects.filter(
        player__in={row[1] for row in rows}, contest__series__is_public=True, contest__finalized_at__isnull=False
    )
    moved = set(public.values_list("pk", flat=True)) if rows else set()
    return {pk for pk, _, standings in rows if moved.isdisjoint(standings)}


def matching(text: str, path: str = "") -> Q:
    """
    Return the condition that a player's handle contains the text, or that the names contain all its words.

    Names of players merged into the player count too.

    path
        The lookup path from the filtered rows to the player, such as "player__"; empty for players.
    """
    key = handle_key(text)
    condition = Q(**{f"{path}handle_key__contains": key}) if key else Q(**{f"{path}pk__in": []})
    words = query_words(text)
    if not words:
        return condition
    # Uncorrelated subqueries, which the database evaluates once and not for every row.
    for alternative in _alternatives(words):
        every, merged = Q(), Player.objects.exclude(merged_into=None)
        for word in alternative:
            having = beginning(word).values("player_id")
            every &= Q(**{f"{path}pk__in": having})
            merged = merged.filter(pk__in=having)
        condition |= every | Q(**{f"{path}pk__in": merged.values("merged_into")})
    return condition


def first_with_words(players: QuerySet[Player], text: str, *, most: int) -> list[Player]:
    """
    Return the first players, by id, whose names contain all words of a text, or begin with the joined words.

    Names of players merged into them count too. If the text has no words, such as "%", the handle must begin with it.
    Each query has a limit at which the database may stop: it reads players in the order of ids if many have a word, and
    reads the index of words if few have it.
    """
    words, ordered = query_words(text), players.order_by("pk")
    if not words:
        key = handle_key(text)
        return list(ordered.filter(handle_key__startswith=key)[:most]) if key else []
    found: dict[int, Player] = {}
    for alternative in _alternatives(words):
        own, merged = ordered, Player.objects.exclude(merged_into=None)
        for word in alternative:
            own = own.filter(pk__in=beginning(word).values("player_id"))
            merged = merged.filter(pk__in=beginning(word).values("player_id"))
        for rows in (own, ordered.filter(pk__in=merged.values("merged_into"))):
            found |= {player.pk: player for player in rows[:most]}
    return [found[pk] for pk in sorted(found)[:most]]


def ids_with_words(words: Sequence[str], among: QuerySet[Player], most: int, *, are_whole: bool = False) -> list[int]:
    """
    Return the first ids of players whose names have words that begin with all of these, or with the joined words.

    Merged players are replaced by the players they were merged into. Only players `among` these count, for the limit
    too: how many others match must not change what a visitor finds.

    are_whole
        Whether the names must have exactly these words.
    """
    having = _equal if are_whole else beginning
    found: list[int] = []
    for alternative in _alternatives(words):
        driver = max(alternative, key=len)
        rows = having(driver)
        for word in alternative:
            if word != driver:
                rows = rows.filter(Exists(having(word).filter(player=OuterRef("player_id"))))
        found += first_among(rows, among, most)
    return list(dict.fromkeys(found))


def first_among(rows: QuerySet[PlayerWord], among: QuerySet[Player], most: int) -> list[int]:
    """
    Return the first ids of players among these who have one of the words, or got one from a player merged into them.

    Whether a visitor may see a player must be checked for each player. For a word that many players share, databases
    check the whole table in advance. So the first few players are looked up before the query that joins both. The words
    are read without their players, because with a limit PostgreSQL may prefer to read all players.
    """
    size = 2 * most
    first = list(rows.values_list("player_id", flat=True)[:size])
    # This query runs even if there are none: the number of queries must not reveal whether hidden players have the
    # word.
    own = Player.objects.filter(pk__in=set(first) or {0}).values(meant=Coalesce("merged_into_id", "pk"))
    found = list(among.filter(pk__in=own).order_by("pk").values_list("pk", flat=True))
    if len(first) < size or len(found) >= most:
        return found[:most]
    meant = rows.annotate(meant=Coalesce("player__merged_into_id", "player_id"))
    seen = meant.filter(Exists(among.filter(pk=OuterRef("meant"))))
    return list(seen.values_list("meant", flat=True).distinct()[:most])


def players_with_names(names: Collection[str], players: QuerySet[Player], community: str) -> dict[str, list[Player]]:
    """
    Return the players of a community whose real name has exactly the words of each name, in any order, by id.

    Names that no one has are missing. There is one query for every 50 names, and one for the players found.
    """
    words = {name: found for name in names if (found := query_words(name))}
    ids: set[int] = set()
    for part in chunks(list(words.values()), _NAMES_AT_ONCE):
        first, *others = (_with_exact_words(each, community).values_list("player_id", flat=True) for each in part)
        ids.update(first.union(*others, all=True))
    called: dict[tuple[str, ...], list[Player]] = {}
    # This query runs even if there are none: the number of queries must not reveal whether a hidden player has a name.
    for player in players.filter(pk__in=ids or {0}).order_by("pk"):
        called.setdefault(tuple(sorted(query_words(player.name))), []).append(player)
    return {name: called[key] for name, each in words.items() if (key := tuple(sorted(each))) in called}


def only_players_with_names(names: Collection[str], players: QuerySet[Player], community: str) -> dict[str, Player]:
    """Return the player with each name that no one else of these players has; see `players_with_names`."""
    found = players_with_names(names, players, community)
    return {name: called[0] for name, called in found.items() if len(called) == 1}


def _with_exact_words(words: Sequence[str], community: str) -> QuerySet[PlayerWord]:
    """Return the index rows, one for each player of the community whose names have all these words."""
    longest = max(words, key=len)
    rows = PlayerWord.objects.filter(word=longest, player__community=community)
    for word in words:
        if word != longest:
            rows = rows.filter(Exists(PlayerWord.objects.filter(word=word, player=OuterRef("player_id"))))
    return rows


def _alternatives(words: Sequence[str]) -> list[list[str]]:
    """Return the alternatives to search for: all the words, or the joined words."""
    return [[*words], ["".join(words)]][: min(len(words), 2)]


def beginning(word: str) -> QuerySet[PlayerWord]:
    """Return the stored words that begin with a folded word, using the index."""
    return PlayerWord.objects.filter(prefix("word", word))


def _equal(word: str) -> QuerySet[PlayerWord]:
    """Return the stored words that are equal to a folded word."""
    return PlayerWord.objects.filter(word=word)


def prefix(column: str, text: str) -> Q:
    """Return the condition that a column begins with a folded text, in a form that uses the index of the column."""
    condition = Q(**{f"{column}__startswith": text})
    if connection.vendor == "sqlite":
        # SQLite's LIKE ignores case and therefore the index; its sort order is that of code points.
        condition &= Q(**{f"{column}__gte": text, f"{column}__lt": f"{text}\U0010ffff"})
    return condition


def has_words(words: Sequence[str], handle: str, name: str = "") -> bool:
    """Whether all the words, or the joined words, are prefixes of words of a handle or name."""
    own = search_words(handle, name)
    together = "".join(words)
    return all(any(one.startswith(word) for one in own) for word in words) or any(
        one.startswith(together) for one in own
    )


def count_whole_words(words: Sequence[str], handle: str, name: str = "") -> int:
    """Return how many of the words are words of a handle or name; all of them if the joined words are one."""
    own = search_words(handle, name)
    return len(words) if "".join(words) in own else sum(word in own for word in words)


def is_whole_name(words: Sequence[str], handle: str, name: str = "") -> bool:
    """Whether the words are all words of a handle or of a name, in any order."""
    together = sorted(words)
    return together in (sorted(query_words(handle)), sorted(query_words(name))) or "".join(words) == "".join(
        query_words(handle)
    )
