"""The tables of a player's page: the history in one series, sorted and filtered, and the results in all series."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.db.models.functions import ExtractYear
from django.utils.translation import gettext as _

from contests.models import ContestState, Series, Standing, StandingStatus
from contests.queries.visibility import visible_series
from ratings.models import RatingChange
from ratings.queries.contest_kinds import is_of_games
from ratings.queries.opponents import outcome_of
from ratings.queries.rows import ShownChanges, uncertainty_of
from ratings.queries.snapshot import snapshots_of
from web.shared.params import page_of, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from django.contrib.auth.models import AnonymousUser, User
    from django.core.paginator import Page
    from django.db.models import QuerySet
    from django.http import HttpRequest

    from contests.models import Player
    from ratings.models import Rating
    from ratings.queries.snapshot import SeriesSnapshot


#: Fields in the graph and the history; a long history loads in half the time without the others.
CHANGE_FIELDS = (
    "contest", "rank", "field_size", "mu_before", "sigma_before", "mu", "sigma", "performance",
)  # fmt: skip
CONTEST_FIELDS = (
    "slug", "name", "starts_at", "ends_at", "weight", "is_rated", "is_event", "state", "finalized_at", "amended_at",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """
    One rated contest of a player, in displayed points.

    number
        1 for the player's first rated contest of the series.
    performance, uncertainty
        None if the system has none.
    outcome
        1, 0 or -1 for a game won, drawn or lost; None for other contests.
    """

    number: int
    change: RatingChange
    performance: int | None
    before: int
    after: int
    difference: int
    uncertainty: int | None
    outcome: int | None = None

    @property
    def year(self) -> int:
        return int(self.change.contest.ends_at.year)


#: Columns that a history can be sorted by, and whether the first click puts the largest value first.
_LARGEST_FIRST = {
    "contest": False, "date": True, "place": False, "performance": True, "rating": True, "change": True,
}  # fmt: skip
_KEYS: dict[str, Callable[[HistoryRow], Any]] = {
    "date": lambda row: row.number,
    "contest": lambda row: row.change.contest.name.casefold(),
    # Of two equal places, the one in the larger field is better.
    "place": lambda row: (row.change.rank, -row.change.field_size),
    "performance": lambda row: row.performance or 0,
    "rating": lambda row: row.after,
    "change": lambda row: row.difference,
}


@dataclass(frozen=True, slots=True)
class HistoryOrder:
    """The order of a history; written "place", or "-place" for the largest first."""

    column: str = "date"
    falls: bool = True

    def __str__(self) -> str:
        return f"-{self.column}" if self.falls else self.column

    def asked_by(self, column: str) -> HistoryOrder:
        """Return the order that a click on a column's heading leads to: reversed if it is the current column."""
        return HistoryOrder(column, not self.falls if column == self.column else _LARGEST_FIRST[column])

    def sorted(self, rows: Sequence[HistoryRow]) -> list[HistoryRow]:
        """Return rows, given oldest first, in this order; the newest first among equals."""
        return sorted(rows[::-1], key=_KEYS[self.column], reverse=self.falls)


NEWEST_FIRST = HistoryOrder()


def order_of(text: str, snapshot: SeriesSnapshot) -> HistoryOrder | None:
    """Return the order with this name; None if there is no such order in the series."""
    column = text.removeprefix("-")
    return HistoryOrder(column, text.startswith("-")) if column in columns_of(snapshot) else None


def columns_of(snapshot: SeriesSnapshot) -> list[str]:
    """Return the columns that the history of a series can be sorted by."""
    return [column for column in _LARGEST_FIRST if column != "performance" or snapshot.has_performance]


def changes_of(rating: Rating) -> list[RatingChange]:
    """
    Return the changes that led to a rating, with their contests, oldest first.

    The order is that of the published run. A contest can have moved since, which shows after a roll-back.
    """
    return list(
        RatingChange.objects.current()
        .filter(player=rating.player_id, series=rating.series_id)
        .select_related("contest")
        .only(*CHANGE_FIELDS, *(f"contest__{name}" for name in CONTEST_FIELDS))
        .order_by("number")
    )


def history_rows(
    snapshot: SeriesSnapshot, changes: Sequence[RatingChange], outcomes: Mapping[int, int] | None = None
) -> list[HistoryRow]:
    """Return the rows of a whole history, oldest first as given; `outcomes` are those of its games by contest."""
    if not changes:
        return []
    shown = ShownChanges(snapshot, changes)
    uncertainties: list[int | None] = [None] * len(changes)
    if snapshot.sigma_means != "nothing":
        mu, sigma = shown.column("mu"), shown.column("sigma")
        uncertainties = uncertainty_of(snapshot, snapshot.centre(mu, sigma), sigma).tolist()
    columns = (
        shown.performances, shown.before.tolist(), shown.after.tolist(), shown.difference.tolist(), uncertainties,
        [(outcomes or {}).get(change.contest_id) for change in changes],
    )  # fmt: skip
    numbered = enumerate(zip(changes, *columns, strict=True), start=1)
    return [HistoryRow(number, change, *numbers) for number, (change, *numbers) in numbered]


def page_with(rows: Sequence[HistoryRow], contest_id: int, size: int) -> Page[HistoryRow] | None:
    """Return the page of a table with the row of a contest; None if it has none."""
    for position, row in enumerate(rows):
        if row.change.contest_id == contest_id:
            return Paginator(rows, size).page(position // size + 1)
    return None


PAGE_SIZE = 50
#: Rows of a history until a visitor asks for all, or for an order, a year or a contest.
FIRST_ROWS = 10


@dataclass(frozen=True, slots=True)
class Heading:
    """
    A column heading: the address that sorts by the column, and the current direction.

    sorted
        "ascending" or "descending" as in ARIA; empty if the table is sorted by another column.
    """

    column: str
    label: str
    address: str
    sorted: str


@dataclass(frozen=True, slots=True)
class HistoryTable:
    """
    A page of the history, with its headings and filters.

    at
        The contest whose row is marked.
    is_short
        Whether these are the first rows alone, with a link to the others.
    unknown_year, unknown_sort, unknown_contest
        Requested values that do not exist; empty otherwise.
    """

    page: Page[HistoryRow]
    headings: list[Heading]
    order: HistoryOrder
    orders: list[tuple[str, str]]
    years: list[int]
    year: int | None
    at: int | None
    is_short: bool
    unknown_year: str
    unknown_sort: str
    unknown_contest: str

    @property
    def shows_newest(self) -> bool:
        """Whether these rows are the newest ones."""
        return self.order == NEWEST_FIRST and self.year is None and self.page.number == 1


def history_table(
    request: HttpRequest, snapshot: SeriesSnapshot, rows: Sequence[HistoryRow]
) -> tuple[HistoryTable, int]:
    """Return the table of a history, given oldest first, and the HTTP status of the page that shows it."""
    years = sorted({row.year for row in rows}, reverse=True)
    asked_year, asked_order, asked_contest = (text_of(request, name) for name in ("year", "sort", "at"))
    asked_row = next((row for row in rows if str(row.change.contest_id) == asked_contest), None)
    at = asked_row.change.contest_id if asked_row is not None else None
    year = int(asked_year) if asked_year in map(str, years) else None
    if asked_row is not None and asked_row.year != year:
        year = None  # the requested contest takes precedence over the year
    known_order = order_of(asked_order, snapshot)
    order = known_order or NEWEST_FIRST
    is_short = len(rows) > FIRST_ROWS and not any(text_of(request, name) for name in ("page", "sort", "year", "at"))
    page, status = _page(request, order.sorted(_of_year(rows, year)), at, FIRST_ROWS if is_short else PAGE_SIZE)
    table = HistoryTable(
        page=page,
        headings=_headings(snapshot, order, year),
        order=order,
        orders=[(str(other), label) for other, label in _orders(snapshot)],
        years=years,
        year=year,
        at=at,
        is_short=is_short,
        unknown_year=asked_year if asked_year and asked_year not in map(str, years) else "",
        unknown_sort=asked_order if known_order is None else "",
        unknown_contest=asked_contest if at is None else "",
    )
    return table, 404 if table.unknown_year or table.unknown_sort or table.unknown_contest else status


def _page(
    request: HttpRequest, listed: Sequence[HistoryRow], at: int | None, size: int
) -> tuple[Page[HistoryRow], int]:
    """Return the requested page, else the one with the requested contest, and the HTTP status."""
    opened = page_with(listed, at, size) if at is not None and not text_of(request, "page") else None
    return (opened, 200) if opened is not None else page_of(request, listed, size)


def _of_year(rows: Sequence[HistoryRow], year: int | None) -> Sequence[HistoryRow]:
    return rows if year is None else [row for row in rows if row.year == year]


def _labels(snapshot: SeriesSnapshot) -> dict[str, str]:
    return {
        "date": _("Date"),
        "contest": _("Game") if is_of_games(snapshot) else _("Contest"),
        "place": _("Result") if is_of_games(snapshot) else _("Place"),
        "performance": _("Performance"),
        "rating": _("Rating"),
        "change": _("Change"),
    }


def _headings(snapshot: SeriesSnapshot, order: HistoryOrder, year: int | None) -> list[Heading]:
    headings, labels = [], _labels(snapshot)
    for column in columns_of(snapshot):
        query = {"series": snapshot.series.slug, **({"year": year} if year else {}), "sort": order.asked_by(column)}
        direction = ("descending" if order.falls else "ascending") if column == order.column else ""
        headings.append(Heading(column, labels[column], f"?{urlencode(query)}#history", direction))
    return headings


def _orders(snapshot: SeriesSnapshot) -> list[tuple[HistoryOrder, str]]:
    """Return the orders with their names, for screens that are too narrow for all headings."""
    by_name = _("By contest name, A to Z"), _("By contest name, Z to A")
    if is_of_games(snapshot):
        by_name = _("By game, A to Z"), _("By game, Z to A")
    by_place = _("Best places first"), _("Worst places first")
    if is_of_games(snapshot):
        by_place = _("Wins first"), _("Losses first")
    named = [
        (HistoryOrder("date", falls=True), _("Newest first")),
        (HistoryOrder("date", falls=False), _("Oldest first")),
        (HistoryOrder("place", falls=False), by_place[0]),
        (HistoryOrder("place", falls=True), by_place[1]),
        (HistoryOrder("performance", falls=True), _("Best performances first")),
        (HistoryOrder("performance", falls=False), _("Worst performances first")),
        (HistoryOrder("rating", falls=True), _("Highest ratings first")),
        (HistoryOrder("rating", falls=False), _("Lowest ratings first")),
        (HistoryOrder("change", falls=True), _("Largest gains first")),
        (HistoryOrder("change", falls=False), _("Largest losses first")),
        (HistoryOrder("contest", falls=False), by_name[0]),
        (HistoryOrder("contest", falls=True), by_name[1]),
    ]
    return [(order, label) for order, label in named if order.column in columns_of(snapshot)]


@dataclass(frozen=True, slots=True)
class Result:
    """
    One row of a player's results.

    place
        None for an unranked result, and for a walkover or a bye; `remark` gives the reason.
    field_size, difference, after
        Number of entries that were rated together, rating change and new rating in displayed points. None if the
        contest does not count in a rating of the player.
    outcome
        1, 0 or -1 for a rated game won, drawn or lost; None for other results.
    """

    standing: Standing
    snapshot: SeriesSnapshot | None
    remark: str
    field_size: int | None = None
    difference: int | None = None
    after: int | None = None
    outcome: int | None = None

    @property
    def place(self) -> int | None:
        return None if self.standing.contest.is_walkover else self.standing.rank


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
    """Return the rows of one player's results in the same order, in four queries."""
    changes = _changes(standings)
    outcomes = _outcomes(standings, changes)
    snapshots = snapshots_of({one.contest.series_id: one.contest.series for one in standings}.values())
    return [
        _result_row(standing, snapshots, changes.get(standing.contest_id), outcomes.get(standing.contest_id))
        for standing in standings
    ]


def _result_row(
    standing: Standing, snapshots: dict[int, SeriesSnapshot], change: RatingChange | None, outcome: int | None
) -> Result:
    snapshot = snapshots.get(standing.contest.series_id)
    if change is None or snapshot is None or snapshot.run is None:
        return Result(standing, snapshot, _remark(standing))
    difference = snapshot.change(change.mu_before, change.sigma_before, change.mu, change.sigma)
    after = snapshot.rating_of(change.mu, change.sigma)
    return Result(standing, snapshot, _remark(standing), change.field_size, difference, after, outcome)


def _remark(standing: Standing) -> str:
    """Return why a result has no place; empty if it has one."""
    if standing.contest.is_walkover:
        return _("bye") if standing.contest.standing_count == 1 else _("walkover")
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


def _outcomes(standings: Iterable[Standing], changes: Mapping[int, RatingChange]) -> dict[int, int]:
    """Return the outcomes of one player's rated games by contest, by the places that the results have now."""
    own = {row.contest_id: row.rank for row in standings if row.rank is not None}
    games = [contest for contest in own if contest in changes and changes[contest].field_size == 2]
    ranks: dict[int, list[int]] = {}
    listed = Standing.objects.filter(contest__in=games, rank__isnull=False) if games else Standing.objects.none()
    for contest, rank in listed.values_list("contest_id", "rank"):
        ranks.setdefault(contest, []).append(rank or 0)
    # Alone, as when a correction has just disqualified the other side, no one has won.
    return {contest: outcome_of(own[contest], those) for contest, those in ranks.items() if len(those) > 1}


def results_context(request: HttpRequest, player: Player) -> tuple[dict[str, object], int]:
    """Return the requested page of results, filtered by series and year, and the HTTP status of the response."""
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
