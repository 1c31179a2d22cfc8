"""The page of a player's own games: report them, and confirm or dispute those that opponents report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import Http404
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.limits import seconds_to_wait, too_many_attempts
from contests.errors import ContestError
from contests.models import GameReport, PlayerClaim
from contests.queries.reports import (
    claims_of,
    decided_reports,
    reports_by,
    reports_to_answer,
    series_with_reports,
)
from contests.queries.visibility import visible_series
from contests.services.claims import set_mail, unlink_player
from contests.services.reports import (
    AlreadyThere,
    confirm_report,
    dispute_report,
    player_who_reports,
    report_game,
    withdraw_report,
)
from web.public.my_games.forms import AnswerForm, ReportForm
from web.public.my_games.mail import tell_opponent
from web.public.my_games.rows import report_rows
from web.shared.access import actor, organizer_page
from web.shared.params import series_at, text_of
from web.shared.pictures import change_picture

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from contests.models import Series
    from web.shared.params import SeriesPath

#: Rows of each kind on the page, and series in which the account can report games.
SHOWN, SERIES_SHOWN = 50, 20
#: Fields that the address can fill in.
PREFILLED = ("opponent", "score", "opponent_score", "day", "is_another")


@organizer_page
def page(request: HttpRequest) -> HttpResponse:
    """Show what waits for an answer, a form for a game, and the reports and players of the account."""
    user, claims = actor(request), list(claims_of(request.user))
    series = list(series_with_reports(user, claims)[:SERIES_SHOWN])
    context = {
        "claims": claims,
        "series_list": series,
        "form": ReportForm(series=series[0], user=user) if len(series) == 1 else None,
        "series": series[0] if len(series) == 1 else None,
        "to_answer": report_rows(reports_to_answer(user, claims)[:SHOWN], claims),
        "waiting": report_rows(reports_by(user)[:SHOWN], []),
        "decided": report_rows(decided_reports(user, claims)[:SHOWN], claims),
    }
    return render(request, "my_games/my_games.html", context)


@organizer_page
def report(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Show the form that reports a game of a series; report it on POST."""
    series, user = series_at(request, at), actor(request)
    try:
        player = player_who_reports(series, user)
    except ContestError as refusal:
        return render(request, "my_games/refused.html", {"problem": str(refusal), "series": series}, status=403)
    initial = {name: text for name in PREFILLED if (text := text_of(request, name))}
    form = ReportForm(request.POST or None, series=series, user=user, initial=initial)
    asks = False
    if request.method == "POST":
        if wait := seconds_to_wait(request, "report-account", str(user.pk)):
            return too_many_attempts(request, wait)
        if form.is_valid():
            try:
                return _reported(request, series, form)
            except ContestError as error:
                form.add_error(None, str(error))
                asks = isinstance(error, AlreadyThere)
    context = {"form": form, "series": series, "player": player, "asks": asks or bool(form["is_another"].value())}
    return render(request, "my_games/report.html", context, status=422 if form.errors else 200)


def _reported(request: HttpRequest, series: Series, form: ReportForm) -> HttpResponse:
    made, is_new = report_game(series.pk, said=form.said(), actor=actor(request))
    if is_new:
        tell_opponent(request, made)
    if made.game is not None and made.game.is_draft:
        messages.success(
            request,
            _("Your opponent had already reported this game, so it will count once an organizer finalizes it."),
        )
    elif made.game is not None:
        messages.success(request, _("Your opponent had already reported this game, so it counts now."))
    elif made.expires_at is None:
        messages.success(
            request, _("Reported. Your opponent has no account, so an organizer will have to confirm the game.")
        )
    elif series.needs_approval:
        messages.success(request, _("Reported. Once your opponent confirms the game, an organizer has to finalize it."))
    else:
        messages.success(request, _("Reported. The game counts once your opponent confirms it."))
    return redirect("my-games")


@require_POST
@organizer_page
def answer(request: HttpRequest, pk: int) -> HttpResponse:
    """Confirm, dispute or withdraw a reported game."""
    user = actor(request)
    if wait := seconds_to_wait(request, "report-account", str(user.pk)):
        return too_many_attempts(request, wait)
    own = claims_of(user).values("player")
    concerned = GameReport.objects.filter(opponent__in=own) | GameReport.objects.filter(reported_by=user)
    found = get_object_or_404(concerned.filter(series__in=visible_series(user).values("pk")), pk=pk)
    form = AnswerForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Nothing was saved. Press one of the buttons again, with a shorter reason."))
        return redirect("my-games")
    try:
        messages.success(request, _act(found, form, request))
    except ContestError as error:
        messages.error(request, str(error))
    return redirect("my-games")


def _act(found: GameReport, form: AnswerForm, request: HttpRequest) -> str:
    """Do what the form says; return the message about it."""
    match form.cleaned_data["answer"]:
        case "confirm":
            game = confirm_report(found.pk, actor=actor(request)).game
            if game is not None and game.is_draft:
                return _("Confirmed. The game counts once an organizer finalizes it.")
            return _("Confirmed. Podium is rating the game.")
        case "dispute":
            dispute_report(found.pk, note=form.cleaned_data["note"], actor=actor(request))
            return _("Disputed. An organizer will decide.")
        case _:
            withdraw_report(found.pk, actor=actor(request))
            return _("Withdrawn.")


@organizer_page
def unlink(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask for confirmation to unlink the account from a player; unlink it on POST."""
    claim = _own_claim(request, pk)
    if request.method == "POST":
        unlink_player(claim.player_id, actor=actor(request))
        messages.success(
            request, _("Your account is no longer linked to %(player)s.") % {"player": claim.player.handle}
        )
        return redirect("my-games")
    return render(request, "my_games/unlink.html", {"claim": claim})


@require_POST
@organizer_page
def mail(request: HttpRequest, pk: int) -> HttpResponse:
    """Turn messages about reported games on or off."""
    claim = _own_claim(request, pk)
    set_mail(claim.player_id, user=actor(request), wants_mail="wants_mail" in request.POST)
    messages.success(request, _("Saved."))
    return redirect("my-games")


@organizer_page
def picture(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the form for the picture of the account's own player; set or remove the picture on POST."""
    player = _own_claim(request, pk).player
    return change_picture(request, player, template="my_games/picture.html", back=reverse("my-games"))


def _own_claim(request: HttpRequest, player_id: int) -> PlayerClaim:
    claim = claims_of(request.user).filter(player=player_id).first()
    if claim is None:
        raise Http404
    return claim
