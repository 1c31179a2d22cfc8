"""The form of a contest: its description and when it took place."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.validators import URLValidator
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy

from contests.plain_text import plain_text
from contests.services.describing import ContestDescription
from contests.wording import grouped, moment_in_words
from web.shared.form_fields import (
    MAX_POINTS,
    MAX_WEIGHT,
    PUBLIC_REASON_HELP,
    UtcField,
    VersionField,
    reason_field,
    short,
)

if TYPE_CHECKING:
    from contests.models import Contest

_LIMIT_APPLIED = gettext_lazy(
    "You can no longer change this limit, because Podium applied it when the contest was finalized."
)
_REASON_NEEDED = gettext_lazy("Required for every change, because the contest is finalized.")


class WebAddressField(forms.URLField):
    """An address of the web; Django's own field also takes FTP."""

    default_validators = [URLValidator(schemes=["http", "https"])]


class ContestForm(forms.Form):
    """The description of a contest, without its standings."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=300,
        validators=[plain_text],
        help_text=gettext_lazy("Example: “Spring Round 2025”."),
    )
    starts_at = UtcField(
        label=gettext_lazy("Starts at (UTC)"),
        required=False,
        help_text=gettext_lazy(
            "Shown on the page of the contest. If longer contests count more in this series, the start also affects "
            "the weight."
        ),
    )
    ends_at = UtcField(
        label=gettext_lazy("Ends at (UTC)"),
        help_text=gettext_lazy("Contests are rated in the order in which they end. UTC, not your local time."),
    )
    url = WebAddressField(
        label=gettext_lazy("Web page"),
        max_length=500,
        required=False,
        assume_scheme="https",
        help_text=gettext_lazy("A page with more about the contest: problems, report, photos."),
    )
    weight = forms.FloatField(
        label=gettext_lazy("Weight"),
        initial=1.0,
        min_value=0.001,
        max_value=MAX_WEIGHT,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text=gettext_lazy(
            "1 for a normal contest. A contest with weight 0.5 changes ratings less; a contest with weight 2 changes "
            "them more."
        ),
    )
    perf_ceiling = forms.FloatField(
        label=gettext_lazy("Performance ceiling"),
        required=False,
        min_value=-MAX_POINTS,
        max_value=MAX_POINTS,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text=gettext_lazy(
            "For contests so easy that they can’t distinguish the best players. Podium caps every performance at this "
            "many points. Leave empty for no ceiling."
        ),
    )
    rating_lower_limit = forms.IntegerField(
        label=gettext_lazy("Lowest rating allowed"),
        required=False,
        min_value=-MAX_POINTS,
        max_value=MAX_POINTS,
        help_text=gettext_lazy(
            "A displayed rating. When you finalize the contest, Podium lists players below it as “not "
            "ranked”. For new players, Podium uses the displayed starting rating. Leave empty for no "
            "limit."
        ),
    )
    rating_upper_limit = forms.IntegerField(
        label=gettext_lazy("Highest rating allowed"),
        required=False,
        min_value=-MAX_POINTS,
        max_value=MAX_POINTS,
        help_text=gettext_lazy("Podium lists players above this rating as “not ranked”."),
    )
    is_rated = forms.BooleanField(
        label=gettext_lazy("Rated"),
        required=False,
        initial=True,
        help_text=gettext_lazy("An unrated contest has standings, but doesn’t change ratings."),
    )
    is_announced = forms.BooleanField(
        label=gettext_lazy("Announced"),
        required=False,
        help_text=gettext_lazy(
            "In a public series, anyone can see the name, date and web page on the home page, in the "
            "list of contests and in calendars. The standings stay hidden until you finalize the contest."
        ),
    )

    reason = reason_field()
    version = VersionField()

    def __init__(self, *args: Any, contest: Contest | None = None, **kwargs: Any) -> None:
        self.contest = contest
        if contest is not None:
            kwargs["initial"] = {field: short(getattr(contest, field)) for field in ContestDescription.__slots__}
            kwargs["initial"]["version"] = contest.version
        super().__init__(*args, **kwargs)
        if contest is not None and contest.is_event:
            self._keep_event_fields(contest)
        if contest is None or not contest.is_finalized:
            del self.fields["reason"]
        else:
            del self.fields["is_announced"]
            self.fields["reason"].is_sometimes_needed = True  # type: ignore[attr-defined]
            self.fields["reason"].help_text = format_lazy("{} {}", _REASON_NEEDED, PUBLIC_REASON_HELP)
            for name in ("rating_lower_limit", "rating_upper_limit"):
                if name not in self.fields:
                    continue
                self.fields[name].disabled = True
                self.fields[name].help_text = _LIMIT_APPLIED

    def _keep_event_fields(self, event: Contest) -> None:
        """Leave out the fields that follow from the games of an event."""
        for name in ContestDescription.__slots__:
            if name not in ("name", "url", "is_announced"):
                self.fields.pop(name, None)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        lower, upper = cleaned.get("rating_lower_limit"), cleaned.get("rating_upper_limit")
        if lower is not None and upper is not None and lower > upper:
            self.add_error(
                "rating_upper_limit",
                gettext("Enter %(lower)s or more, or change the lowest rating allowed.") % {"lower": grouped(lower)},
            )
        starts_at, ends_at = cleaned.get("starts_at"), cleaned.get("ends_at")
        if starts_at and ends_at and starts_at > ends_at:
            self.add_error(
                "starts_at",
                gettext("Enter a start before the end, %(utc)s.") % {"utc": moment_in_words(ends_at.astimezone(UTC))},
            )
        return cleaned

    def description(self) -> ContestDescription:
        """Return the description in a valid form."""
        said = {
            field: self.cleaned_data[field] if field in self.fields else getattr(self.contest, field)
            for field in ContestDescription.__slots__
            if field in self.fields or self.contest is not None
        }
        for name in ("starts_at", "ends_at"):
            # The form shows no fractions of a second: a time that was not edited stays as stored.
            stored = getattr(self.contest, name, None)
            if said[name] is not None and stored is not None and said[name] == stored.replace(microsecond=0):
                said[name] = stored
        return ContestDescription(**said)
