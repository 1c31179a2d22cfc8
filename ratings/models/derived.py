"""What follows from a run but takes longer to compute than a page may."""

from __future__ import annotations

from django.db import models

from contests.models import Series
from ratings.models.run import Run
from ratings.models.scheme import Scheme


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
