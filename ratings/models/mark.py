"""The queue of record: what has to be rated again."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from contests.models import Series


class StaleMark(models.Model):
    """
    From `since` on, the published ratings of the series no longer follow from its results. Deleted by the run that
    mends it.
    """

    series = models.ForeignKey(Series, on_delete=models.CASCADE, related_name="stale_marks")
    since = models.DateTimeField()
    cause = models.TextField()
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    actor_name = models.CharField(
        max_length=150, blank=True, default="", db_default="", help_text="kept when the account is deleted"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"series {self.series_id} since {self.since:%Y-%m-%d %H:%M}"
