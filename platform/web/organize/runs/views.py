"""Runs of a series: their list and progress, comparisons of two runs, and rolling back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.contrib import messages
from django.db.models import Min, OuterRef, Subquery
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy
from django.views.decorators.http import require_POST

from accounts.confirming import reauthenticated
from contests.bulk import chunks
from contests.changes.base import propose
from contests.errors import ContestError
from contests.models import Contest, Player
from contests.whole_numbers import number_or_zero
from ratings.database import consistent_read
from ratings.models import ROLLBACK, Run, RunState, Scheme, StaleMark, Work
from ratings.publishing.engine import estimate_seconds
from ratings.publishing.leases import cancel_run, is_parked, resume, row_of
from ratings.publishing.queue import is_paused, notify_worker
from ratings.publishing.rolling_back import ask_roll_back, rate_as_it_is, read_restoration, restorable
from ratings.publishing.scheme_changes import differences
from ratings.publishing.undoing import MOST_CAUSES, TakeOutCauses, causes_since
from ratings.queries.contest_kinds import kinds_in
from ratings.queries.filters import ids_matching
from ratings.queries.roll_backs import roll_back_effect, rolled_back
from ratings.queries.run_comparison import NONE, Comparison, compare
from ratings.queries.snapshot import as_of, wait_state
from ratings.systems import get_system
from web.shared.access import actor, organizer_page, own_series
from web.shared.csv_files import csv_file
from web.shared.form_fields import ReasonForm
from web.shared.params import page_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from django.http import HttpRequest

    from contests.models import Series
    from ratings.models import RunQuerySet
    from ratings.publishing.scheme_changes import Difference
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
    rate_as_it_is(series.pk, actor=actor(request))
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


MOVES_PER_PAGE = 100
#: Largest changes in a preview; the page of the comparison has all of them.
LARGEST = 20
#: For systems that move absent players, the preview tries out the restoration only up to this many players.
TRIED_PLAYERS = 5_000
#: Filters of the comparison, with their labels.
KINDS = {
    "": gettext_lazy("Rating or rank changed"),
    "up": gettext_lazy("Up"),
    "down": gettext_lazy("Down"),
    "tier": gettext_lazy("Tier changed"),
    "entered": pgettext_lazy("players", "New"),
    "left": gettext_lazy("No longer rated"),
    "rank": gettext_lazy("Only rank changed"),
}
CSV_COLUMNS = ("handle", "rating_from", "rating_to", "change", "rank_from", "rank_to", "tier_from", "tier_to")


@dataclass(frozen=True, slots=True)
class Move:
    """One player in a comparison, in displayed numbers; None without a rating."""

    player: Player
    before: int | None
    after: int | None
    rank_before: int | None
    rank_after: int | None
    changes_tier: bool

    @property
    def change(self) -> int | None:
        return None if self.before is None or self.after is None else self.after - self.before

    @property
    def climbed(self) -> int | None:
        """Ranks gained; negative if lost."""
        return None if self.rank_before is None or self.rank_after is None else self.rank_before - self.rank_after


@organizer_page
def comparison(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Show the players who moved between two runs."""
    series = own_series(request, at)
    with consistent_read():
        first, second, current = _two_runs(request, series)
        context: dict[str, object] = {
            "series": series,
            "first": first,
            "second": second,
            "current": current,
            "asked_from": first.number if first else text_of(request, "from")[:10],
            "asked_to": second.number if second else text_of(request, "to")[:10],
        }
        if first is None or second is None or current is None:
            context["published_count"] = Run.objects.published().filter(series=series).count()
            return render(request, "organize/runs/compare.html", context, status=404)
        compared = _compared(series, first, second, current)
        kind, search = text_of(request, "kind"), text_of(request, "q")
        page, status = page_of(request, _chosen(compared, kind, search, series.community_id), MOVES_PER_PAGE)
        numbers = {"from": first.number, "to": second.number}

        def query(kind: str) -> str:
            return urlencode(numbers | {name: text for name, text in (("kind", kind), ("q", search)) if text})

        context |= {
            "compared": compared,
            "differences": _rated_differently(first.scheme, second.scheme),
            "before": gettext("Run %(number)s") % {"number": first.number},
            "after": gettext("Run %(number)s") % {"number": second.number},
            "kinds": [(name, words, _count(compared, name), query(name)) for name, words in KINDS.items()],
            "kind": kind if kind in KINDS else "",
            "csv_query": query(kind if kind in KINDS else ""),
            "search": search,
            "page": page,
            "moves": _moves(compared, page.object_list),
        }
        return render(request, "organize/runs/compare.html", context, status=status)


@organizer_page
def comparison_csv(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Return all rows of the comparison as CSV."""
    series = own_series(request, at)
    with consistent_read():
        first, second, current = _two_runs(request, series)
        if first is None or second is None or current is None:
            raise Http404("One of these runs does not exist or was not published.")
        compared = _compared(series, first, second, current)
        moves = _moves(
            compared, _chosen(compared, text_of(request, "kind"), text_of(request, "q"), series.community_id)
        )
    rows: list[list[object]] = [list(CSV_COLUMNS)]
    for move in moves:
        tiers = [
            "" if rating is None else snapshot.tier(rating).name
            for snapshot, rating in ((compared.before, move.before), (compared.after, move.after))
        ]
        numbers = (move.before, move.after, move.change, move.rank_before, move.rank_after)
        rows.append([move.player.handle, *numbers, *tiers])
    return csv_file(rows, f"{series.slug}-run-{first.number}-to-{second.number}")


@organizer_page
@reauthenticated
def roll_back(request: HttpRequest, at: SeriesPath, number: int) -> HttpResponse:
    """Show the effect of a roll-back; roll back on POST."""
    series = own_series(request, at)
    form = ReasonForm(request.POST or None)
    problem = ""
    if request.method == "POST" and form.is_valid():
        keys = request.POST.getlist("undo")[:MOST_CAUSES]
        try:
            if keys:
                return propose(TakeOutCauses(series.pk, number, keys, reason=form.cleaned_data["reason"]))
            ask_roll_back(series.pk, number, reason=form.cleaned_data["reason"], actor=actor(request))
        except ContestError as error:
            if keys:
                form.add_error(None, str(error))
            else:
                problem = str(error)
        else:
            return redirect("organize:progress", series)
    with consistent_read():
        context = _roll_back_context(series, number)
    context |= {"series": series, "number": number, "form": form, "undo": request.POST.getlist("undo")}
    context["problem"] = problem or context["problem"]
    status = 409 if context["problem"] else 422 if form.is_bound and form.errors else 200
    return render(request, "organize/runs/roll_back.html", context, status=status)


def _roll_back_context(series: Series, number: int) -> dict[str, object]:
    """Return the effect of a roll-back, or the reason why it is not possible."""
    current = Run.objects.current(series.pk)
    if number >= 2**31 or not Run.objects.filter(series=series, number=number).exists():
        raise Http404(f"{series.slug} has no run {number}.")
    try:
        restored = restorable(series.pk, number)
        _try_out(restored)
    except ContestError as error:
        return {"problem": str(error), "current": current}
    if current is None:
        return {"problem": gettext("Nothing has been published yet."), "current": current}
    compared = _compared(series, current, restored, current)
    effect, causes = roll_back_effect(series, restored), causes_since(restored)
    return {
        "problem": "",
        "current": current,
        "restored": restored,
        "effect": effect,
        "causes": causes[:MOST_CAUSES],
        "causes_left_out": max(0, len(causes) - MOST_CAUSES),
        "compared": compared,
        "moves": _moves(compared, compared.rows()[:LARGEST]),
        "seconds": estimate_seconds(series.pk, 0, changes=effect.changes),
        "forgets_scheme": restored.scheme_id != current.scheme_id and not restored.scheme.rates_alike(current.scheme),
    }


def _try_out(restored: Run) -> None:
    """Raise ContestError if restoring the numbers would; skip a large pool, where that takes a long time."""
    scheme = restored.scheme
    if get_system(scheme.system, **scheme.parameters).needs_pool and restored.player_count <= TRIED_PLAYERS:
        read_restoration(restored)


def _two_runs(request: HttpRequest, series: Series) -> tuple[Run | None, Run | None, Run | None]:
    """Return the published runs that `?from=` and `?to=` name (by default the last two), and the current one."""
    current = Run.objects.current(series.pk)
    newest = current.number if current is not None else 0
    second = number_or_zero(text_of(request, "to")) if text_of(request, "to") else newest
    published = Run.objects.published().filter(series=series).select_related("scheme")
    earlier = published.filter(number__lt=min(second, 2**31 - 1)).order_by("-number")
    if text_of(request, "from"):
        earlier = published.filter(number=min(number_or_zero(text_of(request, "from")), 2**31 - 1))
    return earlier.first(), published.filter(number=min(second, 2**31 - 1)).first(), current


def _compared(series: Series, first: Run, second: Run, current: Run) -> Comparison:
    newest = Scheme.objects.newest(series.pk)
    return compare(as_of(series, first, newest), as_of(series, second, newest), current)


def _rated_differently(before: Scheme, after: Scheme) -> list[Difference]:
    """Return the differences between two versions of the scheme if they change ratings, not only their display."""
    return [] if before.rates_alike(after) else differences(before, after)


def _chosen(compared: Comparison, kind: str, search: str, community: str) -> list[int]:
    among = None
    if search:
        among = ids_matching(search, community)
    return compared.rows(kind=kind, among=among).tolist()


def _count(compared: Comparison, kind: str) -> int:
    return compared.counts[kind] if kind else len(compared.player_ids)


def _moves(compared: Comparison, rows: Iterable[int]) -> list[Move]:
    chosen = [int(row) for row in rows]
    ids = compared.player_ids[chosen].tolist()
    players: dict[int, Player] = {}
    for part in chunks(ids):
        players.update(Player.objects.only("community", "handle", "name", "country").in_bulk(part))
    columns = (compared.rating_before, compared.rating_after, compared.rank_before, compared.rank_after)
    numbers = [[None if n == NONE else n for n in column[chosen].tolist()] for column in columns]
    listed = zip(ids, *numbers, compared.kinds["tier"][chosen].tolist(), strict=True)
    return [Move(players[pk], *row) for pk, *row in listed if pk in players]
