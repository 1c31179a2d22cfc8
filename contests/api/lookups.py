"""
Look-ups of the series, contests and players that an address names and that the client may read.

Clients without a token may read what is public. Those with a token of a community may also read what its viewers may
read. The error for something that exists but is hidden is the same as for something that does not exist.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Exists, OuterRef, Q
from rest_framework.exceptions import NotFound

from contests.handles import printable
from contests.models import Community, Contest, ContestState, Player, Series, Standing
from contests.queries.names import find_visible_player, merged_handles
from contests.queries.visibility import split_name, visible_series
from contests.whole_numbers import MAX_ID

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from contests.models.community import CommunityQuerySet, Visitor
    from contests.models.contest import ContestQuerySet


def may_read(reader: Visitor, series: str = "series") -> Q:
    """Return a filter for rows whose series, on this lookup path, the client may read."""
    return _open_or_own(reader, series, "is_public")


def is_listed_for(reader: Visitor, series: str = "series") -> Q:
    """Return a filter for rows whose series, on this lookup path, lists of the whole site show to the client."""
    return _open_or_own(reader, series, "is_listed")


def _open_or_own(reader: Visitor, series: str, field: str) -> Q:
    is_open = Q(**{f"{series}__{field}": True})
    if not reader.is_authenticated:
        return is_open
    return is_open | Q(**{f"{series}__in": Series.objects.readable_by(reader).values("pk")})


def missing(reader: Visitor, what: str) -> NotFound:
    """Return the error for something that does not exist, or is hidden from the client."""
    if reader.is_authenticated:
        return NotFound(f"There is no {what} that this token can read.")
    return NotFound(f"There is no public {what}.")


def listed_communities(reader: Visitor) -> CommunityQuerySet:
    """Return the communities that everyone may find, and that of the client's token."""
    return Community.objects.listed() | Community.objects.joined_by(reader)


def readable_community(reader: Visitor, slug: str) -> Community:
    """Return the community with this slug; NotFound if it is missing or hidden."""
    community = Community.objects.visible_to(reader).filter(pk=slug).first()
    if community is None:
        raise missing(reader, f"community “{printable(slug)}”")
    return community


def readable_series(reader: Visitor, community: str, slug: str) -> Series:
    """Return the series of a community with this slug; NotFound if it is missing or hidden."""
    series = visible_series(reader).filter(community=community, slug=slug).first()
    if series is None:
        raise missing(reader, f"series “{printable(slug)}” in the community “{printable(community)}”")
    return series


def readable_series_named(reader: Visitor, name: str) -> Series:
    """Return the series named [COMMUNITY/]SLUG; NotFound if it is missing or hidden."""
    return readable_series(reader, *split_name(name))


def readable_contests(reader: Visitor) -> ContestQuerySet:
    """Return the contests with final results that the client may read."""
    return Contest.objects.finalized().filter(may_read(reader))


def readable_contest(reader: Visitor, pk: int) -> Contest:
    """Return the contest with this id and its series; NotFound if it is missing or hidden."""
    contest = readable_contests(reader).select_related("series").filter(pk=pk).first() if pk <= MAX_ID else None
    if contest is None:
        raise missing(reader, f"contest with results and {f'the id {pk}' if pk <= MAX_ID else 'this id'}")
    return contest


def listed_contests(reader: Visitor) -> ContestQuerySet:
    """Return the contests with final results that the list of the whole site shows to the client."""
    return Contest.objects.finalized().filter(is_listed_for(reader))


def readable_event(reader: Visitor, pk: int) -> Contest:
    """Return the event with this id and its series; NotFound if it is missing, hidden or not an event."""
    contest = readable_contest(reader, pk)
    if not contest.is_event:
        raise NotFound(f"The contest with the id {pk} is not an event, so it has no games.")
    return contest


def listed_players(reader: Visitor, *, after: int = 0) -> QuerySet[Player]:
    """
    Return the players who took part in a listed contest, and all of the token's community, without merged ones.

    after
        Only players with greater ids.
    """
    return _players(reader, is_listed_for(reader, "contest__series"), after)


def readable_players(reader: Visitor, *, after: int = 0) -> QuerySet[Player]:
    """Return the same as `listed_players` for contests that the client may read."""
    return _players(reader, may_read(reader, "contest__series"), after)


def _players(reader: Visitor, readable: Q, after: int) -> QuerySet[Player]:
    results = Standing.objects.filter(readable, player=OuterRef("pk"), contest__state=ContestState.FINALIZED)
    players = Player.objects.existing()
    if after:
        # PostgreSQL merges both tables in the order of players. Without the same limit for results, it would begin with
        # those of the first player, and a page would take longer the further it is from the beginning.
        results, players = results.filter(player__gt=after), players.filter(pk__gt=after)
    seen = Exists(results)
    if not reader.is_authenticated:
        return players.filter(seen)
    joined = Community.objects.joined_by(reader).values("pk")
    return players.filter(Q(community__in=joined) | seen)


def readable_player(reader: Visitor, community: str, handle: str) -> Player:
    """Return the player found by `find_player`; NotFound if there is none."""
    player = find_player(reader, community, handle)
    if player is None:
        raise missing_player(reader, community, handle)
    return player


def missing_player(reader: Visitor, community: str, handle: str) -> NotFound:
    """Return the error for a player whom a community, hidden or not, does not have."""
    return missing(reader, f"player “{printable(handle)}” in the community “{printable(community)}”")


def find_player(reader: Visitor, community: str, handle: str) -> Player | None:
    """
    Return the player of a community with this handle, current or former, regardless of case; None if missing or hidden.

    The handle of a merged player leads to the player they were merged into.
    """
    return find_visible_player(community, handle, reader, readable_players(reader))


def find_player_by_id(reader: Visitor, pk: int) -> Player | None:
    """Return the player with this id, or the one they were merged into; None if missing or hidden."""
    if pk > MAX_ID:
        return None
    players = readable_players(reader)
    player = players.filter(pk=pk).first()
    if player is not None:
        return player
    merged = Player.objects.filter(pk=pk, merged_into__in=players).select_related("merged_into").first()
    known = merged_handles([merged.merged_into_id or 0], reader) if merged is not None else []
    return merged.merged_into if merged is not None and merged.handle in [handle for _, handle in known] else None
