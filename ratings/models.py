"""
The tables of ratings.

Podium can delete all of them and compute them again, bit for bit, from the results in `contests` and the schemes.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import models
from django.db.models import OuterRef, Q, Subquery
from django.utils.translation import pgettext_lazy

from contests.models import Community, Contest, Player, Series, author_in_words
from ratings.systems.duration import duration_weight_from_dict, weighed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ratings.systems.duration import DurationWeight


class SchemeQuerySet(models.QuerySet["Scheme"]):
    def newest(self, series_id: int) -> Scheme | None:
        """Return the version in force; None if the series has no scheme."""
        return self.filter(series_id=series_id).order_by("-version").first()


class Scheme(models.Model):
    """One version of a series' rating rules: the system with its parameters, and the display of its ratings."""

    uid = models.UUIDField(
        default=uuid.uuid4, unique=True, editable=False, help_text="unique even across backups; see Run.uid"
    )
    series = models.ForeignKey(Series, on_delete=models.CASCADE, related_name="schemes", db_index=False)
    version = models.PositiveIntegerField()
    system = models.CharField(max_length=40)
    parameters = models.JSONField(default=dict, blank=True)
    display = models.JSONField(default=dict, blank=True)
    tiers = models.JSONField(default=list, blank=True)
    leagues = models.JSONField(default=dict, blank=True, help_text="rules of leagues; empty: none")
    season = models.JSONField(default=dict, blank=True, help_text="rules of season points; empty: none")
    duration_weight = models.JSONField(
        default=dict, blank=True, help_text="how weights follow from the duration of contests; empty: not at all"
    )
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
        """The account or command that chose this version, in words, even after the account was deleted."""
        return author_in_words(self.created_by, self.created_by_name)

    @property
    def duration_rules(self) -> DurationWeight | None:
        """How weights follow from the duration of contests; None if they don't."""
        return duration_weight_from_dict(self.duration_weight)

    def weight_of(self, contest: Contest) -> float:
        """Return the weight with which a contest counts: that of the organizers, adjusted for its duration."""
        return weighed(self.duration_rules, contest.weight, contest.starts_at, contest.ends_at)

    def rates_alike(self, other: Scheme) -> bool:
        """Return whether both versions give the same numbers and order, so that a change needs no re-rating."""
        return self._numbers() == other._numbers()

    def is_like(self, other: Scheme) -> bool:
        """Return whether both versions agree in everything: numbers, display, tiers, leagues and season points."""
        return self.rates_alike(other) and self._views() == other._views()

    def has_points_of(self, other: Scheme) -> bool:
        """Return whether rating points mean the same in both, so that one can display ratings of the other."""
        return (self.system, self.parameters) == (other.system, other.parameters)

    def digest(self) -> str:
        """Return a hash of everything that the numbers depend on; versions that rate alike have the same hash."""
        return hashlib.sha256(json.dumps(self._numbers(), sort_keys=True).encode()).hexdigest()

    def _views(self) -> tuple[Any, ...]:
        return self.display, self.tiers, self.leagues, self.season

    def _numbers(self) -> tuple[Any, ...]:
        # k, how far the sort score lies below the mean, is the one part of the display that is stored with ratings.
        numbers = (self.system, self.parameters, float(self.display.get("k", 0.0)))
        # Schemes without this rule have the hash that they had before it existed.
        return (*numbers, self.duration_weight) if self.duration_weight else numbers


#: The kind of a run that publishes the ratings of an earlier run again.
ROLLBACK = "rollback"


class RunState(models.TextChoices):
    QUEUED = "queued", pgettext_lazy("run", "queued")
    RUNNING = "running", pgettext_lazy("run", "running")
    PUBLISHED = "published", pgettext_lazy("run", "published")
    FAILED = "failed", pgettext_lazy("run", "failed")
    CANCELLED = "cancelled", pgettext_lazy("run", "cancelled")


class DefaultDisplay(models.Model):
    """The display and the tiers with which new series of a community start if they use this rating system."""

    community = models.OneToOneField(
        Community, primary_key=True, on_delete=models.CASCADE, related_name="default_display"
    )
    system = models.CharField(max_length=40)
    display = models.JSONField()
    tiers = models.JSONField()

    def __str__(self) -> str:
        return f"{self.community_id}: {self.system}"


class RunQuerySet(models.QuerySet["Run"]):
    def published(self) -> RunQuerySet:
        return self.filter(state=RunState.PUBLISHED)

    def current(self, series_id: int) -> Run | None:
        """Return the newest published run, which pages show, with its scheme; None if there is none."""
        return self.published().filter(series_id=series_id).select_related("scheme").order_by("-number").first()

    def newest_of(self, series_ids: Iterable[int]) -> RunQuerySet:
        """Return the current runs of several series; each is found by an index, however many runs there are."""
        newest = Run.objects.published().filter(series=OuterRef("pk")).order_by("-number").values("pk")[:1]
        return self.filter(pk__in=Series.objects.filter(pk__in=series_ids).values_list(Subquery(newest)))


class Run(models.Model):
    """One pass of the rating engine over a series. Published runs never change."""

    uid = models.UUIDField(
        default=uuid.uuid4, unique=True, editable=False,
        help_text="cache key; never used again, even after a backup was restored",
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
    changed_count = models.PositiveIntegerField(
        default=0, help_text="number of results whose rating change is new, different or gone in this run"
    )
    pool_mean = models.FloatField(null=True, blank=True, help_text="mean of the sort scores, for the Fermi display")
    pool_width = models.FloatField(
        null=True, blank=True, help_text="half the standard deviation of the sort scores, for the Fermi display"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    published_at = models.DateTimeField(null=True, blank=True)
    result_count = models.PositiveIntegerField(default=0, help_text="number of computed participations")
    restores = models.PositiveIntegerField(
        null=True, blank=True, help_text="roll-back: number of the run whose ratings it publishes again"
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
        # Sweeps look for the few unfinished runs.
        indexes = [models.Index(fields=["state", "series"], name="run_state")]

    def __str__(self) -> str:
        return f"run {self.number} of {self.series_id}"

    @property
    def who(self) -> str:
        """The account that requested the run, even after it was deleted, or "Podium" if there was none."""
        return author_in_words(self.actor, self.actor_name, otherwise="Podium")

    @property
    def who_cancelled(self) -> str:
        """The account that cancelled the run, or "Podium" if there was none."""
        return author_in_words(self.cancelled_by, self.cancelled_by_name, otherwise="Podium")

    @property
    def is_at_work(self) -> bool:
        return self.state in (RunState.QUEUED, RunState.RUNNING)


class StaleMark(models.Model):
    """
    A note that from `since` on, the published ratings of a series no longer follow from its results.

    The run that rates these results again deletes it.
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
    The right of one process to rate a series, or to compute its derived numbers (docs/decisions/0011-leases.md).

    The process extends `expires_at` every few seconds while it works. `fence` rises each time a process takes the lease
    or finds it expired, so a process that has lost its lease sees another number and publishes nothing.
    """

    series = models.ForeignKey(Series, on_delete=models.CASCADE, related_name="leases", db_index=False)
    work = models.CharField(max_length=10, choices=Work)
    fence = models.BigIntegerField(default=0)
    holder = models.CharField(max_length=120, blank=True, default="", help_text="host and process")
    taken_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True, help_text="empty: no process is working")
    attempts = models.PositiveSmallIntegerField(
        default=0, help_text="attempts since the last completed one; the processes of all but the newest died or froze"
    )
    failures = models.PositiveSmallIntegerField(default=0, help_text="consecutive attempts that ended with an error")
    not_before = models.DateTimeField(null=True, blank=True, help_text="when sweeps may try again")
    rung_at = models.DateTimeField(null=True, blank=True, help_text="when the message now on its way was sent")
    done_run = models.UUIDField(null=True, blank=True, help_text="derive: the run of the computed numbers")
    done_scheme = models.UUIDField(null=True, blank=True, help_text="derive: the newest scheme at that time")
    done_kinds = models.CharField(
        max_length=64, blank=True, default="", help_text="derive: a hash of the computed kinds"
    )
    again_at = models.DateTimeField(null=True, blank=True, help_text="derive: when the next kind is due")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["series", "work"], name="lease_once")]

    def __str__(self) -> str:
        return f"{self.work} series {self.series_id}"


class RatingChangeQuerySet(models.QuerySet["RatingChange"]):
    def current(self) -> RatingChangeQuerySet:
        return self.filter(until_run=None)

    def as_of(self, run: int) -> RatingChangeQuerySet:
        """Return the changes that were valid when the run with this number was published."""
        return self.filter(Q(until_run=None) | Q(until_run__gt=run), from_run__lte=run)


class RatingChange(models.Model):
    """
    The effect of a contest on the rating of a player, according to runs `from_run` up to, not including, `until_run`.

    Null in `until_run` means that the change is still valid. The foreign keys have no database constraints, because
    only the engine writes rows, millions of them, and takes the keys from existing rows.
    """

    series = models.ForeignKey(
        Series, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    contest = models.ForeignKey(
        Contest, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="rating_changes"
    )
    player = models.ForeignKey(
        Player, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="rating_changes"
    )
    number = models.PositiveIntegerField(help_text="1 for the player's first rated contest of the series, and so on")
    rank = models.PositiveIntegerField()
    field_size = models.PositiveIntegerField()
    mu_before = models.FloatField()
    sigma_before = models.FloatField()
    mu = models.FloatField()
    sigma = models.FloatField()
    performance = models.FloatField()
    from_run = models.PositiveIntegerField()
    until_run = models.PositiveIntegerField(null=True)

    objects = RatingChangeQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["contest", "player"], condition=Q(until_run=None), name="change_current_once"
            ),
        ]
        indexes = [
            # The index has the number, so that a query for the newest changes of a player reads only these.
            models.Index(fields=["player", "series", "number"], name="change_of_player_by_number"),
            models.Index(fields=["series", "from_run", "id"], condition=Q(until_run=None), name="change_opened"),
            # Not ~Q(until_run=None): SQLite recognizes "IS NOT NULL" in a partial index, but not "NOT (… IS NULL)".
            models.Index(
                fields=["series", "until_run", "id"], condition=Q(until_run__isnull=False), name="change_closed"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player_id} in {self.contest_id}: {self.mu_before:.0f} -> {self.mu:.0f}"


class RatingQuerySet(models.QuerySet["Rating"]):
    def best_first(self) -> RatingQuerySet:
        """Order as the leaderboard does, and players with equal scores by id, so that pages never overlap."""
        return self.order_by("-score", "player_id")


class Rating(models.Model):
    """A player's current rating in a series, with everything that the rating system remembers about the player."""

    series = models.ForeignKey(
        Series, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    player = models.ForeignKey(
        Player, on_delete=models.DO_NOTHING, db_constraint=False, db_index=True, related_name="ratings"
    )
    mu = models.FloatField()
    sigma = models.FloatField()
    score = models.FloatField(help_text="sorts the leaderboard, and the display maps it to the displayed rating")
    contest_count = models.PositiveIntegerField()
    peak = models.FloatField(help_text="highest score")
    peak_contest = models.ForeignKey(
        Contest, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    last_contest = models.ForeignKey(
        Contest, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    belief = models.BinaryField(help_text="packed float64 values, read and written only by the rating system")

    objects = RatingQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["series", "player"], name="rating_once_per_series")]
        indexes = [models.Index(fields=["series", "-score", "player"], name="rating_leaderboard")]

    def __str__(self) -> str:
        return f"{self.player_id} in {self.series_id}: {self.mu:.0f} ± {self.sigma:.0f}"


class Derived(models.Model):
    """
    One kind of derived numbers (`ratings.derived`), computed from a run and a scheme. Can be deleted at any time.

    If computing failed, `content` is empty and `error` gives the reason; the next run tries again.
    """

    series = models.ForeignKey(Series, on_delete=models.CASCADE, related_name="+", db_index=False)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="derived")
    scheme = models.ForeignKey(Scheme, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=40)
    content = models.BinaryField(default=b"", help_text="packed arrays, read and written only by ratings.derived")
    error = models.TextField(blank=True, default="")
    seconds = models.FloatField(default=0.0)
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "derived numbers"
        constraints = [models.UniqueConstraint(fields=["run", "scheme", "kind"], name="derived_once")]
        indexes = [models.Index(fields=["series", "kind", "-id"], name="derived_newest")]

    def __str__(self) -> str:
        return f"{self.kind} of run {self.run_id}"
