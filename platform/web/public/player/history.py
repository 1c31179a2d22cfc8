"""One player's history in a series: rows as people read them, sorted, filtered by year and cut into pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.core.paginator import Paginator

from ratings.models import RatingChange
from ratings.queries.rows import uncertainty_of
from ratings.queries.shown_changes import ShownChanges

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from django.core.paginator import Page

    from ratings.models import Rating
    from ratings.queries.snapshot import SeriesSnapshot

#: What graph and history show; a long history is read in half the time without the rest.
CHANGE_FIELDS = (
    "contest", "rank", "field_size", "mu_before", "sigma_before", "mu", "sigma", "performance",
)  # fmt: skip
CONTEST_FIELDS = ("slug", "name", "ends_at", "weight", "is_rated", "state", "amended_at")


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """
    One rated contest of a player, in shown points.

    number
        1 for the player's first rated contest of the series.
    performance, uncertainty
        None where the system has no such thing.
    """

    number: int
    change: RatingChange
    performance: int | None
    before: int
    after: int
    difference: int
    uncertainty: int | None

    @property
    def year(self) -> int:
        return int(self.change.contest.ends_at.year)


#: What a history can be sorted by, and whether the largest comes first when somebody asks for it.
_LARGEST_FIRST = {
    "date": True, "contest": False, "place": False, "performance": True, "rating": True, "change": True,
}  # fmt: skip
_KEYS: dict[str, Callable[[HistoryRow], Any]] = {
    "date": lambda row: row.number,
    "contest": lambda row: row.change.contest.name.casefold(),
    # Of two equal places that in the larger field is the better one.
    "place": lambda row: (row.change.rank, -row.change.field_size),
    "performance": lambda row: row.performance or 0,
    "rating": lambda row: row.after,
    "change": lambda row: row.difference,
}


@dataclass(frozen=True, slots=True)
class HistoryOrder:
    """How a history is sorted; written "place", or "-place" for the largest first."""

    column: str = "date"
    falls: bool = True

    def __str__(self) -> str:
        return f"-{self.column}" if self.falls else self.column

    def asked_by(self, column: str) -> HistoryOrder:
        """Return the order that the heading of a column leads to: the other way round if it is sorted by already."""
        return HistoryOrder(column, not self.falls if column == self.column else _LARGEST_FIRST[column])

    def sorted(self, rows: Sequence[HistoryRow]) -> list[HistoryRow]:
        """Return the rows, given oldest first, in this order; among equals the newest first."""
        return sorted(rows[::-1], key=_KEYS[self.column], reverse=self.falls)


NEWEST_FIRST = HistoryOrder()


def order_of(text: str, snapshot: SeriesSnapshot) -> HistoryOrder | None:
    """Return the order of that name; None if there is none, as by performance where the system has none."""
    column = text.removeprefix("-")
    return HistoryOrder(column, text.startswith("-")) if column in columns_of(snapshot) else None


def columns_of(snapshot: SeriesSnapshot) -> list[str]:
    """Return what the history of a series can be sorted by."""
    return [column for column in _LARGEST_FIRST if column != "performance" or snapshot.has_performance]


def changes_of(rating: Rating) -> list[RatingChange]:
    """Return the changes that led to a rating, with their contests, oldest first."""
    return list(
        RatingChange.objects.current()
        .filter(player=rating.player_id, series=rating.series_id)
        .select_related("contest")
        .only(*CHANGE_FIELDS, *(f"contest__{name}" for name in CONTEST_FIELDS))
        .order_by("contest__ends_at", "contest__sequence", "contest_id")
    )


def history_rows(snapshot: SeriesSnapshot, changes: Sequence[RatingChange]) -> list[HistoryRow]:
    """Return a whole history as people read it, oldest first as given."""
    if not changes:
        return []
    shown = ShownChanges(snapshot, changes)
    uncertainties: list[int | None] = [None] * len(changes)
    if snapshot.sigma_means != "nothing":
        uncertainties = uncertainty_of(snapshot, shown.score, shown.column("sigma")).tolist()
    columns = (
        shown.performances, shown.before.tolist(), shown.after.tolist(), shown.difference.tolist(), uncertainties,
    )  # fmt: skip
    numbered = enumerate(zip(changes, *columns, strict=True), start=1)
    return [HistoryRow(number, change, *numbers) for number, (change, *numbers) in numbered]


def page_with(rows: Sequence[HistoryRow], contest_id: int, size: int) -> Page[HistoryRow] | None:
    """Return the page of a table on which a contest stands; None if it is not there."""
    for position, row in enumerate(rows):
        if row.change.contest_id == contest_id:
            return Paginator(rows, size).page(position // size + 1)
    return None
