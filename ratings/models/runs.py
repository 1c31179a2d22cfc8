"""The numbered, published unit that every shown number belongs to."""

from __future__ import annotations

import hashlib
import json
import uuid
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import models
from django.db.models import OuterRef, Q, Subquery

from contests.models import Series, author_in_words

if TYPE_CHECKING:
    from collections.abc import Iterable


class SchemeQuerySet(models.QuerySet["Scheme"]):
    def newest(self, series_id: int) -> Scheme | None:
        """The version in force."""
        return self.filter(series_id=series_id).order_by("-version").first()


class Scheme(models.Model):
    """One version of a series' rating rules: the system with its parameters, and how its ratings are shown."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False, help_text="never given twice; see Run.uid")
    series = models.ForeignKey(Series, on_delete=models.CASCADE, related_name="schemes", db_index=False)
    version = models.PositiveIntegerField()
    system = models.CharField(max_length=40)
    parameters = models.JSONField(default=dict, blank=True)
    display = models.JSONField(default=dict, blank=True)
    tiers = models.JSONField(default=list, blank=True)
    leagues = models.JSONField(default=dict, blank=True, help_text="how tiers are gained and lost; empty: at once")
    season = models.JSONField(default=dict, blank=True, help_text="season points; empty: there are none")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    created_by_name = models.CharField(
        max_length=150, blank=True, default="", db_default="", help_text="kept when the account is deleted"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = SchemeQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["series", "version"], name="scheme_version_in_series")]

    def __str__(self) -> str:
        return f"{self.system} v{self.version}"

    @property
    def who(self) -> str:
        """The account or command that chose this version, in words; also after the account was deleted."""
        return author_in_words(self.created_by, self.created_by_name)

    def rates_alike(self, other: Scheme) -> bool:
        """Whether the other version gives the same numbers and order, so that nothing has to be rated again."""
        return self._numbers() == other._numbers()

    def is_like(self, other: Scheme) -> bool:
        """Whether the other version says the same in all: numbers, display, tiers, leagues and season points."""
        return self.rates_alike(other) and self._views() == other._views()

    def has_points_of(self, other: Scheme) -> bool:
        """Whether rating points mean the same in both, so that one can show what the other rated."""
        return (self.system, self.parameters) == (other.system, other.parameters)

    def digest(self) -> str:
        """Return a hash of all that the numbers depend on; versions that rate alike have the same."""
        return hashlib.sha256(json.dumps(self._numbers(), sort_keys=True).encode()).hexdigest()

    def _views(self) -> tuple[Any, ...]:
        return self.display, self.tiers, self.leagues, self.season

    def _numbers(self) -> tuple[str, dict[str, Any], float]:
        # k, how far the sort score lies below the mean, is the one part of the display that is stored with ratings.
        return self.system, self.parameters, float(self.display.get("k", 0.0))


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


class Work(models.TextChoices):
    RATE = "rate", "rate"
    DERIVE = "derive", "derive"


class Lease(models.Model):
    """
    The right of one process to rate a series, or to derive numbers from it (docs/decisions/0011-leases.md).

    A process at work extends `expires_at` every few seconds. `fence` rises each time someone takes the lease or finds
    it expired, so a process that has lost its lease sees another number and publishes nothing.
    """

    series = models.ForeignKey(Series, on_delete=models.CASCADE, related_name="leases", db_index=False)
    work = models.CharField(max_length=10, choices=Work)
    fence = models.BigIntegerField(default=0)
    holder = models.CharField(max_length=120, blank=True, default="", help_text="host and process, for people")
    taken_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True, help_text="empty: nobody is at work")
    attempts = models.PositiveSmallIntegerField(
        default=0, help_text="attempts begun since one ended in order; the process of all others died or froze"
    )
    failures = models.PositiveSmallIntegerField(default=0, help_text="attempts in a row that ended with an error")
    not_before = models.DateTimeField(null=True, blank=True, help_text="when sweeps may try again")
    rung_at = models.DateTimeField(null=True, blank=True, help_text="since when a message is on its way")
    done_run = models.UUIDField(null=True, blank=True, help_text="derive: the run that all kinds were derived from")
    done_scheme = models.UUIDField(null=True, blank=True, help_text="derive: the newest scheme then")
    done_kinds = models.CharField(max_length=64, blank=True, default="", help_text="derive: a hash of the kinds")
    again_at = models.DateTimeField(null=True, blank=True, help_text="derive: when a kind that rests is due")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["series", "work"], name="lease_once")]

    def __str__(self) -> str:
        return f"{self.work} series {self.series_id}"


class Derived(models.Model):
    """
    One kind of numbers derived from a run as a scheme shows it (`ratings.derived`). Can be thrown away at any time.

    `content` is empty and `error` says why where computing failed: it is tried again with the next run.
    """

    series = models.ForeignKey(Series, on_delete=models.CASCADE, related_name="+", db_index=False)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="derived")
    scheme = models.ForeignKey(Scheme, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=40)
    content = models.BinaryField(default=b"", help_text="packed arrays, written and read by ratings.derived alone")
    error = models.TextField(blank=True, default="")
    seconds = models.FloatField(default=0.0)
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "derived numbers"
        constraints = [models.UniqueConstraint(fields=["run", "scheme", "kind"], name="derived_once")]
        indexes = [models.Index(fields=["series", "kind", "-id"], name="derived_newest")]

    def __str__(self) -> str:
        return f"{self.kind} of run {self.run_id}"
