"""What an organizer sees first: their series and how each of them stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count, OuterRef, Subquery
from django.shortcuts import render

from contests.models import Contest, ContestState, Series
from ratings.locks import consistent_read
from ratings.models import Run, RunState, StaleMark
from ratings.queries.search import find_series
from web.shared.access import organizer_page
from web.shared.paging import page_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.http import HttpRequest, HttpResponse


#: Series on a page.
PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class SeriesState:
    """One line of the overview, with numbers of contests; `run` is the newest, whatever became of it."""

    series: Series
    run: Run | None
    is_stale: bool
    draft_count: int
    finalized_count: int

    @property
    def has_failed(self) -> bool:
        return self.is_stale and self.run is not None and self.run.state == RunState.FAILED

    @property
    def was_cancelled(self) -> bool:
        """Whether somebody has cancelled the newest run, so that what it would have rated waits."""
        return self.is_stale and self.run is not None and self.run.cancel_asked_at is not None


@organizer_page
def home(request: HttpRequest) -> HttpResponse:
    """Show the series that the visitor organizes, a page of them by name, or those with the words searched for."""
    text = text_of(request, "q")
    with consistent_read():
        mine = Series.objects.organized_by(request.user)
        found = find_series(text, mine) if text else mine.order_by("name", "pk")
        page, status = page_of(request, found, PAGE_SIZE)
        states = _states(page.object_list)
    context = {"states": states, "page": page, "search": text}
    return render(request, "organize/community/home.html", context, status=status)


def _states(series: Iterable[Series]) -> list[SeriesState]:
    by_id = {one.pk: one for one in series}
    stale = set(StaleMark.objects.filter(series__in=by_id).values_list("series_id", flat=True))
    newest = Run.objects.filter(series=OuterRef("pk")).order_by("-number").values("pk")[:1]
    pks = Series.objects.filter(pk__in=by_id).values(newest=Subquery(newest))
    runs = {run.series_id: run for run in Run.objects.filter(pk__in=pks)}
    counted = Contest.objects.filter(series__in=by_id).values_list("series", "state").annotate(Count("pk"))
    counts = {(pk, state): count for pk, state, count in counted.order_by()}
    return [
        SeriesState(
            one, runs.get(pk), pk in stale,
            counts.get((pk, ContestState.DRAFT), 0), counts.get((pk, ContestState.FINALIZED), 0),
        )
        for pk, one in by_id.items()
    ]  # fmt: skip
