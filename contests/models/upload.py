"""Files as they came: those under review, and those that standings were made from."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from contests.models.contest import Series


class UploadState(models.TextChoices):
    STAGED = "staged", "under review"
    SAVED = "saved", "saved"


class UploadQuerySet(models.QuerySet["Upload"]):
    def staged(self) -> UploadQuerySet:
        """Keep files that wait for their organizer."""
        return self.filter(state=UploadState.STAGED)

    def saved(self) -> UploadQuerySet:
        """Keep files that standings were made from."""
        return self.filter(state=UploadState.SAVED)


def upload_path(upload: Upload, filename: str) -> str:
    """Store by content: the name that somebody gave the file never reaches the file system."""
    return f"uploads/{upload.sha256[:2]}/{upload.sha256}"


class Upload(models.Model):
    """
    A standings file, kept as it came.

    While it is staged, its organizer finds it by its token; `draft`, `choices`, `stamp`, `review` and `progress` are
    about that time and empty afterwards (docs/decisions/0013-upload-state.md). Saved, it is found by its content.
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
    reading = models.JSONField(default=dict, blank=True, help_text="how its columns were read; empty: as guessed")
    decisions = models.JSONField(default=dict, blank=True, help_text="handle -> player, as decided by its organizer")
    report = models.JSONField(default=dict, help_text="counts and warnings, as shown to the one who sent it")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)
    token = models.CharField(max_length=32, null=True, blank=True, unique=True, editable=False)
    draft = models.ForeignKey(
        "contests.Contest", null=True, blank=True, on_delete=models.SET_NULL, related_name="staged_uploads",
        editable=False,
    )  # fmt: skip
    lines = models.PositiveIntegerField(default=0, db_default=0, editable=False, help_text="0 if it is packed")
    is_packed = models.BooleanField(default=False, db_default=False, editable=False)
    choices = models.JSONField(null=True, blank=True, editable=False, help_text="what its organizer chose so far")
    stamp = models.CharField(max_length=32, blank=True, default="", db_default="", editable=False)
    review = models.JSONField(null=True, blank=True, editable=False, help_text="what was found by some choices")
    progress = models.JSONField(null=True, blank=True, editable=False, help_text="how far a worker is with the review")
    touched_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = UploadQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["series", "sha256"], name="upload_by_content"),
            models.Index(fields=["touched_at"], name="upload_staged", condition=models.Q(state="staged")),
        ]

    def __str__(self) -> str:
        return self.filename
