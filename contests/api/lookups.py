"""Finding what an address names, among what is public; NotFound says what there is not."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, QuerySet
from rest_framework.exceptions import NotFound

from contests.handles import handle_key, printable
from contests.models import Contest, ContestState, Player, PlayerAlias, Series, Standing
from contests.whole_numbers import MAX_ID


def public_series(slug: str) -> Series:
    series = Series.objects.public().filter(slug=slug).first()
    if series is None:
        raise NotFound(f"There is no public series “{printable(slug)}”.")
    return series


def public_contest(pk: int) -> Contest:
    contest = Contest.objects.public().select_related("series").filter(pk=pk).first() if pk <= MAX_ID else None
    if contest is None:
        raise NotFound(f"There is no contest {pk if pk <= MAX_ID else 'of such a number'}, or it is not public.")
    return contest


def public_players() -> QuerySet[Player]:
    """Players who took part in a public contest; others are known to organizers only, merged ones by who they are."""
    seen = Standing.objects.filter(
        player=OuterRef("pk"), contest__state=ContestState.FINALIZED, contest__series__is_public=True
    )
    return Player.objects.existing().filter(Exists(seen))


def public_player(handle: str) -> Player:
    """Return the player of that handle or alias, whatever its case; of who was merged, whom that one became."""
    player = find_player(handle)
    if player is None:
        raise NotFound(f"There is no player “{printable(handle)}”.")
    return player


def find_player(handle: str) -> Player | None:
    key = handle_key(handle)
    if "\0" in key:
        return None
    # Look-ups by index, one after the other; one query for all would have to read every player.
    player = public_players().filter(handle_key=key).first()
    if player is not None:
        return player
    known = Player.objects.filter(handle_key=key).values_list("merged_into", flat=True).first()
    if known is None:
        known = PlayerAlias.objects.filter(handle_key=key).values_list("player", flat=True).first()
    return public_players().filter(pk=known).first() if known is not None else None


def find_player_by_id(pk: int) -> Player | None:
    """Return the player of that id, or whom that one was merged into."""
    if pk > MAX_ID:
        return None
    player = public_players().filter(pk=pk).first()
    if player is not None:
        return player
    known = Player.objects.filter(pk=pk).values_list("merged_into", flat=True).first()
    return public_players().filter(pk=known).first() if known is not None else None
