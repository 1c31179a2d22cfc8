"""The runs of a series: what was rated when, by whom and why; what is being rated now, and how to stop it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.contrib import messages
from django.db.models import Min, OuterRef, Subquery
from django.http import Http404, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST

from contests.errors import ContestError
from contests.models import Contest
from ratings.database import consistent_read
from ratings.models import Run, RunState, StaleMark, Work
from ratings.models.run import ROLLBACK
from ratings.publishing.cancelling import cancel_run, resume
from ratings.publishing.leases import is_parked, row_of
from ratings.publishing.lifecycle import is_paused
from ratings.publishing.queue import notify_worker
from ratings.publishing.refresh import wait_state
from ratings.publishing.rolling_back import rate_as_it_is
from ratings.queries.roll_backs import rolled_back
from web.shared.access import actor, organizer_page, own_series, primary_key
from web.shared.params import page_of

if TYPE_CHECKING:
    from datetime import datetime

    from django.http import HttpRequest, HttpResponse

    from contests.models import Series
    from ratings.models.run import RunQuerySet

RUNS_PER_PAGE = 25


@organizer_page
def runs(request: HttpRequest, slug: str) -> HttpResponse:
    """Show every run of a series, newest first."""
    series = own_series(request, slug)
    with consistent_read():
        page, status = page_of(request, of_series(series).order_by("-number"), RUNS_PER_PAGE)
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


#: A worker that is well takes up a series within a second, and the sweep rings again each minute.
PATIENCE_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Progress:
    """
    How far the rating of a series is.

    state
        `idle` (nothing was ever rated, nothing waits), `waiting` (for a worker), `running`, `cancelling` (until its
        worker looks), `cancelled` (what waits is held), `failed`, `parked` (five workers died of it, so none tries
        again until someone asks), `refused` (a roll-back that came to nothing), `published`.
    again_at
        When a failed run is tried again; None: at the next sweep.
    deaths
        How many workers died of it in a row: then new results do not make the next attempt any earlier.
    seconds
        How long it has been waiting or running.
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
        """Whether it takes so long that somebody should look at the worker."""
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
def progress(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how far the rating of the series is."""
    series = own_series(request, slug)
    with consistent_read():
        now = progress_of(series)
        # Where the organizer comes from, to lead back to its new ratings.
        pk = primary_key(request.GET.get("contest", ""))
        contest = Contest.objects.finalized().filter(series=series, pk=pk).first()
        shows = rolled_back(series, now.run if now.state == "published" else None)
    context = {"series": series, "progress": now, "run": now.run, "contest": contest, "rolled_back": shows}
    return render(request, "organize/runs/progress.html", context)


@organizer_page
def progress_json(request: HttpRequest, slug: str) -> HttpResponse:
    """Give the same as numbers, for the page to ask again and again."""
    series = own_series(request, slug)
    with consistent_read():
        return JsonResponse(progress_of(series).to_dict())


@require_POST
@organizer_page
def wake_worker(request: HttpRequest, slug: str) -> HttpResponse:
    """Wake a worker for a series whose last run failed or was cancelled."""
    series = own_series(request, slug)
    resume(series.pk, actor=actor(request))
    notify_worker(series.pk)
    messages.info(request, "A worker has been asked to rate the series now.")
    return redirect("organize:progress", series.slug)


def progress_of(series: Series) -> Progress:
    """Read marks and runs; call it inside a snapshot."""
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
