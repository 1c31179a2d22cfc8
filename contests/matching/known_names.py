"""
Known names that are similar to new ones, from one of two searches.

To compare few names with many players, Podium looks up the keys of each name in the table of near keys
(`contests.matching.similarity`) and judges the players who share one. To compare many names with not many more players,
it compares two lists in memory (`contests.matching.close_names`), which takes less time than that many lookups.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from django.db import connection
from django.utils.translation import gettext, gettext_lazy

from contests.matching.close_names import find_alike
from contests.matching.name_index import salt_of
from contests.matching.similarity import LEAST_SHOWN, asked_keys, crossed_keys, forms_of, likeness
from contests.models import ContestState, Player, PlayerNearKey, Series, Standing
from contests.queries.names import known_to_organizers
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet
    from typing import Any

    from django.db.models import QuerySet

    from contests.matching.similarity import Forms
    from contests.models.player import PlayerQuerySet
    from contests.queries.names import KnownPlayers

    #: A known name, its similarity (0 to 99), and the reason in words.
    Alike = tuple["KnownName", int, str]


#: The greatest numbers of players and aliases to compare with: players of the series first, then the newest others.
MOST_PLAYERS = 150_000
MOST_ALIASES = 50_000
#: Looking up one name takes about as long as comparing it with this number of players.
PLAYERS_PER_LOOKUP = 60
#: The greatest number of players with the same key to judge.
SHARERS = 500
#: The number of pairs of a new name and a known player that Podium compares in about a second.
COMPARED_IN_A_SECOND = 50_000_000
FEW_NAMES = 250
#: The numbers of names looked up at once and of players read at once, which limit the memory.
BLOCK, READ = 100, 5_000
_CUT = gettext_lazy("So many names are similar that Podium compared only the most distinctive ones.")


class KnownName(NamedTuple):
    """A name of a known player, to compare new handles with; `alias` is "" if the name is the player's handle."""

    player_id: int
    handle: str
    name: str
    country: str
    is_of_series: bool
    alias: str = ""


def known_alike(
    asked: Sequence[Forms],
    *,
    series_id: int,
    community: str = "",
    besides: AbstractSet[int] = frozenset(),
    among: KnownPlayers | None = None,
) -> tuple[list[list[Alike]], str]:
    """
    Return, for each new name, the similar known names; and a warning if not all names were compared.

    community
        The community whose players are compared; by default, that of the series.
    besides
        The ids of players to leave out.
    among
        The players and names to compare with; by default, those that every organizer of the series may know.
    """
    if not asked:
        return [], ""
    community = community or community_of(series_id)
    among = among or known_to_organizers(series_id)
    among = replace(among, players=among.players.filter(community=community))
    many = len(asked) * PLAYERS_PER_LOOKUP
    own = Player.objects.filter(community=community)
    if many <= MOST_PLAYERS and own.order_by("pk").values_list("pk")[many : many + 1].exists():
        return _looked_up(asked, series_id, community, besides, among)
    known, cut = _known_players(series_id, community, besides, among)
    found = find_alike(asked, [forms_of_known(one) for one in known])
    if found.is_cut:
        cut = cut or str(_CUT)
    return [[(known[k], *result) for k, result in alike] for alike in found.alike], cut


def forms_of_known(known: KnownName) -> Forms:
    return forms_of(known.alias or known.handle, known.name, known.country)


def _known_players(
    series_id: int, community: str, besides: AbstractSet[int], among: KnownPlayers
) -> tuple[list[KnownName], str]:
    """Return the names to compare with, those of the series first; and a warning if some were left out."""
    columns = ("pk", "handle", "name", "country")
    own = list(among.players.filter(pk__in=_ids_in_series(series_id)).values_list(*columns)[: MOST_PLAYERS + 1])
    ids = {row[0] for row in own}
    newest_of_all = among.players.order_by("-pk").values_list(*columns)[: MOST_PLAYERS + 1]
    rest = [row for row in newest_of_all if row[0] not in ids][: max(0, MOST_PLAYERS + 1 - len(own))]
    is_cut = len(own) + len(rest) > MOST_PLAYERS
    known = [
        KnownName(player_id, handle, name, country, is_of_series=is_of_series)
        for rows, is_of_series in ((own[:MOST_PLAYERS], True), (rest[: max(0, MOST_PLAYERS - len(own))], False))
        for player_id, handle, name, country in rows
        if player_id not in besides
    ]
    by_id = {one.player_id: one for one in known}
    newest = among.aliases.filter(community=community).order_by("-pk")
    aliases = newest.values_list("player_id", "handle")[:MOST_ALIASES]
    known += [by_id[player]._replace(alias=handle) for player, handle in aliases if player in by_id]
    text = gettext("Podium compared new names with %(number)s players, not with all of them.")
    return known, text % {"number": grouped(MOST_PLAYERS)} if is_cut else ""


def community_of(series_id: int) -> str:
    """Return the slug of the community of a series; "" if there is no such series."""
    return Series.objects.filter(pk=series_id).values_list("community_id", flat=True).first() or ""


def players_of_series(series_id: int) -> PlayerQuerySet:
    """Return the players of the series' contests, including drafts but not deleted contests."""
    return Player.objects.existing().filter(pk__in=_ids_in_series(series_id))


def _looked_up(
    asked: Sequence[Forms], series_id: int, community: str, besides: AbstractSet[int], among: KnownPlayers
) -> tuple[list[list[Alike]], str]:
    found: list[list[Alike]] = []
    is_cut = False
    for start in range(0, len(asked), BLOCK):
        block = asked[start : start + BLOCK]
        candidates, was_cut = _candidates(block, community)
        is_cut |= was_cut
        found += _judged(block, candidates, besides, among)
    home = _of_series({known.player_id for alike in found for known, *_ in alike}, series_id)
    return [
        [(known._replace(is_of_series=known.player_id in home), *why) for known, *why in alike]  # type: ignore[misc]
        for alike in found
    ], str(_CUT) if is_cut else ""


def _candidates(asked: Sequence[Forms], community: str) -> tuple[dict[int, set[int]], bool]:
    """Return the new names that share a key with a player, player id -> indexes; and whether players were left out."""
    salt = np.int64(salt_of(community))
    keys, owners = asked_keys(asked)
    distinctive = set((keys ^ salt).tolist())
    crossed, of_crossed = crossed_keys(asked)
    of_key: dict[int, set[int]] = {}
    listed = (np.concatenate([keys, crossed]) ^ salt).tolist(), np.concatenate([owners, of_crossed]).tolist()
    for key, owner in zip(*listed, strict=True):
        of_key.setdefault(key, set()).add(owner)
    candidates: dict[int, set[int]] = {}
    is_cut = False
    for key, players in _players_with(list(of_key)):
        is_cut |= len(players) > SHARERS and key in distinctive
        for player in players[:SHARERS]:
            candidates.setdefault(player, set()).update(of_key[key])
    return candidates, is_cut


def _players_with(keys: list[int]) -> list[tuple[int, list[int]]]:
    """Return the keys found in the index, each with its players: at most one more than are judged."""
    table = connection.ops.quote_name(PlayerNearKey._meta.db_table)
    few = f"(SELECT player_id FROM {table} WHERE key = asked.value LIMIT {SHARERS + 1})"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            query = f"SELECT asked.value, ARRAY{few} FROM unnest(%s::bigint[]) AS asked (value)"
            cursor.execute(query, [keys])
            return [(key, players) for key, players in cursor.fetchall() if players]
        query = f"SELECT asked.value, (SELECT json_group_array(player_id) FROM {few}) FROM json_each(%s) AS asked"
        cursor.execute(query, [json.dumps(keys)])
        return [(key, json.loads(players)) for key, players in cursor.fetchall() if players != "[]"]


def _judged(
    asked: Sequence[Forms], candidates: dict[int, set[int]], besides: AbstractSet[int], among: KnownPlayers
) -> list[list[Alike]]:
    found: list[list[Alike]] = [[] for _ in asked]
    ids = sorted(set(candidates) - besides)
    for start in range(0, len(ids), READ):
        for known in _known(ids[start : start + READ], among):
            forms = forms_of_known(known)
            for place in candidates[known.player_id]:
                result = likeness(asked[place], forms)
                if result is not None and result.similarity >= LEAST_SHOWN:
                    found[place].append((known, *result))
    return found


def _known(player_ids: list[int], among: KnownPlayers) -> list[KnownName]:
    """Return the handles and aliases of the players among these who are to be compared."""
    players = among.players.filter(pk__in=player_ids).values_list("pk", "handle", "name", "country")
    known = {row[0]: KnownName(*row, is_of_series=False) for row in players}
    aliases = among.aliases.filter(player__in=player_ids).values_list("player_id", "handle")
    return [*known.values(), *(known[pk]._replace(alias=alias) for pk, alias in aliases if pk in known)]


def _of_series(player_ids: set[int], series_id: int) -> set[int]:
    rows = Standing.objects.filter(player__in=player_ids, contest__series_id=series_id)
    rows = rows.exclude(contest__state=ContestState.DELETED)
    return set(rows.values_list("player_id", flat=True)) if player_ids else set()


def _ids_in_series(series_id: int) -> QuerySet[Standing, Any]:
    """Return the players' ids as an uncorrelated subquery, so that databases run it once."""
    rows = Standing.objects.filter(contest__series_id=series_id).exclude(contest__state=ContestState.DELETED)
    return rows.order_by().values("player")


def takes_long(names: int, *, series_id: int) -> bool:
    """Whether matching this many names may take over a second if most are new; a few names never take so long."""
    if names <= FEW_NAMES:
        return False
    most = COMPARED_IN_A_SECOND // names
    known = Player.objects.filter(community__series=series_id).order_by()
    return known.values("pk")[most : most + 1].exists()
