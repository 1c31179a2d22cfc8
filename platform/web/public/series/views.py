"""The list of series, and the page of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from django.shortcuts import render

from contests.models import Contest, Series
from contests.queries.event_winners import winners_with_events
from contests.queries.versions import kept_rows
from contests.queries.visibility import listed_series
from ratings.database import consistent_read
from ratings.derived.league_tables import leagues_in_rows
from ratings.queries.boards import active_in, board_of
from ratings.queries.contest_kinds import is_of_games
from ratings.queries.filters import best_listed
from ratings.queries.snapshot import snapshot_of, wait_state
from web.public.series.top_graph import top_graph
from web.shared.contest_counts import ContestCounts, count_rows, counts_by_series
from web.shared.contest_pages import ContestColumns
from web.shared.overview import moves_of, names_of_cards, news_of, series_cards, with_glance
from web.shared.params import page_of, series_at
from web.shared.regions import ACTIVE_DAYS
from web.shared.tiers import tier_counts

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from ratings.queries.snapshot import SeriesSnapshot
    from web.shared.params import SeriesPath

PAGE_SIZE = 24
LEADERS_SHOWN = 10
CONTESTS_SHOWN = 8
COMING_SHOWN = 4


def series_list(request: HttpRequest) -> HttpResponse:
    """Show all series by name."""
    with consistent_read():
        page, status = page_of(request, with_glance(listed_series(request.user).order_by("name", "pk")), PAGE_SIZE)
        cards = series_cards(list(page.object_list))
        communities = names_of_cards(cards)
    context = {"page": page, "cards": cards, "communities": communities, "snapshots": [card.snapshot for card in cards]}
    return render(request, "series/list.html", context, status=status)


def series_page(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Show one series: its leaders, biggest movers, newest and upcoming contests, tiers and rating system."""
    with consistent_read():
        series = series_at(request, at)
        snapshot = snapshot_of(series)
        context = {
            "series": series,
            "snapshot": snapshot,
            "waiting": wait_state(series.pk)[0],
            **_best(snapshot),
            "active": active_in(snapshot, ACTIVE_DAYS),
            "newest_day": board_of(snapshot).newest_day,
            "tiers": tier_counts(snapshot),
            **_contests(snapshot),
        }
    return render(request, "series/series.html", context)


def _best(snapshot: SeriesSnapshot) -> dict[str, Any]:
    """Return the first rows of the leaderboard in its default view, and the players’ leagues if there are any."""
    best, is_established = best_listed(snapshot, LEADERS_SHOWN)
    found = (snapshot.index.position(leader.rating.player_id, leader.rating.score) for leader in best)
    rows = np.array([row for row in found if row is not None], dtype=np.int64)
    leagues = leagues_in_rows(snapshot, rows)
    return {
        "leaders": best,
        "is_established": is_established,
        "graph": top_graph(snapshot, best),
        "leagues": leagues,
    }


def _contests(snapshot: SeriesSnapshot) -> dict[str, Any]:
    """Return the newest and upcoming contests, and the moves of the newest contest or event that changed any rating."""
    finalized = Contest.objects.finalized().listed_alone().filter(series=snapshot.series)
    newest = list(finalized.newest_first()[:CONTESTS_SHOWN])
    kept = kept_rows(count_rows(finalized), Series.objects.filter(pk=snapshot.series.pk))
    winners, moves = winners_with_events(newest), moves_of(news_of([snapshot]))
    rows = [(contest, winners.get(contest.pk)) for contest in newest]
    moved = next((contest for contest in newest if contest.pk in moves), None)
    only_games = bool(newest) and all(contest.standing_count == 2 and not contest.is_event for contest in newest)
    # Ordinary contests that are older make all of them contests.
    only_games = only_games and (snapshot.run is None or is_of_games(snapshot))
    if all(contest.standing_count == 2 for contest in newest):
        moved = None  # they would be the two players of the last game
    return {
        "contests": rows,
        "columns": ContestColumns.of(rows),
        "only_games": only_games,
        "counts": counts_by_series(kept).get(snapshot.series.pk, ContestCounts()),
        "first_contest": finalized.in_order().first(),
        "coming": Contest.objects.coming().filter(series=snapshot.series).select_related("series")[:COMING_SHOWN],
        "moves": moves[moved.pk] if moved is not None else None,
        "moves_contest": moved,
    }
