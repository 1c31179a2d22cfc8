"""Series and contests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.urls import reverse

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User


class SeriesQuerySet(models.QuerySet["Series"]):
    def public(self) -> SeriesQuerySet:
        return self.filter(is_public=True)

    def organized_by(self, user: User | AnonymousUser) -> SeriesQuerySet:
        """The series that the user may change: their own, or all for staff."""
        if not user.is_authenticated:
            return self.none()
        return self.all() if user.is_staff else self.filter(organizers=user)


class Series(models.Model):
    """A pool: one rating per player and series. Results of different kinds of contests are not mixed."""

    slug = models.SlugField(max_length=80, unique=True)
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True, default="")
    organizers = models.ManyToManyField(settings.AUTH_USER_MODEL, blank=True, related_name="organized_series")
    is_public = models.BooleanField(default=True, db_default=True)
    needs_approval = models.BooleanField(
        default=False, db_default=False, help_text="a second person finalizes what one has asked for"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = SeriesQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "series"
        ordering = ["name"]
        constraints = [models.CheckConstraint(condition=~Q(name=""), name="series_has_a_name")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("series", args=[self.slug])


class ContestState(models.TextChoices):
    DRAFT = "draft", "draft"
    FINALIZED = "finalized", "finalized"
    DELETED = "deleted", "deleted"


class ContestQuerySet(models.QuerySet["Contest"]):
    def existing(self) -> ContestQuerySet:
        """All but the deleted ones, which stay only for the runs that rated them."""
        return self.exclude(state=ContestState.DELETED)

    def finalized(self) -> ContestQuerySet:
        return self.filter(state=ContestState.FINALIZED)

    def rated(self) -> ContestQuerySet:
        """What the rating engine reads."""
        return self.finalized().filter(is_rated=True)

    def public(self) -> ContestQuerySet:
        return self.finalized().filter(series__is_public=True)

    def coming(self) -> ContestQuerySet:
        """Announced, and not over: what people can look forward to, by date."""
        drafts = self.filter(state=ContestState.DRAFT, is_announced=True, ends_at__gt=Now())
        return drafts.order_by("ends_at", "sequence", "id")

    def in_order(self) -> ContestQuerySet:
        """The total order in which contests are rated."""
        return self.order_by("ends_at", "sequence", "id")

    def after(self, contest: Contest) -> ContestQuerySet:
        """Those of its series that come later in the total order."""
        end, sequence = contest.ends_at, contest.sequence
        same_end = Q(sequence__gt=sequence) | Q(sequence=sequence, id__gt=contest.pk)
        return self.filter(Q(ends_at__gt=end) | Q(same_end, ends_at=end), series=contest.series_id)

    def newest_first(self) -> ContestQuerySet:
        return self.order_by("-ends_at", "-sequence", "-id")


class Contest(models.Model):
    """One contest of a series. `draft` until an organizer finalizes it; `deleted` rows stay for older runs."""

    series = models.ForeignKey(Series, on_delete=models.PROTECT, related_name="contests", db_index=False)
    slug = models.CharField(max_length=120, help_text="the contest's id in files and exports; unique in its series")
    name = models.CharField(max_length=300)
    url = models.URLField(max_length=500, blank=True, default="")
    starts_at = models.DateTimeField(null=True, blank=True)
    ends_at = models.DateTimeField()
    sequence = models.IntegerField(
        default=0, db_default=0, help_text="order among contests that end at the same moment"
    )
    weight = models.FloatField(default=1.0, db_default=1.0)
    perf_ceiling = models.FloatField(
        null=True, blank=True, help_text="no performance counts as more than this, in points"
    )
    is_rated = models.BooleanField(default=True, db_default=True)
    has_teams = models.BooleanField(default=False, db_default=False)
    rating_lower_limit = models.IntegerField(null=True, blank=True, help_text="as shown; below it out of competition")
    rating_upper_limit = models.IntegerField(null=True, blank=True, help_text="as shown; above it out of competition")
    state = models.CharField(max_length=10, choices=ContestState, default=ContestState.DRAFT)
    is_announced = models.BooleanField(
        default=False, db_default=False, help_text="a draft whose name, date and address everybody may see"
    )
    standing_count = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    content_hash = models.CharField(max_length=64, blank=True, default="", editable=False)
    upload = models.ForeignKey(
        "contests.Upload", null=True, blank=True, on_delete=models.SET_NULL, related_name="contests"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    finalized_at = models.DateTimeField(null=True, blank=True, editable=False)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+",
        help_text="who asked for finalizing, where a second person has to do it",
    )  # fmt: skip
    asked_at = models.DateTimeField(null=True, blank=True, editable=False)
    version = models.PositiveIntegerField(
        default=0, db_default=0, editable=False, help_text="counts the changes, so that nobody overwrites another's"
    )
    amended_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = ContestQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["series", "slug"], condition=~Q(state="deleted"), name="contest_slug_in_series"
            ),
            models.CheckConstraint(condition=Q(state__in=ContestState.values), name="contest_state_is_known"),
            models.CheckConstraint(condition=Q(weight__gt=0) & Q(weight__lte=1000), name="contest_weight_in_range"),
            models.CheckConstraint(
                condition=Q(starts_at=None) | Q(starts_at__lte=F("ends_at")), name="contest_starts_before_it_ends"
            ),
            models.CheckConstraint(
                condition=~Q(state="finalized") | ~Q(finalized_at=None), name="contest_finalized_at"
            ),
            models.CheckConstraint(
                condition=Q(rating_lower_limit=None)
                | Q(rating_upper_limit=None)
                | Q(rating_lower_limit__lte=F("rating_upper_limit")),
                name="contest_limits_in_order",
            ),
        ]
        indexes = [
            models.Index(fields=["series", "ends_at", "sequence", "id"], name="contest_order"),
            models.Index(fields=["state", "ends_at", "sequence", "id"], name="contest_by_state"),
            models.Index(fields=["series", "state", "ends_at", "sequence", "id"], name="contest_of_series_by_state"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("contest", args=[self.pk])

    @property
    def is_draft(self) -> bool:
        return self.state == ContestState.DRAFT

    @property
    def is_finalized(self) -> bool:
        return self.state == ContestState.FINALIZED
