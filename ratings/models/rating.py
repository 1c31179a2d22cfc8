"""Where everybody stands now."""

from __future__ import annotations

from django.db import models

from contests.models import Contest, Player, Series


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
