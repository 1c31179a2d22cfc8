"""One participation: a player's place in a contest."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from contests.models.contest import Contest
from contests.models.player import Player


class StandingStatus(models.TextChoices):
    RANKED = "ranked", "ranked"
    UNOFFICIAL = "unofficial", "not ranked"
    DISQUALIFIED = "disqualified", "disqualified"


class StandingQuerySet(models.QuerySet["Standing"]):
    def ranked(self) -> StandingQuerySet:
        return self.filter(status=StandingStatus.RANKED)

    def for_table(self) -> StandingQuerySet:
        """Everything a standings table shows, in one query: best place first, who is not ranked at the end."""
        return self.select_related("player").order_by(
            models.F("rank").asc(nulls_last=True), models.F("place").asc(nulls_last=True), "player__handle_key"
        )


class Standing(models.Model):
    """
    A player's result.

    `place` is what the file or the organizer said, among all rows; `rank` is computed from it: the competition rank
    among the rows that are ranked, so that a disqualification moves everybody below up, and lifting it moves them
    down again.
    """

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="standings", db_index=False)
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="standings")
    place = models.PositiveIntegerField(null=True, blank=True)
    rank = models.PositiveIntegerField(null=True, blank=True)
    score = models.FloatField(null=True, blank=True)
    penalty = models.FloatField(null=True, blank=True)
    team = models.CharField(max_length=128, blank=True, default="", db_default="")
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
        ]

    def __str__(self) -> str:
        return f"{self.rank if self.rank is not None else self.status} {self.player_id} in {self.contest_id}"
