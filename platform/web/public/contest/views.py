"""One contest: who took part, in which place, and what it did to the ratings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.core.paginator import Paginator
from django.db.models import Q
from django.http import Http404
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from contests.models import Contest, ContestState, Standing
from contests.queries.amendments import amendments_of
from contests.queries.visibility import announced_contest, announced_contests, visible_contest, visible_series
from contests.queries.winners import podium_of, winners_of
from ratings.database import consistent_read
from ratings.models import RatingChange
from ratings.queries.filters import country_name
from ratings.queries.rows import standing_rows
from ratings.queries.snapshot import snapshot_of, wait_state
from web.public.contest.analysis import analysis_of
from web.public.contest.filters import ORDER, asked_of, countries_of_contest, find_rows, position_of
from web.public.contest.upsets import TOP
from web.shared.contest_pages import ContestPaginator, Kept
from web.shared.drawings import histogram
from web.shared.params import page_of, text_of

if TYPE_CHECKING:
    from django.core.paginator import Page
    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse

    from contests.models import Series
    from contests.models.contest import ContestQuerySet
    from contests.queries.winners import PodiumStep
    from ratings.queries.rows import StandingRow
    from ratings.queries.snapshot import SeriesSnapshot
    from web.public.contest.analysis import Analysis
    from web.public.contest.filters import Asked, Found
    from web.shared.drawings import Histogram


def previous_contest(contest: Contest) -> Contest | None:
    """Return the finalized contest of the same series that comes right before this one; one query."""
    end, sequence = contest.ends_at, contest.sequence
    same_end = Q(sequence__lt=sequence) | Q(sequence=sequence, id__lt=contest.pk)
    return _of_series(contest).filter(Q(ends_at__lt=end) | Q(same_end, ends_at=end)).newest_first().first()


def next_contest(contest: Contest) -> Contest | None:
    """Return the finalized contest of the same series that comes right after this one; one query."""
    return _of_series(contest).after(contest).in_order().first()


def _of_series(contest: Contest) -> ContestQuerySet:
    return Contest.objects.finalized().filter(series=contest.series_id)


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


def contest_analysis(request: HttpRequest, pk: int) -> HttpResponse:
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
        context = _analysis_context(contest, snapshot, found)
    return render(request, "contest/analysis.html", context)


def _analysis_context(contest: Contest, snapshot: SeriesSnapshot, found: Analysis | None) -> dict[str, object]:
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


LIST_PAGE_SIZE = 50
#: More series than this are not offered for choice one by one.
MOST_LISTED = 200
#: Announced contests that are named: those that come next, and the last ones that wait for their results.
COMING_SHOWN, AWAITED_SHOWN = 12, 6


@dataclass(slots=True)
class ContestFilters:
    """What a query string asks for; `problems`: what of it does not exist, in sentences."""

    series: Series | None = None
    year: int | None = None
    text: str = ""
    problems: list[str] = field(default_factory=list)

    @property
    def is_filtered(self) -> bool:
        return bool(self.series or self.year or self.text)

    def of(self, contests: ContestQuerySet) -> ContestQuerySet:
        """Return those of the contests that match."""
        wanted = Q() if self.series is None else Q(series=self.series)
        if self.year is not None:
            wanted &= Q(ends_at__year=self.year)
        if self.text:
            wanted &= Q(name__icontains=self.text)
        return contests.filter(wanted)


def contest_list(request: HttpRequest) -> HttpResponse:
    """Show the announced contests and a page of the finalized ones."""
    visible = visible_series(request.user)
    series = list(visible.order_by("name", "pk")[: MOST_LISTED + 1])
    finalized = Contest.objects.finalized().filter(series__in=visible.values("pk"))
    kept = Kept(request.user)
    years = kept.get("years", lambda: [day.year for day in finalized.dates("ends_at", "year", order="DESC")])
    asked = _contest_filters(request, visible, years)
    contests = asked.of(finalized).select_related("series")
    filters = f"{asked.series and asked.series.pk} {asked.year}"
    # Of a text there are too many for the cache; what it finds is counted each time.
    named = "" if asked.text else filters
    state = f"{filters} {asked.text}"
    page, status = ContestPaginator(contests, LIST_PAGE_SIZE, kept=kept, name=named, state=state).asked_for(request)
    coming, awaited = _announced_contests(request, asked) if not page.before else ([], [])
    winners = winners_of(page.contests)
    context = {
        "page": page,
        "rows": [(contest, winners.get(contest.pk)) for contest in page.contests],
        "coming": coming,
        "awaited": awaited,
        "series": series if len(series) <= MOST_LISTED else [],
        "years": years,
        "asked": asked,
    }
    return render(request, "contest/list.html", context, status=404 if asked.problems else status)


def _contest_filters(request: HttpRequest, series: QuerySet[Series], years: list[int]) -> ContestFilters:
    slug, year = text_of(request, "series"), text_of(request, "year")
    asked = ContestFilters(text=text_of(request, "q"))
    asked.series = series.filter(slug=slug).first() if slug else None
    if slug and asked.series is None:
        problem = _("There is no series “%(slug)s”. These are the contests of all series.")
        asked.problems.append(problem % {"slug": slug[:80]})
    if year:
        asked.year = next((one for one in years if str(one) == year), None)
        if asked.year is None:
            asked.problems.append(_("No contest has results of the year “%(year)s”.") % {"year": year[:20]})
    return asked


def _announced_contests(request: HttpRequest, asked: ContestFilters) -> tuple[list[Contest], list[Contest]]:
    """Return the next announced contests, and the last ones that are over and wait for their results."""
    now = timezone.now()
    announced = asked.of(announced_contests(request.user)).select_related("series")
    coming = announced.filter(ends_at__gt=now).order_by("ends_at", "sequence", "id")
    awaited = announced.filter(ends_at__lte=now).order_by("-ends_at", "-sequence", "-id")
    return list(coming[:COMING_SHOWN]), list(awaited[:AWAITED_SHOWN])
