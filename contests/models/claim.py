"""Accounts of players."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from contests.models.community import Community
from contests.models.player import Player


class PlayerClaim(models.Model):
    """
    The account of a player: someone with the account is this player.

    It gives no rights except to report games, and no page shows others who has an account
    (docs/decisions/0022-claims-and-reports.md). `services.claims` writes it.

    wants_mail
        Whether the person gets an email when an opponent reports a game.
    """

    community = models.ForeignKey(
        Community, on_delete=models.CASCADE, related_name="+", db_index=False, help_text="that of the player"
    )
    player = models.OneToOneField(Player, on_delete=models.CASCADE, related_name="claim")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="claims")
    wants_mail = models.BooleanField(default=True, db_default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["community", "user"], name="claim_once_in_community")]

    def __str__(self) -> str:
        return f"{self.user_id} is player {self.player_id}"
