"""Forms for the rows of a contest: correct, add, remove and move them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from contests.formats.numbers import NumberColumn
from contests.formats.values import MAX_HANDICAP, parse_share
from contests.models import Contest, Standing, StandingStatus
from contests.services.correcting import Correction
from contests.whole_numbers import whole_number_of
from contests.wording import clock, grouped
from web.shared.form_fields import DecimalField, VersionField, reason_field, short

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django_stubs_ext import StrOrPromise

_FIELD_ORDER = ("status", "place", "shares_place", "score", "penalty", "share", "handicap", "reason", "version")
#: A year, in seconds.
_LONGEST_TIME = 366 * 86_400.0
#: Rows that one form can change: a page of the table.
MOST_ROWS = 100


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

    positions
        The place of each row of the contest among all rows, by id.

    If scores decide the places, the form has no field for the place, but one for the penalty, which breaks ties. For
    other contests, it has a field for the penalty or the time if any row has one.
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

    def __init__(
        self,
        *args: Any,
        standing: Standing,
        positions: Mapping[int, int | None],
        by_scores: bool,
        reason_needed: bool,
        **kwargs: Any,
    ) -> None:
        self.by_scores, self.standing, self.positions = by_scores, standing, positions
        self.position = positions.get(standing.pk)
        fields = ("status", "score", "share", "handicap")
        kwargs["initial"] = {
            "shares_place": not by_scores and _shares_place(standing),
            "version": standing.contest.version,
            "place": self.position,
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
        if cleaned.get("shares_place") and place not in (None, self.position) and not self._has_others_at(place):
            message = gettext("No other player has place %(place)s. Untick this, or enter the place of another player.")
            self.add_error("shares_place", message % {"place": grouped(place)})
        return cleaned

    def _has_others_at(self, place: int) -> bool:
        return any(position == place and pk != self.standing.pk for pk, position in self.positions.items())

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
            keeps_place=not {"place", "shares_place"} & {*self.changed_data} and self.standing.pk is not None,
        )


def _shares_place(standing: Standing) -> bool:
    """Return whether a row shares its place with a row outside its team; the form proposes to keep that."""
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

    def __init__(
        self, *args: Any, contest: Contest, positions: Mapping[int, int | None], by_scores: bool, **kwargs: Any
    ) -> None:
        blank = Standing(contest=contest, status=StandingStatus.RANKED)
        super().__init__(
            *args,
            standing=blank,
            positions=positions,
            by_scores=by_scores,
            reason_needed=contest.is_finalized,
            **kwargs,
        )
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
        """Return the corrections of a valid form, which change only the status; rows ranked again get their places."""
        rows = [self.standings[pk] for pk in self.cleaned_data["rows"]]
        return {row.pk: Correction.of(row, status=self.cleaned_data["status"]) for row in rows}

    def _ticked(self) -> list[int]:
        """Return the posted values that can be ids."""
        sent = self.data.getlist("rows") if hasattr(self.data, "getlist") else []
        return [pk for text in sent[:MOST_ROWS] if (pk := whole_number_of(text)) is not None]
