"""Queries about players: their results by series, and their other names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.db.models import Count, Exists, Max, Min, OuterRef, Q

from contests.handles import handle_key
from contests.matching.known_names import players_of_series
from contests.matching.name_index import matching
from contests.models import ContestState, Player, PlayerAlias, PlayerMerge, Standing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from contests.models.player import PlayerQuerySet


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


def profiles_of(players: Sequence[Player]) -> list[Profile]:
    """Return profiles in the order of the players; three queries, however many."""
    profiles = {player.pk: Profile(player) for player in players}
    rows = Standing.objects.filter(player__in=profiles).exclude(contest__state=ContestState.DELETED)
    grouped = rows.values_list("player_id", "contest__series__slug", "contest__series__name").annotate(
        count=Count("pk"), first=Min("contest__ends_at"), last=Max("contest__ends_at")
    )
    for player_id, slug, name, count, first, last in grouped.order_by("contest__series__name"):
        community = profiles[player_id].player.community_id
        profiles[player_id].series.append(InSeries(community, slug, name, count, first, last))
    for alias in PlayerAlias.objects.filter(player__in=profiles).order_by("handle_key"):
        profiles[alias.player_id].aliases.append(alias)
    merges = PlayerMerge.objects.filter(split_at=None, merged__merged_into__in=profiles)
    for merge in merges.select_related("merged", "actor").order_by("-at", "-pk"):
        profiles[merge.merged.merged_into_id or 0].merges.append(merge)
    return list(profiles.values())


def search_people(series_id: int, text: str) -> PlayerQuerySet:
    """Return the players of a series by handle, filtered by text in any of their names."""
    players = players_of_series(series_id).order_by("handle_key")
    if not text:
        return players
    key = handle_key(text)
    alias = Exists(PlayerAlias.objects.filter(player=OuterRef("pk"), handle_key__contains=key))
    was = Exists(Player.objects.filter(matching(text), merged_into=OuterRef("pk")))
    return players.filter(matching(text) | Q(name__icontains=text) | Q(alias) | Q(was))
