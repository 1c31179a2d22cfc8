"""Games that players report, until it is decided whether they count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from contests.models.contest import Contest, Series
from contests.models.player import Player
from contests.score_line import score_line

if TYPE_CHECKING:
    from datetime import datetime


class ReportState(models.TextChoices):
    WAITING = "waiting", "waiting"
    DISPUTED = "disputed", "disputed"
    CONFIRMED = "confirmed", "confirmed"
    ACCEPTED = "accepted", "accepted by an organizer"
    REJECTED = "rejected", "rejected by an organizer"
    WITHDRAWN = "withdrawn", "withdrawn"
    EXPIRED = "expired", "expired"


#: The states in which someone can still decide about a report.
OPEN_STATES = (ReportState.WAITING, ReportState.DISPUTED)


class GameReport(models.Model):
    """
    A two-player game as a player reports it. It becomes a contest when the opponent or an organizer confirms it.

    outcome
        Of the player who reports: 1 for a win, 0 for a draw, -1 for a loss.
    score, opponent_score
        Both or neither.
    expires_at
        When it can no longer be confirmed; None if it waits for an organizer.
    """

    series = models.ForeignKey(Series, on_delete=models.CASCADE, related_name="reports", db_index=False)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="reports")
    opponent = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="reports_of_opponents")
    outcome = models.SmallIntegerField()
    score = models.FloatField(null=True, blank=True)
    opponent_score = models.FloatField(null=True, blank=True)
    day = models.DateField(help_text="of the game, in UTC")
    state = models.CharField(max_length=10, choices=ReportState, default=ReportState.WAITING)
    note = models.CharField(max_length=300, blank=True, default="", help_text="why it was disputed or rejected")
    reported_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    answered_at = models.DateTimeField(null=True, blank=True)
    game = models.ForeignKey(
        Contest, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", help_text="what it became"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(outcome__in=(1, 0, -1)), name="report_outcome_is_known"),
            models.CheckConstraint(condition=Q(state__in=ReportState.values), name="report_state_is_known"),
            models.CheckConstraint(condition=~Q(player=F("opponent")), name="report_of_two_players"),
            models.CheckConstraint(
                condition=Q(score=None, opponent_score=None) | Q(score__isnull=False, opponent_score__isnull=False),
                name="report_has_both_scores_or_none",
            ),
        ]
        indexes = [
            models.Index(fields=["series", "state", "-created_at"], name="report_by_state"),
            models.Index(fields=["reported_by", "created_at"], name="report_by_account"),
        ]

    def __str__(self) -> str:
        return f"{self.player_id} – {self.opponent_id} on {self.day}"

    def is_open(self, now: datetime) -> bool:
        """Whether someone can still decide about it."""
        return self.state in OPEN_STATES and not self.has_expired(now)

    def has_expired(self, now: datetime) -> bool:
        """Whether no one confirmed it in time, even if the hourly sweep has not seen it yet."""
        return self.state == ReportState.WAITING and self.expires_at is not None and self.expires_at <= now

    @property
    def result(self) -> str:
        """The result, first for the player who reports: "1–0", "½–½", "0–1", or the score."""
        if self.score is not None and self.opponent_score is not None:
            return score_line(f"{self.score:g}", f"{self.opponent_score:g}")
        return {1: "1–0", 0: "½–½", -1: "0–1"}[self.outcome]
