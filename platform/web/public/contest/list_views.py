"""All contests: what is coming, then results, newest first; filtered by series, year and words of the name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.db.models import Q
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from contests.models import Contest
from contests.queries.visibility import announced_contests, visible_series
from contests.queries.winners import winners_of
from web.shared.contest_pages import ContestPaginator, Kept
from web.shared.paging import text_of

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse

    from contests.models import Series
    from contests.models.contest import ContestQuerySet

PAGE_SIZE = 50
#: More series than this are not offered for choice one by one.
MOST_LISTED = 200
#: Announced contests that are named: those that come next, and the last ones that wait for their results.
COMING_SHOWN, AWAITED_SHOWN = 12, 6


@dataclass(slots=True)
class Asked:
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
    asked = _asked(request, visible, years)
    contests = asked.of(finalized).select_related("series")
    filters = f"{asked.series and asked.series.pk} {asked.year}"
    # Of a text there are too many for the cache; what it finds is counted each time.
    named = "" if asked.text else filters
    state = f"{filters} {asked.text}"
    page, status = ContestPaginator(contests, PAGE_SIZE, kept=kept, name=named, state=state).asked_for(request)
    coming, awaited = _announced(request, asked) if not page.before else ([], [])
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


def _asked(request: HttpRequest, series: QuerySet[Series], years: list[int]) -> Asked:
    slug, year = text_of(request, "series"), text_of(request, "year")
    asked = Asked(text=text_of(request, "q"))
    asked.series = series.filter(slug=slug).first() if slug else None
    if slug and asked.series is None:
        problem = _("There is no series “%(slug)s”. These are the contests of all series.")
        asked.problems.append(problem % {"slug": slug[:80]})
    if year:
        asked.year = next((one for one in years if str(one) == year), None)
        if asked.year is None:
            asked.problems.append(_("No contest has results of the year “%(year)s”.") % {"year": year[:20]})
    return asked


def _announced(request: HttpRequest, asked: Asked) -> tuple[list[Contest], list[Contest]]:
    """Return the next announced contests, and the last ones that are over and wait for their results."""
    now = timezone.now()
    announced = asked.of(announced_contests(request.user)).select_related("series")
    coming = announced.filter(ends_at__gt=now).order_by("ends_at", "sequence", "id")
    awaited = announced.filter(ends_at__lte=now).order_by("-ends_at", "-sequence", "-id")
    return list(coming[:COMING_SHOWN]), list(awaited[:AWAITED_SHOWN])
