"""Whom the handles of a file mean: known players, by handle or alias, and for the others who may be meant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from django.db.models import Exists, OuterRef

from contests.alike import find_alike
from contests.bulk import values_by_key
from contests.handles import handle_key, printable
from contests.likeness import LEAST_WARNED, Forms, forms_of
from contests.models import ContestState, Player, PlayerAlias, Standing
from contests.visibility import players_known_to_organizers

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from django.db.models import QuerySet

    from contests.formats import ParsedStanding
    from contests.models.player import PlayerQuerySet
    from contests.models.standing import StandingQuerySet

#: Suggestions for one row.
MOST_SUGGESTED = 3
#: Players compared with, at most: all of the series first, then the newest of the others; and their other names.
MOST_PLAYERS = 150_000
MOST_ALIASES = 50_000
#: Players of the same series are likelier to be meant; so much, when suggestions are put in order.
_HOME_ADVANTAGE = 10

How = Literal["handle", "alias", "merged", "new"]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """
    A known player who may be meant by a handle that nobody has.

    similarity
        0 to 99, as `contests.likeness` has it; from 85 on a coincidence is unlikely.
    why
        In words: "one letter different, same country".
    """

    player_id: int
    handle: str
    name: str
    country: str
    similarity: int
    why: str


@dataclass(frozen=True, slots=True)
class Match:
    """
    Who is meant by a row.

    how
        "handle" and "alias": the player has it; "merged": it is the handle of a player who was merged into that one;
        "new": nobody has it, `player_id` is None, and `suggestions` are the likeliest known players, best first.
    """

    handle: str
    key: str
    player_id: int | None
    how: How
    suggestions: tuple[Suggestion, ...] = ()


class Matches(list[Match]):
    """One match for each row, in the order of the rows. `cut` says in words what was not compared; mostly empty."""

    cut: str = ""


class Known(NamedTuple):
    """A known player, as one of the names that new handles are compared with; `alias` is "" for the own handle."""

    player_id: int
    handle: str
    name: str
    country: str
    is_of_series: bool
    alias: str = ""


def match_players(standings: Sequence[ParsedStanding], *, series_id: int) -> Matches:
    """
    Find who is meant by each row: one match for each, in their order; in a fixed number of queries.

    Who stands in the rows by a name of their own is nobody else of them, and not suggested for another.
    """
    keys = [handle_key(row.handle) for row in standings]
    ids, hows = _known_ids(list(dict.fromkeys(keys)))
    new: dict[str, ParsedStanding] = {}
    for key, row in zip(keys, standings, strict=True):
        if key not in ids:
            new.setdefault(key, row)
    suggestions, cut = suggestions_for(list(new.values()), series_id=series_id, besides=set(ids.values()))
    of_key = dict(zip(new, suggestions, strict=True))
    matches = Matches(
        Match(row.handle, key, ids.get(key), hows.get(key, "new"), of_key.get(key, ()))
        for key, row in zip(keys, standings, strict=True)
    )
    matches.cut = cut
    return matches


def close_names_warning(match: Match) -> str | None:
    """Return what to say of a new player whose name is close to a known one, None if it is not."""
    if match.how != "new" or not match.suggestions or match.suggestions[0].similarity < LEAST_WARNED:
        return None
    best = match.suggestions[0]
    return (
        f"“{printable(match.handle)}” is new, and close to the known player “{printable(best.handle)}” ({best.why}); "
        "if they are one person, say so here, or write the handle as it is known"
    )


def suggestions_for(
    rows: Sequence[ParsedStanding], *, series_id: int, besides: AbstractSet[int] = frozenset()
) -> tuple[list[tuple[Suggestion, ...]], str]:
    """Return known players who may be meant by each of the rows, `besides` left out; and what was not compared."""
    if not rows:
        return [], ""
    known, cut = known_players(series_id, besides)
    asked = [forms_of(row.handle, row.name, row.country) for row in rows]
    found = find_alike(asked, [forms_of_known(one) for one in known])
    if found.is_cut:
        cut = cut or "So many names are alike that only the rarest likenesses were looked at."
    return [best_suggestions(((known[k], *likeness) for k, likeness in alike)) for alike in found.alike], cut


def others_like(player: Player, text: str = "", *, among: QuerySet[Player], most: int = 8) -> tuple[Suggestion, ...]:
    """
    Return which of some players may be the same person as the player, or, with a text, be meant by it.

    Players who ever stood in a contest with the player are other people.
    """
    known, _ = known_players(_newest_series_of(player), {player.pk}, among=among)
    asked = forms_of(text) if text else forms_of(player.handle, player.name, player.country)
    (alike,) = find_alike([asked], [forms_of_known(one) for one in known]).alike
    found = best_suggestions(((known[k], *likeness) for k, likeness in alike), 4 * most)
    rows = Standing.objects.filter(player__in=[one.player_id for one in found], contest__standings__player=player)
    met = set(rows.exclude(contest__state=ContestState.DELETED).values_list("player_id", flat=True))
    return tuple(one for one in found if one.player_id not in met)[:most]


def best_suggestions(alike: Iterable[tuple[Known, int, str]], most: int = MOST_SUGGESTED) -> tuple[Suggestion, ...]:
    """Return the likeliest players, each once, from (known, similarity, why)."""
    by_player: dict[int, tuple[int, str, Known]] = {}
    for known, similarity, why in alike:
        before = by_player.get(known.player_id)
        if before is None or similarity > before[0]:
            by_player[known.player_id] = similarity, why, known
    best = sorted(by_player.values(), key=lambda one: (-one[0] - _HOME_ADVANTAGE * one[2].is_of_series, one[2].handle))
    return tuple(
        Suggestion(
            known.player_id,
            known.handle,
            known.name,
            known.country,
            similarity,
            f"{why}, as “{printable(known.alias)}”" if known.alias else why,
        )
        for similarity, why, known in best[:most]
    )


def forms_of_known(known: Known) -> Forms:
    return forms_of(known.alias or known.handle, known.name, known.country)


def known_players(
    series_id: int, besides: AbstractSet[int] = frozenset(), *, among: QuerySet[Player] | None = None
) -> tuple[list[Known], str]:
    """
    Return the names to compare with, those of the series first; and in words how many were left out, if any.

    among
        The players to take; without it, those that every organizer of the series may know of.
    """
    columns = ("pk", "handle", "name", "country")
    among = players_known_to_organizers(series_id) if among is None else among
    own = list(among.filter(Exists(_in_series(series_id))).values_list(*columns)[: MOST_PLAYERS + 1])
    others = among.filter(~Exists(_in_series(series_id))).order_by("-pk")
    rest = list(others.values_list(*columns)[: max(0, MOST_PLAYERS + 1 - len(own))])
    is_cut = len(own) + len(rest) > MOST_PLAYERS
    known = [
        Known(player_id, handle, name, country, is_of_series=is_of_series)
        for rows, is_of_series in ((own[:MOST_PLAYERS], True), (rest[: max(0, MOST_PLAYERS - len(own))], False))
        for player_id, handle, name, country in rows
        if player_id not in besides
    ]
    by_id = {one.player_id: one for one in known}
    aliases = PlayerAlias.objects.order_by("-pk").values_list("player_id", "handle")[:MOST_ALIASES]
    known += [by_id[player]._replace(alias=handle) for player, handle in aliases if player in by_id]
    return known, f"New names were compared with {MOST_PLAYERS:,} players, not with all." if is_cut else ""


def players_of_series(series_id: int) -> PlayerQuerySet:
    """Players with a row in any contest of the series that is not deleted, drafts included."""
    return Player.objects.existing().filter(Exists(_in_series(series_id)))


def _newest_series_of(player: Player) -> int:
    """Return the id of the series in which the player stood last; 0 if in none."""
    rows = player.standings.exclude(contest__state=ContestState.DELETED).order_by("-contest__ends_at")
    return rows.values_list("contest__series_id", flat=True).first() or 0


def _in_series(series_id: int) -> StandingQuerySet:
    rows = Standing.objects.filter(player=OuterRef("pk"), contest__series_id=series_id)
    return rows.exclude(contest__state=ContestState.DELETED)


def _known_ids(keys: list[str]) -> tuple[dict[str, int], dict[str, How]]:
    """Return key -> player id and how it was found, for the keys that somebody has."""
    own = values_by_key(Player, "handle_key", "id", keys)
    ids: dict[str, int] = values_by_key(Player, "handle_key", "id", keys, first="merged_into_id")
    hows: dict[str, How] = {key: "handle" if own[key] == player else "merged" for key, player in ids.items()}
    by_alias = values_by_key(PlayerAlias, "handle_key", "player_id", [key for key in keys if key not in ids])
    return ids | by_alias, hows | dict.fromkeys(by_alias, "alias")
