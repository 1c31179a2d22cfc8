"""How a second organizer comes to a series."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models

from contests.models.contest import Series

if TYPE_CHECKING:
    from datetime import datetime


class Invitation(models.Model):
    """A link that makes whoever opens it first an organizer of the series. Only its hash is stored."""

    series = models.ForeignKey(Series, on_delete=models.CASCADE, related_name="invitations")
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    note = models.CharField(max_length=120, blank=True, default="", help_text="whom it is for")
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

    def __str__(self) -> str:
        return f"invitation to {self.series_id}"

    def is_open(self, now: datetime) -> bool:
        """Whether somebody can still accept it."""
        return self.accepted_at is None and self.withdrawn_at is None and now < self.expires_at
