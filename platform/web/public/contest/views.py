"""One contest: who took part, in which place, and what it did to the ratings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.core.paginator import Paginator
from django.http import Http404
from django.shortcuts import render
from django.utils.translation import gettext as _

from contests.models import Contest, ContestState, Standing
from contests.queries.amendments import amendments_of
from contests.queries.visibility import announced_contest, visible_contest
from contests.queries.winners import podium_of
from ratings.database import consistent_read
from ratings.models import RatingChange
from ratings.publishing.refresh import wait_state
from ratings.queries.filters import country_name
from ratings.queries.rows import standing_rows
from ratings.queries.snapshot import snapshot_of
from web.public.contest.filters import ORDER, asked_of, countries_of_contest, find_rows, position_of
from web.public.contest.neighbours import next_contest, previous_contest
from web.shared.paging import page_of

if TYPE_CHECKING:
    from django.core.paginator import Page
    from django.http import HttpRequest, HttpResponse

    from contests.queries.winners import PodiumStep
    from ratings.queries.rows import StandingRow
    from ratings.queries.snapshot import SeriesSnapshot
    from web.public.contest.filters import Asked, Found

PAGE_SIZE = 100
#: A contest with fewer participants is read at a glance: it has no filters.
WORTH_FILTERING = 10


@dataclass(frozen=True, slots=True)
class ShownStep:
    """A step of the podium with the rows that stand on it."""

    step: PodiumStep
    rows: list[StandingRow]


def contest_page(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a contest and a page of its standings, filtered, and opened at a player or a place."""
    with consistent_read():
        try:
            contest = visible_contest(pk, request.user)
        except (Contest.DoesNotExist, OverflowError):
            return _announced(request, pk)
        if contest.state == ContestState.DELETED:
            return render(request, "shared/contest_deleted.html", {"contest": contest}, status=410)
        snapshot = snapshot_of(contest.series)
        asked = asked_of(request, snapshot)
        found = find_rows(request, contest, snapshot, asked)
        page, status = _page(request, found)
        context = _context(contest, snapshot) | _rows(contest, snapshot, list(page.object_list))
        context |= _filters(request, contest, snapshot, asked, found) | {"page": page, "mine": _mine(request, contest)}
    return render(request, "contest/contest.html", context, status=404 if asked.problems else status)


def _announced(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what everybody may know of a draft: what was announced of it, and none of its standings."""
    try:
        contest = announced_contest(pk)
    except (Contest.DoesNotExist, OverflowError) as error:
        raise Http404(f"There is no contest {pk}.") from error
    if contest.state == ContestState.DELETED:
        return render(request, "shared/contest_deleted.html", {"contest": contest}, status=410)
    context = {"contest": contest, "series": contest.series, "snapshot": snapshot_of(contest.series)}
    return render(request, "contest/announced.html", context)


def _page(request: HttpRequest, found: Found) -> tuple[Page[int], int]:
    ids = found.rows.order_by(*ORDER).values_list("pk", flat=True)
    if found.target is None or "page" in request.GET:
        return page_of(request, ids, PAGE_SIZE)
    return Paginator(ids, PAGE_SIZE).page(position_of(found.rows, found.target) // PAGE_SIZE + 1), 200


def _context(contest: Contest, snapshot: SeriesSnapshot) -> dict[str, object]:
    return {
        "contest": contest,
        "series": contest.series,
        "snapshot": snapshot,
        "waiting": wait_state(contest.series_id)[0],
        "has_changes": RatingChange.objects.current().filter(contest=contest).exists(),
        "amendments": amendments_of(contest),
        "previous": previous_contest(contest),
        "next": next_contest(contest),
    }


def _rows(contest: Contest, snapshot: SeriesSnapshot, standing_ids: list[int]) -> dict[str, object]:
    """Return the rows of the page and those of the podium, read together."""
    steps = podium_of(contest)
    on_podium = [pk for step in steps for pk in step.standing_ids]
    by_id = {row.standing.pk: row for row in standing_rows(snapshot, contest, [*standing_ids, *on_podium])}
    rows = [by_id[pk] for pk in standing_ids if pk in by_id]
    return {
        "rows": rows,
        "has_scores": any(row.standing.score is not None for row in rows),
        "podium": [ShownStep(step, [by_id[pk] for pk in step.standing_ids if pk in by_id]) for step in steps],
    }


def _filters(
    request: HttpRequest, contest: Contest, snapshot: SeriesSnapshot, asked: Asked, found: Found
) -> dict[str, object]:
    """Return what the form above the table shows, and the filters in force with the addresses without them."""
    named = [
        ("country", _("Country: %(name)s") % {"name": country_name(asked.country)} if asked.country else ""),
        ("tier", _("Tier: %(name)s") % {"name": asked.tier.name} if asked.tier else ""),
        ("find", _("Handle contains “%(text)s”") % {"text": found.text} if found.text else ""),
    ]
    countries = countries_of_contest(contest)
    absent = asked.country and asked.country not in {code for code, _name, _count in countries}
    return {
        "asked": asked,
        "found": found,
        "in_force": [(words, _without(request, name)) for name, words in named if words],
        "countries": countries,
        "absent_country": country_name(asked.country) if absent else "",
        "is_long": contest.standing_count > PAGE_SIZE,
        "has_filters": contest.standing_count >= WORTH_FILTERING or asked.is_filtered or bool(asked.find),
    }


def _without(request: HttpRequest, name: str) -> str:
    """Return the query string of the page without one of its filters, from its first page on."""
    query = request.GET.copy()
    for gone in (name, "page"):
        query.pop(gone, None)
    return query.urlencode()


def _mine(request: HttpRequest, contest: Contest) -> Standing | None:
    """Return the row of the player whose account is logged in."""
    if not request.user.is_authenticated:
        return None
    return Standing.objects.filter(contest=contest, player__user=request.user).select_related("player").first()
