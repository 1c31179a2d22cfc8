"""Whom the handles of a file mean: known players, by handle or alias, and for the others who may be meant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from contests.bulk import values_by_key
from contests.handles import handle_key, printable
from contests.matching.candidates import known_alike
from contests.matching.similarity import LEAST_WARNED, forms_of
from contests.models import ContestState, Player, PlayerAlias, Standing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from django.db.models import QuerySet

    from contests.formats import ParsedStanding
    from contests.matching.candidates import Known

#: Suggestions for one row.
MOST_SUGGESTED = 3
#: Players of the same series are likelier to be meant; so much, when suggestions are put in order.
_HOME_ADVANTAGE = 10

How = Literal["handle", "alias", "merged", "new"]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """
    A known player who may be meant by a handle that no player has.

    similarity
        0 to 99, as `contests.matching.similarity` has it; from 85 on a coincidence is unlikely.
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
        "new": no player has it, `player_id` is None, and `suggestions` are the likeliest known players, best first.
    """

    handle: str
    key: str
    player_id: int | None
    how: How
    suggestions: tuple[Suggestion, ...] = ()


class Matches(list[Match]):
    """One match for each row, in the order of the rows. `cut` says in words what was not compared; mostly empty."""

    cut: str = ""


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
    asked = [forms_of(row.handle, row.name, row.country) for row in rows]
    found, cut = known_alike(asked, series_id=series_id, besides=besides)
    return [best_suggestions(alike) for alike in found], cut


def others_like(player: Player, text: str = "", *, among: QuerySet[Player], most: int = 8) -> tuple[Suggestion, ...]:
    """
    Return which of some players may be the same person as the player, or, with a text, be meant by it.

    Players who ever stood in a contest with the player are other people.
    """
    asked = forms_of(text) if text else forms_of(player.handle, player.name, player.country)
    (alike,), _ = known_alike([asked], series_id=_newest_series_of(player), besides={player.pk}, among=among)
    found = best_suggestions(alike, 4 * most)
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


def _newest_series_of(player: Player) -> int:
    """Return the id of the series in which the player stood last; 0 if in none."""
    rows = player.standings.exclude(contest__state=ContestState.DELETED).order_by("-contest__ends_at")
    return rows.values_list("contest__series_id", flat=True).first() or 0


def _known_ids(keys: list[str]) -> tuple[dict[str, int], dict[str, How]]:
    """Return key -> player id and how it was found, for the keys that a player has."""
    own = values_by_key(Player, "handle_key", "id", keys)
    ids: dict[str, int] = values_by_key(Player, "handle_key", "id", keys, first="merged_into_id")
    hows: dict[str, How] = {key: "handle" if own[key] == player else "merged" for key, player in ids.items()}
    by_alias = values_by_key(PlayerAlias, "handle_key", "player_id", [key for key in keys if key not in ids])
    return ids | by_alias, hows | dict.fromkeys(by_alias, "alias")
