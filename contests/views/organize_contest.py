"""Organizers create, describe, finalize and delete contests here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.shortcuts import redirect, render
from django.utils import timezone

from contests.errors import ContestError
from contests.forms import ContestForm, ReasonForm
from contests.models import Contest, ContestState, StandingStatus
from contests.services.describing import describe_contest
from contests.services.drafting import create_contest
from contests.services.finalizing import delete_contest, finalize_contest
from contests.views.organize_access import actor, organizer_page, own_contest, own_series, to_progress

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from contests.models import Series


@organizer_page
def create(request: HttpRequest, slug: str) -> HttpResponse:
    """Create a draft; go on to its standings."""
    series = own_series(request, slug)
    form = ContestForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            contest = _same_draft(series, form) or create_contest(
                series.pk, description=form.description(), actor=actor(request)
            )
        except ContestError as error:
            form.add_error(None, str(error))
        else:
            return redirect("organize:upload", contest.pk)
    return render(request, "organize/contest_form.html", {"form": form, "series": series}, status=_status(form))


@organizer_page
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    """Change what is said of a draft; a finalized contest is sent to its page, where this is explained."""
    contest = own_contest(request, pk)
    if not contest.is_draft:
        messages.error(request, f"“{contest.name}” is finalized: its name, times and weight can no longer be changed.")
        return redirect("organize:contest", contest.pk)
    form = ContestForm(request.POST or None, contest=contest)
    if request.method == "POST" and form.is_valid():
        try:
            describe_contest(contest.pk, description=form.description(), actor=actor(request))
        except ContestError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "Saved.")
            return redirect("organize:contest", contest.pk)
    context = {"form": form, "series": contest.series, "contest": contest}
    return render(request, "organize/contest_form.html", context, status=_status(form))


@organizer_page
def finalize(request: HttpRequest, pk: int) -> HttpResponse:
    """Say what finalizing will do; do it on POST. A second POST finds it done and leads to the same place."""
    contest = own_contest(request, pk)
    if request.method == "POST":
        try:
            finalize_contest(contest.pk, actor=actor(request))
        except (ContestError, Contest.DoesNotExist) as error:
            messages.error(request, str(error))
            return redirect("organize:contest", contest.pk)
    if request.method == "POST" or contest.is_finalized:
        return to_progress(contest)
    return render(request, "organize/finalize.html", {"contest": contest, "series": contest.series, **_effect(contest)})


@organizer_page
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Say what deleting will do; do it on POST, with a reason if the contest counts."""
    contest = own_contest(request, pk)
    form = ReasonForm(request.POST or None)
    if contest.is_draft:
        form.fields["reason"].required, form.fields["reason"].help_text = False, "Kept in the history."
    if request.method == "POST" and form.is_valid():
        try:
            delete_contest(contest.pk, reason=form.cleaned_data["reason"], actor=actor(request))
        except (ContestError, Contest.DoesNotExist) as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"“{contest.name}” is deleted.")
            page = "organize:progress" if contest.is_finalized and contest.is_rated else "organize:series"
            return redirect(page, contest.series.slug)
    context = {"form": form, "contest": contest, "series": contest.series, **_effect(contest)}
    return render(request, "organize/contest_delete.html", context, status=_status(form))


def _same_draft(series: Series, form: ContestForm) -> Contest | None:
    """Return the empty draft of that name and end, if there is one: the button was pressed twice."""
    said = form.description()
    drafts = series.contests.filter(state=ContestState.DRAFT, standing_count=0)
    return drafts.filter(name=said.name, ends_at=said.ends_at).first()


def _effect(contest: Contest) -> dict[str, object]:
    """Count what finalizing or deleting touches."""
    statuses = list(contest.standings.values_list("status", flat=True))
    rated = Contest.objects.rated().filter(series=contest.series)
    return {
        "ranked": statuses.count(StandingStatus.RANKED),
        "unofficial": statuses.count(StandingStatus.UNOFFICIAL),
        "disqualified": statuses.count(StandingStatus.DISQUALIFIED),
        "later_contests": rated.filter(ends_at__gt=contest.ends_at).exclude(pk=contest.pk).count(),
        "ends_in_future": contest.ends_at > timezone.now(),
    }


def _status(form: ContestForm | ReasonForm) -> int:
    """Return 422 for a form that is shown again because of its errors."""
    return 422 if form.is_bound and form.errors else 200
