"""Who works on a series, since when, and how often that went wrong."""

from __future__ import annotations

from django.db import models

from contests.models import Series


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
