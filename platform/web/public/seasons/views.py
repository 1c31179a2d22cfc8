"""The season points of a series, in the current and earlier seasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from django.shortcuts import render

from contests.models import Contest
from ratings.database import consistent_read
from ratings.derived.season_tables import (
    divided_leagues_of_season,
    divisions_of_season,
    rows_of_season,
    season_content,
    season_counts,
    season_rows,
    season_rules,
    seasons_of,
)
from ratings.display.leagues import PROVISIONAL
from ratings.queries.filters import PROVISIONAL_WORD
from ratings.queries.snapshot import snapshot_of, wait_state
from ratings.systems.contest import days_since_1970
from web.shared.leagues import no_such_option
from web.shared.params import asked_division, asked_league, page_of, series_at, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.http import HttpRequest, HttpResponse

    from ratings.derived import Content
    from ratings.derived.season_tables import Season
    from ratings.queries.snapshot import SeriesSnapshot
    from web.shared.params import SeriesPath

PAGE_SIZE = 100
#: Value of `?by=` for points without bonus.
BARE = "results"


def season(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Show the points of a season, the highest league first."""
    with consistent_read():
        series = series_at(request, at)
        snapshot = snapshot_of(series)
        if not snapshot.scheme or not snapshot.scheme.season:
            return no_such_option(request, snapshot, "season")
        context, status = _context(request, snapshot)
    return render(request, "seasons/season.html", context, status=status)


def _context(request: HttpRequest, snapshot: SeriesSnapshot) -> tuple[dict[str, object], int]:
    rules, content = season_rules(snapshot), season_content(snapshot)
    assert rules is not None
    k, bonus = rules.k_in(snapshot.mapping), rules.bonus_in(snapshot.mapping)
    context: dict[str, object] = {
        "series": snapshot.series,
        "snapshot": snapshot,
        "waiting": wait_state(snapshot.series.pk)[0],
        "rules": rules,
        "k": k,
        "bonus_per_day": bonus,
        "has_own_odds": snapshot.mapping.has_own_odds,
        "is_computed": content is not None,
    }
    seasons = seasons_of(rules, content) if content is not None else []
    if content is None or not seasons:
        return context, 200
    chosen, unknown = _asked_season(request, seasons)
    last_contest = Contest.objects.filter(pk=chosen.last_contest).first()
    days = days_since_1970(last_contest.ends_at) - days_since_1970(chosen.start) if last_contest is not None else 0.0
    more, status = _table(request, snapshot, content, chosen)
    return context | more | {
        "seasons": seasons,
        "season": chosen,
        "unknown_season": unknown,
        "last_contest": last_contest,
        "bonus_filled": int(max(0.0, days) * bonus),
    }, 404 if unknown else status


def _asked_season(request: HttpRequest, seasons: Sequence[Season]) -> tuple[Season, str]:
    """Return the season in `?season=`, else the newest; and the value itself if there is no such season, else ""."""
    asked = text_of(request, "season")
    found = next((season for season in seasons if str(season.number) == asked), None)
    return found or seasons[0], "" if found or not asked else asked[:20]


def _place_query(group: int | None, division: int | None) -> str:
    """Return the part of a query string that chooses the same league and division."""
    if group is None:
        return ""
    league = PROVISIONAL_WORD if group == PROVISIONAL else group + 1
    return f"&league={league}" + (f"&division={division}" if division is not None else "")


def _table(
    request: HttpRequest, snapshot: SeriesSnapshot, content: Content, season: Season
) -> tuple[dict[str, object], int]:
    group, unknown = asked_league(request, snapshot)
    divisions = divisions_of_season(content, season, group)
    division, unknown_division = asked_division(request, divisions)
    without_bonus = text_of(request, "by") == BARE
    found = rows_of_season(content, season, group, division, without_bonus=without_bonus)
    page, status = page_of(request, found, PAGE_SIZE)
    return {
        "counts": season_counts(snapshot, content, season),
        "chosen": group,
        "unknown_league": unknown,
        "divisions": divisions,
        "division": division,
        "divided": divided_leagues_of_season(content, season),
        "unknown_division": unknown_division,
        "without_bonus": without_bonus,
        "place_query": _place_query(group, division),
        "page": page,
        "rows": season_rows(snapshot, content, np.asarray(page.object_list)),
    }, 404 if unknown or unknown_division else status
