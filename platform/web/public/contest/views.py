"""The pages of contests: one contest with its standings, its analysis, and the list of all contests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.core.paginator import Paginator
from django.db.models import Q
from django.http import Http404
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from contests.models import Contest, ContestState, Standing
from contests.queries.amendments import amendments_of
from contests.queries.communities import names_if_several
from contests.queries.event_winners import winners_with_events
from contests.queries.paging import years_of
from contests.queries.visibility import (
    announced_contest,
    announced_contests,
    listed_series,
    named_series,
    visible_contest,
    visible_series,
)
from contests.queries.winners import podium_of
from ratings.database import consistent_read
from ratings.models import RatingChange
from ratings.queries.boards import is_provisional
from ratings.queries.filters import country_name
from ratings.queries.roll_backs import rates_other_results
from ratings.queries.rows import standing_rows
from ratings.queries.snapshot import snapshot_of, wait_state
from web.public.contest.analysis import analysis_of
from web.public.contest.duels import duel_context
from web.public.contest.event import event_page
from web.public.contest.filters import ORDER, countries_of_contest, find_rows, position_of, read_filters
from web.public.contest.story import story_of
from web.public.contest.upsets import TOP
from web.shared.contest_counts import ContestCounts, total_of
from web.shared.contest_deleted import contest_or_page, deleted_page
from web.shared.contest_pages import ContestColumns, ContestPaginator, Kept
from web.shared.drawings import histogram
from web.shared.params import page_of, text_of
from web.shared.teams import entrants_of

if TYPE_CHECKING:
    from django.core.paginator import Page
    from django.http import HttpRequest, HttpResponse

    from contests.models import Series
    from contests.models.contest import ContestQuerySet
    from contests.queries.winners import PodiumStep
    from ratings.queries.rows import StandingRow
    from ratings.queries.snapshot import SeriesSnapshot
    from web.public.contest.analysis import Analysis
    from web.public.contest.filters import FoundRows, StandingsFilters
    from web.shared.drawings import Histogram

#: Rows of the standings and of the list of contests on one page.
PAGE_SIZE, LIST_PAGE_SIZE = 50, 50
#: Contests with fewer participants fit on a screen, so their page has no filters.
WORTH_FILTERING = 10
#: With more series than this, the list of contests offers no menu of series.
MOST_LISTED = 200
#: The numbers of announced contests on the list: the next ones, and the latest ones without results.
COMING_SHOWN, AWAITED_SHOWN = 12, 6


@dataclass(frozen=True, slots=True)
class PodiumRows:
    """A step of the podium with its rows."""

    step: PodiumStep
    rows: list[StandingRow]


def contest_page(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a contest and one page of its standings: filtered, or opened at a player or place."""
    with consistent_read():
        try:
            contest = visible_contest(pk, request.user)
        except (Contest.DoesNotExist, OverflowError):
            return _announced(request, pk)
        if contest.state == ContestState.DELETED:
            return deleted_page(request, contest)
        if contest.is_event:
            return event_page(request, contest)
        if contest.is_draft and contest.is_announced and contest.series.is_public and not contest.standing_count:
            return _announced(request, pk)
        snapshot = snapshot_of(contest.series)
        filters = read_filters(request, snapshot)
        found = find_rows(request, contest, snapshot, filters)
        page, status = _page(request, found)
        # A later page, or a filtered one, begins with the rows that the visitor asked for.
        is_whole = page.number == 1 and not filters.is_filtered
        context = _context(contest, snapshot) | _rows(contest, snapshot, list(page.object_list), is_whole=is_whole)
        context |= story_of(snapshot, contest) if is_whole else {}
        if context["rates_other_results"]:
            context["story"] = []  # it would tell the results before the contest was amended
        context |= _filter_form(request, contest, filters, found)
        context |= {"page": page, "own_standing": _own_standing(request, contest)}
        context["marked"] = _marked(context)
    return render(request, "contest/contest.html", context, status=404 if filters.problems else status)


def _announced(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the announcement of a draft, without its standings."""
    try:
        contest = announced_contest(pk)
    except (Contest.DoesNotExist, OverflowError) as error:
        raise Http404(f"There is no contest {pk}.") from error
    if contest.state == ContestState.DELETED:
        return deleted_page(request, contest)
    now = timezone.now()
    context = {
        "contest": contest,
        "series": contest.series,
        "snapshot": snapshot_of(contest.series),
        "now": now,
        "is_running": contest.starts_at is not None and contest.starts_at <= now < contest.ends_at,
        "is_over": contest.ends_at <= now,
    }
    return render(request, "contest/announced.html", context)


def _page(request: HttpRequest, found: FoundRows) -> tuple[Page[int], int]:
    ids = found.rows.order_by(*ORDER).values_list("pk", flat=True)
    if found.target is None or "page" in request.GET:
        return page_of(request, ids, PAGE_SIZE)
    return Paginator(ids, PAGE_SIZE).page(position_of(found.rows, found.target) // PAGE_SIZE + 1), 200


def _context(contest: Contest, snapshot: SeriesSnapshot) -> dict[str, Any]:
    scheme = snapshot.run.scheme if snapshot.run is not None else snapshot.scheme
    rated = RatingChange.objects.current().filter(contest=contest).count()
    return {
        "counted_weight": scheme.weight_of(contest) if scheme is not None and contest.is_rated else contest.weight,
        "contest": contest,
        "series": contest.series,
        "snapshot": snapshot,
        "waiting": wait_state(contest.series_id)[0],
        "has_changes": rated > 0,
        "rated_count": rated,
        "amendments": amendments_of(contest),
        "rates_other_results": rates_other_results(snapshot.run, contest),
        **duel_context(contest, previous_contest(contest), next_contest(contest)),
    }


def _rows(contest: Contest, snapshot: SeriesSnapshot, standing_ids: list[int], *, is_whole: bool) -> dict[str, Any]:
    """Read the rows of the page and, on a whole one, of the podium together."""
    steps = podium_of(contest) if is_whole else []
    on_podium = [pk for step in steps for pk in step.standing_ids]
    by_id = {row.standing.pk: row for row in standing_rows(snapshot, contest, [*standing_ids, *on_podium])}
    rows = [by_id[pk] for pk in standing_ids if pk in by_id]
    return {
        "rows": rows,
        "has_scores": any(row.standing.score is not None for row in rows),
        "has_penalties": any(row.standing.penalty is not None for row in rows),
        "top_score": _top_score(rows) if is_whole else None,
        "provisional": _provisional_before(snapshot, rows),
        "podium": [PodiumRows(step, [by_id[pk] for pk in step.standing_ids if pk in by_id]) for step in steps],
    }


def _provisional_before(snapshot: SeriesSnapshot, rows: list[StandingRow]) -> set[int]:
    """
    Return the ids of the standings to mark because the rating was provisional before the contest.

    Empty if all of these ratings were, as in the first contests of a series, because marks would tell nothing, and on
    ladders, where positions are certain.
    """
    numbers = {row.standing.pk: row.rated.change.number for row in rows if row.rated is not None}
    early = {pk for pk, number in numbers.items() if is_provisional(snapshot, number - 1)}
    return early if len(early) < len(numbers) and not snapshot.has_positions else set()


def _top_score(rows: list[StandingRow]) -> float | None:
    """Return the score of the first row if scores are points, so that shares of it mean something; None for times."""
    scores = [row.standing.score for row in rows if row.standing.score is not None]
    if len(scores) < 2 or rows[0].standing.score is None:
        return None
    return scores[0] if 0 < scores[0] == max(scores) > min(scores) >= 0 else None


def _filter_form(
    request: HttpRequest, contest: Contest, filters: StandingsFilters, found: FoundRows
) -> dict[str, object]:
    """Return the contents of the filter form, and the active filters with query strings that remove them."""
    active = [
        ("country", _("Country: %(name)s") % {"name": country_name(filters.country)} if filters.country else ""),
        ("tier", _("Tier: %(name)s") % {"name": filters.tier.name} if filters.tier else ""),
        ("find", _("Handle contains “%(text)s”") % {"text": found.text} if found.text else ""),
    ]
    countries = countries_of_contest(contest)
    absent = filters.country and filters.country not in {code for code, _name, _count in countries}
    return {
        "filters": filters,
        "found": found,
        "active_filters": [(words, _without(request, name)) for name, words in active if words],
        "countries": countries,
        "absent_country": country_name(filters.country) if absent else "",
        "is_long": contest.standing_count > PAGE_SIZE,
        "has_filters": contest.standing_count >= WORTH_FILTERING or filters.is_filtered or bool(filters.find),
    }


def _without(request: HttpRequest, name: str) -> str:
    """Return the query string without one filter, starting again at the first page."""
    query = request.GET.copy()
    for removed in (name, "page"):
        query.pop(removed, None)
    return query.urlencode()


def _own_standing(request: HttpRequest, contest: Contest) -> Standing | None:
    """Return the standing of the player that the signed-in user has claimed, or None."""
    if not request.user.is_authenticated:
        return None
    return Standing.objects.filter(contest=contest, player__claim__user=request.user).select_related("player").first()


def _marked(context: dict[str, Any]) -> set[int]:
    """Return the ids of the standings to highlight: the player and the place searched for, and the visitor's own."""
    rank, searched = context["filters"].rank, (context["found"].target, context["own_standing"])
    standings = [row.standing for row in context["rows"]]
    return {each.pk for each in standings if each in searched or (rank and each.rank == rank)}


def contest_analysis(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the analysis of a rated contest, or the reason why there is none."""
    with consistent_read():
        contest = contest_or_page(request, pk)
        if not isinstance(contest, Contest):
            return contest
        if contest.is_event:
            return redirect(contest)
        snapshot = snapshot_of(contest.series)
        context = _analysis_context(contest, snapshot, analysis_of(snapshot, contest))
    return render(request, "contest/analysis.html", context)


def _analysis_context(contest: Contest, snapshot: SeriesSnapshot, analysis: Analysis | None) -> dict[str, object]:
    named = analysis.player_ids() if analysis is not None else ()
    return {
        "contest": contest,
        "series": contest.series,
        "snapshot": snapshot,
        "waiting": wait_state(contest.series_id)[0],
        **duel_context(contest, previous_contest(contest), next_contest(contest)),
        "analysis": analysis,
        "rates_other_results": rates_other_results(snapshot.run, contest),
        "entrants": entrants_of(contest, named),
        "chart": _field_histogram(snapshot, analysis),
        "top": TOP,
    }


def _field_histogram(snapshot: SeriesSnapshot, analysis: Analysis | None) -> Histogram | None:
    if analysis is None or analysis.strength is None:
        return None
    return histogram(analysis.strength.bins, snapshot.tiers)


def previous_contest(contest: Contest) -> Contest | None:
    """Return the finalized contest before this one in its series or, for a game, in its event; in one query."""
    return _same_series(contest).before(contest).newest_first().first()


def next_contest(contest: Contest) -> Contest | None:
    """Return the finalized contest after this one in its series or, for a game, in its event; in one query."""
    return _same_series(contest).after(contest).in_order().first()


def _same_series(contest: Contest) -> ContestQuerySet:
    return Contest.objects.finalized().filter(series=contest.series_id, event=contest.event_id)


@dataclass(slots=True)
class ContestFilters:
    """The filters of the list of contests; `problems` are sentences about values that do not exist."""

    series: Series | None = None
    year: int | None = None
    text: str = ""
    problems: list[str] = field(default_factory=list)

    @property
    def is_filtered(self) -> bool:
        return bool(self.series or self.year or self.text)

    def apply(self, contests: ContestQuerySet) -> ContestQuerySet:
        """Return the contests that match."""
        wanted = Q() if self.series is None else Q(series=self.series)
        if self.year is not None:
            wanted &= Q(ends_at__year=self.year)
        if self.text:
            wanted &= Q(name__icontains=self.text)
        return contests.filter(wanted)


def contest_list(request: HttpRequest) -> HttpResponse:
    """Show the announced contests and a page of the finalized ones."""
    listed = listed_series(request.user)
    series = list(listed.order_by("name", "pk")[: MOST_LISTED + 1])
    finalized = Contest.objects.finalized().listed_alone().filter(series__in=listed.values("pk"))
    kept = Kept(request.user)
    filters = _read_contest_filters(request)
    if filters.series is not None and filters.series not in series:
        # The years of an unlisted series may be missing from those of the list.
        own = Contest.objects.finalized().listed_alone().filter(series=filters.series)
        years = kept.get(f"years {filters.series.pk}", lambda: years_of(own))
    else:
        years = kept.get("years", lambda: years_of(finalized))
    _read_year(request, filters, years)
    if filters.series is not None:
        finalized = Contest.objects.finalized().listed_alone()
    contests = filters.apply(finalized)
    if filters.series is None:  # a join with one known series would keep SQLite from reading in the order of the index
        contests = contests.select_related("series")
    choices = f"{filters.series and filters.series.pk} {filters.year}"
    # There are too many possible texts to cache a count for each, so the matches of a text are counted every time.
    name = "" if filters.text else choices
    state = f"{choices} {filters.text}"
    paginator = ContestPaginator(contests, LIST_PAGE_SIZE, kept=kept, name=name, state=state)
    counts = _count(paginator) if filters.is_filtered else None
    page, status = paginator.asked_for(request)
    coming, awaited = _announced_contests(request, filters) if not page.before else ([], [])
    if filters.series is not None:
        for contest in page.contests:
            contest.series = filters.series
    winners = winners_with_events(page.contests)
    rows = [(contest, winners.get(contest.pk)) for contest in page.contests]
    slugs = {contest.series.community_id for contest in page.contests} if filters.series is None else set()
    context = {
        "page": page,
        "rows": rows,
        "columns": ContestColumns.of(rows),
        "counts": counts,
        "coming": coming,
        "awaited": awaited,
        "series": series if len(series) <= MOST_LISTED else [],
        "years": years,
        "filters": filters,
        "communities": names_if_several(slugs),
        "with_series": filters.series is None,
    }
    return render(request, "contest/list.html", context, status=404 if filters.problems else status)


def _count(paginator: ContestPaginator) -> ContestCounts:
    """Count the contests, events and games of a list, instead of only its rows; cached as the paginator does."""
    kept, name, contests = paginator.kept, paginator.name, paginator.contests
    counts: ContestCounts = kept.get(f"counts {name}", lambda: total_of(contests)) if name else total_of(contests)
    paginator.count = counts.listed
    return counts


def _read_contest_filters(request: HttpRequest) -> ContestFilters:
    """Return the text and the series in the address."""
    slug = text_of(request, "series")
    filters = ContestFilters(text=text_of(request, "q"))
    filters.series = named_series(slug, visible_series(request.user))
    if slug and filters.series is None:
        problem = _("There is no series “%(slug)s”. These are the contests of all series.")
        filters.problems.append(problem % {"slug": slug[:80]})
    return filters


def _read_year(request: HttpRequest, filters: ContestFilters, years: list[int]) -> None:
    """Add the year in the address, if it is one of these."""
    year = text_of(request, "year")
    if year:
        filters.year = next((one for one in years if str(one) == year), None)
        if filters.year is None:
            problem = _("There are no results from the year “%(year)s”. These are the contests of all years.")
            filters.problems.append(problem % {"year": year[:20]})


def _announced_contests(request: HttpRequest, filters: ContestFilters) -> tuple[list[Contest], list[Contest]]:
    """Return the next announced contests, and the latest ones that are over but have no results."""
    now = timezone.now()
    series = listed_series(request.user) if filters.series is None else visible_series(request.user)
    announced = filters.apply(announced_contests(series)).select_related("series")
    coming = announced.filter(ends_at__gt=now).order_by("ends_at", "sequence", "id")
    awaited = announced.filter(ends_at__lte=now).order_by("-ends_at", "-sequence", "-id")
    return list(coming[:COMING_SHOWN]), list(awaited[:AWAITED_SHOWN])
