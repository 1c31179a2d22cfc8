"""Leagues and season points as pages show them: tables, one player's standing, promotions and seasons."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
from django.shortcuts import render
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from contests.models import Contest, Player
from ratings.derived import derived
from ratings.derived.leagues import DERIVATION as LEAGUES
from ratings.derived.leagues import rules_of
from ratings.derived.season import DERIVATION as SEASON
from ratings.display.leagues import PROVISIONAL, bounds
from ratings.display.percentages import percent_of
from ratings.display.season import season_rules_from_dict
from ratings.queries.rows import leaders

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.http import HttpRequest, HttpResponse
    from numpy.typing import NDArray

    from ratings.derived import Content
    from ratings.display.leagues import LeagueRules
    from ratings.display.season import SeasonRules
    from ratings.models import Rating
    from ratings.queries.rows import Leader
    from ratings.queries.snapshot import SeriesSnapshot


#: With fewer than two thresholds, any rating is near any other.
_FARTHEST = 2**62


@dataclass(frozen=True, slots=True)
class LeagueCount:
    """The number of players in a league, or of provisional players (name None, number PROVISIONAL)."""

    number: int
    name: str | None
    minimum: int | None
    players: int
    share: float


@dataclass(frozen=True, slots=True)
class LeagueRow:
    """A player on the page of leagues; `missing` points of the mean to the next league, None in the highest."""

    leader: Leader
    league: int
    mean: float
    missing: float | None


@dataclass(frozen=True, slots=True)
class LeagueMove:
    """A promotion or relegation: positions of the tiers, and the contest that led to it."""

    player: Player
    contest: Contest
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class PlayerLeague:
    """
    A player's position between leagues, in displayed points.

    league, name
        Position and name of the tier; PROVISIONAL and None for a provisional player.
    mean, window
        The moving mean, and the number of ratings in it.
    since
        The contest that led into the league; None if it no longer exists.
    likely
        The league in which the mean would place a provisional player now.
    contests_missing
        Rated contests until a provisional player gets a league.
    is_uncertain
        Whether a provisional player's deviation is above the limit.
    above, below
        Names of the next leagues; None at the ends.
    to_promotion, to_demotion
        Points of the mean to the next league, and points that it can fall before relegation.
    next_promotes, next_demotes
        The lowest rating after the next contest that means promotion, and the rating below which it means relegation.
        None if the rating would have to move farther than the closest leagues are apart, as hardly any contest does.
    """

    rules: LeagueRules
    league: int
    name: str | None
    mean: float
    window: int
    since: Contest | None
    likely: str
    contests_missing: int
    is_uncertain: bool
    above: str | None
    below: str | None
    to_promotion: float | None
    to_demotion: float | None
    next_promotes: int | None
    next_demotes: int | None


def leagues_in_rows(snapshot: SeriesSnapshot, rows: NDArray[np.int64]) -> dict[int, int] | None:
    """Return the leagues (positions, or PROVISIONAL) of rows of the rank index by player id; None without leagues."""
    content = leagues_content(snapshot)
    if content is None:
        return None
    return dict(zip(snapshot.index.player_ids[rows].tolist(), content["league"][rows].tolist(), strict=True))


def league_name(snapshot: SeriesSnapshot, league: int) -> str | None:
    """Return the name of a league by its position; None for provisional players."""
    return snapshot.tiers[league].name if 0 <= league < len(snapshot.tiers) else None


def leagues_content(snapshot: SeriesSnapshot) -> Content | None:
    """Return the computed leagues of a series; None if they are not computed yet or do not exist."""
    return derived(snapshot, LEAGUES) if LEAGUES.applies(snapshot) else None


def league_counts(snapshot: SeriesSnapshot, content: Content) -> list[LeagueCount]:
    """Return all leagues, the highest first, then the provisional players."""
    counts = np.bincount(content["league"] + 1, minlength=len(snapshot.tiers) + 1).tolist()
    total = len(content["league"])
    rows = [
        LeagueCount(number, tier.name, tier.minimum, counts[number + 1], percent_of(counts[number + 1], total))
        for number, tier in enumerate(snapshot.tiers)
    ][::-1]
    return [*rows, LeagueCount(PROVISIONAL, None, None, counts[0], percent_of(counts[0], total))]


def rows_in_leagues(content: Content, league: int | None) -> NDArray[np.int64]:
    """Return the rows of the rank index in a league; for None all rows, highest league first, by rating in each."""
    if league is not None:
        return np.flatnonzero(content["league"] == league)
    return np.argsort(-content["league"], kind="stable")


def league_rows(snapshot: SeriesSnapshot, content: Content, rows: NDArray[np.int64]) -> list[LeagueRow]:
    """Return rows of the rank index as the page shows them, in the same order, in one query."""
    player_ids = snapshot.index.player_ids[rows]
    found = {leader.rating.player_id: leader for leader in leaders(snapshot, player_ids)}
    columns = (player_ids.tolist(), content["league"][rows].tolist(), content["mean"][rows].tolist())
    thresholds = snapshot.tiers.thresholds
    return [
        LeagueRow(found[player], league, mean, thresholds[league] - mean if 0 <= league < len(thresholds) else None)
        for player, league, mean in zip(*columns, strict=True)
        if player in found
    ]


def league_moves(content: Content, way: str, most: int) -> list[LeagueMove]:
    """Return the newest promotions (way "up") or relegations ("down") in two queries."""
    columns = [content[f"{way}_{name}"][:most].tolist() for name in ("player", "contest", "from", "to")]
    players = Player.objects.in_bulk(columns[0])
    contests = Contest.objects.in_bulk(columns[1])
    return [
        LeagueMove(players[player], contests[contest], before, after)
        for player, contest, before, after in zip(*columns, strict=True)
        if player in players and contest in contests
    ]


def player_league(snapshot: SeriesSnapshot, rating: Rating) -> PlayerLeague | None:
    """Return a player's position between leagues; None if it is not computed yet."""
    content, rules = leagues_content(snapshot), rules_of(snapshot)
    row = snapshot.index.position(rating.player_id, rating.score)
    if content is None or rules is None or row is None:
        return None
    league, window = int(content["league"][row]), int(content["window"][row])
    mean = float(content["mean"][row])
    up, _ = bounds(rules, snapshot.tiers, mean)
    # The next rating adds to the sum of the ratings that stay in the mean.
    stays = round(mean * window) - int(content["leaving"][row])
    size = min(window + 1, rules.contests)
    thresholds, placed = snapshot.tiers.thresholds, league != PROVISIONAL
    points, reach = snapshot.rating(rating.score), int(np.diff(thresholds).min(initial=_FARTHEST))
    rise = thresholds[league] if placed and league < len(thresholds) else None
    fall = thresholds[league - 1] - rules.margin_in(snapshot.tiers) if league > 0 else None
    limit = rules.provisional_sigma
    return PlayerLeague(
        rules=rules,
        league=league,
        name=league_name(snapshot, league),
        mean=mean,
        window=window,
        since=Contest.objects.filter(pk=int(content["since"][row])).first(),
        likely=snapshot.tiers[int(up)].name,
        contests_missing=max(0, rules.provisional_contests - rating.contest_count),
        is_uncertain=limit is not None and rating.sigma > limit,
        above=league_name(snapshot, league + 1) if placed else None,
        below=league_name(snapshot, league - 1) if league > 0 else None,
        to_promotion=rise - mean if rise is not None else None,
        to_demotion=mean - fall if fall is not None else None,
        next_promotes=_if_near(rise * size - stays, points, reach) if rise is not None else None,
        next_demotes=_if_near(fall * size - stays, points, reach) if fall is not None else None,
    )


def _if_near(needed: int, points: int, reach: int) -> int | None:
    return needed if abs(needed - points) <= reach else None


def no_such_option(request: HttpRequest, snapshot: SeriesSnapshot, option: str) -> HttpResponse:
    """Explain that a series has no leagues or no season points, and link to its leaderboard."""
    context = {"series": snapshot.series, "snapshot": snapshot, "option": option}
    return render(request, "shared/no_option.html", context, status=404)


@dataclass(frozen=True, slots=True)
class Season:
    """
    One season of a series.

    number
        From 1.
    start, last_day
        Its first and last day; `last_day` is None until the next season is known.
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
    def players(self) -> int:
        return self.rows.stop - self.rows.start


@dataclass(frozen=True, slots=True)
class SeasonRow:
    """A player in a season, in displayed points; `group` is the league, `rank` the place by points in it."""

    leader: Leader
    group: int
    rank: int
    points: int
    left: int
    gain: int
    bonus: int
    contests: int
    last: Contest | None


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


_SEASON_COLUMNS = ("place", "group", "rank", "points", "left", "gain", "bonus", "contests", "last")


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


def rows_of_season(content: Content, season: Season, group: int | None) -> NDArray[np.int64]:
    """Return the rows of the content in a season, or in one league of it."""
    rows = np.arange(season.rows.start, season.rows.stop)
    return rows if group is None else rows[content["group"][season.rows] == group]


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
            contests.get(one.last),
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
