"""All results of one player: of every series, rated or not, in competition or out of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models.functions import ExtractYear
from django.utils.translation import gettext as _

from contests.models import ContestState, Series, Standing, StandingStatus
from contests.queries.visibility import visible_series
from ratings.models import RatingChange
from ratings.queries.snapshot import snapshots_of
from web.shared.params import page_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from django.contrib.auth.models import AnonymousUser, User
    from django.db.models import QuerySet
    from django.http import HttpRequest

    from contests.models import Player
    from ratings.queries.snapshot import SeriesSnapshot


@dataclass(frozen=True, slots=True)
class Result:
    """
    One row of a player's results.

    place
        None for those who were not ranked; `remark` then says why.
    field_size, difference, after
        Entries that were rated together; the rest in shown points. None where the contest does not count in a
        rating of the player.
    """

    standing: Standing
    snapshot: SeriesSnapshot | None
    remark: str
    field_size: int | None = None
    difference: int | None = None
    after: int | None = None

    @property
    def place(self) -> int | None:
        return self.standing.rank


def results_of(player: Player, user: User | AnonymousUser) -> QuerySet[Standing]:
    """Return the results of a player that the visitor may read, newest first, with contests and series."""
    readable = Standing.objects.filter(
        player=player, contest__state=ContestState.FINALIZED, contest__series__in=visible_series(user)
    )
    newest_first = ("-contest__ends_at", "-contest__sequence", "-contest_id")
    return readable.select_related("contest__series").order_by(*newest_first)


def years_of(results: QuerySet[Standing]) -> list[int]:
    """Return the years of the results, newest first."""
    years = results.order_by().annotate(year=ExtractYear("contest__ends_at")).values_list("year", flat=True)
    return sorted(years.distinct(), reverse=True)


def series_of(results: QuerySet[Standing]) -> list[Series]:
    """Return the series of the results, by name."""
    return list(Series.objects.filter(pk__in=results.order_by().values("contest__series")).order_by("name", "pk"))


def result_rows(standings: Sequence[Standing]) -> list[Result]:
    """Return results of one player as people read them, in the order given; three queries."""
    changes = _changes(standings)
    snapshots = snapshots_of({one.contest.series_id: one.contest.series for one in standings}.values())
    return [_row(standing, snapshots, changes.get(standing.contest_id)) for standing in standings]


def _row(standing: Standing, snapshots: dict[int, SeriesSnapshot], change: RatingChange | None) -> Result:
    snapshot = snapshots.get(standing.contest.series_id)
    if change is None or snapshot is None or snapshot.run is None:
        return Result(standing, snapshot, _remark(standing))
    difference = snapshot.change(change.mu_before, change.sigma_before, change.mu, change.sigma)
    after = snapshot.rating_of(change.mu, change.sigma)
    return Result(standing, snapshot, _remark(standing), change.field_size, difference, after)


def _remark(standing: Standing) -> str:
    """Say in words why a result is not an ordinary one; empty if it is."""
    if standing.status == StandingStatus.DISQUALIFIED:
        return _("disqualified")
    if standing.is_ineligible:
        return _("outside the rating limits")
    return _("not ranked") if standing.status == StandingStatus.UNOFFICIAL else ""


def _changes(standings: Iterable[Standing]) -> dict[int, RatingChange]:
    rows = list(standings)
    found = RatingChange.objects.current().filter(
        player__in={row.player_id for row in rows}, contest__in=[row.contest_id for row in rows]
    )
    return {change.contest_id: change for change in found}


PAGE_SIZE = 50


def results_context(request: HttpRequest, player: Player) -> tuple[dict[str, object], int]:
    """Return the results on the page, of the series and the year asked for, and the HTTP status of the answer."""
    results = results_of(player, request.user)
    years, listed = years_of(results), series_of(results)
    slug, year = text_of(request, "series"), text_of(request, "year")
    series = next((one for one in listed if one.slug == slug), None)
    found = results.filter(contest__series=series) if series is not None else results
    known_year = year if year in map(str, years) else ""
    if known_year:
        found = found.filter(contest__ends_at__year=int(known_year))
    page, status = page_of(request, found, PAGE_SIZE)
    rows = result_rows(list(page.object_list))
    context: dict[str, object] = {
        "page": page,
        "rows": rows,
        "snapshots": list({row.snapshot.series.pk: row.snapshot for row in rows if row.snapshot is not None}.values()),
        "years": years,
        "year": known_year,
        "listed": listed,
        "chosen": series,
        "unknown_series": slug if slug and series is None else "",
        "unknown_year": year if year != known_year else "",
    }
    return context, 404 if context["unknown_series"] or context["unknown_year"] else status
