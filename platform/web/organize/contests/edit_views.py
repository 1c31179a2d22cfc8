"""Organizers create, describe, finalize, delete and restore contests here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.shortcuts import get_object_or_404, redirect, render

from contests.changes import DeleteContest, DescribeContest, FinalizeContest, RestoreContest, propose
from contests.errors import ContestError
from contests.models import Contest, ContestState
from contests.services.drafting import create_contest, describe_contest, rates_again
from contests.services.finalizing import delete_contest, restore_contest
from web.organize.contests.forms import ContestForm
from web.shared.access import actor, check_organizes, organizer_page, own_contest, own_series, to_progress
from web.shared.form_fields import ReasonForm

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
    return render(
        request, "organize/contests/contest_form.html", {"form": form, "series": series}, status=_status(form)
    )


@organizer_page
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    """Change what is said of a contest; where ratings move by it, go on to what it would do."""
    contest = own_contest(request, pk)
    form = ContestForm(request.POST or None, contest=contest)
    if request.method == "POST" and form.is_valid():
        try:
            return _describe(request, contest, form)
        except ContestError as error:
            form.add_error(None, str(error))
    context = {"form": form, "series": contest.series, "contest": contest}
    return render(request, "organize/contests/contest_form.html", context, status=_status(form))


@organizer_page
def finalize(request: HttpRequest, pk: int) -> HttpResponse:
    """Go on to what finalizing would do; what is final already leads to its ratings."""
    contest = own_contest(request, pk)
    if contest.is_finalized:
        return to_progress(contest)
    try:
        return propose(FinalizeContest(contest.pk, contest.version))
    except ContestError as error:
        messages.error(request, str(error))
        return redirect("organize:contest", contest.pk)


@organizer_page
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete a draft; ask why a contest that counts is to be deleted, and go on to what that would do."""
    contest = own_contest(request, pk)
    form = ReasonForm(request.POST or None, initial={"version": contest.version})
    if contest.is_draft:
        form.fields["reason"].required, form.fields["reason"].help_text = False, "Kept in the history."
    if request.method == "POST" and form.is_valid():
        reason, version = form.cleaned_data["reason"], form.cleaned_data["version"]
        try:
            if contest.is_finalized:
                known = contest.version if version is None else version
                return propose(DeleteContest(contest.pk, known, reason=reason))
            delete_contest(contest.pk, reason=reason, version=version, actor=actor(request))
        except ContestError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"“{contest.name}” is deleted. It can be restored from the page of its series.")
            return redirect("organize:series", contest.series.slug)
    context = {"form": form, "contest": contest, "series": contest.series}
    return render(request, "organize/contests/contest_delete.html", context, status=_status(form))


@organizer_page
def restore(request: HttpRequest, pk: int) -> HttpResponse:
    """Bring a deleted contest back; where it counted, ask why and go on to what that would do."""
    contest = get_object_or_404(Contest.objects.select_related("series").filter(state=ContestState.DELETED), pk=pk)
    check_organizes(request, contest.series)
    form = ReasonForm(request.POST or None)
    counted = contest.finalized_at is not None
    form.fields["reason"].required = counted
    if request.method == "POST" and form.is_valid():
        reason = form.cleaned_data["reason"]
        try:
            if counted:
                return propose(RestoreContest(contest.pk, reason=reason))
            restore_contest(contest.pk, reason=reason, actor=actor(request))
        except ContestError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"“{contest.name}” is a draft again.")
            return redirect("organize:contest", contest.pk)
    context = {"form": form, "deleted": contest, "counted": counted, "series": contest.series}
    return render(request, "organize/contests/contest_restore.html", context, status=_status(form))


def _describe(request: HttpRequest, contest: Contest, form: ContestForm) -> HttpResponse:
    said, version = form.description(), form.cleaned_data["version"]
    reason = form.cleaned_data.get("reason", "")
    if rates_again(contest, said):
        if not reason:
            form.add_error("reason", "The contest counts already, and ratings follow from this: say why.")
            raise ContestError("Give the reason for the change.")
        known = contest.version if version is None else version
        return propose(DescribeContest.of(contest, said, version=known, reason=reason))
    describe_contest(contest.pk, description=said, reason=reason, version=version, actor=actor(request))
    messages.success(request, "Saved.")
    return redirect("organize:contest", contest.pk)


def _same_draft(series: Series, form: ContestForm) -> Contest | None:
    """Return the empty draft of that name and end, if there is one: the button was pressed twice."""
    said = form.description()
    drafts = series.contests.filter(state=ContestState.DRAFT, standing_count=0)
    return drafts.filter(name=said.name, ends_at=said.ends_at).first()


def _status(form: ContestForm | ReasonForm) -> int:
    """Return 422 for a form that is shown again because of its errors."""
    return 422 if form.is_bound and form.errors else 200
