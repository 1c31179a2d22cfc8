"""What one contest did to one rating."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from contests.models import Contest, Player, Series


class RatingChangeQuerySet(models.QuerySet["RatingChange"]):
    def current(self) -> RatingChangeQuerySet:
        return self.filter(until_run=None)

    def as_of(self, run: int) -> RatingChangeQuerySet:
        """The rows that were valid when that run was published."""
        return self.filter(Q(until_run=None) | Q(until_run__gt=run), from_run__lte=run)


class RatingChange(models.Model):
    """
    One rated participation as some runs saw it: valid from `from_run` until before `until_run` (null: still).

    The keys carry no database constraints: rows are written by the million and only by the engine, from rows that
    exist.
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
            models.Index(fields=["player", "series"], name="change_of_player"),
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
        """The order of the leaderboard; equal scores by player, so that pages never overlap."""
        return self.order_by("-score", "player_id")


class Rating(models.Model):
    """A player's current rating in a series, with the system's own memory of the player."""

    series = models.ForeignKey(
        Series, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    player = models.ForeignKey(
        Player, on_delete=models.DO_NOTHING, db_constraint=False, db_index=True, related_name="ratings"
    )
    mu = models.FloatField()
    sigma = models.FloatField()
    score = models.FloatField(help_text="what the display mapping is applied to and the leaderboard is sorted by")
    contest_count = models.PositiveIntegerField()
    peak = models.FloatField(help_text="highest score so far")
    peak_contest = models.ForeignKey(
        Contest, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    last_contest = models.ForeignKey(
        Contest, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    belief = models.BinaryField(help_text="packed float64, written and read by the rating system alone")

    objects = RatingQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["series", "player"], name="rating_once_per_series")]
        indexes = [models.Index(fields=["series", "-score", "player"], name="rating_leaderboard")]

    def __str__(self) -> str:
        return f"{self.player_id} in {self.series_id}: {self.mu:.0f} ± {self.sigma:.0f}"
