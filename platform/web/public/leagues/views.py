"""The leagues of a series: their players, and the latest promotions and relegations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from django.shortcuts import render

from ratings.database import consistent_read
from ratings.derived.league_tables import (
    divided_leagues,
    divisions_in,
    league_counts,
    league_moves,
    league_rows,
    leagues_content,
    rows_in_leagues,
)
from ratings.derived.leagues import rules_of
from ratings.queries.snapshot import snapshot_of, wait_state
from web.shared.leagues import no_such_option
from web.shared.params import asked_division, asked_league, page_of, series_at

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from contests.models import Series
    from ratings.queries.snapshot import SeriesSnapshot
    from web.shared.params import SeriesPath

PAGE_SIZE = 100
MOVES_SHOWN = 12


def leagues(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Show the players of all leagues or of one, the highest league first."""
    with consistent_read():
        series = series_at(request, at)
        snapshot = snapshot_of(series)
        if not snapshot.scheme or not snapshot.scheme.leagues:
            return no_such_option(request, snapshot, "leagues")
        context, status = _context(request, snapshot)
    return render(request, "leagues/leagues.html", context, status=status)


def _context(request: HttpRequest, snapshot: SeriesSnapshot) -> tuple[dict[str, object], int]:
    series: Series = snapshot.series
    rules, content = rules_of(snapshot), leagues_content(snapshot)
    assert rules is not None
    context: dict[str, object] = {
        "series": series,
        "snapshot": snapshot,
        "waiting": wait_state(series.pk)[0],
        "rules": rules,
        "margin": rules.margin_in(snapshot.tiers),
    }
    if content is None:
        return context, 200
    chosen, unknown = asked_league(request, snapshot)
    divisions = divisions_in(content, chosen)
    division, unknown_division = asked_division(request, divisions)
    page, status = page_of(request, rows_in_leagues(content, chosen, division), PAGE_SIZE)
    return context | {
        "counts": league_counts(snapshot, content),
        "chosen": chosen,
        "unknown_league": unknown,
        "divisions": divisions,
        "division": division,
        "divided": divided_leagues(content),
        "unknown_division": unknown_division,
        "page": page,
        "rows": league_rows(snapshot, content, np.asarray(page.object_list)),
        "promotions": league_moves(content, "up", MOVES_SHOWN),
        "demotions": league_moves(content, "down", MOVES_SHOWN),
    }, 404 if unknown or unknown_division else status
