"""
Match the handles of a file to known players, and suggest candidates with similar names for the others.

A handle that is a player's handle or alias means that player. For any other handle, `contests.matching.known_names`
finds the candidates.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from django.db.models import Exists, OuterRef
from django.utils.translation import gettext

from contests.bulk import values_by_key
from contests.handles import handle_key, printable, words_of
from contests.matching.known_names import community_of, known_alike
from contests.matching.similarity import LEAST_WARNED, forms_of
from contests.models import ContestState, Player, PlayerAlias, Standing

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from contests.formats import ParsedContest, ParsedStanding
    from contests.matching.known_names import KnownName
    from contests.queries.names import KnownPlayers


#: The number of known players of a file, the newest ones, among whom those without results are looked for.
NEWEST = 1_000

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


def match_players(
    standings: Sequence[ParsedStanding], *, series_id: int, games: Sequence[ParsedContest] = ()
) -> Matches:
    """
    Match each row to a player, in a fixed number of queries.

    Players whose own names are in the rows are not suggested for other rows, except in games: there, players can appear
    under several names, but are not suggested for their opponents. A player without results counts as new if the handle
    is close to that of another player: it may be a misspelt row of a draft that has been replaced.

    games
        The games of the players in the rows; empty if the rows are those of one contest.
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
        list(new.values()), series_id=series_id, community=community, besides=idle if games else set(ids.values())
    )
    of_key = dict(zip(new, suggestions, strict=True))
    for key, opponents in _opponents(games, ids, of_key).items():
        of_key[key] = tuple(one for one in of_key[key] if one.player_id not in opponents)
    for key, found in of_key.items():
        if key in ids and found and found[0].similarity >= LEAST_WARNED:
            del ids[key], hows[key]
    matches = Matches(
        Match(row.handle, key, ids.get(key), hows.get(key, "new"), () if key in ids else of_key.get(key, ()))
        for key, row in zip(keys, standings, strict=True)
    )
    matches.cut = cut
    return matches


def _opponents(games: Sequence[ParsedContest], ids: Mapping[str, int], names: Container[str]) -> dict[str, set[int]]:
    """Return the known players whom each of these names plays against: key of the name -> player ids."""
    found: dict[str, set[int]] = {}
    for game in games:
        keys = [handle_key(row.handle) for row in game.standings]
        players = {key: ids[key] for key in keys if key in ids}
        for key in filter(names.__contains__, keys):
            found.setdefault(key, set()).update(player for other, player in players.items() if other != key)
    return found


def _idle(player_ids: set[int]) -> set[int]:
    """Return which of the newest of these players have no results, no other names and no account."""
    newest = sorted(player_ids, reverse=True)[:NEWEST]
    if not newest:
        return set()
    results = Standing.objects.filter(player=OuterRef("pk")).exclude(contest__state=ContestState.DELETED)
    aliases = PlayerAlias.objects.filter(player=OuterRef("pk"))
    idle = Player.objects.filter(~Exists(results), ~Exists(aliases), pk__in=newest, claim=None)
    return set(idle.values_list("pk", flat=True))


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


def others_like(player: Player, text: str = "", *, among: KnownPlayers, most: int = 8) -> tuple[PlayerCandidate, ...]:
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
