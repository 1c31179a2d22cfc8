"""The runs of a series: what was rated when, by whom and why, what is at work, and how to stop it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.db.models import OuterRef, Subquery
from django.http import Http404
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from contests.errors import ContestError
from ratings.locks import consistent_read
from ratings.models import Run, RunState
from ratings.publishing.cancelling import cancel_run
from ratings.publishing.rolling_back import rate_as_it_is
from ratings.queries.roll_backs import rolled_back
from web.organize.runs.progress_views import progress_of
from web.shared.access import actor, organizer_page, own_series
from web.shared.paging import page_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from contests.models import Series
    from ratings.models.run import RunQuerySet

PAGE_SIZE = 25


@organizer_page
def runs(request: HttpRequest, slug: str) -> HttpResponse:
    """Show every run of a series, newest first."""
    series = own_series(request, slug)
    with consistent_read():
        page, status = page_of(request, of_series(series).order_by("-number"), PAGE_SIZE)
        current = Run.objects.current(series.pk)
        context = {
            "series": series,
            "page": page,
            "current": current,
            "progress": progress_of(series),
            "rolled_back": rolled_back(series, current),
        }
        return render(request, "organize/runs/runs.html", context, status=status)


@organizer_page
def run(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show one run."""
    series = own_series(request, slug)
    with consistent_read():
        found = own_run(series, number)
        current = Run.objects.current(series.pk)
        is_current = current is not None and found.pk == current.pk
        context = {
            "series": series,
            "run": found,
            "current": current,
            "is_current": is_current,
            "progress": progress_of(series),
            "rolled_back": rolled_back(series, current) if is_current else None,
        }
        return render(request, "organize/runs/run.html", context)


@require_POST
@organizer_page
def cancel(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Cancel a run that waits or is at work."""
    series = own_series(request, slug)
    try:
        cancelled = cancel_run(own_run(series, number).pk, actor=actor(request))
    except ContestError as error:
        messages.error(request, str(error))
    else:
        ended = cancelled.state == RunState.CANCELLED
        messages.success(request, f"Run {number} is {'cancelled' if ended else 'being cancelled'}.")
    return redirect("organize:runs", series.slug)


@require_POST
@organizer_page
def rate_results(request: HttpRequest, slug: str) -> HttpResponse:
    """Rate a series that was rolled back by its results as they are."""
    series = own_series(request, slug)
    rate_as_it_is(series.pk, actor=actor(request))
    return redirect("organize:progress", series.slug)


def of_series(series: Series) -> RunQuerySet:
    """The runs of a series with the people, the scheme, and the number of the published one before (`previous`)."""
    before = Run.objects.published().filter(series=series, number__lt=OuterRef("number")).order_by("-number")
    runs = Run.objects.filter(series=series).select_related("actor", "cancelled_by", "scheme")
    return runs.annotate(previous=Subquery(before.values("number")[:1]))


def own_run(series: Series, number: int) -> Run:
    """Return a run of the series; 404 if there is none of that number."""
    found = of_series(series).filter(number=number).first() if number < 2**31 else None
    if found is None:
        raise Http404(f"{series.slug} has no run {number}.")
    return found
