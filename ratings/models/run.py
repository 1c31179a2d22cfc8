"""The numbered, published unit that every shown number belongs to."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import OuterRef, Q, Subquery

from contests.models import Series, author_in_words
from ratings.models.scheme import Scheme

if TYPE_CHECKING:
    from collections.abc import Iterable

#: The kind of a run that shows an earlier one again.
ROLLBACK = "rollback"


class RunState(models.TextChoices):
    QUEUED = "queued", "queued"
    RUNNING = "running", "running"
    PUBLISHED = "published", "published"
    FAILED = "failed", "failed"
    CANCELLED = "cancelled", "cancelled"


class RunQuerySet(models.QuerySet["Run"]):
    def published(self) -> RunQuerySet:
        return self.filter(state=RunState.PUBLISHED)

    def current(self, series_id: int) -> Run | None:
        """The run whose numbers are shown now."""
        return self.published().filter(series_id=series_id).select_related("scheme").order_by("-number").first()

    def newest_of(self, series_ids: Iterable[int]) -> RunQuerySet:
        """The current runs of several series, each found by index whatever the number of runs."""
        newest = Run.objects.published().filter(series=OuterRef("pk")).order_by("-number").values("pk")[:1]
        return self.filter(pk__in=Series.objects.filter(pk__in=series_ids).values_list(Subquery(newest)))


class Run(models.Model):
    """One pass of the rating engine over a series. Published runs never change."""

    uid = models.UUIDField(
        default=uuid.uuid4, unique=True, editable=False,
        help_text="never given twice, also not after a backup was restored: what caches are keyed by",
    )  # fmt: skip
    series = models.ForeignKey(Series, on_delete=models.CASCADE, related_name="runs", db_index=False)
    number = models.PositiveIntegerField()
    scheme = models.ForeignKey(Scheme, on_delete=models.PROTECT, related_name="runs")
    state = models.CharField(max_length=10, choices=RunState, default=RunState.QUEUED)
    kind = models.CharField(max_length=10, default="replay", help_text="append, replay or rollback")
    cause = models.TextField(help_text="what changed, in words")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    actor_name = models.CharField(
        max_length=150, blank=True, default="", db_default="", help_text="kept when the account is deleted"
    )
    input_hash = models.CharField(max_length=64, blank=True, default="")
    engine_version = models.CharField(max_length=40, blank=True, default="")
    contests_done = models.PositiveIntegerField(default=0)
    contests_total = models.PositiveIntegerField(default=0)
    contest_count = models.PositiveIntegerField(default=0, help_text="rated contests of the series as of this run")
    player_count = models.PositiveIntegerField(default=0, help_text="rated players of the series as of this run")
    changed_count = models.PositiveIntegerField(default=0, help_text="rating changes that this run opened")
    pool_mean = models.FloatField(null=True, blank=True, help_text="mean of the sort scores, for the Fermi display")
    pool_width = models.FloatField(null=True, blank=True, help_text="half their standard deviation, likewise")
    created_at = models.DateTimeField(auto_now_add=True)
    published_at = models.DateTimeField(null=True, blank=True)
    result_count = models.PositiveIntegerField(default=0, help_text="rated participations that were computed")
    restores = models.PositiveIntegerField(
        null=True, blank=True, help_text="number of the run whose ratings a roll-back shows again"
    )
    cancelled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    cancelled_by_name = models.CharField(
        max_length=150, blank=True, default="", db_default="", help_text="kept when the account is deleted"
    )
    cancel_asked_at = models.DateTimeField(null=True, blank=True)
    seconds = models.FloatField(null=True, blank=True)
    error = models.TextField(blank=True, default="")

    objects = RunQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["series", "number"], name="run_number_in_series"),
            models.CheckConstraint(condition=Q(state__in=RunState.values), name="run_state_is_known"),
            models.CheckConstraint(condition=~Q(state="published") | ~Q(published_at=None), name="run_published_at"),
        ]
        # Sweeps look for the few that are at work.
        indexes = [models.Index(fields=["state", "series"], name="run_state")]

    def __str__(self) -> str:
        return f"run {self.number} of {self.series_id}"

    @property
    def who(self) -> str:
        """The account or command that asked for the run, in words; also after the account was deleted."""
        return author_in_words(self.actor, self.actor_name)

    @property
    def who_cancelled(self) -> str:
        """The account or command that cancelled the run, in words."""
        return author_in_words(self.cancelled_by, self.cancelled_by_name)

    @property
    def is_at_work(self) -> bool:
        return self.state in (RunState.QUEUED, RunState.RUNNING)
