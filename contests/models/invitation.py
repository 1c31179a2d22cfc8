"""Invitations to organize a series, to a role in a community, or to connect an account to a player."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import Q

from contests.models.community import Community, Role
from contests.models.contest import Series
from contests.models.player import Player

if TYPE_CHECKING:
    from datetime import datetime


class Invitation(models.Model):
    """
    A link that gives the first person who accepts it a role, or connects their account to a player.

    Only the hash of its secret is stored.

    series
        The only series to organize; without it, the role applies to the whole community.
    player
        The player to whom the person's account is connected. Such a link gives no role.
    """

    community = models.ForeignKey(Community, on_delete=models.CASCADE, related_name="invitations")
    series = models.ForeignKey(Series, null=True, blank=True, on_delete=models.CASCADE, related_name="invitations")
    player = models.ForeignKey(Player, null=True, blank=True, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=10, choices=Role, blank=True, default=Role.ORGANIZER, db_default=Role.ORGANIZER)
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    note = models.CharField(max_length=120, blank=True, default="", help_text="the person it is for")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    accepted_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(role__in=Role.values, player=None) | Q(role="", series=None, player__isnull=False),
                name="invitation_gives_a_role_or_a_player",
            ),
            models.CheckConstraint(
                condition=Q(series=None) | Q(role=Role.ORGANIZER), name="invitation_to_series_is_for_organizers"
            ),
        ]

    def __str__(self) -> str:
        return f"invitation to {self.player_id or self.series_id or self.community_id}"

    @property
    def target(self) -> Series | Community | Player:
        """The series or community in which the invitation gives a role, or the player for an account."""
        if self.player is not None:
            return self.player
        return self.series if self.series is not None else self.community

    def is_open(self, now: datetime) -> bool:
        """Whether the invitation can still be accepted."""
        return self.accepted_at is None and self.withdrawn_at is None and now < self.expires_at
