"""Runs of a series: their list, one run, and the progress of rating."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.contrib import messages
from django.db.models import Min, OuterRef, Subquery
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from contests.errors import ContestError
from contests.models import Contest
from contests.whole_numbers import number_or_zero
from ratings.database import consistent_read
from ratings.models import ROLLBACK, Run, RunState, StaleMark, Work
from ratings.publishing.leases import cancel_run, is_parked, resume, row_of
from ratings.publishing.queue import is_paused, notify_worker
from ratings.publishing.rolling_back import end_roll_back
from ratings.queries.contest_kinds import kinds_in
from ratings.queries.roll_backs import rolled_back
from ratings.queries.snapshot import wait_state
from web.shared.access import actor, organizer_page, own_series
from web.shared.params import page_of

if TYPE_CHECKING:
    from datetime import datetime

    from django.http import HttpRequest

    from contests.models import Series
    from ratings.models import RunQuerySet
    from web.shared.params import SeriesPath

RUNS_PER_PAGE = 25


@organizer_page
def runs(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Show every run of a series, newest first."""
    series = own_series(request, at)
    with consistent_read():
        page, status = page_of(request, of_series(series).order_by("-number"), RUNS_PER_PAGE)
        current = Run.objects.current(series.pk)
        context = {
            "series": series,
            "page": page,
            "current": current,
            "can_compare": any(run.state == RunState.PUBLISHED and run.previous for run in page) or page.number > 1,
            "progress": progress_of(series),
            "rolled_back": rolled_back(series, current),
        }
        return render(request, "organize/runs/runs.html", context, status=status)


@organizer_page
def run(request: HttpRequest, at: SeriesPath, number: int) -> HttpResponse:
    """Show one run."""
    series = own_series(request, at)
    with consistent_read():
        found = own_run(series, number)
        current = Run.objects.current(series.pk)
        is_current = current is not None and found.pk == current.pk
        context = {
            "series": series,
            "run": found,
            "current": current,
            "is_current": is_current,
            "kinds": kinds_in(series.pk),
            "progress": progress_of(series),
            "rolled_back": rolled_back(series, current) if is_current else None,
        }
        return render(request, "organize/runs/run.html", context)


@require_POST
@organizer_page
def cancel(request: HttpRequest, at: SeriesPath, number: int) -> HttpResponse:
    """Cancel a run that waits or is in progress."""
    series = own_series(request, at)
    try:
        cancelled = cancel_run(own_run(series, number).pk, actor=actor(request))
    except ContestError as error:
        messages.error(request, str(error))
    else:
        ended = cancelled.state == RunState.CANCELLED
        text = gettext("Run %(number)s is cancelled.") if ended else gettext("Run %(number)s is being cancelled.")
        messages.success(request, text % {"number": number})
    return redirect("organize:runs", series)


@require_POST
@organizer_page
def rate_results(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """End a roll-back by rating the current results."""
    series = own_series(request, at)
    end_roll_back(series.pk, actor=actor(request))
    return redirect("organize:progress", series)


def of_series(series: Series) -> RunQuerySet:
    """Return the runs of a series with their people, scheme, and the number of the `previous` published run."""
    before = Run.objects.published().filter(series=series, number__lt=OuterRef("number")).order_by("-number")
    runs = Run.objects.filter(series=series).select_related("actor", "cancelled_by", "scheme")
    return runs.annotate(previous=Subquery(before.values("number")[:1]))


def own_run(series: Series, number: int) -> Run:
    """Return a run of the series; 404 if there is none of that number."""
    found = of_series(series).filter(number=number).first() if number < 2**31 else None
    if found is None:
        raise Http404(f"{series.slug} has no run {number}.")
    return found


#: A healthy worker answers within a second. If its message is lost, a sweep sends another one in less than a minute.
PATIENCE_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Progress:
    """
    The progress of rating a series.

    state
        `idle` (never rated, nothing waits), `waiting` (for a worker), `running`, `cancelling` (until the worker
        notices), `cancelled` (changes wait), `failed`, `parked` (five workers died, so none tries again until
        someone asks), `refused` (a roll-back that failed or was cancelled), `published`.
    again_at
        When a failed run is tried again; None for the next sweep.
    deaths
        Number of workers in a row that died; after a death, new results do not bring the next attempt forward.
    seconds
        Time spent waiting or running.
    """

    state: str
    run: Run | None
    seconds: int
    again_at: datetime | None = None
    deaths: int = 0

    @property
    def is_over(self) -> bool:
        return self.state in ("idle", "refused", "published")

    @property
    def is_late(self) -> bool:
        """Whether it takes so long that someone should check the worker."""
        return self.state in ("waiting", "running") and self.seconds > PATIENCE_SECONDS

    def to_dict(self) -> dict[str, object]:
        return {
            "state": self.state,
            "is_over": self.is_over,
            "is_late": self.is_late,
            "seconds": self.seconds,
            "run": self.run.number if self.run else None,
            "contests_done": self.run.contests_done if self.run else 0,
            "contests_total": self.run.contests_total if self.run else 0,
        }


@organizer_page
def progress(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Show the progress of rating the series."""
    series = own_series(request, at)
    with consistent_read():
        now = progress_of(series)
        # The contest that the organizer came from, for a link to its new ratings.
        pk = number_or_zero(request.GET.get("contest", ""))
        contest = Contest.objects.finalized().filter(series=series, pk=pk).first()
        published = now.run if now.state == "published" else None
        context = {
            "series": series,
            "progress": now,
            "run": now.run,
            "contest": contest,
            "rolled_back": rolled_back(series, published),
            "kinds": kinds_in(series.pk) if published is not None else None,
        }
    return render(request, "organize/runs/progress.html", context)


@organizer_page
def progress_json(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Return the progress as JSON, which the page polls."""
    series = own_series(request, at)
    with consistent_read():
        return JsonResponse(progress_of(series).to_dict())


@require_POST
@organizer_page
def wake_worker(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Wake a worker for a series whose last run failed or was cancelled."""
    series = own_series(request, at)
    resume(series.pk, actor=actor(request))
    notify_worker(series.pk)
    messages.info(request, gettext("Podium will rate the series as soon as the server is free."))
    return redirect("organize:progress", series)


def progress_of(series: Series) -> Progress:
    """Return the progress of a series; call this inside a snapshot."""
    is_stale, run = wait_state(series.pk)
    now = timezone.now()
    if run is not None and run.is_at_work:
        state = "running" if run.state == RunState.RUNNING else "waiting"
        return Progress(
            "cancelling" if run.cancel_asked_at else state, run, int((now - run.created_at).total_seconds())
        )
    lease = row_of(series.pk, Work.RATE) if is_stale else None
    if is_parked(lease):
        return Progress("parked", run, 0)
    if is_stale and is_paused(series.pk):
        return Progress("cancelled", run, 0)
    if not is_stale and run is not None and run.kind == ROLLBACK and run.state != RunState.PUBLISHED:
        return Progress("refused", run, 0)
    if not is_stale:
        current = Run.objects.current(series.pk)
        return Progress("published" if current is not None else "idle", current, 0)
    marks = StaleMark.objects.filter(series=series)
    deaths = lease.attempts if lease is not None else 0
    is_news = not deaths and run is not None and marks.filter(created_at__gt=run.created_at).exists()
    if run is not None and run.state == RunState.FAILED and not is_news:
        return Progress("failed", run, 0, lease.not_before if lease is not None else None, deaths)
    since = marks.aggregate(oldest=Min("created_at"))["oldest"] or now
    return Progress("waiting", run, int((now - since).total_seconds()))
