"""Series, contests and their standings, and uploaded files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import pgettext_lazy

from contests.models.community import Community, CommunityReader, Membership, Role, Visibility
from contests.models.ordering import is_after, is_before

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.contrib.auth.models import AnonymousUser, User

    from contests.models.community import Visitor


class SeriesQuerySet(models.QuerySet["Series"]):
    def public(self) -> SeriesQuerySet:
        """Return the series that everyone may read."""
        return self.filter(is_public=True)

    def listed(self) -> SeriesQuerySet:
        """Return the series that lists and searches of the whole site show to everyone."""
        return self.filter(is_listed=True)

    def organized_by(self, user: User | AnonymousUser) -> SeriesQuerySet:
        """Return the series that the user may change: their own, those of their communities, or all for staff."""
        if not user.is_authenticated:
            return self.none()
        if user.is_staff:
            return self.all()
        own = Series.organizers.through.objects.filter(user=user).values("series")
        return self.filter(Q(pk__in=own) | Q(community__in=_communities_of(user, Role.OWNER, Role.ORGANIZER)))

    def readable_by(self, user: Visitor) -> SeriesQuerySet:
        """Return the series that the user may read as organizer or as a member of the community; all for staff."""
        if isinstance(user, CommunityReader):
            return self.filter(community=user.community_id)
        if not user.is_authenticated:
            return self.none()
        if user.is_staff:
            return self.all()
        own = Series.organizers.through.objects.filter(user=user).values("series")
        return self.filter(Q(pk__in=own) | Q(community__in=_communities_of(user)))


def _communities_of(user: User | AnonymousUser, *roles: Role) -> models.QuerySet[Membership, Any]:
    members = Membership.objects.filter(user=user.pk)
    return (members.filter(role__in=roles) if roles else members).values("community")


class Series(models.Model):
    """
    A series of contests of one kind, in which each player has one rating.

    `is_public` (everyone may read it) and `is_listed` (lists of the whole site show it) follow from `is_private` and
    from the visibility of the community, so that queries need not read communities. `save` sets them.
    """

    community = models.ForeignKey(Community, on_delete=models.PROTECT, related_name="series", db_index=False)
    slug = models.SlugField(max_length=80)
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True, default="")
    organizers = models.ManyToManyField(settings.AUTH_USER_MODEL, blank=True, related_name="organized_series")
    is_private = models.BooleanField(
        default=False, db_default=False, help_text="only members of the community can see it"
    )
    is_public = models.BooleanField(default=True, db_default=True, editable=False)
    is_listed = models.BooleanField(default=True, db_default=True, editable=False)
    needs_approval = models.BooleanField(
        default=False, db_default=False, help_text="a second organizer has to finalize each contest"
    )
    takes_reports = models.BooleanField(
        default=False, db_default=False, help_text="players with an account may report games"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = SeriesQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "series"
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["community", "slug"], name="series_slug_in_community"),
            models.CheckConstraint(condition=~Q(name=""), name="series_has_a_name"),
        ]
        # Lists of the whole site, page by page.
        indexes = [models.Index(fields=["name", "id"], condition=Q(is_listed=True), name="series_listed_by_name")]

    def __str__(self) -> str:
        return self.name

    def save(self, **kwargs: Any) -> None:
        """Save the series, with the fields that follow from its visibility and that of its community."""
        kwargs["update_fields"] = self._settle_visibility(kwargs.get("update_fields"))
        super().save(**kwargs)

    def get_absolute_url(self) -> str:
        return reverse("series", args=[self])

    @property
    def full_slug(self) -> str:
        """The name of the series in commands and parameters: [COMMUNITY/]SLUG, short in the default community."""
        return self.slug if self.community_id == settings.PODIUM_COMMUNITY else f"{self.community_id}/{self.slug}"

    def _settle_visibility(self, update_fields: Iterable[str] | None) -> Iterable[str] | None:
        if update_fields is not None and "is_private" not in update_fields:
            return update_fields
        visibility = Visibility.PRIVATE if self.is_private else self.community.visibility
        self.is_public = visibility != Visibility.PRIVATE
        self.is_listed = visibility == Visibility.PUBLIC
        return update_fields if update_fields is None else {*update_fields, "is_public", "is_listed"}


class ContestState(models.TextChoices):
    DRAFT = "draft", pgettext_lazy("state", "draft")
    FINALIZED = "finalized", pgettext_lazy("state", "finalized")
    DELETED = "deleted", pgettext_lazy("state", "deleted")


class ContestQuerySet(models.QuerySet["Contest"]):
    def existing(self) -> ContestQuerySet:
        """Return all contests except deleted ones, which stay for the runs that rated them."""
        return self.exclude(state=ContestState.DELETED)

    def finalized(self) -> ContestQuerySet:
        return self.filter(state=ContestState.FINALIZED)

    def rated(self) -> ContestQuerySet:
        """Return the contests that the rating engine reads."""
        return self.finalized().filter(is_rated=True)

    def public(self) -> ContestQuerySet:
        """Return the contests whose results everyone may read."""
        return self.finalized().filter(series__is_public=True)

    def listed(self) -> ContestQuerySet:
        """Return the contests that lists of the whole site show to everyone."""
        return self.finalized().filter(series__is_listed=True)

    def listed_alone(self) -> ContestQuerySet:
        """Return events and the contests outside events, as lists show them."""
        return self.filter(event=None)

    def coming(self) -> ContestQuerySet:
        """Return announced drafts that are not over, by date."""
        return self.filter(state=ContestState.DRAFT, is_announced=True, ends_at__gt=Now()).in_order()

    def in_order(self) -> ContestQuerySet:
        """Sort the contests in the order in which they are rated."""
        return self.order_by("ends_at", "sequence", "id")

    def after(self, contest: Contest) -> ContestQuerySet:
        """Return the contests of the same series that come later in the total order."""
        return self.filter(is_after(contest), series=contest.series_id)

    def before(self, contest: Contest) -> ContestQuerySet:
        """Return the contests of the same series that come earlier in the total order."""
        return self.filter(is_before(contest), series=contest.series_id)

    def newest_first(self) -> ContestQuerySet:
        return self.order_by("-ends_at", "-sequence", "-id")


class Contest(models.Model):
    """
    A contest of a series: a draft until an organizer finalizes it. Deleted contests stay for earlier runs.

    An event is a contest without standings of its own, whose games are contests that refer to it. It is finalized,
    deleted and restored with all its games (docs/decisions/0020-events.md).
    """

    series = models.ForeignKey(Series, on_delete=models.PROTECT, related_name="contests", db_index=False)
    slug = models.CharField(
        max_length=120, help_text="the ID of the contest in files and exports, unique in its series"
    )
    name = models.CharField(max_length=300)
    url = models.URLField(max_length=500, blank=True, default="")
    starts_at = models.DateTimeField(null=True, blank=True)
    ends_at = models.DateTimeField()
    sequence = models.IntegerField(default=0, db_default=0, help_text="order among contests that end at the same time")
    weight = models.FloatField(default=1.0, db_default=1.0)
    perf_ceiling = models.FloatField(null=True, blank=True, help_text="the greatest performance that counts, in points")
    is_rated = models.BooleanField(default=True, db_default=True)
    has_teams = models.BooleanField(default=False, db_default=False)
    has_shares = models.BooleanField(
        default=False, db_default=False, editable=False, help_text="someone took part for only a share of it"
    )
    has_handicaps = models.BooleanField(
        default=False, db_default=False, editable=False, help_text="someone has an advantage in rating points"
    )
    has_times = models.BooleanField(
        default=False, db_default=False, editable=False, help_text="the penalties are times, in seconds"
    )
    rating_lower_limit = models.IntegerField(
        null=True, blank=True, help_text="displayed rating; players below it are not ranked"
    )
    rating_upper_limit = models.IntegerField(
        null=True, blank=True, help_text="displayed rating; players above it are not ranked"
    )
    state = models.CharField(max_length=10, choices=ContestState, default=ContestState.DRAFT)
    is_announced = models.BooleanField(
        default=False, db_default=False, help_text="anyone can see the name, date and web page of the draft"
    )
    event = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.CASCADE, related_name="games", db_index=False, editable=False,
        help_text="the event that the game belongs to",
    )  # fmt: skip
    is_event = models.BooleanField(default=False, db_default=False, editable=False, help_text="consists of games")
    is_walkover = models.BooleanField(
        default=False, db_default=False, editable=False, help_text="a result without play: a forfeit or a bye"
    )
    round = models.CharField(max_length=40, blank=True, default="", db_default="", help_text="round of the event")
    game_count = models.PositiveIntegerField(default=0, db_default=0, editable=False, help_text="games of the event")
    standing_count = models.PositiveIntegerField(
        default=0, db_default=0, editable=False, help_text="rows; for an event, its players"
    )
    content_hash = models.CharField(max_length=64, blank=True, default="", editable=False)
    upload = models.ForeignKey(
        "contests.Upload", null=True, blank=True, on_delete=models.SET_NULL, related_name="contests"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    finalized_at = models.DateTimeField(null=True, blank=True, editable=False)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+",
        help_text="the organizer who asked a second person to finalize the contest",
    )  # fmt: skip
    asked_at = models.DateTimeField(null=True, blank=True, editable=False)
    version = models.PositiveIntegerField(
        default=0, db_default=0, editable=False, help_text="number of changes, to detect concurrent changes"
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
                condition=Q(is_event=False) | Q(is_rated=False, event=None), name="contest_event_is_not_rated"
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
            # Lists show events and not their games, which can be a thousand times as many.
            models.Index(
                fields=["state", "ends_at", "sequence", "id"], condition=Q(event=None), name="contest_listed_alone"
            ),
            models.Index(
                fields=["series", "state", "ends_at", "sequence", "id"],
                condition=Q(event=None),
                name="contest_of_series_alone",
            ),
            models.Index(
                fields=["event", "ends_at", "sequence", "id"], condition=~Q(event=None), name="contest_of_event"
            ),
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


class Side(models.TextChoices):
    WHITE = "white", "White"
    BLACK = "black", "Black"
    HOME = "home", "Home"
    AWAY = "away", "Away"


class StandingStatus(models.TextChoices):
    RANKED = "ranked", pgettext_lazy("status", "ranked")
    UNOFFICIAL = "unofficial", pgettext_lazy("status", "not ranked")
    DISQUALIFIED = "disqualified", pgettext_lazy("status", "disqualified")


class StandingQuerySet(models.QuerySet["Standing"]):
    def ranked(self) -> StandingQuerySet:
        return self.filter(status=StandingStatus.RANKED)

    def for_table(self) -> StandingQuerySet:
        """Sort the rows as tables show them, with their players: best place first, unranked rows last."""
        return self.select_related("player").order_by(
            models.F("rank").asc(nulls_last=True), models.F("place").asc(nulls_last=True), "player__handle_key"
        )


class Standing(models.Model):
    """
    The result of a player in a contest.

    `place` is the place among all rows, from the file or the organizer. `rank` is computed from it: the competition
    rank among the ranked rows. A disqualification moves everyone below up, and lifting it moves them down again.
    """

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="standings", db_index=False)
    player = models.ForeignKey("contests.Player", on_delete=models.PROTECT, related_name="standings")
    place = models.PositiveIntegerField(null=True, blank=True)
    rank = models.PositiveIntegerField(null=True, blank=True)
    score = models.FloatField(null=True, blank=True)
    penalty = models.FloatField(null=True, blank=True)
    team = models.CharField(max_length=128, blank=True, default="", db_default="")
    side = models.CharField(
        max_length=5, choices=Side, blank=True, default="", db_default="", help_text="colour or home side in a game"
    )
    share = models.FloatField(
        null=True, blank=True, help_text="the share of the contest that the player took part in; empty for all of it"
    )
    handicap = models.FloatField(
        null=True,
        blank=True,
        help_text="advantage in rating points, the same for all members of a team; empty for none",
    )
    status = models.CharField(max_length=12, choices=StandingStatus, default=StandingStatus.RANKED, db_default="ranked")
    is_ineligible = models.BooleanField(
        default=False, db_default=False, help_text="outside the contest's rating limits when it was finalized"
    )

    objects = StandingQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["contest", "rank"], name="standing_by_rank")]
        constraints = [
            models.UniqueConstraint(fields=["contest", "player"], name="standing_once_per_contest"),
            models.CheckConstraint(condition=Q(status__in=StandingStatus.values), name="standing_status_is_known"),
            models.CheckConstraint(condition=Q(rank=None) | Q(rank__gte=1), name="standing_rank_from_1"),
            models.CheckConstraint(condition=Q(place=None) | Q(place__gte=1), name="standing_place_from_1"),
            models.CheckConstraint(
                condition=Q(status="ranked", rank__isnull=False, place__isnull=False)
                | (~Q(status="ranked") & Q(rank=None)),
                name="standing_ranked_has_a_rank",
            ),
            models.CheckConstraint(
                condition=Q(share=None) | Q(share__gt=0, share__lte=1), name="standing_share_in_range"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rank if self.rank is not None else self.status} {self.player_id} in {self.contest_id}"


class UploadState(models.TextChoices):
    STAGED = "staged", pgettext_lazy("upload", "under review")
    SAVED = "saved", pgettext_lazy("upload", "saved")


class UploadQuerySet(models.QuerySet["Upload"]):
    def staged(self) -> UploadQuerySet:
        """Return the files under review."""
        return self.filter(state=UploadState.STAGED)

    def with_open_review(self) -> UploadQuerySet:
        """Return the files that can still be saved, newest first: not those older than the saved standings."""
        is_newer = Q(draft__upload=None) | Q(created_at__gt=F("draft__upload__created_at"))
        return self.staged().filter(is_newer).order_by("-touched_at")

    def saved(self) -> UploadQuerySet:
        """Return the files that were saved as standings."""
        return self.filter(state=UploadState.SAVED)


def upload_path(upload: Upload, filename: str) -> str:
    """Return the path of an upload, named by its content; the original file name is never used in the file system."""
    return f"uploads/{upload.sha256[:2]}/{upload.sha256}"


class Upload(models.Model):
    """
    A standings file in its original form.

    Organizers find a staged file by its token. `draft`, `choices`, `stamp`, `review`, `progress` and `saving` are used
    only during the review (docs/decisions/0013-upload-state.md). A saved file is found by its content. It keeps the
    token of its newest review, so that the page of that review can find it.
    """

    series = models.ForeignKey(Series, on_delete=models.CASCADE, related_name="uploads", db_index=False)
    state = models.CharField(
        max_length=10, choices=UploadState, default=UploadState.SAVED, db_default=UploadState.SAVED, editable=False
    )
    sha256 = models.CharField(max_length=64)
    filename = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField()
    format = models.CharField(max_length=20)
    file = models.FileField(upload_to=upload_path, max_length=120)
    reading = models.JSONField(default=dict, blank=True, help_text="options for reading the columns; empty if detected")
    decisions = models.JSONField(default=dict, blank=True, help_text="decisions of the organizer: handle -> player")
    report = models.JSONField(default=dict, help_text="counts and warnings shown to the organizer")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)
    token = models.CharField(max_length=32, null=True, blank=True, unique=True, editable=False)
    draft = models.ForeignKey(
        "contests.Contest", null=True, blank=True, on_delete=models.SET_NULL, related_name="staged_uploads",
        editable=False,
    )  # fmt: skip
    lines = models.PositiveIntegerField(default=0, db_default=0, editable=False, help_text="0 for a packed file")
    is_packed = models.BooleanField(default=False, db_default=False, editable=False)
    choices = models.JSONField(null=True, blank=True, editable=False, help_text="current choices of the organizer")
    stamp = models.CharField(max_length=32, blank=True, default="", db_default="", editable=False)
    review = models.JSONField(null=True, blank=True, editable=False, help_text="findings by these choices")
    progress = models.JSONField(null=True, blank=True, editable=False, help_text="progress of the review by a worker")
    saving = models.JSONField(null=True, blank=True, editable=False, help_text="request to save it, and its progress")
    touched_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = UploadQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["series", "sha256"], name="upload_by_content"),
            models.Index(fields=["touched_at"], name="upload_staged", condition=models.Q(state="staged")),
        ]

    def __str__(self) -> str:
        return self.filename
