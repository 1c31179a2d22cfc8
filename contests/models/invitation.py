"""Invitations to organize a series, or to a role in a community."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import Q

from contests.models.community import Community, Role
from contests.models.contest import Series

if TYPE_CHECKING:
    from datetime import datetime


class Invitation(models.Model):
    """
    A link that gives the first person who accepts it a role. Only its hash is stored.

    series
        The only series to organize; without it, the role applies to the whole community.
    """

    community = models.ForeignKey(Community, on_delete=models.CASCADE, related_name="invitations")
    series = models.ForeignKey(Series, null=True, blank=True, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=10, choices=Role, default=Role.ORGANIZER, db_default=Role.ORGANIZER)
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
            models.CheckConstraint(condition=Q(role__in=Role.values), name="invitation_role_is_known"),
            models.CheckConstraint(
                condition=Q(series=None) | Q(role=Role.ORGANIZER), name="invitation_to_series_is_for_organizers"
            ),
        ]

    def __str__(self) -> str:
        return f"invitation to {self.series_id or self.community_id}"

    @property
    def target(self) -> Series | Community:
        """The series or community in which the invitation gives a role."""
        return self.series if self.series is not None else self.community

    def is_open(self, now: datetime) -> bool:
        """Whether the invitation can still be accepted."""
        return self.accepted_at is None and self.withdrawn_at is None and now < self.expires_at
