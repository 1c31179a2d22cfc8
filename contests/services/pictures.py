"""Pictures of players: uploaded by organizers of the community, or by the player's account."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.utils.translation import gettext

from contests.errors import ContestError
from contests.images import picture_file
from contests.models import Player, PlayerPicture
from contests.queries.visibility import visible_players
from contests.services.audit import record
from contests.services.standings import series_of

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@transaction.atomic
def set_picture(player_id: int, content: bytes | None, *, actor: User | None = None) -> Player:
    """
    Set the picture of a player from an image file, or remove it with None. The caller checks the actor's rights.

    ContestError if the file is not an image that Podium reads, is too large or too small, or if the player has been
    merged into another one.
    """
    # Before the lock, because drawing a large photo takes a while.
    digest, file = picture_file(content) if content is not None else ("", b"")
    player = Player.objects.select_for_update(no_key=True).filter(pk=player_id).first()
    if player is None:
        raise ContestError(gettext("This player no longer exists. Reload the page."))
    if player.merged_into_id is not None:
        raise ContestError(
            gettext("“%(handle)s” has been merged into another player. Change the picture of that player.")
            % {"handle": player.handle}
        )
    before = player.picture
    if before == digest:
        return player
    if digest:
        PlayerPicture.objects.update_or_create(player=player, defaults={"content": file})
    else:
        PlayerPicture.objects.filter(player=player).delete()
    _set_hash(player, digest)
    record(
        "player.picture", subject=player.handle, player=player, actor=actor,
        before={"picture": before}, after={"picture": digest},
    )  # fmt: skip
    return player


def merge_pictures(kept: Player, merged: Player) -> str:
    """
    Give a player without a picture that of a player about to be merged, in the caller's transaction, which locked both.

    The picture does not move if someone who sees the kept player may not see the merged one, because a merge must never
    publish a private picture. Return the hash of the picture; an empty text if none moved.
    """
    if not merged.picture or kept.picture or not _is_seen_by_all_of(merged, kept):
        return ""
    return _move(merged, kept)


def _is_seen_by_all_of(player: Player, other: Player) -> bool:
    """Whether everyone who may see the other player may see this one."""
    public = set(visible_players(AnonymousUser()).filter(pk__in=(player.pk, other.pk)).values_list("pk", flat=True))
    if public:
        return player.pk in public
    return not series_of([other.pk]).exclude(pk__in=series_of([player.pk]).order_by().values("pk")).exists()


def return_picture(digest: str, owner: Player, former: Player) -> None:
    """
    Undo the move of a picture by a merge, in the caller's transaction, which has locked both players.

    Do nothing if the owner has another picture by now, or none: someone has replaced or removed it.
    """
    if digest and owner.picture == digest and not former.picture:
        _move(owner, former)


def _move(source: Player, target: Player) -> str:
    digest = source.picture
    PlayerPicture.objects.filter(player=source).update(player=target)
    _set_hash(source, "")
    _set_hash(target, digest)
    return digest


def _set_hash(player: Player, digest: str) -> None:
    player.picture = digest
    player.save(update_fields=["picture"])
