"""One contest as its organizer sees it: a draft with its would-be changes, or what counts, with a way to correct it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.paginator import Paginator
from django.shortcuts import render
from django.urls import reverse

from contests.matching.search import matching
from ratings.locks import consistent_read
from ratings.publishing.refresh import wait_state
from ratings.queries.snapshot import as_it_will_be
from web.shared.access import organizer_page, own_contest, primary_key
from web.shared.audit_trail import history_of
from web.shared.projected_rows import table_of_draft
from web.shared.unsent import unsent_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from contests.models import Contest

ROWS_PER_PAGE = 100
LONGEST_SEARCH = 128


@organizer_page
def page(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a contest of the organizer."""
    contest = own_contest(request, pk)
    if contest.is_draft:
        snapshot = as_it_will_be(contest.series)
        context = {
            "contest": contest,
            "series": contest.series,
            "snapshot": snapshot,
            "table": table_of_draft(contest, snapshot, whole="whole" in request.GET),
            "whole_address": "?whole",
            "history": history_of(contest.audit_entries),
        }
        return render(request, "organize/contests/draft.html", context)
    return _finalized(request, contest)


def _finalized(request: HttpRequest, contest: Contest) -> HttpResponse:
    search = request.GET.get("q", "").replace("\0", "").strip()[:LONGEST_SEARCH]
    standings = contest.standings.for_table()
    if search:
        standings = standings.filter(matching(search, "player__"))
    with consistent_read():
        context = {
            "contest": contest,
            "series": contest.series,
            "search": search,
            "typed": _typed(request, contest),
            "standings": Paginator(standings, ROWS_PER_PAGE).get_page(request.GET.get("page")),
            "is_stale": wait_state(contest.series_id)[0],
            "history": history_of(contest.audit_entries),
        }
        return render(request, "organize/contests/contest.html", context)


def _typed(request: HttpRequest, contest: Contest) -> dict[str, object]:
    """Return what was typed into the form of many rows before the session expired."""
    typed = unsent_of(request, reverse("organize:correct-selected", args=[contest.pk]))
    if typed is None:
        return {}
    rows = {primary_key(row) for row in typed.getlist("rows")}
    return {"rows": rows, "status": typed.get("status", ""), "reason": typed.get("reason", "")}
