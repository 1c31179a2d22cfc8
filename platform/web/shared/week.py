"""The week up to the newest contest of several series: who rose and fell most, and the records that were broken."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db.models import Q

from contests.models import Contest, Player
from ratings.models import Rating
from ratings.queries.sparklines import newest_ratings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ratings.queries.snapshot import SeriesSnapshot

LENGTH = timedelta(days=7)
#: The most rises (or falls) to show, the most of these from one series if several had contests, and the most records.
MOVES_SHOWN, MOVES_OF_ONE, RECORDS_SHOWN = 5, 2, 4
#: The greatest number of series whose week is compared.
MOST_SERIES = 12


@dataclass(frozen=True, slots=True)
class WeekMove:
    """A player's ratings before and after the week, in displayed points, and the newest ones for a small graph."""

    snapshot: SeriesSnapshot
    rating: Rating
    before: int
    after: int
    contests: int
    line: list[int]

    @property
    def player(self) -> Player:
        return self.rating.player

    @property
    def change(self) -> int:
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class NewRecord:
    """
    A record of a series, set in the week.

    kind
        "peak" (the highest rating), "leader" (a new number one), "streak" (wins in a row) or "gain" (the largest gain).
    value
        The rating, the length of the streak or the gain; 0 for a number one.
    has_exceptions
        Whether a player gained more in one of their first contests, which don't count.
    """

    snapshot: SeriesSnapshot
    kind: str
    player_id: int
    contest_id: int
    value: int
    has_exceptions: bool = False
    player: Player | None = None
    contest: Contest | None = None


@dataclass(frozen=True, slots=True)
class Week:
    """
    The week that ends with the newest contest; all lists are empty if nothing has been computed for it.

    leaves_out
        Whether players with provisional ratings are left out of the moves.
    """

    until: datetime | None
    rises: list[WeekMove]
    falls: list[WeekMove]
    records: list[NewRecord]
    leaves_out: bool = False

    def __bool__(self) -> bool:
        return bool(self.rises or self.falls or self.records)

    @property
    def snapshot(self) -> SeriesSnapshot | None:
        """Snapshot of the first series in the lists of moves."""
        return next((move.snapshot for move in (*self.rises, *self.falls)), None)

    @property
    def is_mixed(self) -> bool:
        """Whether the moves are from several series."""
        return len({move.snapshot.series.pk for move in (*self.rises, *self.falls)}) > 1


@dataclass(frozen=True, slots=True)
class SeriesNews:
    """The derived movers and records of the current run of a series."""

    snapshot: SeriesSnapshot
    movers: dict[str, Any]
    records: dict[str, Any]

    @property
    def moves(self) -> list[dict[str, Any]]:
        """The movers of each of the newest contests and events."""
        return [*self.movers.get("contests", ()), *self.movers.get("events", ())]

    @property
    def until(self) -> datetime | None:
        """End of the newest rated contest."""
        end = self.movers.get("week", {}).get("until")
        return datetime.fromisoformat(end) if end else None


def week_of(news: Iterable[SeriesNews]) -> Week:
    """Return the week of the series whose newest contests are at most a week apart, in at most four queries."""
    ends = [(one.until, one) for one in news if one.until is not None]
    until = max((end for end, _ in ends), default=None)
    active = [one for end, one in ends if until is not None and end > until - LENGTH][:MOST_SERIES]
    rises, falls = (_chosen(active, name) for name in ("gains", "losses"))
    ratings = _ratings_of([*rises, *falls])
    lines = newest_ratings((snapshot, rating) for snapshot, rating in ratings.values()) if ratings else {}

    def moves(rows: list[tuple[SeriesSnapshot, list[int]]]) -> list[WeekMove]:
        return [
            WeekMove(snapshot, rating, before, after, contests, lines.get(rating.pk, []))
            for snapshot, (player, before, after, contests) in rows
            for _, rating in [ratings.get((snapshot.series.pk, player), (None, None))]
            if rating is not None
        ]

    records = _named([record for one in active for record in _records(one)])
    leaves_out = any(one.movers["week"].get("leaves_out") for one in active)
    return Week(until, moves(rises), moves(falls), records, leaves_out)


def _chosen(active: Sequence[SeriesNews], name: str) -> list[tuple[SeriesSnapshot, list[int]]]:
    """Return the largest moves of all series, with a few of each if there are several."""
    most = MOVES_SHOWN if len(active) == 1 else MOVES_OF_ONE
    rows = [(one.snapshot, row) for one in active for row in one.movers["week"][name][:most]]
    return sorted(rows, key=lambda row: -abs(row[1][2] - row[1][1]))[:MOVES_SHOWN]


def _ratings_of(
    rows: list[tuple[SeriesSnapshot, list[int]]],
) -> dict[tuple[int, int], tuple[SeriesSnapshot, Rating]]:
    """Return the current ratings of players by series and player, in one query."""
    snapshots = {snapshot.series.pk: snapshot for snapshot, _ in rows}
    wanted = Q()
    for snapshot, row in rows:
        wanted |= Q(series=snapshot.series, player=row[0])
    if not wanted:
        return {}
    found = Rating.objects.filter(wanted).select_related("player").defer("belief")
    return {(one.series_id, one.player_id): (snapshots[one.series_id], one) for one in found}


def _records(one: SeriesNews) -> list[NewRecord]:
    """
    Return the records of a series that were set in its contests of the week, the most remarkable first.

    A player's first ratings don't count as records. But while one of them is higher than those that count, a highest
    rating or a number one would contradict the leaderboard, so there is none.
    """
    contests, records = set(one.movers["week"]["contests"]), one.records
    found: list[NewRecord] = []
    for player, rating, contest in records.get("peaks", ())[:1]:
        if rating >= records["highest"]:
            found.append(NewRecord(one.snapshot, "peak", player, contest, rating))
    for player, contest, _days, _lasts in records.get("reigns", ())[:1]:
        if records["leads_all"]:
            found.append(NewRecord(one.snapshot, "leader", player, contest, 0))
    streaks = records.get("streaks", ())
    for player, length, _first, contest, _lasts in streaks[:1]:
        if len(streaks) == 1 or length > streaks[1][1]:
            found.append(NewRecord(one.snapshot, "streak", player, contest, length))
    for player, before, after, contest in records.get("gains", ())[:1]:
        gain = after - before
        found.append(NewRecord(one.snapshot, "gain", player, contest, gain, gain < records["largest_gain"]))
    return [record for record in found if record.contest_id in contests]


def _named(records: list[NewRecord]) -> list[NewRecord]:
    """Return the first records with their players and contests, in two queries; each player once in each series."""
    chosen: dict[tuple[int, int], NewRecord] = {}
    for record in records:
        chosen.setdefault((record.snapshot.series.pk, record.player_id), record)
    kept = list(chosen.values())[:RECORDS_SHOWN]
    if not kept:
        return []
    players = Player.objects.in_bulk([record.player_id for record in kept])
    contests = Contest.objects.in_bulk([record.contest_id for record in kept])
    return [
        replace(record, player=players[record.player_id], contest=contests[record.contest_id])
        for record in kept
        if record.player_id in players and record.contest_id in contests
    ]
