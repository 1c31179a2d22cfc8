"""Numbers of contests in a series: of events with their games, and of other contests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Count, Sum
from django.utils.translation import gettext, ngettext

from contests.wording import grouped
from ratings.queries.contest_kinds import Kinds

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.db.models import QuerySet

    from contests.models import Contest


@dataclass(slots=True)
class ContestCounts:
    """Numbers of finalized contests: those outside events, events, and the games of the events."""

    contests: int = 0
    events: int = 0
    games: int = 0

    @property
    def listed(self) -> int:
        """The number of contests and events in lists."""
        return self.contests + self.events


def counted_label(kinds: Kinds) -> str:
    """Return the label for a number of contests in which each game of an event counts, as in runs."""
    match kinds:
        case Kinds.GAMES:
            return gettext("Games")
        case Kinds.BOTH:
            return gettext("Contests and games")
    return gettext("Contests")


def rated_label(kinds: Kinds) -> str:
    """Return the label for a number of rated contests in which each game of an event counts."""
    match kinds:
        case Kinds.GAMES:
            return gettext("Games rated")
        case Kinds.BOTH:
            return gettext("Contests and games rated")
    return gettext("Contests rated")


def counted_in_words(number: int, kinds: Kinds) -> str:
    """Return a number of contests, in which each game of an event counts, in words: “9 contests and games”."""
    match kinds:
        case Kinds.GAMES:
            words = ngettext("%(number)s game", "%(number)s games", number)
        case Kinds.BOTH:
            words = ngettext("%(number)s contest or game", "%(number)s contests and games", number)
        case _:
            words = ngettext("%(number)s contest", "%(number)s contests", number)
    return words % {"number": grouped(number)}


def count_rows(contests: QuerySet[Contest]) -> QuerySet[Any]:
    """Return one row of numbers for each series and kind of contest; `contests` are those in lists."""
    grouped = contests.order_by().values_list("series", "is_event")
    return grouped.annotate(Count("pk"), Sum("game_count"))


def total_of(contests: QuerySet[Contest]) -> ContestCounts:
    """Return the numbers of these contests of any series, in one query; `contests` are those in lists."""
    total = ContestCounts()
    for counts in counts_by_series(count_rows(contests)).values():
        total.contests += counts.contests
        total.events += counts.events
        total.games += counts.games
    return total


def counts_by_series(rows: Iterable[tuple[int, bool, int, int]]) -> dict[int, ContestCounts]:
    """Return the numbers of each series that has any, from the rows of `count_rows`."""
    found: dict[int, ContestCounts] = {}
    for pk, is_event, number, games in rows:
        counts = found.setdefault(pk, ContestCounts())
        if is_event:
            counts.events, counts.games = number, games
        else:
            counts.contests = number
    return found
