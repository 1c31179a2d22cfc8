"""The form that corrects the result of a game, whichever way it was entered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import messages
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy

from contests.changes.base import propose
from contests.changes.of_games import CorrectResult
from contests.errors import ContestError
from contests.queries.games import game_rows
from contests.services.correcting import correct_result
from web.shared.access import actor, organizer_page, own_contest
from web.shared.form_fields import VersionField, reason_field, short

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from contests.queries.games import GameRow

_POINTS = {"first": (1.0, 0.0), "draw": (0.5, 0.5), "second": (0.0, 1.0), "neither": (0.0, 0.0)}
#: Files accept scores of up to six digits.
_GREATEST_SCORE = 999_999


class ResultForm(forms.Form):
    """The result of a game: the scores of a game that has some, otherwise who won."""

    result = forms.ChoiceField(label=gettext_lazy("Result"), widget=forms.RadioSelect)
    first = forms.FloatField()
    second = forms.FloatField()
    reason = reason_field()
    version = VersionField()

    def __init__(self, *args: Any, row: GameRow, **kwargs: Any) -> None:
        one, other = row.sides
        kwargs["initial"] = {"version": row.contest.version, "result": _result_of(row)}
        super().__init__(*args, **kwargs)
        self.fields["reason"].required = row.contest.is_finalized
        if row.scores is None:
            del self.fields["first"], self.fields["second"]
            self.fields["result"].choices = _choices(row)  # type: ignore[attr-defined]
            return
        del self.fields["result"]
        for name, side, score in (("first", one, row.scores[0]), ("second", other, row.scores[1])):
            self.fields[name] = forms.FloatField(
                label=gettext("Score of %(side)s") % {"side": side.name},
                initial=short(score),
                min_value=-_GREATEST_SCORE,
                max_value=_GREATEST_SCORE,
                widget=forms.NumberInput(attrs={"step": "any"}),
            )
        self.order_fields(["first", "second", "reason", "version"])

    def scores(self) -> tuple[float, float]:
        """Return the scores in a valid form."""
        said = self.cleaned_data
        return _POINTS[said["result"]] if "result" in said else (said["first"], said["second"])


@organizer_page
def correct(request: HttpRequest, pk: int) -> HttpResponse:
    """Show and change the result of a game; if the game counts, continue with a preview."""
    game = own_contest(request, pk)
    # A contest of two, without an event, is a game as well.
    row = game_rows([game])[0] if game.event_id is not None or game.standing_count == 2 else None
    if row is None or len(row.sides) != 2:
        messages.error(request, gettext("Only games have a result to correct. Correct the rows of this contest."))
        return redirect("organize:contest", pk)
    form = ResultForm(request.POST or None, row=row)
    if request.method == "POST" and form.is_valid():
        try:
            return _correct(request, row, form)
        except ContestError as error:
            form.add_error(None, str(error))
    context = {"form": form, "row": row, "contest": game, "series": game.series}
    return render(request, "organize/games/result.html", context, status=422 if form.is_bound and form.errors else 200)


def _correct(request: HttpRequest, row: GameRow, form: ResultForm) -> HttpResponse:
    game, said = row.contest, form.cleaned_data
    version = game.version if said["version"] is None else said["version"]
    if game.is_finalized:
        return propose(CorrectResult(game.pk, version, list(form.scores()), reason=said["reason"]))
    correct_result(game.pk, scores=form.scores(), reason=said["reason"], version=version, actor=actor(request))
    messages.success(request, gettext("Corrected the result of “%(name)s”.") % {"name": game.name})
    return redirect("organize:contest", game.pk)


def _choices(row: GameRow) -> list[tuple[str, str]]:
    one, other = (gettext("%(side)s won") % {"side": side.name} for side in row.sides)
    if row.contest.is_walkover:
        return [("first", one), ("second", other), ("neither", gettext("Neither side won"))]
    return [("first", one), ("draw", gettext("Draw")), ("second", other)]


def _result_of(row: GameRow) -> str | None:
    points = tuple(side.points for side in row.sides)
    return next((name for name, one in _POINTS.items() if one == points), None)
