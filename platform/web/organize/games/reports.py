"""The games that players have reported and that the organizers of a series can decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms
from django.contrib import messages
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from contests.errors import ContestError
from contests.models import GameReport, PlayerClaim
from contests.plain_text import plain_text
from contests.queries.reports import reports_to_decide
from contests.queries.visibility import visible_series
from contests.services.reports import LONGEST_NOTE, accept_report, reject_report
from web.shared.access import actor, check_organizes, organizer_page, own_series
from web.shared.params import page_of
from web.shared.unsent import unsent_among

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from web.shared.params import SeriesPath

PAGE_SIZE = 50


class DecisionForm(forms.Form):
    """Whether a reported game counts; a rejection may have a reason, which both players read."""

    decision = forms.ChoiceField(choices=[("accept", "accept"), ("reject", "reject")])
    note = forms.CharField(max_length=LONGEST_NOTE, required=False, validators=[plain_text])


@organizer_page
def page(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """List the reported games that wait for the opponent or an organizer, disputed ones first."""
    series = own_series(request, at)
    found, status = page_of(request, reports_to_decide(series), PAGE_SIZE)
    actions = {reverse("organize:report-decide", args=[report.pk]): report.pk for report in found}
    unsent = unsent_among(request, actions)
    people = {report.opponent_id for report in found} | {report.player_id for report in found}
    context = {
        "series": series,
        "page": found,
        "with_account": set(PlayerClaim.objects.filter(player__in=people).values_list("player", flat=True)),
        "typed_for": actions[unsent[0]] if unsent is not None else None,
        "typed": unsent[1].get("note", "") if unsent is not None else "",
    }
    return render(request, "organize/games/reports.html", context, status=status)


@require_POST
@organizer_page
def decide(request: HttpRequest, pk: int) -> HttpResponse:
    """Accept or reject a reported game."""
    known = GameReport.objects.filter(series__in=visible_series(request.user).values("pk")).select_related("series")
    report = get_object_or_404(known, pk=pk)
    check_organizes(request, report.series)
    form = DecisionForm(request.POST)
    if not form.is_valid():
        messages.error(
            request,
            gettext("Nothing was saved. Press one of the buttons; a reason can have up to %(longest_note)s characters.")
            % {"longest_note": LONGEST_NOTE},
        )
        return redirect("organize:reports", report.series)
    try:
        if form.cleaned_data["decision"] == "accept":
            game = accept_report(pk, actor=actor(request)).game
            is_draft = game is not None and game.is_draft
            messages.success(
                request,
                gettext("Accepted. Another organizer has to finalize it.")
                if is_draft
                else gettext("Accepted. Podium is rating it."),
            )
        else:
            reject_report(pk, note=form.cleaned_data["note"], actor=actor(request))
            messages.success(request, gettext("Rejected. Both players see it under “My games”."))
    except ContestError as error:
        messages.error(request, str(error))
    return redirect("organize:reports", report.series)
