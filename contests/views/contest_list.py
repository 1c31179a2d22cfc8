"""All contests, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render

from contests.models import Contest
from contests.paging import page_of, text_of
from contests.visibility import visible_series
from contests.winners import winners_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

PAGE_SIZE = 50


def contest_list(request: HttpRequest) -> HttpResponse:
    """Show the finalized contests, of one series or all."""
    series = list(visible_series(request.user))
    slug = text_of(request, "series")
    chosen = next((one for one in series if one.slug == slug), None)
    contests = Contest.objects.finalized().filter(series__in=[chosen] if chosen else series)
    page, status = page_of(request, contests.select_related("series").newest_first(), PAGE_SIZE)
    if slug and chosen is None:
        status = 404
    winners = winners_of(page.object_list)
    context = {
        "page": page,
        "rows": [(contest, winners.get(contest.pk)) for contest in page.object_list],
        "series": series,
        "chosen": chosen,
        "unknown": slug if chosen is None else "",
    }
    return render(request, "contests/contest_list.html", context, status=status)
