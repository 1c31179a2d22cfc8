"""What organizers write into forms: shapes and ranges are checked here, rules in the services."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.utils.text import slugify

from contests.models import Contest, Series, Standing, StandingStatus
from contests.services.correcting import Correction
from contests.services.drafting import ContestDescription

#: Contests outside these years are slips of the pen, and their times cannot be shown in every zone.
FIRST_YEAR, LAST_YEAR = 1800, 2200
MAX_WEIGHT = 1000
MAX_POINTS = 1_000_000
MAX_TEXT = 5_000
MAX_REASON = 500
REASON_HELP = "Kept in the history, and named as the cause of the run; such as “Appeal upheld, see minutes of 3 May”."
_BIDI_CONTROLS = frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def plain_text(text: str) -> None:
    """Refuse characters that nobody sees and that change the text around them; line breaks are allowed."""
    for character in text:
        if character in "\n\r\t":
            continue
        if character in _BIDI_CONTROLS or unicodedata.category(character) in ("Cc", "Cs"):
            raise ValidationError(f"This holds an invisible control character (U+{ord(character):04X}); remove it.")


class UtcInput(forms.DateTimeInput):
    """The browser's date and time picker; what it shows and what is read is UTC."""

    input_type = "datetime-local"

    def format_value(self, value: Any) -> str | None:
        if isinstance(value, datetime):
            return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S" if value.second else "%Y-%m-%dT%H:%M")
        return super().format_value(value)


class UtcField(forms.DateTimeField):
    """A moment. Without an offset it is taken as UTC; with one, such as 2025-05-01T20:00+02:00, it is converted."""

    widget = UtcInput
    default_error_messages = {
        "invalid": "This is no date and time; write it as 2025-05-01T18:00 (UTC) or 2025-05-01T20:00+02:00.",
        "year": f"The year must lie between {FIRST_YEAR} and {LAST_YEAR}.",
    }

    def clean(self, value: Any) -> Any:
        try:
            moment = super().clean(value)
        except OverflowError as error:
            raise ValidationError(self.error_messages["year"], code="year") from error
        if moment is not None and not FIRST_YEAR <= moment.year <= LAST_YEAR:
            raise ValidationError(self.error_messages["year"], code="year")
        return moment


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

    def __init__(self, *args: Any, series: Series | None = None, **kwargs: Any) -> None:
        self.series = series
        if series is not None:
            of_series = {"name": series.name, "description": series.description, "is_public": series.is_public}
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


class ContestForm(forms.Form):
    """What is said of a draft apart from its standings."""

    name = forms.CharField(max_length=300, validators=[plain_text], help_text="Such as “Spring Round 2025”.")
    ends_at = UtcField(
        label="Ends at (UTC)",
        help_text="Contests are rated in the order in which they end. UTC, not your local time.",
    )
    starts_at = UtcField(label="Starts at (UTC)", required=False, help_text="If you want it shown.")
    url = forms.URLField(
        label="Web page",
        max_length=500,
        required=False,
        assume_scheme="https",
        validators=[URLValidator(schemes=["http", "https"])],
        help_text="Where people read more: problems, report, photos.",
    )
    weight = forms.FloatField(
        initial=1.0,
        min_value=0.001,
        max_value=MAX_WEIGHT,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text="1 is a normal contest. A contest of weight 0.5 moves ratings less, one of weight 2 more.",
    )
    perf_ceiling = forms.FloatField(
        label="Performance ceiling",
        required=False,
        min_value=-MAX_POINTS,
        max_value=MAX_POINTS,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text="For contests too easy to tell the best apart: no performance counts as more than this many points. "
        "Empty for no ceiling.",
    )
    is_rated = forms.BooleanField(
        label="Rated",
        required=False,
        initial=True,
        help_text="An unrated contest shows its standings and moves no ratings.",
    )

    def __init__(self, *args: Any, contest: Contest | None = None, **kwargs: Any) -> None:
        if contest is not None:
            kwargs["initial"] = {field: _short(getattr(contest, field)) for field in ContestDescription.__slots__}
        super().__init__(*args, **kwargs)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        starts_at, ends_at = cleaned.get("starts_at"), cleaned.get("ends_at")
        if starts_at and ends_at and starts_at > ends_at:
            self.add_error(
                "starts_at", f"The contest starts after its end, {ends_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC."
            )
        return cleaned

    def description(self) -> ContestDescription:
        """Return what a valid form says."""
        return ContestDescription(**self.cleaned_data)


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


class ReasonForm(forms.Form):
    """Why something is done; kept with it and shown to everybody who looks at the history."""

    reason = forms.CharField(
        max_length=MAX_REASON,
        validators=[plain_text],
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=REASON_HELP,
    )


class CorrectionForm(forms.Form):
    """One row of a contest. Where scores decide the places, a place cannot be given, only a score."""

    status = forms.ChoiceField(choices=StandingStatus.choices)
    place = forms.IntegerField(
        required=False,
        min_value=1,
        help_text="Among all rows, also those that are not ranked. Empty for somebody without a place.",
    )
    shares_place = forms.BooleanField(
        label="Shares this place with who is there",
        required=False,
        help_text="Otherwise who is there, and everybody below, moves down by one.",
    )
    score = forms.FloatField(required=False, widget=forms.NumberInput(attrs={"step": "any"}))
    reason = forms.CharField(
        max_length=MAX_REASON,
        required=False,
        validators=[plain_text],
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=REASON_HELP,
    )

    def __init__(self, *args: Any, standing: Standing, by_scores: bool, reason_needed: bool, **kwargs: Any) -> None:
        self.by_scores, self.standing = by_scores, standing
        fields = ("status", "place", "score")
        kwargs["initial"] = {"shares_place": True, **{name: _short(getattr(standing, name)) for name in fields}}
        super().__init__(*args, **kwargs)
        self.fields["reason"].required = reason_needed
        if by_scores:
            del self.fields["place"], self.fields["shares_place"]
            score = self.fields["score"]
            score.required = True
            score.help_text = "Places follow from scores here: a changed score moves the row by itself."

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        ranked = cleaned.get("status") == StandingStatus.RANKED
        if ranked and not self.by_scores and "place" not in self.errors and cleaned.get("place") is None:
            self.add_error("place", "Who is ranked has a place: say which.")
        return cleaned

    def correction(self) -> Correction:
        """Return what a valid form says."""
        said = self.cleaned_data
        return Correction(
            status=said["status"],
            place=said.get("place"),
            shares_place=said.get("shares_place", True),
            score=said["score"],
        )


def _short(value: Any) -> Any:
    """Return a number as one would write it: 25, not 25.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
