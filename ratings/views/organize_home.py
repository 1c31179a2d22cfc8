"""What an organizer sees first: their series and how each of them stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count, OuterRef, Q, Subquery
from django.shortcuts import render

from contests.models import ContestState, Series
from contests.views.organize_access import organizer_page
from ratings.locks import snapshot
from ratings.models import Run, RunState, StaleMark

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.http import HttpRequest, HttpResponse


@dataclass(frozen=True, slots=True)
class SeriesState:
    """One line of the overview: `series` carries the counts, `run` is the newest, whatever became of it."""

    series: Series
    run: Run | None
    is_stale: bool

    @property
    def has_failed(self) -> bool:
        return self.is_stale and self.run is not None and self.run.state == RunState.FAILED

    @property
    def was_cancelled(self) -> bool:
        """Whether somebody has cancelled the newest run, so that what it would have rated waits."""
        return self.is_stale and self.run is not None and self.run.cancel_asked_at is not None


@organizer_page
def home(request: HttpRequest) -> HttpResponse:
    """Show the series that the visitor organizes."""
    with snapshot():
        series = list(
            Series.objects.organized_by(request.user).annotate(
                draft_count=Count("contests", filter=Q(contests__state=ContestState.DRAFT)),
                finalized_count=Count("contests", filter=Q(contests__state=ContestState.FINALIZED)),
            )
        )
        states = _states(series)
    return render(request, "organize/home.html", {"states": states})


def _states(series: Iterable[Series]) -> list[SeriesState]:
    by_id = {one.pk: one for one in series}
    stale = set(StaleMark.objects.filter(series__in=by_id).values_list("series_id", flat=True))
    newest = Run.objects.filter(series=OuterRef("pk")).order_by("-number").values("pk")[:1]
    pks = Series.objects.filter(pk__in=by_id).values(newest=Subquery(newest))
    runs = {run.series_id: run for run in Run.objects.filter(pk__in=pks)}
    return [SeriesState(one, runs.get(pk), pk in stale) for pk, one in by_id.items()]
