"""The table of a player's contests as its address asks for it: sorted, of one year, opened at a page or a contest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from web.public.player.history import NEWEST_FIRST, HistoryOrder, HistoryRow, columns_of, order_of, page_with
from web.shared.paging import page_of, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.core.paginator import Page
    from django.http import HttpRequest

    from ratings.queries.snapshot import SeriesSnapshot

PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class Heading:
    """
    A column: its name, the address that sorts by it, and how the table is sorted by it now.

    sorted
        "ascending" or "descending" as ARIA says it; empty where the table is sorted by another column.
    """

    column: str
    label: str
    address: str
    sorted: str


@dataclass(frozen=True, slots=True)
class HistoryTable:
    """
    What the table shows.

    at
        The contest whose row is marked.
    unknown_year, unknown_sort, unknown_contest
        What was asked for and is not there; empty otherwise.
    """

    page: Page[HistoryRow]
    headings: dict[str, Heading]
    order: HistoryOrder
    orders: list[tuple[str, str]]
    years: list[int]
    year: int | None
    at: int | None
    unknown_year: str
    unknown_sort: str
    unknown_contest: str


def history_table(
    request: HttpRequest, snapshot: SeriesSnapshot, rows: Sequence[HistoryRow]
) -> tuple[HistoryTable, int]:
    """Return the table of a history, given oldest first, and the HTTP status of the page that shows it."""
    years = sorted({row.year for row in rows}, reverse=True)
    asked_year, asked_order, asked_contest = (text_of(request, name) for name in ("year", "sort", "at"))
    year = int(asked_year) if asked_year in map(str, years) else None
    order = order_of(asked_order, snapshot) or NEWEST_FIRST
    at = next((row.change.contest_id for row in rows if str(row.change.contest_id) == asked_contest), None)
    if at is not None and year is not None and not any(row.change.contest_id == at for row in _of_year(rows, year)):
        year = None  # the contest was asked for: it is shown, whatever its year
    listed = order.sorted(_of_year(rows, year))
    opened = page_with(listed, at, PAGE_SIZE) if at is not None and not text_of(request, "page") else None
    page, status = (opened, 200) if opened is not None else page_of(request, listed, PAGE_SIZE)
    table = HistoryTable(
        page=page,
        headings=_headings(snapshot, order, year),
        order=order,
        orders=[(str(other), label) for other, label in _orders(snapshot)],
        years=years,
        year=year,
        at=at,
        unknown_year=asked_year if asked_year and asked_year not in map(str, years) else "",
        unknown_sort=asked_order if asked_order and order_of(asked_order, snapshot) is None else "",
        unknown_contest=asked_contest if at is None else "",
    )
    return table, 404 if table.unknown_year or table.unknown_sort or table.unknown_contest else status


def _of_year(rows: Sequence[HistoryRow], year: int | None) -> Sequence[HistoryRow]:
    return rows if year is None else [row for row in rows if row.year == year]


def _labels() -> dict[str, str]:
    return {
        "date": _("Date"),
        "contest": _("Contest"),
        "place": _("Place"),
        "performance": _("Performance"),
        "rating": _("Rating"),
        "change": _("Change"),
    }


def _headings(snapshot: SeriesSnapshot, order: HistoryOrder, year: int | None) -> dict[str, Heading]:
    headings = {}
    for column in columns_of(snapshot):
        query = {"series": snapshot.series.slug, **({"year": year} if year else {}), "sort": order.asked_by(column)}
        direction = ("descending" if order.falls else "ascending") if column == order.column else ""
        address = f"?{urlencode(query)}#history"
        headings[column] = Heading(column, _labels()[column], address, direction)
    return headings


def _orders(snapshot: SeriesSnapshot) -> list[tuple[HistoryOrder, str]]:
    """Return the orders that people choose by name, on screens too narrow for all headings."""
    named = [
        (HistoryOrder("date", falls=True), _("Newest first")),
        (HistoryOrder("date", falls=False), _("Oldest first")),
        (HistoryOrder("place", falls=False), _("Best places first")),
        (HistoryOrder("place", falls=True), _("Worst places first")),
        (HistoryOrder("performance", falls=True), _("Best performances first")),
        (HistoryOrder("performance", falls=False), _("Worst performances first")),
        (HistoryOrder("rating", falls=True), _("Highest ratings first")),
        (HistoryOrder("rating", falls=False), _("Lowest ratings first")),
        (HistoryOrder("change", falls=True), _("Largest gains first")),
        (HistoryOrder("change", falls=False), _("Largest losses first")),
        (HistoryOrder("contest", falls=False), _("By name of the contest, from A")),
        (HistoryOrder("contest", falls=True), _("By name of the contest, from Z")),
    ]
    return [(order, label) for order, label in named if order.column in columns_of(snapshot)]
