"""Organizers amend single rows of a contest here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.shortcuts import redirect, render

from contests.errors import ContestError
from contests.forms import CorrectionForm
from contests.models import AuditEntry, Standing
from contests.services.correcting import correct_standing
from contests.services.standings import decided_by_scores
from contests.views.organize_access import actor, organizer_page, own_standing, to_progress

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@organizer_page
def correct(request: HttpRequest, pk: int) -> HttpResponse:
    """Show and change one row; what was rated is rated again from there on."""
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
            return _correct(request, standing, form)
        except (ContestError, Standing.DoesNotExist) as error:
            form.add_error(None, str(error))
    context = {"form": form, "standing": standing, "contest": contest, "series": contest.series}
    return render(request, "organize/correct.html", context, status=422 if form.is_bound and form.errors else 200)


def _correct(request: HttpRequest, standing: Standing, form: CorrectionForm) -> HttpResponse:
    contest = standing.contest
    before = AuditEntry.objects.filter(contest=contest).count()
    correct_standing(
        standing.pk, correction=form.correction(), reason=form.cleaned_data["reason"], actor=actor(request)
    )
    if AuditEntry.objects.filter(contest=contest).count() == before:
        messages.info(request, f"The row of {standing.player.handle} says that already; nothing was changed.")
        return redirect("organize:contest", contest.pk)
    messages.success(request, f"Corrected the row of {standing.player.handle}.")
    if contest.is_finalized and contest.is_rated:
        return to_progress(contest)
    return redirect("organize:contest", contest.pk)
