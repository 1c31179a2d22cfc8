"""The rows of a contest: correct, add, remove and move them. If the contest is finalized, a preview follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, ngettext

from contests.changes.base import propose
from contests.changes.of_standings import AddStanding, CorrectStandings, ReassignStanding, RemoveStanding
from contests.errors import ContestError
from contests.queries.teams import team_name
from contests.services.correcting import correct_standings
from contests.services.participants import add_standing, reassign_standing, remove_standing
from contests.services.standings import decided_by_scores, positions_of
from web.organize.contests.row_forms import CorrectionForm, NewRowForm, ReassignForm, RemovalForm, SelectedRowsForm
from web.organize.contests.views import finalized_page, status_of
from web.shared.access import actor, organizer_page, own_contest, own_standing
from web.shared.similar_names import similar_names

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from django.forms import Form
    from django.http import HttpRequest, HttpResponse, QueryDict

    from contests.models import Contest, Standing
    from contests.services.correcting import Correction
    from web.shared.similar_names import SimilarName


@organizer_page
def correct(request: HttpRequest, pk: int) -> HttpResponse:
    """Show and change one row; if the contest is finalized, continue with a preview."""
    standing = own_standing(request, pk)
    contest = standing.contest
    rows = list(contest.standings.all())
    positions = positions_of(rows)
    form = CorrectionForm(
        request.POST or None,
        standing=standing,
        positions=positions,
        by_scores=bool(decided_by_scores(rows)),
        reason_needed=contest.is_finalized,
    )
    if request.method == "POST" and form.is_valid():
        try:
            return _correct(request, contest, {standing.pk: form.correction()}, form.cleaned_data)
        except ContestError as error:
            form.add_error(None, str(error))
    context = {
        "form": form,
        "standing": standing,
        "position": positions.get(standing.pk),
        "team": team_name(standing),
        "contest": contest,
        "series": contest.series,
    }
    return render(request, "organize/contests/correct.html", context, status=status_of(form))


@organizer_page
def correct_selected(request: HttpRequest, pk: int) -> HttpResponse:
    """Set the status of the selected rows; redirect a GET, from a link on the page with errors, to the contest."""
    contest = own_contest(request, pk)
    if request.method != "POST":
        return redirect(reverse("organize:contest", args=[pk], query=request.GET))
    form = SelectedRowsForm(request.POST, contest=contest)
    if form.is_valid():
        try:
            return _correct(request, contest, form.corrections(), form.cleaned_data)
        except ContestError as error:
            form.add_error(None, str(error))
    if contest.is_finalized and not contest.is_event:
        return finalized_page(request, contest, form)
    for problems in form.errors.values():
        for problem in problems:
            messages.error(request, str(problem))
    return redirect("organize:contest", contest.pk)


@organizer_page
def add(request: HttpRequest, pk: int) -> HttpResponse:
    """
    Add a forgotten participant; if the contest is finalized, continue with a preview.

    The page asks once about a new name that resembles known ones.
    """
    contest = own_contest(request, pk)
    rows = list(contest.standings.all())
    by_scores = bool(decided_by_scores(rows))
    form = NewRowForm(_with_chosen(request), contest=contest, positions=positions_of(rows), by_scores=by_scores)
    similar: list[SimilarName] = []
    if _is_ready(request, form):
        try:
            similar = _similar(request, contest, form, besides={row.player_id for row in rows})
            if not similar:
                return _add(request, contest, form)
        except ContestError as error:
            form.add_error(None, str(error))
    context = {"form": form, "contest": contest, "series": contest.series, "similar": similar}
    return render(request, "organize/contests/standing_add.html", context, status=status_of(form))


@organizer_page
def remove(request: HttpRequest, pk: int) -> HttpResponse:
    """Remove a row that should not be there; if the contest is finalized, continue with a preview."""
    standing = own_standing(request, pk)
    contest = standing.contest
    form = RemovalForm(request.POST or None, initial={"version": contest.version})
    form.fields["reason"].required = contest.is_finalized
    if request.method == "POST" and form.is_valid():
        try:
            return _remove(request, standing, form)
        except ContestError as error:
            form.add_error(None, str(error))
    context = {"form": form, "standing": standing, "contest": contest, "series": contest.series}
    return render(request, "organize/contests/standing_remove.html", context, status=status_of(form))


@organizer_page
def reassign(request: HttpRequest, pk: int) -> HttpResponse:
    """
    Give a row to another player; if the contest is finalized, continue with a preview.

    The page asks once about a new name that resembles known ones. Players who are already in the contest are included,
    because the new name may be another name of such a player.
    """
    standing = own_standing(request, pk)
    contest = standing.contest
    form = ReassignForm(_with_chosen(request), initial={"version": contest.version})
    form.fields["reason"].required = contest.is_finalized
    similar: list[SimilarName] = []
    if _is_ready(request, form):
        try:
            similar = _similar(request, contest, form, besides={standing.player_id})
            if not similar:
                return _reassign(request, standing, form)
        except ContestError as error:
            form.add_error(None, str(error))
    context = {"form": form, "standing": standing, "contest": contest, "series": contest.series, "similar": similar}
    return render(request, "organize/contests/standing_reassign.html", context, status=status_of(form))


def _with_chosen(request: HttpRequest) -> QueryDict | None:
    """Return the submitted form, with the handle of the known player if the organizer has chosen one."""
    typed = request.POST.copy()
    if chosen := typed.get("use_handle"):
        typed["handle"] = chosen
    return typed or None


def _is_ready(request: HttpRequest, form: Form) -> bool:
    """Whether a valid form was submitted; choosing a known player only fills in the handle."""
    return request.method == "POST" and form.is_valid() and not request.POST.get("use_handle")


def _similar(
    request: HttpRequest, contest: Contest, form: Form, besides: AbstractSet[int] = frozenset()
) -> list[SimilarName]:
    fields = {"handle": [form.cleaned_data["handle"]]}
    return similar_names(contest.series, fields, asked=request.POST.getlist("asked"), besides=besides)


def _reassign(request: HttpRequest, standing: Standing, form: ReassignForm) -> HttpResponse:
    contest, said = standing.contest, form.cleaned_data
    version = contest.version if said["version"] is None else said["version"]
    handle, reason = said["handle"], said["reason"]
    if contest.is_finalized:
        return propose(ReassignStanding(contest.pk, version, standing.pk, handle, reason=reason))
    reassign_standing(standing.pk, handle=handle, reason=reason, version=version, actor=actor(request))
    names = {"former": standing.player.handle, "handle": handle}
    messages.success(request, gettext("Moved the result of %(former)s to %(handle)s.") % names)
    return redirect("organize:contest", contest.pk)


def _add(request: HttpRequest, contest: Contest, form: NewRowForm) -> HttpResponse:
    said, correction = form.cleaned_data, form.correction()
    version = contest.version if said["version"] is None else said["version"]
    handle, team, reason = said["handle"], said.get("team", ""), said["reason"]
    if contest.is_finalized:
        return propose(AddStanding.of(contest, handle, correction, team=team, version=version, reason=reason))
    add_standing(
        contest.pk, handle=handle, correction=correction, team=team, reason=reason, version=version,
        actor=actor(request),
    )  # fmt: skip
    messages.success(request, gettext("Added %(handle)s.") % {"handle": handle})
    return redirect("organize:contest", contest.pk)


def _remove(request: HttpRequest, standing: Standing, form: RemovalForm) -> HttpResponse:
    contest, said = standing.contest, form.cleaned_data
    version = contest.version if said["version"] is None else said["version"]
    if contest.is_finalized:
        return propose(RemoveStanding(contest.pk, version, standing.pk, reason=said["reason"]))
    remove_standing(standing.pk, reason=said["reason"], version=version, actor=actor(request))
    messages.success(request, gettext("Removed the row of %(handle)s.") % {"handle": standing.player.handle})
    return redirect("organize:contest", contest.pk)


def _correct(
    request: HttpRequest, contest: Contest, corrections: dict[int, Correction], said: dict[str, object]
) -> HttpResponse:
    version = said["version"] if isinstance(said["version"], int) else contest.version
    reason = str(said["reason"])
    if contest.is_finalized:
        return propose(CorrectStandings.of(contest, corrections, version=version, reason=reason))
    changed = correct_standings(
        contest.pk, corrections=corrections, reason=reason, version=version, actor=actor(request)
    )
    if changed:
        messages.success(
            request,
            ngettext("Corrected %(count)s row.", "Corrected %(count)s rows.", changed) % {"count": changed},
        )
    else:
        messages.info(request, gettext("Nothing changed: the rows already have these values."))
    return redirect("organize:contest", contest.pk)
