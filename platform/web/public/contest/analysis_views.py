"""A contest taken apart: who took part, what was to be expected, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import Http404
from django.shortcuts import render

from contests.models import Contest, ContestState, Standing
from contests.queries.visibility import visible_contest
from ratings.database import consistent_read
from ratings.publishing.refresh import wait_state
from ratings.queries.snapshot import snapshot_of
from web.public.contest.analysis import analysis_of
from web.public.contest.neighbours import next_contest, previous_contest
from web.public.contest.upsets import TOP
from web.shared.bar_charts import histogram

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from ratings.queries.snapshot import SeriesSnapshot
    from web.public.contest.analysis import Analysis
    from web.shared.bar_charts import Histogram


def analysis(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the analysis of a contest that was rated; say why there is none of another."""
    with consistent_read():
        try:
            contest = visible_contest(pk, request.user)
        except (Contest.DoesNotExist, OverflowError) as error:
            raise Http404(f"There is no contest {pk}.") from error
        if contest.state == ContestState.DELETED:
            return render(request, "shared/contest_deleted.html", {"contest": contest}, status=410)
        snapshot = snapshot_of(contest.series)
        found = analysis_of(snapshot, contest)
        context = _context(contest, snapshot, found)
    return render(request, "contest/analysis.html", context)


def _context(contest: Contest, snapshot: SeriesSnapshot, found: Analysis | None) -> dict[str, object]:
    named = found.player_ids() if found is not None else ()
    rows = Standing.objects.filter(contest=contest, player_id__in=named).select_related("player")
    return {
        "contest": contest,
        "series": contest.series,
        "snapshot": snapshot,
        "waiting": wait_state(contest.series_id)[0],
        "previous": previous_contest(contest),
        "next": next_contest(contest),
        "analysis": found,
        "entrants": {row.player_id: row for row in rows},
        "chart": _chart(snapshot, found),
        "top": TOP,
    }


def _chart(snapshot: SeriesSnapshot, found: Analysis | None) -> Histogram | None:
    return histogram(found.strength.bins, snapshot.tiers) if found is not None and found.strength is not None else None
