"""Queries about players: their results by series, and their other names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.db.models import Count, Exists, Max, Min, OuterRef, Q

from contests.handles import handle_key
from contests.matching.known_names import players_of_series
from contests.matching.name_index import matching
from contests.models import ContestState, Player, PlayerAlias, PlayerMerge, Series, Standing
from contests.queries.names import known_merges, merged_handles, visible_aliases

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from django.contrib.auth.models import AnonymousUser, User

    from contests.models.player import PlayerQuerySet

#: The most players whose merged players' handles a search compares with its text.
MOST_MERGED = 1_000


@dataclass(frozen=True, slots=True)
class InSeries:
    """A player's results in one series: how many, and when the first and last contest ended."""

    community_id: str
    slug: str
    name: str
    count: int
    first: datetime
    last: datetime


@dataclass(slots=True)
class Profile:
    """A player with results, other names and merges; `merges` are those that can be split."""

    player: Player
    series: list[InSeries] = field(default_factory=list)
    aliases: list[PlayerAlias] = field(default_factory=list)
    merges: list[PlayerMerge] = field(default_factory=list)

    @property
    def count(self) -> int:
        return sum(one.count for one in self.series)


@dataclass(frozen=True, slots=True)
class OtherName:
    """Another name of a player; `is_merged` if it is the handle of a player who was merged into that one."""

    handle: str
    is_merged: bool


def profiles_of(players: Sequence[Player], user: User | AnonymousUser) -> list[Profile]:
    """
    Return what an organizer may know about the players, in their order; in a few queries, however many players.

    Results in series of other organizers are left out, and so are names from private ones.
    """
    profiles = {player.pk: Profile(player) for player in players}
    own = Series.objects.organized_by(user).values("pk")
    rows = Standing.objects.filter(player__in=profiles, contest__series__in=own)
    rows = rows.exclude(contest__state=ContestState.DELETED)
    grouped = rows.values_list("player_id", "contest__series__slug", "contest__series__name").annotate(
        count=Count("pk"), first=Min("contest__ends_at"), last=Max("contest__ends_at")
    )
    for player_id, slug, name, count, first, last in grouped.order_by("contest__series__name"):
        community = profiles[player_id].player.community_id
        profiles[player_id].series.append(InSeries(community, slug, name, count, first, last))
    for alias in visible_aliases(user).filter(player__in=profiles).order_by("handle_key"):
        profiles[alias.player_id].aliases.append(alias)
    merges = PlayerMerge.objects.filter(split_at=None, merged__merged_into__in=profiles)
    for merge in known_merges(merges.select_related("actor").order_by("-at", "-pk"), user):
        profiles[merge.merged.merged_into_id or 0].merges.append(merge)
    return list(profiles.values())


def other_names(player_ids: Sequence[int], user: User | AnonymousUser) -> dict[int, list[OtherName]]:
    """Return the other names that the visitor may know of each player who has any."""
    found: dict[int, list[OtherName]] = {}
    aliases = visible_aliases(user).filter(player__in=player_ids).order_by("handle_key")
    for player, handle in aliases.values_list("player", "handle"):
        found.setdefault(player, []).append(OtherName(handle, is_merged=False))
    for player, handle in merged_handles(player_ids, user):
        found.setdefault(player, []).append(OtherName(handle, is_merged=True))
    return found


def search_people(series_id: int, text: str, user: User | AnonymousUser) -> PlayerQuerySet:
    """Return the players of a series by handle, filtered by text in any of their names that the visitor may know."""
    players = players_of_series(series_id).order_by("handle_key")
    if not text:
        return players
    key = handle_key(text)
    alias = Exists(visible_aliases(user).filter(player=OuterRef("pk"), handle_key__contains=key))
    candidates = players.filter(merged_players__handle_key__contains=key).values_list("pk", flat=True)
    handles = merged_handles(candidates[:MOST_MERGED], user)
    merged = {pk for pk, handle in handles if key in handle_key(handle)}
    return players.filter(matching(text) | Q(name__icontains=text) | Q(alias) | Q(pk__in=merged))
