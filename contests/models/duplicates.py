"""Searches for players who may be the same person."""

from __future__ import annotations

from django.db import models


class DuplicateSearch(models.Model):
    """
    The newest search for duplicates among the players of a series, and its result; deleting the row loses nothing.

    stamp
        Identifies the newest request; only its worker writes here.
    progress
        The progress of that request (`contests.progress`).
    found
        The result of the newest complete search: ids of pairs, and what was left out; None if there is none yet.
    state
        The state of the players before that search; the result is outdated if they have another one now.
    """

    series = models.OneToOneField(
        "contests.Series", primary_key=True, on_delete=models.CASCADE, related_name="duplicate_search"
    )
    stamp = models.CharField(max_length=32)
    progress = models.JSONField()
    found = models.JSONField(null=True)
    state = models.JSONField(null=True)
    searched_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "duplicate searches"

    def __str__(self) -> str:
        return f"duplicates in series {self.series_id}"
