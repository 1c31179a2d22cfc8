"""The records of a series: derived from its whole history, with players and contests looked up in two queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.shortcuts import render

from contests.models import Contest, Player
from ratings.database import consistent_read
from ratings.derived import derived
from ratings.derived.records import DERIVATION
from ratings.queries.snapshot import snapshot_of, wait_state
from web.shared.params import series_at

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from ratings.derived import Content
    from web.shared.params import SeriesPath


#: Positions of the ids in each kind of row: (player, contests).
_IDS = {
    "peaks": (0, (2,)), "leaders": (0, ()), "reigns": (0, (1,)), "wins": (0, ()), "podiums": (0, ()),
    "contests": (0, (2, 3)), "gains": (0, (3,)), "streaks": (0, (2, 3)), "careers": (0, (2, 3)),
}  # fmt: skip
#: Minimum number of days of the longest career for a list of careers.
_LONG_CAREER = 730


@dataclass(frozen=True, slots=True)
class Record:
    """
    A row of a table of records.

    place
        Competition rank by `number`.
    number, of
        The record itself, and a related number: contests played, reigns, or the rating after a gain.
    before
        The rating before a gain.
    first, last
        The contest, or the first and the last contest.
    lasts
        Whether it continues.
    """

    place: int
    player: Player
    number: float
    of: int = 0
    before: int = 0
    first: Contest | None = None
    last: Contest | None = None
    lasts: bool = False


@dataclass(frozen=True, slots=True)
class Records:
    """All records of a series; tables without records are empty. `until` is the newest contest."""

    counted_from: int
    until: Contest | None
    peaks: list[Record]
    leaders: list[Record]
    reigns: list[Record]
    reign_count: int
    wins: list[Record]
    podiums: list[Record]
    contests: list[Record]
    gains: list[Record]
    streaks: list[Record]
    careers: list[Record]

    @property
    def has_any(self) -> bool:
        return bool(self.contests)


def records_of(content: Content) -> Records:
    """Return the derived records (`ratings.derived.records`) with their players and contests."""
    players = Player.objects.in_bulk(_ids(content, of_contests=False))
    contests = Contest.objects.in_bulk(_ids(content, of_contests=True))

    def rows(name: str, **at: int) -> list[Record]:
        """Return the rows of one record; `at` has the position in a row of each field of `Record`."""
        listed = []
        for row in content.get(name, []):
            values: dict[str, Any] = {field: row[place] for field, place in at.items()}
            values |= {field: contests.get(values[field]) for field in ("first", "last") if field in at}
            if row[0] in players and None not in values.values():
                listed.append(Record(0, players[row[0]], **values))
        return _ranked(listed)

    careers = rows("careers", number=1, first=2, last=3)
    return Records(
        content["counted_from"],
        contests.get(content.get("until")),
        rows("peaks", number=1, first=2),
        rows("leaders", number=1, of=3),
        rows("reigns", number=2, first=1, lasts=3),
        content.get("reign_count", 0),
        rows("wins", number=1, of=2),
        rows("podiums", number=1, of=2),
        rows("contests", number=1, first=2, last=3),
        _by_gain(rows("gains", number=2, before=1, first=3)),
        rows("streaks", number=1, first=2, last=3, lasts=4),
        careers if _tells_careers_apart(careers) else [],
    )


def _tells_careers_apart(careers: list[Record]) -> bool:
    """Whether the longest careers are worth a list: the first is long, and not all of several are equally long."""
    return bool(careers) and careers[0].number >= _LONG_CAREER and (len(careers) == 1 or careers[-1].place > 1)


def _ids(content: Content, *, of_contests: bool) -> set[int]:
    found = {content["until"]} if of_contests and content.get("until") else set()
    for name, (player, places) in _IDS.items():
        for row in content.get(name, []):
            found.update(row[place] for place in (places if of_contests else (player,)))
    return found


def _ranked(rows: list[Record]) -> list[Record]:
    """Give rows with equal numbers the same place."""
    placed: list[Record] = []
    for position, row in enumerate(rows, start=1):
        place = placed[-1].place if placed and placed[-1].number == row.number else position
        placed.append(_at(row, place))
    return placed


def _by_gain(rows: list[Record]) -> list[Record]:
    """Turn ratings before and after into gains: `number` becomes the difference, `of` the rating after."""
    return _ranked(
        [Record(0, row.player, row.number - row.before, int(row.number), row.before, row.first) for row in rows]
    )


def _at(row: Record, place: int) -> Record:
    return Record(place, row.player, row.number, row.of, row.before, row.first, row.last, row.lasts)


def records(request: HttpRequest, at: SeriesPath) -> HttpResponse:
    """Show peaks, number ones and the other records of a series."""
    with consistent_read():
        series = series_at(request, at)
        snapshot = snapshot_of(series)
        content = derived(snapshot, DERIVATION)
        context = {
            "series": series,
            "snapshot": snapshot,
            "waiting": wait_state(series.pk)[0],
            "records": records_of(content) if content is not None else None,
        }
    return render(request, "records/records.html", context)
