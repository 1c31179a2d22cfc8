"""What organizers say of a series."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.text import slugify

from contests.models import Series
from contests.plain_text import plain_text
from web.shared.form_fields import MAX_TEXT


class SeriesForm(forms.Form):
    """A series; its short name is part of addresses and stays."""

    name = forms.CharField(max_length=120, validators=[plain_text], help_text="Such as “Harbour Cup”.")
    slug = forms.SlugField(
        label="Short name",
        max_length=80,
        required=False,
        help_text="Part of every address of the series and fixed once chosen: letters a to z, digits, hyphens. "
        "Leave it empty to have it made from the name.",
    )
    description = forms.CharField(
        max_length=MAX_TEXT,
        required=False,
        validators=[plain_text],
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="What a visitor should know: what kind of contests, how often, who may take part.",
    )
    is_public = forms.BooleanField(
        label="Public",
        required=False,
        initial=True,
        help_text="Everybody can see results and ratings. Otherwise only its organizers can.",
    )

    needs_approval = forms.BooleanField(
        label="A second person finalizes",
        required=False,
        help_text="One organizer asks for finalizing a contest, and only another one can do it. It guards against "
        "slips: any organizer may switch it off again. It takes two organizers.",
    )

    def __init__(self, *args: Any, series: Series | None = None, **kwargs: Any) -> None:
        self.series = series
        if series is not None:
            of_series = {
                "name": series.name,
                "description": series.description,
                "is_public": series.is_public,
                "needs_approval": series.needs_approval,
            }
            kwargs["initial"] = of_series | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        if series is not None:
            del self.fields["slug"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.series is None and "name" in cleaned and "slug" not in self.errors:
            cleaned["slug"] = cleaned["slug"] or slugify(cleaned["name"])[:80]
            self._check_slug(cleaned["slug"])
        return cleaned

    def _check_slug(self, slug: str) -> None:
        if not slug:
            self.add_error("slug", "The name has no letters a to z to make one from; choose one, such as harbour-cup.")
        elif Series.objects.filter(slug=slug).exists():
            self.add_error("slug", f"There is a series “{slug}” already; choose another short name.")
