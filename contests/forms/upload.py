"""A standings file, on its way in."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError


class UploadForm(forms.Form):
    """A standings file, or the same text pasted."""

    file = forms.FileField(
        label="File",
        required=False,
        max_length=255,
        help_text="CSV, TSV, JSON or JSON lines, each also compressed with gzip.",
    )
    text = forms.CharField(
        label="Or paste a table",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
        help_text="Cells copied from a spreadsheet work as they are; the first line names the columns.",
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        has_text = bool(cleaned["text"].strip())
        if cleaned["file"] and has_text:
            raise ValidationError("There is a file and a pasted table; which one counts? Send only one of them.")
        if not cleaned["file"] and not has_text:
            raise ValidationError("Choose a file, or paste a table.")
        return cleaned
