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
from contests.models import Standing
from contests.queries.games import game_rows
from contests.services.correcting import correct_result
from web.shared.access import actor, organizer_page, own_contest
from web.shared.form_fields import DecimalField, VersionField, reason_field, short

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from contests.models import Contest
    from contests.queries.games import GameRow

_POINTS = {"first": (1.0, 0.0), "draw": (0.5, 0.5), "second": (0.0, 1.0), "neither": (0.0, 0.0)}
#: Files accept scores of up to six digits.
_GREATEST_SCORE = 999_999


class ResultForm(forms.Form):
    """The result of a game: its scores if games of its event have some, otherwise who won; or a walkover."""

    is_walkover = forms.BooleanField(
        label=gettext_lazy("Walkover"),
        required=False,
        help_text=gettext_lazy(
            "The result was awarded without play, for instance because a side didn’t show up. Podium lists it, but "
            "doesn’t rate it."
        ),
    )
    reason = reason_field()
    version = VersionField()

    def __init__(self, *args: Any, row: GameRow, **kwargs: Any) -> None:
        kwargs["initial"] = {"version": row.contest.version, "is_walkover": row.contest.is_walkover}
        super().__init__(*args, **kwargs)
        self.fields["reason"].required = row.contest.is_finalized
        if row.scores is not None or _has_scores(row.contest):
            scores = row.scores or tuple(side.points for side in row.sides)
            for name, side, score in zip(("first", "second"), row.sides, scores, strict=True):
                self.fields[name] = DecimalField(
                    label=gettext("Score of %(side)s") % {"side": side.name},
                    initial=short(score),
                    min_value=-_GREATEST_SCORE,
                    max_value=_GREATEST_SCORE,
                )
        else:
            self.fields["result"] = forms.ChoiceField(
                label=gettext("Result"), choices=_choices(row), initial=_result_of(row), widget=forms.RadioSelect
            )
        self.order_fields(["first", "second", "result", "is_walkover", "reason", "version"])

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        is_walkover, result = said.get("is_walkover", False), said.get("result")
        scores = (said.get("first"), said.get("second"))
        is_tie = None not in scores and scores[0] == scores[1] != 0
        if is_walkover and (result == "draw" or is_tie):
            message = (
                gettext("A walkover can’t be a draw. Choose the side that won, or “Neither side won”.")
                if result
                else gettext("A walkover can’t be a draw. Enter a higher score for the winner, or 0 for both sides.")
            )
            self.add_error("result" if result else "second", message)
        elif result == "neither" and not is_walkover:
            message = gettext(
                "“Neither side won” is for walkovers only. Choose the side that won, or “Draw”; or tick “Walkover”."
            )
            self.add_error("result", message)
        return said

    def scores(self) -> tuple[float, float]:
        """Return the scores in a valid form; for a walkover, 1 for a side that won."""
        said = self.cleaned_data
        one, other = _POINTS[said["result"]] if "result" in said else (said["first"], said["second"])
        return (float(one > other), float(other > one)) if said["is_walkover"] else (one, other)


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
    return render(request, "organize/games/result.html", context, status=422 if form.errors else 200)


def _correct(request: HttpRequest, row: GameRow, form: ResultForm) -> HttpResponse:
    game, said = row.contest, form.cleaned_data
    version = game.version if said["version"] is None else said["version"]
    is_walkover, reason = said["is_walkover"], said["reason"]
    if game.is_finalized:
        return propose(CorrectResult(game.pk, version, list(form.scores()), is_walkover, reason=reason))
    correct_result(
        game.pk, scores=form.scores(), is_walkover=is_walkover, reason=reason, version=version, actor=actor(request)
    )
    messages.success(request, gettext("Corrected the result of “%(name)s”.") % {"name": game.name})
    return redirect("organize:contest", game.pk)


def _has_scores(game: Contest) -> bool:
    """Whether a game is one of several with scores such as 3:1; then 1:0 is a score as well."""
    if game.event_id is None:
        return False
    games = Standing.objects.filter(contest__event=game.event_id, contest__is_walkover=False)
    return games.exclude(score=None).exclude(score__in=(0.0, 0.5, 1.0)).exists()


def _choices(row: GameRow) -> list[tuple[str, str]]:
    one, other = (gettext("%(side)s won") % {"side": side.name} for side in row.sides)
    neither = gettext("Neither side won (walkover only)")
    return [("first", one), ("draw", gettext("Draw")), ("second", other), ("neither", neither)]


def _result_of(row: GameRow) -> str | None:
    points = tuple(side.points for side in row.sides)
    return next((name for name, one in _POINTS.items() if one == points), None)
