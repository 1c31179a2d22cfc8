"""Look-ups of the public series, contests and players that an address names; NotFound if there is none."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, QuerySet
from rest_framework.exceptions import NotFound

from contests.handles import printable
from contests.models import Community, Contest, ContestState, Player, Series, Standing
from contests.queries.names import find_visible_player, merged_handles
from contests.queries.visibility import split_name
from contests.whole_numbers import MAX_ID


def public_community(slug: str) -> Community:
    """Return the community with this slug; NotFound if there is none that everyone may read."""
    community = Community.objects.visible_to(AnonymousUser()).filter(pk=slug).first()
    if community is None:
        raise NotFound(f"There is no public community “{printable(slug)}”.")
    return community


def public_series(community: str, slug: str) -> Series:
    """Return the public series of a community with this slug; NotFound if there is none."""
    series = Series.objects.public().filter(community=community, slug=slug).first()
    if series is None:
        raise NotFound(f"There is no public series “{printable(slug)}” in a community “{printable(community)}”.")
    return series


def public_series_named(name: str) -> Series:
    """Return the public series named [COMMUNITY/]SLUG; NotFound if there is none."""
    return public_series(*split_name(name))


def public_contest(pk: int) -> Contest:
    """Return the public contest with this id and its series; NotFound if there is none."""
    contest = Contest.objects.public().select_related("series").filter(pk=pk).first() if pk <= MAX_ID else None
    if contest is None:
        raise NotFound(f"There is no public contest with {f'the id {pk}' if pk <= MAX_ID else 'this id'}.")
    return contest


def listed_public_players() -> QuerySet[Player]:
    """Return the players who took part in a listed contest; merged players are left out."""
    seen = Standing.objects.filter(
        player=OuterRef("pk"), contest__state=ContestState.FINALIZED, contest__series__is_listed=True
    )
    return Player.objects.existing().filter(Exists(seen))


def public_players() -> QuerySet[Player]:
    """Return the players who took part in a public contest. Only members see others; merged players are left out."""
    seen = Standing.objects.filter(
        player=OuterRef("pk"), contest__state=ContestState.FINALIZED, contest__series__is_public=True
    )
    return Player.objects.existing().filter(Exists(seen))


def public_player(community: str, handle: str) -> Player:
    """Return the player found by `find_player`; NotFound if there is none."""
    player = find_player(community, handle)
    if player is None:
        raise no_public_player(community, handle)
    return player


def no_public_player(community: str, handle: str) -> NotFound:
    """Return the error that a community, public or not, has no such public player."""
    return NotFound(f"There is no public player “{printable(handle)}” in a community “{printable(community)}”.")


def find_player(community: str, handle: str) -> Player | None:
    """
    Return the public player of a community with this handle, current or former, in any case; None if there is none.

    The handle of a merged player leads to the player they were merged into.
    """
    return find_visible_player(community, handle, AnonymousUser(), public_players())


def find_player_by_id(pk: int) -> Player | None:
    """Return the public player with this id, or the one they were merged into; None if there is none."""
    if pk > MAX_ID:
        return None
    player = public_players().filter(pk=pk).first()
    if player is not None:
        return player
    merged = Player.objects.filter(pk=pk, merged_into__in=public_players()).select_related("merged_into").first()
    known = merged_handles([merged.merged_into_id or 0], AnonymousUser()) if merged is not None else []
    return merged.merged_into if merged is not None and merged.handle in [handle for _, handle in known] else None
