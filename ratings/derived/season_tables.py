"""The tables of seasons: their rows of points, and a player's own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from contests.models import Contest
from ratings.derived import derived
from ratings.derived.season import DERIVATION as SEASON
from ratings.display.season import season_rules_from_dict
from ratings.queries.rows import leaders

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ratings.derived import Content
    from ratings.display.season import SeasonRules
    from ratings.models import Rating
    from ratings.queries.rows import Leader
    from ratings.queries.snapshot import SeriesSnapshot


@dataclass(frozen=True, slots=True)
class Season:
    """
    One season of a series.

    number
        From 1.
    start, last_day, end
        Its first and last day, and the first day of the next season; the latter two are None until that is known.
    contests, last_contest
        Number of rated contests in it, and the id of the last one.
    rows
        Its rows in the content.
    """

    number: int
    name: str
    start: datetime
    last_day: datetime | None
    contests: int
    last_contest: int
    rows: slice

    @property
    def end(self) -> date | None:
        return self.last_day.date() + timedelta(days=1) if self.last_day is not None else None

    @property
    def players(self) -> int:
        return self.rows.stop - self.rows.start


@dataclass(frozen=True, slots=True)
class SeasonRow:
    """
    A player in a season, in displayed points.

    group, rank
        The league, and the place by points in it.
    bare, bare_rank
        The points as they would be without bonus, and the place by these.
    division
        From 1; 0 without one.
    """

    leader: Leader
    group: int
    rank: int
    points: int
    left: int
    gain: int
    bonus: int
    contests: int
    last: Contest | None
    bare: int
    bare_rank: int
    division: int


@dataclass(frozen=True, slots=True)
class PlayerSeason:
    """A player's season points; `of` is the number of players in the league. `row` is None without a contest."""

    season: Season
    row: SeasonNumbers | None
    of: int
    last: Contest | None


@dataclass(frozen=True, slots=True)
class SeasonNumbers:
    """One row of the content."""

    place: int
    group: int
    rank: int
    points: int
    left: int
    gain: int
    bonus: int
    contests: int
    last: int
    bare: int
    bare_rank: int
    division: int


_SEASON_COLUMNS = (
    "place", "group", "rank", "points", "left", "gain", "bonus", "contests", "last", "bare", "bare_rank", "division",
)  # fmt: skip


def season_rules(snapshot: SeriesSnapshot) -> SeasonRules | None:
    """Return the rules of season points in a series; None if it has none."""
    return season_rules_from_dict(snapshot.scheme.season) if snapshot.scheme is not None else None


def season_content(snapshot: SeriesSnapshot) -> Content | None:
    """Return the computed seasons of a series; None if they are not computed yet or do not exist."""
    return derived(snapshot, SEASON) if SEASON.applies(snapshot) else None


def seasons_of(rules: SeasonRules, content: Content) -> list[Season]:
    """Return the stored seasons, the newest first."""
    offsets = content["offsets"].tolist()
    spans = zip(content["seasons"], offsets, offsets[1:], strict=False)
    return [_season(rules, one, slice(begin, end)) for one, begin, end in spans][::-1]


def rows_of_season(
    content: Content, season: Season, group: int | None, division: int | None = None, *, without_bonus: bool = False
) -> NDArray[np.int64]:
    """Return the rows of the content in a season, or in one league or division of it, best first."""
    rows = np.arange(season.rows.start, season.rows.stop)
    if without_bonus:
        rows = season.rows.start + content["bare_order"][season.rows]
    if group is not None:
        rows = rows[content["group"][rows] == group]
    return rows if division is None else rows[content["division"][rows] == division]


def divisions_of_season(content: Content, season: Season, group: int | None) -> int:
    """Return the number of the last division of a league in a season; 0 without divisions."""
    if group is None:
        return 0
    return int(content["division"][season.rows][content["group"][season.rows] == group].max(initial=0))


def divided_leagues_of_season(content: Content, season: Season) -> set[int]:
    """Return the leagues (positions) with more than one division in a season."""
    return set(content["group"][season.rows][content["division"][season.rows] > 1].tolist())


def season_counts(snapshot: SeriesSnapshot, content: Content, season: Season) -> list[tuple[int, int]]:
    """Return (league, players) of a season, the highest league first, without empty leagues."""
    counts = np.bincount(content["group"][season.rows].astype(np.int64) + 1, minlength=len(snapshot.tiers) + 1).tolist()
    return [(number - 1, count) for number, count in enumerate(counts) if count][::-1]


def season_rows(snapshot: SeriesSnapshot, content: Content, rows: NDArray[np.int64]) -> list[SeasonRow]:
    """Return rows of the content as the page shows them, in two queries."""
    numbers = _numbers(content, rows)
    players = snapshot.index.player_ids[content["place"][rows]]
    found = {leader.rating.player_id: leader for leader in leaders(snapshot, players)}
    contests = Contest.objects.in_bulk({one.last for one in numbers})
    return [
        SeasonRow(
            found[player], one.group, one.rank, one.points, one.left, one.gain, one.bonus, one.contests,
            contests.get(one.last), one.bare, one.bare_rank, one.division,
        )
        for player, one in zip(players.tolist(), numbers, strict=True)
        if player in found
    ]  # fmt: skip


def player_season(snapshot: SeriesSnapshot, rating: Rating) -> PlayerSeason | None:
    """Return a player's points in the newest season; None if nothing is computed yet or no season has begun."""
    content, rules = season_content(snapshot), season_rules(snapshot)
    place = snapshot.index.position(rating.player_id, rating.score)
    seasons = seasons_of(rules, content) if content is not None and rules is not None else []
    if content is None or not seasons:
        return None
    newest = seasons[0]
    mine = newest.rows.start + np.flatnonzero(content["place"][newest.rows] == (-1 if place is None else place))
    if not len(mine):
        return PlayerSeason(newest, None, 0, None)
    row = _numbers(content, mine)[0]
    of = len(rows_of_season(content, newest, row.group))
    return PlayerSeason(newest, row, of, Contest.objects.filter(pk=row.last).first())


def _numbers(content: Content, rows: NDArray[np.int64]) -> list[SeasonNumbers]:
    columns: Sequence[list[int]] = [content[name][rows].tolist() for name in _SEASON_COLUMNS]
    return [SeasonNumbers(*numbers) for numbers in zip(*columns, strict=True)]


def _season(rules: SeasonRules, described: dict[str, Any], rows: slice) -> Season:
    start = _moment(described["start"])
    end = described["end"]
    return Season(
        described["number"],
        season_name(rules, described["number"], start),
        start,
        _moment(end) - timedelta(days=1) if end else None,
        described["contests"],
        described["last_contest"],
        rows,
    )


def season_name(rules: SeasonRules, number: int, start: datetime) -> str:
    """Return the name of a season."""
    if rules.length == "year":
        return f"{start.year}"
    if rules.length == "month":
        return date_format(start, "F Y")
    if rules.length == "quarter":
        return _("Quarter %(number)s of %(year)s") % {"number": (start.month + 2) // 3, "year": start.year}
    return _("Season %(number)s") % {"number": number}


def _moment(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(tzinfo=UTC)
