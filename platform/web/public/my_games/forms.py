"""The form with which a player reports a game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from contests.handles import MAX_LENGTH
from contests.plain_text import plain_text
from contests.services.reports import LONGEST_NOTE, MAX_SCORE, ReportedGame
from ratings.queries.search import likely_players, player_named
from web.shared.form_fields import DayInput, DecimalField

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from contests.models import Player, Series

#: Players to choose from if the name of the opponent is unknown.
NEAREST = 5
_OUTCOMES = {"won": 1, "draw": 0, "lost": -1}
_SCORE: dict[str, Any] = {"required": False, "min_value": 0, "max_value": MAX_SCORE}


class ReportForm(forms.Form):
    """
    One game. The result is the button that was pressed.

    nearest
        The players whom an unknown or ambiguous name of the opponent may mean.
    """

    opponent = forms.CharField(label=_("Opponent"), max_length=4 * MAX_LENGTH, validators=[plain_text])
    result = forms.ChoiceField(
        choices=[(name, name) for name in _OUTCOMES],
        error_messages={"required": _("Press the button with your result.")},
    )
    score = DecimalField(label=_("Your score"), **_SCORE)
    opponent_score = DecimalField(label=_("Opponent’s score"), **_SCORE)
    day = forms.DateField(label=_("Date"), widget=DayInput())
    is_another = forms.BooleanField(
        label=_("Another game"),
        required=False,
        help_text=_("Tick this if you and your opponent played more than once on that day."),
    )

    def __init__(self, *args: Any, series: Series, user: User, **kwargs: Any) -> None:
        kwargs["initial"] = {"day": timezone.now().date(), **(kwargs.get("initial") or {})}
        super().__init__(*args, **kwargs)
        self._series, self._user = series, user
        self.nearest: list[Player] = []

    def clean_opponent(self) -> int:
        """Return the id of the opponent, who may be entered by the handle, by another name, or by the real name."""
        name = self.cleaned_data["opponent"].strip()
        found = player_named(self._series.community_id, name, self._user)
        if found is None:
            self.nearest = likely_players(name, NEAREST, self._user, self._series.community_id)
            raise forms.ValidationError(
                _("No player has this name, or several have it. Choose one of the suggested players.")
            )
        return found.pk

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if (cleaned.get("score") is None) != (cleaned.get("opponent_score") is None) and not self.errors:
            self.add_error("opponent_score", _("Enter both scores, or leave both empty."))
        return cleaned

    def said(self) -> ReportedGame:
        """Return the game in a valid form."""
        cleaned = self.cleaned_data
        has_scores = cleaned["score"] is not None
        return ReportedGame(
            cleaned["opponent"], _OUTCOMES[cleaned["result"]], cleaned["day"],
            (cleaned["score"], cleaned["opponent_score"]) if has_scores else None, cleaned["is_another"],
        )  # fmt: skip


class AnswerForm(forms.Form):
    """The answer to a report; a dispute may have a reason."""

    answer = forms.ChoiceField(choices=[(name, name) for name in ("confirm", "dispute", "withdraw")])
    note = forms.CharField(max_length=LONGEST_NOTE, required=False, validators=[plain_text])
