"""The first page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import F
from django.shortcuts import render

from contests.models import Contest
from contests.visibility import visible_series
from contests.winners import winners_of
from ratings.locks import snapshot
from ratings.overview import series_cards, with_glance

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

SERIES_SHOWN = 6
CONTESTS_SHOWN = 8


def home(request: HttpRequest) -> HttpResponse:
    """Show the series played last and the newest results."""
    with snapshot():
        series = with_glance(visible_series(request.user)).order_by(F("newest_at").desc(nulls_last=True), "name")
        cards = series_cards(list(series[: SERIES_SHOWN + 1]))
        contests = list(
            Contest.objects.finalized()
            .filter(series__in=visible_series(request.user))
            .select_related("series")
            .newest_first()[:CONTESTS_SHOWN]
        )
        winners = winners_of(contests)
    context = {
        "cards": cards[:SERIES_SHOWN],
        "has_more": len(cards) > SERIES_SHOWN,
        "contests": [(contest, winners.get(contest.pk)) for contest in contests],
        "shown": [card.shown for card in cards],
    }
    return render(request, "ratings/home.html", context)
