"""What organizers say of a contest, and of single rows of it."""

from __future__ import annotations

from datetime import UTC
from typing import Any

from django import forms
from django.core.validators import URLValidator

from contests.models import Contest, Standing, StandingStatus
from contests.plain_text import plain_text
from contests.services.contests import ContestDescription
from contests.services.correcting import Correction
from contests.whole_numbers import whole_number_of
from web.shared.form_fields import MAX_POINTS, MAX_WEIGHT, UtcField, VersionField, reason_field, short

#: Rows that can be changed at once: a page of the table.
MOST_ROWS = 100


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
    rating_lower_limit = forms.IntegerField(
        label="Lowest rating allowed",
        required=False,
        min_value=-MAX_POINTS,
        max_value=MAX_POINTS,
        help_text="As shown. Whose rating is below it when the contest is finalized is listed out of competition. "
        "Newcomers count with the rating that newcomers are shown. Empty for no limit.",
    )
    rating_upper_limit = forms.IntegerField(
        label="Highest rating allowed",
        required=False,
        min_value=-MAX_POINTS,
        max_value=MAX_POINTS,
        help_text="Likewise for whose rating is above it.",
    )
    is_rated = forms.BooleanField(
        label="Rated",
        required=False,
        initial=True,
        help_text="An unrated contest shows its standings and moves no ratings.",
    )
    is_announced = forms.BooleanField(
        label="Announce",
        required=False,
        help_text="Everybody may see name, date and address before the results: on the home page, in the list of "
        "contests and in calendars. Standings stay hidden until the contest is finalized.",
    )

    reason = reason_field()
    version = VersionField()

    def __init__(self, *args: Any, contest: Contest | None = None, **kwargs: Any) -> None:
        self.contest = contest
        if contest is not None:
            kwargs["initial"] = {field: short(getattr(contest, field)) for field in ContestDescription.__slots__}
            kwargs["initial"]["version"] = contest.version
        super().__init__(*args, **kwargs)
        if contest is None or not contest.is_finalized:
            del self.fields["reason"]
        else:
            del self.fields["is_announced"]
            for name in ("rating_lower_limit", "rating_upper_limit"):
                self.fields[name].disabled = True
                self.fields[name].help_text = "Stays: who is eligible was decided when the contest was finalized."

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        lower, upper = cleaned.get("rating_lower_limit"), cleaned.get("rating_upper_limit")
        if lower is not None and upper is not None and lower > upper:
            self.add_error("rating_upper_limit", f"This is below the lowest rating allowed, {lower:,}.")
        starts_at, ends_at = cleaned.get("starts_at"), cleaned.get("ends_at")
        if starts_at and ends_at and starts_at > ends_at:
            self.add_error(
                "starts_at", f"The contest starts after its end, {ends_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC."
            )
        return cleaned

    def description(self) -> ContestDescription:
        """Return what a valid form says."""
        said = {field: self.cleaned_data[field] for field in ContestDescription.__slots__ if field in self.fields}
        if self.contest is not None and "is_announced" not in self.fields:
            said["is_announced"] = self.contest.is_announced
        for name in ("starts_at", "ends_at"):
            # The form shows no fractions of a second; who leaves a moment alone does not move it.
            stored = getattr(self.contest, name, None)
            if said[name] is not None and stored is not None and said[name] == stored.replace(microsecond=0):
                said[name] = stored
        return ContestDescription(**said)


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
    reason = reason_field()
    version = VersionField()

    def __init__(self, *args: Any, standing: Standing, by_scores: bool, reason_needed: bool, **kwargs: Any) -> None:
        self.by_scores, self.standing = by_scores, standing
        fields = ("status", "place", "score")
        kwargs["initial"] = {
            "shares_place": True,
            "version": standing.contest.version,
            **{name: short(getattr(standing, name)) for name in fields},
        }
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


class NewRowForm(CorrectionForm):
    """Somebody who was forgotten."""

    handle = forms.CharField(max_length=128, help_text="A known one finds its player; another one makes a new player.")
    team = forms.CharField(max_length=128, required=False, help_text="Members of a team share its place and score.")

    field_order = ("handle", "team", "status", "place", "shares_place", "score", "reason", "version")

    def __init__(self, *args: Any, contest: Contest, by_scores: bool, **kwargs: Any) -> None:
        blank = Standing(contest=contest, status=StandingStatus.RANKED)
        super().__init__(*args, standing=blank, by_scores=by_scores, reason_needed=contest.is_finalized, **kwargs)
        if not contest.has_teams:
            del self.fields["team"]


class RemovalForm(forms.Form):
    """Why a row should not be there."""

    reason = reason_field()
    version = VersionField()


class SelectedRowsForm(forms.Form):
    """Several rows of a contest that get the same status, for the same reason."""

    rows = forms.TypedMultipleChoiceField(
        coerce=int, error_messages={"required": "Tick the rows that it is about.", "invalid_choice": "A row is gone."}
    )
    status = forms.ChoiceField(choices=StandingStatus.choices)
    reason = reason_field()
    version = VersionField()

    def __init__(self, *args: Any, contest: Contest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.standings = {row.pk: row for row in contest.standings.filter(pk__in=self._ticked())}
        rows = self.fields["rows"]
        assert isinstance(rows, forms.TypedMultipleChoiceField)
        rows.choices = [(pk, str(pk)) for pk in self.standings]
        self.fields["reason"].required = contest.is_finalized

    def corrections(self) -> dict[int, Correction]:
        """Return what a valid form says: the status alone changes, who is ranked goes back to the place given."""
        rows = [self.standings[pk] for pk in self.cleaned_data["rows"]]
        return {
            row.pk: Correction(self.cleaned_data["status"], row.place, shares_place=True, score=row.score)
            for row in rows
        }

    def _ticked(self) -> list[int]:
        """Return the ids that were sent, as far as they can be ids."""
        sent = self.data.getlist("rows") if hasattr(self.data, "getlist") else []
        return [pk for text in sent[:MOST_ROWS] if (pk := whole_number_of(text)) is not None]
