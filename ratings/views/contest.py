"""One contest: who took part, in which place, and what it did to the ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import F
from django.http import Http404
from django.shortcuts import render

from contests.amendments import amendments_of
from contests.models import Contest, ContestState, Standing
from contests.paging import page_of, text_of
from contests.visibility import visible_contest, visible_players
from contests.winners import winners_of
from ratings.locks import snapshot
from ratings.models import RatingChange
from ratings.searching import player_of
from ratings.services.refresh import wait_state
from ratings.shown import shown
from ratings.tables import standing_rows

if TYPE_CHECKING:
    from django.core.paginator import Page
    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse

PAGE_SIZE = 100
#: Those who share a place stand by player id, so that no table of players has to be joined to cut a page.
ORDER = (F("rank").asc(nulls_last=True), F("place").asc(nulls_last=True), "player_id")


def contest_page(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a contest and a page of its standings; `?find=` opens the page with that player."""
    with snapshot():
        try:
            contest = visible_contest(pk, request.user)
        except (Contest.DoesNotExist, OverflowError) as error:
            raise Http404(f"There is no contest {pk}.") from error
        if contest.state == ContestState.DELETED:
            return render(request, "ratings/contest_deleted.html", {"contest": contest}, status=410)
        standings = Standing.objects.filter(contest=contest).order_by(*ORDER).values_list("pk", flat=True)
        find = text_of(request, "find")
        player = player_of(find) if find else None
        found = standings.filter(player=player).first() if player else None
        if player and not found and not visible_players(request.user).filter(pk=player.pk).exists():
            player = None
        page, status = _page(request, standings, found)
        context = _context(contest, list(page.object_list))
    context |= {"page": page, "find": find, "player": player, "found": found}
    return render(request, "ratings/contest.html", context, status=status)


def _page(request: HttpRequest, standings: QuerySet[Standing, int], found: int | None) -> tuple[Page[int], int]:
    page, status = page_of(request, standings, PAGE_SIZE)
    if found is None or "page" in request.GET:
        return page, status
    position = list(standings).index(found)
    return page.paginator.page(position // PAGE_SIZE + 1), 200


def _context(contest: Contest, standing_ids: list[int]) -> dict[str, object]:
    view = shown(contest.series)
    rows = standing_rows(view, contest, standing_ids)
    return {
        "contest": contest,
        "series": contest.series,
        "shown": view,
        "waiting": wait_state(contest.series_id)[0],
        "rows": rows,
        "has_scores": any(row.standing.score is not None for row in rows),
        "has_changes": RatingChange.objects.current().filter(contest=contest).exists(),
        "amendments": amendments_of(contest),
        "winners": winners_of([contest]).get(contest.pk),
    }
