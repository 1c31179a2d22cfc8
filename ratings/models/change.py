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
