"""By what other names a player is known, as far as that is public."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Exists, OuterRef

from contests.models import ContestState, PlayerAlias, PlayerMerge, Standing
from contests.queries.visibility import visible_series

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

    from contests.models import Player


def other_names(player: Player, user: User | AnonymousUser) -> list[str]:
    """
    Return old handles, other names and the handles of merged players that the visitor may know, in order.

    Other names are given by organizers of any series in which the player has results. They show only while the visitor
    may read all of those, so that no private series gives away what it calls somebody. The handle of a merged player
    shows if results that came from that player do.
    """
    names = {*_aliases(player, user), *_merged(player, user)} - {player.handle}
    return sorted(names, key=lambda name: (name.casefold(), name))


def _aliases(player: Player, user: User | AnonymousUser) -> list[str]:
    hidden = Standing.objects.filter(player=OuterRef("player")).exclude(contest__series__in=visible_series(user))
    return list(PlayerAlias.objects.filter(~Exists(hidden), player=player).values_list("handle", flat=True))


def _merged(player: Player, user: User | AnonymousUser) -> list[str]:
    merges = PlayerMerge.objects.filter(merged__merged_into=player, split_at=None).select_related("merged")
    moved = {merge.merged.handle: set(merge.standings) for merge in merges}
    if not moved:
        return []
    readable = Standing.objects.filter(
        player=player, contest__state=ContestState.FINALIZED, contest__series__in=visible_series(user)
    )
    public = set(readable.values_list("pk", flat=True))
    return [handle for handle, standings in moved.items() if standings & public]
