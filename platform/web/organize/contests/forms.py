"""The forms of a contest and of its rows."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.validators import URLValidator
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy

from contests.formats.numbers import NumberColumn
from contests.formats.values import MAX_HANDICAP, parse_share
from contests.models import Contest, Standing, StandingStatus
from contests.plain_text import plain_text
from contests.services.correcting import Correction
from contests.services.describing import ContestDescription
from contests.whole_numbers import whole_number_of
from contests.wording import clock, grouped, moment_in_words
from web.shared.form_fields import (
    MAX_POINTS,
    MAX_WEIGHT,
    PUBLIC_REASON_HELP,
    DecimalField,
    UtcField,
    VersionField,
    reason_field,
    short,
)

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

_FIELD_ORDER = ("status", "place", "shares_place", "score", "penalty", "share", "handicap", "reason", "version")
#: A year, in seconds.
_LONGEST_TIME = 366 * 86_400.0
#: Rows that one form can change: a page of the table.
MOST_ROWS = 100
_LIMIT_APPLIED = gettext_lazy(
    "You can no longer change this limit, because Podium applied it when the contest was finalized."
)
_REASON_NEEDED = gettext_lazy("Required if the change affects ratings.")


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


class ShareField(forms.CharField):
    """A share of play such as 50 % or 0.5, as in files; None for the whole contest."""

    def to_python(self, value: Any) -> Any:
        try:
            return parse_share(str(value or "").strip())
        except ValueError as error:
            raise forms.ValidationError(f"{str(error).capitalize()}.") from None


class TimeField(forms.CharField):
    """A time such as 1:02:33, or a number of seconds; None if it is empty."""

    def to_python(self, value: Any) -> Any:
        text = str(value or "").strip()
        try:
            time = NumberColumn([text], comma_is_decimal=None).parse_time(text) if text else None
        except ValueError:
            time = -1.0
        if time is not None and not 0.0 <= time <= _LONGEST_TIME:
            raise forms.ValidationError(gettext("Enter a time such as 58:12 or 1:02:33."))
        return time

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Compare the texts: the form shows times to the millisecond, and the stored ones can be more exact."""
        return str(initial or "") != str(data or "").strip()


class CorrectionForm(forms.Form):
    """
    One row of a contest.

    If scores decide the places, the form has no place but a penalty, which breaks ties. Other contests have a penalty
    or a time if a row has any.
    """

    status = forms.ChoiceField(label=gettext_lazy("Status"), choices=StandingStatus.choices)
    place = forms.IntegerField(
        label=gettext_lazy("Place"),
        required=False,
        min_value=1,
        help_text=gettext_lazy(
            "The position among all rows, including players who are not ranked. Podium computes the "
            "ranks from the places. Leave empty for a player without a place."
        ),
    )
    shares_place = forms.BooleanField(
        label=gettext_lazy("Share this place with the player who has it"),
        required=False,
        help_text=gettext_lazy("Otherwise that player, and everyone below, moves down by one."),
    )
    score = DecimalField(label=gettext_lazy("Score"), required=False)
    share = ShareField(
        label=gettext_lazy("Share played"),
        required=False,
        help_text=gettext_lazy(
            "The share of the contest that the player took part in, such as 50 %. Leave empty for 100 %."
        ),
    )
    handicap = DecimalField(
        label=gettext_lazy("Handicap"),
        required=False,
        min_value=-MAX_HANDICAP,
        max_value=MAX_HANDICAP,
        help_text=gettext_lazy(
            "Advantage in rating points: predictions treat the player as that much stronger. The members "
            "of a team share one handicap. Leave empty for none."
        ),
    )
    reason = reason_field()
    version = VersionField()

    def __init__(self, *args: Any, standing: Standing, by_scores: bool, reason_needed: bool, **kwargs: Any) -> None:
        self.by_scores, self.standing = by_scores, standing
        fields = ("status", "place", "score", "share", "handicap")
        kwargs["initial"] = {
            "shares_place": not by_scores and _shares_place(standing),
            "version": standing.contest.version,
            **{name: short(getattr(standing, name)) for name in fields},
        }
        super().__init__(*args, **kwargs)
        if standing.place is not None:
            self.fields["shares_place"].help_text = gettext(
                "Otherwise, the players between the old place and the new one move up or down by one."
            )
        self.fields["reason"].required = reason_needed
        # So the page does not call it optional.
        self.fields["score" if by_scores else "place"].is_sometimes_needed = True  # type: ignore[attr-defined]
        if by_scores:
            del self.fields["place"], self.fields["shares_place"]
            self.fields["score"].help_text = gettext(
                "The scores decide the places in this contest: the row moves if its score changes. Leave empty only "
                "for a player who is not ranked."
            )
        self._add_penalty(standing)

    def _add_penalty(self, standing: Standing) -> None:
        contest = standing.contest
        if contest.has_times:
            self.fields["penalty"] = TimeField(
                label=gettext("Time"),
                required=False,
                initial="" if standing.penalty is None else clock(standing.penalty),
                help_text=gettext("For example, 58:12 or 1:02:33. A new time doesn’t change the place."),
            )
            if self.by_scores:
                self.fields["penalty"].help_text = gettext("For example, 58:12 or 1:02:33.")
        elif self.by_scores or contest.standings.exclude(penalty=None).exists():
            self.fields["penalty"] = DecimalField(
                label=gettext("Penalty"),
                required=False,
                initial=short(standing.penalty),
                help_text=gettext("Among players with the same score, the one with the lowest penalty is first."),
            )
        self.order_fields(self.field_order or _FIELD_ORDER)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        ranked = cleaned.get("status") == StandingStatus.RANKED
        if ranked and not self.by_scores and "place" not in self.errors and cleaned.get("place") is None:
            self.add_error("place", gettext("A ranked player needs a place: enter it, or choose another status."))
        if ranked and self.by_scores and "score" not in self.errors and cleaned.get("score") is None:
            self.add_error("score", gettext("A ranked player needs a score: enter it, or choose another status."))
        place = cleaned.get("place")
        if cleaned.get("shares_place") and place not in (None, self.standing.place) and not self._has_others_at(place):
            message = gettext("No other player has place %(place)s. Untick this, or enter the place of another player.")
            self.add_error("shares_place", message % {"place": grouped(place)})
        return cleaned

    def _has_others_at(self, place: int) -> bool:
        others = Standing.objects.filter(contest=self.standing.contest, place=place).exclude(pk=self.standing.pk)
        return others.exists()

    def correction(self) -> Correction:
        """Return the correction in a valid form."""
        said = self.cleaned_data
        return Correction(
            status=said["status"],
            place=said.get("place"),
            shares_place=said.get("shares_place", True),
            score=said["score"],
            share=said["share"],
            handicap=said["handicap"] or None,
            # A time that was not edited keeps fractions that the form doesn’t show.
            penalty=said.get("penalty") if "penalty" in self.changed_data else self.standing.penalty,
            sets_penalty="penalty" in self.fields,
        )


def _shares_place(standing: Standing) -> bool:
    """Return whether a row shares its place, which it then keeps by default, with a row outside its team."""
    if standing.pk is None or standing.place is None:
        return False
    others = Standing.objects.filter(contest=standing.contest_id, place=standing.place).exclude(pk=standing.pk)
    return (others.exclude(team=standing.team) if standing.team else others).exists()


def _handle_field(help_text: StrOrPromise) -> forms.CharField:
    return forms.CharField(label=gettext_lazy("Handle"), max_length=128, help_text=help_text)


class NewRowForm(CorrectionForm):
    """A missing participant."""

    handle = _handle_field(
        gettext_lazy(
            "If a player has this handle, Podium adds that player. Otherwise it creates a new player, so "
            "check the spelling."
        )
    )
    team = forms.CharField(
        label=gettext_lazy("Team"),
        max_length=128,
        required=False,
        help_text=gettext_lazy("Members of a team share its place and score."),
    )

    field_order = ("handle", "team", *_FIELD_ORDER)

    def __init__(self, *args: Any, contest: Contest, by_scores: bool, **kwargs: Any) -> None:
        blank = Standing(contest=contest, status=StandingStatus.RANKED)
        super().__init__(*args, standing=blank, by_scores=by_scores, reason_needed=contest.is_finalized, **kwargs)
        if by_scores:
            self.fields["score"].help_text = gettext(
                "The scores decide the places in this contest. Leave empty only for a player who is not ranked."
            )
        if not contest.has_teams:
            del self.fields["team"]


class RemovalForm(forms.Form):
    """The reason to remove a row."""

    reason = reason_field()
    version = VersionField()


class ReassignForm(RemovalForm):
    """The player to whom a row belongs, and the reason to move it."""

    handle = _handle_field(
        gettext_lazy(
            "If a player has this handle, the result goes to that player. Otherwise Podium creates a new player, so "
            "check the spelling."
        )
    )

    field_order = ("handle", "reason", "version")


class SelectedRowsForm(forms.Form):
    """Several rows of a contest that get the same status, for the same reason."""

    rows = forms.TypedMultipleChoiceField(
        coerce=int,
        error_messages={
            "required": gettext_lazy("Select at least one row."),
            "invalid_choice": gettext_lazy("A selected row no longer exists. Reload the page and select again."),
        },
    )
    status = forms.ChoiceField(
        label=gettext_lazy("Status"),
        choices=StandingStatus.choices,
        error_messages={"required": gettext_lazy("Choose the new status.")},
    )
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
        """Return the corrections of a valid form: only the status changes; ranked rows get back the place entered."""
        rows = [self.standings[pk] for pk in self.cleaned_data["rows"]]
        return {row.pk: Correction.of(row, status=self.cleaned_data["status"]) for row in rows}

    def _ticked(self) -> list[int]:
        """Return the posted values that can be ids."""
        sent = self.data.getlist("rows") if hasattr(self.data, "getlist") else []
        return [pk for text in sent[:MOST_ROWS] if (pk := whole_number_of(text)) is not None]
