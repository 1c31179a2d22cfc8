"""Accounts of players: an account that accepts an organizer's link is the account of a player until it is unlinked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from contests.errors import ContestError
from contests.models import Community, Invitation, Player, PlayerClaim
from contests.services.audit import record

if TYPE_CHECKING:
    from collections.abc import Collection

    from django.contrib.auth.models import User


def refuse_claimed(player: Player) -> None:
    """Raise ContestError if no account can be connected to the player: it has one, or it has been merged."""
    if player.merged_into_id is not None:
        raise ContestError(
            gettext(
                "“%(handle)s” has been merged into another player. Ask an organizer for an account link for that "
                "player."
            )
            % {"handle": player.handle}
        )
    if PlayerClaim.objects.filter(player=player).exists():
        raise ContestError(
            gettext("“%(handle)s” already has an account. An organizer has to unlink it first.")
            % {"handle": player.handle}
        )


def has_claimed(player: Player, user: User) -> bool:
    """Whether the user's account is that of the player."""
    return PlayerClaim.objects.filter(player=player, user=user).exists()


def claim_player(player: Player, user: User) -> None:
    """
    Connect the user's account to a player, in the caller's transaction, which has locked the community.

    ContestError if the player has an account or has been merged, or if the user is another player of the community.
    """
    refuse_claimed(player)
    other = PlayerClaim.objects.select_related("player").filter(community=player.community_id, user=user).first()
    if other is not None:
        raise ContestError(
            gettext(
                "You are already “%(handle)s” in this community. Ask an organizer to merge the two players, "
                "or unlink your account from that player first."
            )
            % {"handle": other.player.handle}
        )
    try:
        with transaction.atomic():
            PlayerClaim.objects.create(community_id=player.community_id, player=player, user=user)
    except IntegrityError as error:
        raise ContestError(
            gettext(
                "Another account or player was linked at the same moment, so nothing was saved. "
                "Open the link again to see what changed."
            )
        ) from error


@transaction.atomic
def unlink_player(player_id: int, *, actor: User | None = None) -> None:
    """End the claim of a player's account; do nothing if the player has none. The caller checks the actor's rights."""
    player = Player.objects.get(pk=player_id)
    Community.objects.select_for_update(no_key=True).get(pk=player.community_id)
    claim = PlayerClaim.objects.select_related("user").filter(player=player_id).first()
    if claim is None:
        return
    name = claim.user.get_username()
    claim.delete()
    record("claim.unlink", subject=player.handle, player=player, actor=actor, before={"user": name})


def set_mail(player_id: int, *, user: User, wants_mail: bool) -> None:
    """Set whether the person behind a player gets emails about reported games; do nothing for other accounts."""
    PlayerClaim.objects.filter(player=player_id, user=user).update(wants_mail=wants_mail)


def move_claim(kept: Player, merged: Player, *, actor: User | None) -> None:
    """
    Move the account of a player who is being merged to the player that stays, in the caller's transaction.

    ContestError if both have one, because one of the two accounts would have to go.
    """
    claims = {claim.player_id: claim for claim in PlayerClaim.objects.filter(player__in=(kept, merged))}
    moved = claims.get(merged.pk)
    _withdraw_links([merged] if moved is None else [kept, merged], actor)
    if moved is None:
        return
    if kept.pk in claims:
        raise ContestError(
            gettext(
                "“%(handle)s” and “%(other)s” both have an account. Unlink one of the two accounts first, on that "
                "player’s page."
            )
            % {"handle": kept.handle, "other": merged.handle}
        )
    moved.player = kept
    try:
        with transaction.atomic():
            moved.save(update_fields=["player"])
    except IntegrityError as error:
        raise ContestError(
            gettext("Someone has just linked an account to “%(handle)s”. Reload the page.") % {"handle": kept.handle}
        ) from error
    record(
        "claim.move", subject=f"{merged.handle} to {kept.handle}", player=kept, actor=actor,
        after={"user": moved.user.get_username()},
    )  # fmt: skip


def _withdraw_links(players: Collection[Player], actor: User | None) -> None:
    found = Invitation.objects.filter(player__in=players, accepted_at=None, withdrawn_at=None).select_related("player")
    for invitation in found:
        invitation.withdrawn_at = timezone.now()
        invitation.save(update_fields=["withdrawn_at"])
        subject = invitation.player.handle if invitation.player is not None else ""
        record("claim.withdraw", subject=subject, player=invitation.player, actor=actor)
