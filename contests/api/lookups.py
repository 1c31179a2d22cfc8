"""Look-ups of the public series, contests and players that an address names; NotFound if there is none."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, QuerySet
from rest_framework.exceptions import NotFound

from contests.handles import handle_key, printable
from contests.models import Contest, ContestState, Player, PlayerAlias, Series, Standing
from contests.whole_numbers import MAX_ID


def public_series(slug: str) -> Series:
    """Return the public series with this slug; NotFound if there is none."""
    series = Series.objects.public().filter(slug=slug).first()
    if series is None:
        raise NotFound(f"There is no public series “{printable(slug)}”.")
    return series


def public_contest(pk: int) -> Contest:
    """Return the public contest with this id and its series; NotFound if there is none."""
    contest = Contest.objects.public().select_related("series").filter(pk=pk).first() if pk <= MAX_ID else None
    if contest is None:
        raise NotFound(f"There is no public contest with {f'the id {pk}' if pk <= MAX_ID else 'this id'}.")
    return contest


def public_players() -> QuerySet[Player]:
    """Return the players who took part in a public contest. Only organizers see others; merged players are left out."""
    seen = Standing.objects.filter(
        player=OuterRef("pk"), contest__state=ContestState.FINALIZED, contest__series__is_public=True
    )
    return Player.objects.existing().filter(Exists(seen))


def public_player(handle: str) -> Player:
    """Return the player found by `find_player`; NotFound if there is none."""
    player = find_player(handle)
    if player is None:
        raise NotFound(f"There is no player “{printable(handle)}”.")
    return player


def find_player(handle: str) -> Player | None:
    """
    Return the public player with this handle, current or former, in any case; None if there is none.

    The handle of a merged player leads to the player they were merged into.
    """
    key = handle_key(handle)
    if "\0" in key:
        return None
    # Each query uses an index; a single query for all three would read every player.
    player = public_players().filter(handle_key=key).first()
    if player is not None:
        return player
    known = Player.objects.filter(handle_key=key).values_list("merged_into", flat=True).first()
    if known is None:
        known = PlayerAlias.objects.filter(handle_key=key).values_list("player", flat=True).first()
    return public_players().filter(pk=known).first() if known is not None else None


def find_player_by_id(pk: int) -> Player | None:
    """Return the public player with this id, or the one they were merged into; None if there is none."""
    if pk > MAX_ID:
        return None
    player = public_players().filter(pk=pk).first()
    if player is not None:
        return player
    known = Player.objects.filter(pk=pk).values_list("merged_into", flat=True).first()
    return public_players().filter(pk=known).first() if known is not None else None
