"""
Match the handles of a file to known players, and suggest candidates with similar names for the others.

A handle that is a player's handle or alias means that player. The candidates for any other handle come from one of two
searches. To compare few names with many players, Podium looks up the keys of each name in the table of near keys
(`contests.matching.similarity`) and judges the players who share one. To compare many names with not many more players,
it compares two lists in memory (`contests.matching.close_names`), which takes less time than that many lookups.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from django.db import connection
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext, gettext_lazy

from contests.bulk import values_by_key
from contests.handles import handle_key, printable, words_of
from contests.matching.close_names import find_alike
from contests.matching.name_index import salt_of
from contests.matching.similarity import LEAST_SHOWN, LEAST_WARNED, asked_keys, crossed_keys, forms_of, likeness
from contests.models import ContestState, Player, PlayerAlias, PlayerNearKey, Series, Standing
from contests.queries.visibility import players_known_to_organizers
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet
    from typing import Any

    from django.db.models import QuerySet

    from contests.formats import ParsedStanding
    from contests.matching.similarity import Forms
    from contests.models.player import PlayerQuerySet

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
#: The number of known players of a file, the newest ones, among whom those without results are looked for.
NEWEST = 1_000
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
    among: QuerySet[Player] | None = None,
) -> tuple[list[list[Alike]], str]:
    """
    Return, for each new name, the similar known names; and a warning if not all names were compared.

    community
        The community whose players are compared; by default, that of the series.
    besides
        The ids of players to leave out.
    among
        The players to compare with; by default, those that every organizer of the series may see.
    """
    if not asked:
        return [], ""
    community = community or community_of(series_id)
    among = (players_known_to_organizers(series_id) if among is None else among).filter(community=community)
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
    series_id: int, community: str, besides: AbstractSet[int], among: QuerySet[Player]
) -> tuple[list[KnownName], str]:
    """Return the names to compare with, those of the series first; and a warning if some were left out."""
    columns = ("pk", "handle", "name", "country")
    own = list(among.filter(pk__in=_ids_in_series(series_id)).values_list(*columns)[: MOST_PLAYERS + 1])
    ids = {row[0] for row in own}
    newest_of_all = among.order_by("-pk").values_list(*columns)[: MOST_PLAYERS + 1]
    rest = [row for row in newest_of_all if row[0] not in ids][: max(0, MOST_PLAYERS + 1 - len(own))]
    is_cut = len(own) + len(rest) > MOST_PLAYERS
    known = [
        KnownName(player_id, handle, name, country, is_of_series=is_of_series)
        for rows, is_of_series in ((own[:MOST_PLAYERS], True), (rest[: max(0, MOST_PLAYERS - len(own))], False))
        for player_id, handle, name, country in rows
        if player_id not in besides
    ]
    by_id = {one.player_id: one for one in known}
    newest = PlayerAlias.objects.filter(community=community).order_by("-pk")
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
    asked: Sequence[Forms], series_id: int, community: str, besides: AbstractSet[int], among: QuerySet[Player]
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
    asked: Sequence[Forms], candidates: dict[int, set[int]], besides: AbstractSet[int], among: QuerySet[Player]
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


def _known(player_ids: list[int], among: QuerySet[Player]) -> list[KnownName]:
    """Return the handles and aliases of the players among these who are to be compared."""
    players = among.filter(pk__in=player_ids).values_list("pk", "handle", "name", "country")
    known = {row[0]: KnownName(*row, is_of_series=False) for row in players}
    aliases = PlayerAlias.objects.filter(player__in=player_ids).values_list("player_id", "handle")
    return [*known.values(), *(known[pk]._replace(alias=alias) for pk, alias in aliases if pk in known)]


def _of_series(player_ids: set[int], series_id: int) -> set[int]:
    rows = Standing.objects.filter(player__in=player_ids, contest__series_id=series_id)
    rows = rows.exclude(contest__state=ContestState.DELETED)
    return set(rows.values_list("player_id", flat=True)) if player_ids else set()


def _ids_in_series(series_id: int) -> QuerySet[Standing, Any]:
    """Return the players' ids as an uncorrelated subquery, so that databases run it once."""
    rows = Standing.objects.filter(contest__series_id=series_id).exclude(contest__state=ContestState.DELETED)
    return rows.order_by().values("player")


#: The greatest number of suggestions for a row.
MOST_SUGGESTED = 3
#: A bonus for players of the same series when suggestions are sorted, because they are more likely to be meant.
_HOME_ADVANTAGE = 10

How = Literal["handle", "alias", "merged", "new"]


@dataclass(frozen=True, slots=True)
class PlayerCandidate:
    """
    A known player who may be meant by a handle that belongs to no player.

    similarity
        0 to 100, from `contests.matching.similarity`; a coincidence is unlikely from 85 on.
    why
        The reason in words: "handles differ by one letter, same country".
    """

    player_id: int
    handle: str
    name: str = ""
    country: str = ""
    similarity: int = 100
    why: str = ""


@dataclass(frozen=True, slots=True)
class Match:
    """
    The player that a row means.

    how
        "handle" or "alias" of the player; "merged" if it is the handle of a player who was merged into that one; "new"
        if no player has the handle: then `player_id` is None, and `suggestions` has the best candidates first.
    """

    handle: str
    key: str
    player_id: int | None
    how: How
    suggestions: tuple[PlayerCandidate, ...] = ()


class Matches(list[Match]):
    """One match for each row, in the order of the rows. `cut` is a warning if not all names were compared."""

    cut: str = ""


def match_players(standings: Sequence[ParsedStanding], *, series_id: int) -> Matches:
    """
    Match each row to a player, in a fixed number of queries.

    Players whose own names are in the rows are not suggested for other rows. A player without results counts as new if
    the handle is close to that of another player: it may be a misspelt row of a draft that has been replaced.
    """
    keys = [handle_key(row.handle) for row in standings]
    community = community_of(series_id)
    ids, hows = _known_ids(community, list(dict.fromkeys(keys)))
    idle = _idle({ids[key] for key, how in hows.items() if how == "handle"})
    new: dict[str, ParsedStanding] = {}
    for key, row in zip(keys, standings, strict=True):
        if key not in ids or ids[key] in idle:
            new.setdefault(key, row)
    suggestions, cut = suggestions_for(
        list(new.values()), series_id=series_id, community=community, besides=set(ids.values())
    )
    of_key = dict(zip(new, suggestions, strict=True))
    for key, found in of_key.items():
        if key in ids and found and found[0].similarity >= LEAST_WARNED:
            del ids[key], hows[key]
    matches = Matches(
        Match(row.handle, key, ids.get(key), hows.get(key, "new"), () if key in ids else of_key.get(key, ()))
        for key, row in zip(keys, standings, strict=True)
    )
    matches.cut = cut
    return matches


def _idle(player_ids: set[int]) -> set[int]:
    """Return which of the newest of these players have no results, no other names and no account."""
    newest = sorted(player_ids, reverse=True)[:NEWEST]
    if not newest:
        return set()
    results = Standing.objects.filter(player=OuterRef("pk")).exclude(contest__state=ContestState.DELETED)
    aliases = PlayerAlias.objects.filter(player=OuterRef("pk"))
    idle = Player.objects.filter(~Exists(results), ~Exists(aliases), pk__in=newest, claim=None)
    return set(idle.values_list("pk", flat=True))


def takes_long(names: int, *, series_id: int) -> bool:
    """Whether matching this many names may take over a second if most are new; a few names never take so long."""
    if names <= FEW_NAMES:
        return False
    most = COMPARED_IN_A_SECOND // names
    known = Player.objects.filter(community__series=series_id).order_by()
    return known.values("pk")[most : most + 1].exists()


def close_names_warning(match: Match) -> str | None:
    """Return a warning about a new player whose name is close to a known one, None if it is not close."""
    if match.how != "new" or not match.suggestions or match.suggestions[0].similarity < LEAST_WARNED:
        return None
    best = match.suggestions[0]
    return gettext(
        "“%(handle)s” is new, but close to the known player “%(known)s” (%(why)s). If they are the same person, choose "
        "the known player, or correct the handle in the file."
    ) % {"handle": printable(match.handle), "known": printable(best.handle), "why": best.why}


def likely_players(rows: Sequence[ParsedStanding], matches: Sequence[Match]) -> dict[str, int]:
    """
    Return the suggested players whose name and country agree with those of a row: key of its handle -> player id.

    Names are compared without case, accents and punctuation, with their parts in any order. If the country of the row
    or the player is unknown, only names of several words can agree. A row with several such players, and a player with
    several such rows, are left out, because then someone has to tell them apart.
    """
    found: dict[str, int] = {}
    for row, match in zip(rows, matches, strict=True):
        agreeing = [one.player_id for one in match.suggestions if _agree(row, one)]
        if len(agreeing) == 1:
            found[match.key] = agreeing[0]
    times = Counter(found.values())
    return {key: player for key, player in found.items() if times[player] == 1}


def _agree(row: ParsedStanding, known: PlayerCandidate) -> bool:
    if row.country != known.country and row.country and known.country:
        return False
    has_countries = bool(row.country and known.country)
    if not has_countries and min(len(words_of(each.name or each.handle)) for each in (row, known)) < 2:
        return False
    if row.name and known.name:
        return sorted(words_of(row.name)) == sorted(words_of(known.name))
    one, other = forms_of(row.handle, row.name), forms_of(known.handle, known.name)
    if one.plain == other.plain:
        return True
    return not {one.name, one.parts}.isdisjoint({other.name, other.parts} - {""})


def suggestions_for(
    rows: Sequence[ParsedStanding], *, series_id: int, community: str, besides: AbstractSet[int] = frozenset()
) -> tuple[list[tuple[PlayerCandidate, ...]], str]:
    """Return the candidates for each row, without the players in `besides`; and a warning if names were left out."""
    if not rows:
        return [], ""
    asked = [forms_of(row.handle, row.name, row.country) for row in rows]
    found, cut = known_alike(asked, series_id=series_id, community=community, besides=besides)
    return [best_suggestions(alike) for alike in found], cut


def others_like(
    player: Player, text: str = "", *, among: QuerySet[Player], most: int = 8
) -> tuple[PlayerCandidate, ...]:
    """
    Return players who may be the same person as the player; with a text, return players whom the text may mean.

    Players who took part in a contest together with the player are different people.
    """
    asked = forms_of(text) if text else forms_of(player.handle, player.name, player.country)
    (alike,), _ = known_alike(
        [asked], series_id=_newest_series_of(player), community=player.community_id, besides={player.pk}, among=among
    )
    found = best_suggestions(alike, 4 * most)
    rows = Standing.objects.filter(player__in=[one.player_id for one in found], contest__standings__player=player)
    met = set(rows.exclude(contest__state=ContestState.DELETED).values_list("player_id", flat=True))
    return tuple(one for one in found if one.player_id not in met)[:most]


def best_suggestions(
    alike: Iterable[tuple[KnownName, int, str]], most: int = MOST_SUGGESTED
) -> tuple[PlayerCandidate, ...]:
    """Return the most likely players, each once."""
    by_player: dict[int, tuple[int, str, KnownName]] = {}
    for known, similarity, why in alike:
        before = by_player.get(known.player_id)
        if before is None or similarity > before[0]:
            by_player[known.player_id] = similarity, why, known
    best = sorted(by_player.values(), key=lambda one: (-one[0] - _HOME_ADVANTAGE * one[2].is_of_series, one[2].handle))
    return tuple(
        PlayerCandidate(
            known.player_id,
            known.handle,
            known.name,
            known.country,
            similarity,
            gettext("%(why)s (other name: “%(alias)s”)") % {"why": why, "alias": printable(known.alias)}
            if known.alias
            else why,
        )
        for similarity, why, known in best[:most]
    )


def _newest_series_of(player: Player) -> int:
    """Return the id of the series of the player's latest contest, 0 if there is none."""
    rows = player.standings.exclude(contest__state=ContestState.DELETED).order_by("-contest__ends_at")
    return rows.values_list("contest__series_id", flat=True).first() or 0


def _known_ids(community: str, keys: list[str]) -> tuple[dict[str, int], dict[str, How]]:
    """Return key -> player id and how it was found, for the keys that a player of the community has."""
    own = values_by_key(Player, "handle_key", "id", keys, community=community)
    ids: dict[str, int] = values_by_key(Player, "handle_key", "id", keys, first="merged_into_id", community=community)
    hows: dict[str, How] = {key: "handle" if own[key] == player else "merged" for key, player in ids.items()}
    rest = [key for key in keys if key not in ids]
    by_alias = values_by_key(PlayerAlias, "handle_key", "player_id", rest, community=community)
    return ids | by_alias, hows | dict.fromkeys(by_alias, "alias")
