"""One contest as its organizer sees it, and the ways to change the contest as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import F, Q
from django.http import Http404
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext

from accounts.confirming import reauthenticated
from contests.changes.base import propose
from contests.changes.of_contests import DeleteContest, DescribeContest, FinalizeContest, RestoreContest
from contests.errors import ContestError
from contests.matching.name_index import matching
from contests.models import AuditEntry, Contest, ContestState, Series
from contests.queries.games import game_rows
from contests.queries.visibility import lacks_second_organizer
from contests.services.contests import create_contest, delete_contest, restore_contest
from contests.services.describing import ContestDescription, describe_contest, rates_again
from contests.services.standings import positions_of
from contests.whole_numbers import number_or_zero
from ratings.database import consistent_read
from ratings.queries.snapshot import preview_snapshot_of, wait_state
from web.organize.contests.forms import ContestForm
from web.shared.access import actor, organizer_page, own_contest, own_series, to_progress
from web.shared.audit_trail import history_of
from web.shared.form_fields import ReasonForm
from web.shared.open_reviews import open_reviews
from web.shared.projected_rows import table_of_draft
from web.shared.unsent import unsent_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.forms import Form
    from django.http import HttpRequest, HttpResponse, QueryDict

    from contests.models import Standing
    from web.organize.contests.row_forms import SelectedRowsForm
    from web.shared.params import SeriesPath

ROWS_PER_PAGE = 100
LONGEST_SEARCH = 128


@organizer_page
def page(request: HttpRequest, pk: int) -> HttpResponse:
    """Show one of the organizer's contests; for a deleted one, redirect to the list from which it can be restored."""
    try:
        contest = own_contest(request, pk)
    except Http404:
        organized = Series.objects.organized_by(request.user)
        deleted = Contest.objects.filter(pk=pk, state=ContestState.DELETED, series__in=organized).first()
        if deleted is None:
            raise
        text = gettext("“%(name)s” has been deleted. You can restore it from the list of deleted contests below.")
        messages.info(request, text % {"name": deleted.name})
        return redirect("organize:series", deleted.series)
    if contest.is_event:
        return _event(request, contest)
    if contest.is_draft:
        snapshot = preview_snapshot_of(contest.series)
        context = {
            "contest": contest,
            "series": contest.series,
            "snapshot": snapshot,
            "table": table_of_draft(contest, snapshot, whole="whole" in request.GET),
            "lacks_second": _lacks_second(request, contest),
            "history": history_of(contest.audit_entries),
            **open_reviews(contest),
        }
        return render(request, "organize/contests/draft.html", context)
    return finalized_page(request, contest)


def _lacks_second(request: HttpRequest, contest: Contest) -> bool:
    """Whether the organizer has asked for a confirmation that no one can give."""
    is_own = contest.asked_by_id is not None and contest.asked_by_id == request.user.pk
    return is_own and lacks_second_organizer(contest.series, request.user)


def _event(request: HttpRequest, event: Contest) -> HttpResponse:
    with consistent_read():
        in_order = event.games.existing().in_order()
        games = Paginator(in_order, ROWS_PER_PAGE).get_page(request.GET.get("page"))
        context = {
            "contest": event,
            "series": event.series,
            "games": games,
            "rows": game_rows(list(games.object_list)),
            "is_stale": wait_state(event.series_id)[0],
            "lacks_second": _lacks_second(request, event),
            "history": history_of(AuditEntry.objects.filter(Q(contest=event) | Q(contest__event=event))),
        }
        return render(request, "organize/contests/event.html", context)


def finalized_page(request: HttpRequest, contest: Contest, refused: SelectedRowsForm | None = None) -> HttpResponse:
    """Show a finalized contest; if a form for several rows was refused, with its input and its problems."""
    search = request.GET.get("q", "").replace("\0", "").strip()[:LONGEST_SEARCH]
    standings = contest.standings.for_table()
    if search:
        standings = standings.filter(matching(search, "player__"))
    with consistent_read():
        page = Paginator(standings, ROWS_PER_PAGE).get_page(request.GET.get("page"))
        context = {
            "contest": contest,
            "series": contest.series,
            "search": search,
            "typed": _typed(request, contest) if refused is None else _typed_in(request.POST),
            "form": refused,
            "standings": page,
            "has_penalties": any(row.penalty is not None for row in page.object_list),
            "has_other_places": _show_positions(contest, page.object_list),
            "is_stale": wait_state(contest.series_id)[0],
            "history": history_of(contest.audit_entries),
        }
        return render(request, "organize/contests/contest.html", context, status=200 if refused is None else 422)


def _show_positions(contest: Contest, shown: Iterable[Standing]) -> bool:
    """Set the position of each row shown among all rows; return whether any row's position differs from its rank."""
    if not contest.standings.exclude(rank=F("place")).exists():
        return False
    rows = list(contest.standings.only("place", "rank", "team"))
    positions = positions_of(rows)
    for row in shown:
        row.position = positions[row.pk]  # type: ignore[attr-defined]
    return any(row.rank != positions[row.pk] for row in rows)


def _typed(request: HttpRequest, contest: Contest) -> dict[str, object]:
    """Return what the organizer typed into the form for several rows before the session expired."""
    typed = unsent_of(request, reverse("organize:correct-selected", args=[contest.pk]))
    return {} if typed is None else _typed_in(typed)


def _typed_in(typed: QueryDict) -> dict[str, object]:
    rows = {number_or_zero(row) for row in typed.getlist("rows")}
    return {"rows": rows, "status": typed.get("status", ""), "reason": typed.get("reason", "")}


@organizer_page
def create(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Create a draft, and continue with its standings."""
    series = own_series(request, at)
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
        request, "organize/contests/contest_form.html", {"form": form, "series": series}, status=status_of(form)
    )


@organizer_page
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    """Change the description of a contest; if that affects ratings, continue with a preview."""
    contest = own_contest(request, pk)
    form = ContestForm(request.POST or None, contest=contest)
    if request.method == "POST" and form.is_valid():
        try:
            return _describe(request, contest, form)
        except ContestError as error:
            form.add_error(None, str(error))
    context = {"form": form, "series": contest.series, "contest": contest}
    return render(request, "organize/contests/contest_form.html", context, status=status_of(form))


@organizer_page
def finalize(request: HttpRequest, pk: int) -> HttpResponse:
    """Continue with a preview of finalizing; for a finalized contest, with its ratings."""
    contest = own_contest(request, pk)
    if contest.is_finalized:
        return to_progress(contest)
    try:
        return propose(FinalizeContest(contest.pk, contest.version))
    except ContestError as error:
        messages.error(request, str(error))
        return redirect("organize:contest", contest.pk)


@organizer_page
@reauthenticated
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete a draft; for a finalized contest, ask for a reason and continue with a preview."""
    contest = own_contest(request, pk)
    form = ReasonForm(request.POST or None, initial={"version": contest.version})
    if contest.is_draft:
        form.fields["reason"].required = False
        form.fields["reason"].help_text = gettext("Podium shows this reason in the history.")
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
            messages.success(
                request, gettext("Deleted “%(name)s”. You can restore it from this page.") % {"name": contest.name}
            )
            return redirect("organize:series", contest.series)
    context = {"form": form, "contest": contest, "series": contest.series}
    return render(request, "organize/contests/contest_delete.html", context, status=status_of(form))


@organizer_page
def restore(request: HttpRequest, pk: int) -> HttpResponse:
    """Restore a deleted draft; for a finalized contest, ask for a reason and continue with a preview."""
    contest = own_contest(request, pk, is_deleted=True)
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
            messages.success(request, gettext("“%(name)s” is a draft again.") % {"name": contest.name})
            return redirect("organize:contest", contest.pk)
    context = {"form": form, "deleted": contest, "counted": counted, "series": contest.series}
    return render(request, "organize/contests/contest_restore.html", context, status=status_of(form))


def _describe(request: HttpRequest, contest: Contest, form: ContestForm) -> HttpResponse:
    said, version = form.description(), form.cleaned_data["version"]
    reason = form.cleaned_data.get("reason", "")
    if rates_again(contest, said):
        if not reason:
            form.add_error("reason", gettext("Enter a reason, because this change affects ratings."))
            raise ContestError(gettext("Give the reason for the change."))
        known = contest.version if version is None else version
        return propose(DescribeContest.of(contest, said, version=known, reason=reason))
    describe_contest(contest.pk, description=said, reason=reason, version=version, actor=actor(request))
    messages.success(request, gettext("Saved."))
    return redirect("organize:contest", contest.pk)


def _same_draft(series: Series, form: ContestForm) -> Contest | None:
    """Return the empty draft with this description, if the button was pressed twice."""
    said = form.description()
    drafts = series.contests.filter(state=ContestState.DRAFT, standing_count=0, name=said.name, ends_at=said.ends_at)
    return next((draft for draft in drafts if ContestDescription.of(draft) == said), None)


def status_of(form: Form) -> int:
    """Return 422 for a form that is shown again because of its errors."""
    return 422 if form.errors else 200
