"""Files as they came."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from contests.models.contest import Series


def upload_path(upload: Upload, filename: str) -> str:
    """Store by content: the name that somebody gave the file never reaches the file system."""
    return f"uploads/{upload.sha256[:2]}/{upload.sha256}"


class Upload(models.Model):
    """A standings file that was read without errors: kept as it came, found again by its content."""

    series = models.ForeignKey(Series, on_delete=models.CASCADE, related_name="uploads", db_index=False)
    sha256 = models.CharField(max_length=64)
    filename = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField()
    format = models.CharField(max_length=20)
    file = models.FileField(upload_to=upload_path, max_length=120)
    reading = models.JSONField(default=dict, blank=True, help_text="how its columns were read; empty: as guessed")
    decisions = models.JSONField(default=dict, blank=True, help_text="handle -> player, as decided by its organizer")
    report = models.JSONField(default=dict, help_text="counts and warnings, as shown to the one who sent it")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["series", "sha256"], name="upload_by_content")]

    def __str__(self) -> str:
        return self.filename
