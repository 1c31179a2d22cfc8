"""The story of a player: last contest, form, the way to the next tier, streaks, seasons, milestones, activity."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from ratings.derived.records import PODIUM, PODIUM_FIELD
from ratings.derived.season_tables import season_name
from ratings.display.season import season_rules_from_dict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ratings.queries.snapshot import SeriesSnapshot
    from web.public.player.history import HistoryRow

#: Contests in the form strip.
FORM = 10
#: Years in the activity calendar, the newest ones.
MOST_YEARS = 25


@dataclass(frozen=True, slots=True)
class Season:
    """
    A player's season: contests, wins, best place, the highest rating and the change of rating.

    best_place
        The best place in contests other than games; None without such contests.
    """

    name: str
    contests: int
    wins: int
    best_place: int | None
    peak: int
    change: int


@dataclass(frozen=True, slots=True)
class Milestone:
    """A contest that stands out, and what it was; `points` is a rating or a change in displayed points."""

    kind: str
    label: str
    row: HistoryRow
    points: int | None = None


@dataclass(frozen=True, slots=True)
class Month:
    """The number of contests in a month; `level` from 0 (none) to 4 (the most) shades it."""

    name: str
    contests: int
    level: int


@dataclass(frozen=True, slots=True)
class Activity:
    """
    Contests by month, for each of the newest years (the newest first), and the first of the busiest months.

    is_alone
        Whether no other month had as many contests.
    is_only
        Whether all contests were in one month.
    is_cut
        Whether there were contests before the first of these years.
    """

    years: list[tuple[int, list[Month]]]
    months: list[str]
    most: int
    most_month: str
    most_year: int
    is_alone: bool
    is_only: bool
    is_cut: bool

    @property
    def first_year(self) -> int:
        """Return the first of the years."""
        return self.years[-1][0]


@dataclass(frozen=True, slots=True)
class Story:
    """
    The story of a player's history.

    last
        The last contest.
    form
        The newest contests, oldest first.
    wins, podiums
        Numbers of first places, and of places among the first three in fields of at least four.
    podium_streak, rise_streak
        The longest series of podiums, and of rating gains, in a row.
    """

    last: HistoryRow
    form: Sequence[HistoryRow]
    wins: int
    podiums: int
    podium_streak: int
    rise_streak: int
    seasons: list[Season]
    milestones: list[Milestone]
    activity: Activity

    @property
    def form_has_games(self) -> bool:
        """Whether some of `form` are games, which are won, drawn or lost."""
        return any(row.outcome is not None for row in self.form)

    @property
    def form_has_places(self) -> bool:
        """Whether some of `form` are other contests, which have places."""
        return any(row.outcome is None for row in self.form)

    @property
    def place_digits(self) -> int:
        """The number of digits of the longest place in `form`, 0 in games, which need less room on the page."""
        return max((len(str(row.change.rank)) for row in self.form if row.outcome is None), default=0)


def story_of(snapshot: SeriesSnapshot, rows: Sequence[HistoryRow]) -> Story | None:
    """Return the story of a history, given oldest first; None if it is empty."""
    if not rows:
        return None
    return Story(
        last=rows[-1],
        form=rows[-FORM:],
        wins=sum(_is_win(row) for row in rows),
        podiums=sum(_is_podium(row) for row in rows),
        podium_streak=_longest(rows, _is_podium),
        rise_streak=_longest(rows, lambda row: row.difference > 0),
        seasons=_seasons(snapshot, rows),
        milestones=_milestones(rows),
        activity=_activity(row.change.contest.ends_at for row in rows),
    )


def _is_win(row: HistoryRow) -> bool:
    # In a two-player game, first is also the place of both sides of a draw.
    return row.outcome == 1 if row.outcome is not None else row.change.rank == 1 and row.change.field_size > 1


def _is_podium(row: HistoryRow) -> bool:
    return row.change.rank <= PODIUM and row.change.field_size >= PODIUM_FIELD


def _longest(rows: Sequence[HistoryRow], counts: Callable[[HistoryRow], bool]) -> int:
    best = length = 0
    for row in rows:
        length = length + 1 if counts(row) else 0
        best = max(best, length)
    return best


def _seasons(snapshot: SeriesSnapshot, rows: Sequence[HistoryRow]) -> list[Season]:
    """Return the seasons of the series' rules, or calendar years without rules, the newest first."""
    parts: dict[str, list[HistoryRow]] = {}
    name_of = season_names(snapshot, rows)
    for row in rows:
        parts.setdefault(name_of(row), []).append(row)
    parts.pop("", None)
    return [
        Season(
            name,
            len(part),
            sum(_is_win(row) for row in part),
            min((row.change.rank for row in part if row.outcome is None), default=None),
            max(row.after for row in part),
            part[-1].after - part[0].before,
        )
        for name, part in reversed(parts.items())
    ]


def season_names(snapshot: SeriesSnapshot, rows: Sequence[HistoryRow]) -> Callable[[HistoryRow], str]:
    """Return a function from a row to the name of its season; empty before the first season."""
    rules = season_rules_from_dict(snapshot.scheme.season) if snapshot.scheme is not None else None
    if rules is None:
        return lambda row: str(row.year)
    days = [row.change.contest.ends_at.date() for row in (rows[0], rows[-1])]
    starts = rules.season_starts(*days)

    def name_of(row: HistoryRow) -> str:
        number = bisect_right(starts, row.change.contest.ends_at.date())
        if not number:
            return ""
        return season_name(rules, number, datetime.combine(starts[number - 1], time(), UTC))

    return name_of


def _milestones(rows: Sequence[HistoryRow]) -> list[Milestone]:
    """Return what stands out in a history, the newest first."""
    found = [Milestone("first", _("Debut"), rows[0])]
    podium = next((row for row in rows if _is_podium(row)), None)
    win = next((row for row in rows if _is_win(row)), None)
    if podium is not None and podium is not win:
        found.append(Milestone("podium", _("First podium"), podium))
    if win is not None:
        found.append(Milestone("win", _("First win"), win))
    if len(rows) > 1:
        peak = max(rows, key=lambda row: row.after)
        found.append(Milestone("peak", _("Highest rating"), peak, peak.after))
        gain = max(rows[1:], key=lambda row: row.difference)
        if gain.difference > 0:
            found.append(Milestone("gain", _("Largest gain since the debut"), gain, gain.difference))
        performed = [row for row in rows if row.performance is not None]
        if performed:
            best = max(performed, key=lambda row: row.performance or 0)
            found.append(Milestone("performance", _("Best performance"), best, best.performance))
    return sorted(found, key=lambda milestone: -milestone.row.number)


def _activity(moments: Iterable[datetime]) -> Activity:
    counts: dict[tuple[int, int], int] = {}
    for moment in moments:
        counts[moment.year, moment.month] = counts.get((moment.year, moment.month), 0) + 1
    (busiest_year, busiest_month), most = max(counts.items(), key=lambda item: item[1])
    last = max(counts)[0]
    first = max(min(counts)[0], last - MOST_YEARS + 1)
    names = [date_format(date(2000, month, 1), "M") for month in range(1, 13)]
    years = [
        (
            year,
            [
                Month(name, counts.get((year, month), 0), -(-4 * counts.get((year, month), 0) // most))
                for month, name in enumerate(names, start=1)
            ],
        )
        for year in range(last, first - 1, -1)
    ]
    is_alone = list(counts.values()).count(most) == 1
    return Activity(
        years,
        names,
        most,
        date_format(date(2000, busiest_month, 1), "F"),
        busiest_year,
        is_alone,
        len(counts) == 1,
        first > min(counts)[0],
    )
