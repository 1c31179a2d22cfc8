"""Organizers amend rows of a contest here: one in every way, several by their status; they add and remove rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from contests.changes import AddStanding, CorrectStandings, RemoveStanding, propose
from contests.errors import ContestError
from contests.services.correcting import add_standing, correct_standings, remove_standing
from contests.services.standings import decided_by_scores
from web.organize.contests.forms import CorrectionForm, NewRowForm, RemovalForm, SelectedRowsForm
from web.shared.access import actor, organizer_page, own_contest, own_standing

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from contests.models import Contest, Standing
    from contests.services.correcting import Correction


@organizer_page
def correct(request: HttpRequest, pk: int) -> HttpResponse:
    """Show and change one row; where it counts, go on to what that would do to ratings."""
    standing = own_standing(request, pk)
    contest = standing.contest
    form = CorrectionForm(
        request.POST or None,
        standing=standing,
        by_scores=decided_by_scores(list(contest.standings.all())),
        reason_needed=contest.is_finalized,
    )
    if request.method == "POST" and form.is_valid():
        try:
            return _correct(request, contest, {standing.pk: form.correction()}, form.cleaned_data)
        except ContestError as error:
            form.add_error(None, str(error))
    context = {"form": form, "standing": standing, "contest": contest, "series": contest.series}
    return render(
        request, "organize/contests/correct.html", context, status=422 if form.is_bound and form.errors else 200
    )


@require_POST
@organizer_page
def correct_selected(request: HttpRequest, pk: int) -> HttpResponse:
    """Give the ticked rows of a contest the same status."""
    contest = own_contest(request, pk)
    form = SelectedRowsForm(request.POST, contest=contest)
    if form.is_valid():
        try:
            return _correct(request, contest, form.corrections(), form.cleaned_data)
        except ContestError as error:
            form.add_error(None, str(error))
    for problems in form.errors.values():
        for problem in problems:
            messages.error(request, str(problem))
    return redirect("organize:contest", contest.pk)


@organizer_page
def add(request: HttpRequest, pk: int) -> HttpResponse:
    """Add somebody who was forgotten; where it counts, go on to what that would do to ratings."""
    contest = own_contest(request, pk)
    by_scores = decided_by_scores(list(contest.standings.all()))
    form = NewRowForm(request.POST or None, contest=contest, by_scores=by_scores)
    if request.method == "POST" and form.is_valid():
        try:
            return _add(request, contest, form)
        except ContestError as error:
            form.add_error(None, str(error))
    context = {"form": form, "contest": contest, "series": contest.series}
    return render(
        request, "organize/contests/standing_add.html", context, status=422 if form.is_bound and form.errors else 200
    )


@organizer_page
def remove(request: HttpRequest, pk: int) -> HttpResponse:
    """Take away a row that should not be there; where it counts, go on to what that would do to ratings."""
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
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "organize/contests/standing_remove.html", context, status=status)


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
    messages.success(request, f"Added {handle}.")
    return redirect("organize:contest", contest.pk)


def _remove(request: HttpRequest, standing: Standing, form: RemovalForm) -> HttpResponse:
    contest, said = standing.contest, form.cleaned_data
    version = contest.version if said["version"] is None else said["version"]
    if contest.is_finalized:
        return propose(RemoveStanding(contest.pk, version, standing.pk, reason=said["reason"]))
    remove_standing(standing.pk, reason=said["reason"], version=version, actor=actor(request))
    messages.success(request, f"Removed the row of {standing.player.handle}.")
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
        messages.success(request, f"Corrected {changed} row{'s' if changed != 1 else ''}.")
    else:
        messages.info(request, "The rows say that already; nothing was changed.")
    return redirect("organize:contest", contest.pk)
