"""Series as the cards on the organizers' pages show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count, OuterRef, Q, Subquery

from contests.models import Contest, ContestState, Series
from contests.queries.versions import kept_rows
from ratings.models import Run, RunState, StaleMark
from web.shared.contest_counts import ContestCounts, count_rows, counts_by_series

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.contrib.auth.models import User


@dataclass(frozen=True, slots=True)
class SeriesState:
    """
    One card, with numbers of contests; `run` is the newest run in any state.

    requested_count
        Drafts whose finalization another organizer has requested.
    """

    series: Series
    run: Run | None
    is_stale: bool
    draft_count: int
    requested_count: int
    finalized: ContestCounts

    @property
    def finalized_count(self) -> int:
        return self.finalized.listed

    @property
    def has_failed(self) -> bool:
        return self.is_stale and self.run is not None and self.run.state == RunState.FAILED

    @property
    def was_cancelled(self) -> bool:
        """Whether someone cancelled the newest run, so that its results still wait to be rated."""
        return self.is_stale and self.run is not None and self.run.cancel_asked_at is not None


def states_of(series: Iterable[Series], user: User) -> list[SeriesState]:
    """Return the cards of these series for one of their organizers, in a fixed number of queries."""
    by_id = {one.pk: one for one in series}
    if not by_id:
        return []
    stale = set(StaleMark.objects.filter(series__in=by_id).values_list("series_id", flat=True))
    newest = Run.objects.filter(series=OuterRef("pk")).order_by("-number").values("pk")[:1]
    pks = Series.objects.filter(pk__in=by_id).values(newest=Subquery(newest))
    runs = {run.series_id: run for run in Run.objects.filter(pk__in=pks)}
    counted = Contest.objects.listed_alone().filter(series__in=by_id).order_by().values_list("series")
    asked = Count("pk", filter=Q(asked_by__isnull=False) & ~Q(asked_by=user))
    of_drafts = counted.filter(state=ContestState.DRAFT).annotate(Count("pk"), asked=asked)
    drafts = {pk: (number, requested) for pk, number, requested in of_drafts}
    of_finalized = count_rows(Contest.objects.finalized().listed_alone().filter(series__in=by_id))
    finalized = counts_by_series(kept_rows(of_finalized, Series.objects.filter(pk__in=by_id)))
    return [
        SeriesState(one, runs.get(pk), pk in stale, *drafts.get(pk, (0, 0)), finalized.get(pk, ContestCounts()))
        for pk, one in by_id.items()
    ]
