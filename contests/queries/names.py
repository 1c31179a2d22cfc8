"""
The other names of players that a visitor may know.

A player whom everyone can see may also have results in private series, under names that only these contain. So another
name that comes from results of a series leads to the player only for those who may read that series, and the handle of
a merged player only for those who may read a result that came from there. It does not matter how many of these there
are: a look-up takes the same queries whether or not something hidden has the name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Q

from contests.bulk import values_by_key
from contests.handles import handle_key
from contests.models import Player, PlayerAlias, PlayerMerge, Standing
from contests.queries.visibility import (
    own_communities,
    players_known_to_organizers,
    series_shared_by_organizers,
    visible_players,
    visible_series,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from django.db.models import QuerySet

    from contests.models.community import Visitor


def visible_aliases(user: Visitor) -> QuerySet[PlayerAlias]:
    """Return the other names that the visitor may know of players whom the visitor may see."""
    return PlayerAlias.objects.filter(Q(series=None) | Q(series__in=visible_series(user).values("pk")))


@dataclass(frozen=True, slots=True)
class KnownPlayers:
    """Players, and those of their other names, that someone may know."""

    players: QuerySet[Player]
    aliases: QuerySet[PlayerAlias]


def known_to(user: Visitor) -> KnownPlayers:
    """Return the players and other names that the visitor may know."""
    return KnownPlayers(visible_players(user), visible_aliases(user))


def known_to_organizers(series_id: int) -> KnownPlayers:
    """Return the players and other names that every organizer of the series may know."""
    shared = series_shared_by_organizers(series_id).values("pk")
    open_or_shared = Q(series=None) | Q(series__is_public=True) | Q(series__in=shared)
    return KnownPlayers(players_known_to_organizers(series_id), PlayerAlias.objects.filter(open_or_shared))


def merged_handles(player_ids: Iterable[int], user: Visitor) -> list[tuple[int, str]]:
    """Return (player id, handle) for the merged players' handles that the visitor may know, by handle."""
    ids = list(player_ids)
    merges = PlayerMerge.objects.filter(merged__merged_into__in=ids, split_at=None).order_by("merged__handle_key")
    return _known(merges, user) if ids else []


def find_visible_player(
    community: str, handle: str, user: Visitor, players: QuerySet[Player] | None = None
) -> Player | None:
    """
    Return the player of the community with this handle or other name, regardless of case, if the visitor may know it.

    For a merged player, return the player they were merged into.

    players
        The players to find; by default, those whom the visitor may see.
    """
    key = handle_key(handle)
    if "\0" in key or "\0" in community:
        return None
    found = players_by_key(community, [key], user, visible_players(user) if players is None else players)
    return found.get(key)


def players_by_key(
    community: str, keys: Collection[str], user: Visitor, players: QuerySet[Player]
) -> dict[str, Player]:
    """Return those of the players whose handle or other name has one of the keys, by key."""
    own = {player.handle_key: player for player in players.filter(community=community, handle_key__in=keys)}
    if len(own) == len(set(keys)):
        return own
    aliases = visible_aliases(user).filter(community=community, handle_key__in=keys, player__in=players)
    ids = dict(aliases.values_list("handle_key", "player"))
    merges = PlayerMerge.objects.filter(merged__community=community, merged__handle_key__in=keys, split_at=None)
    merges = merges.filter(merged__merged_into__in=players)
    ids |= {handle_key(handle): pk for pk, handle in _known(merges, user)}
    others = players.in_bulk(set(ids.values())) if ids else {}
    return {key: others[pk] for key, pk in ids.items() if pk in others} | own


def known_merges(merges: QuerySet[PlayerMerge], user: Visitor) -> list[PlayerMerge]:
    """Return those of the merges whose merged player the visitor may know, with that player."""
    found = list(merges.select_related("merged"))
    if not found:
        return []
    readable = Standing.objects.filter(
        player__in={merge.merged.merged_into_id for merge in found}, contest__finalized_at__isnull=False,
        contest__series__in=visible_series(user).values("pk"),
    )  # fmt: skip
    moved = set(readable.values_list("pk", flat=True))
    own = own_communities(user)
    return [
        merge
        for merge in found
        if user.is_staff or merge.merged.community_id in own or not moved.isdisjoint(merge.standings)
    ]


def _known(merges: QuerySet[PlayerMerge], user: Visitor) -> list[tuple[int, str]]:
    known = [merge.merged for merge in known_merges(merges, user)]
    return [(player.merged_into_id, player.handle) for player in known if player.merged_into_id is not None]


def players_by_handle(community: str, handles: Iterable[str]) -> dict[str, int]:
    """
    Return the community's players with these handles or other names, following merges: key of a handle -> id.

    This is for results, in which a name means the same player, no matter which organizer enters it.
    """
    keys = list({handle_key(handle) for handle in handles if handle})
    found = values_by_key(PlayerAlias, "handle_key", "player_id", keys, community=community)
    own = values_by_key(Player, "handle_key", "id", keys, first="merged_into_id", community=community)
    return {**found, **own}
