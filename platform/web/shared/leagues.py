"""Leagues as pages show them: tables, one player's standing, promotions and relegations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from django.shortcuts import render

from contests.models import Contest, Player
from ratings.derived import derived
from ratings.derived.divisions import division_of
from ratings.derived.leagues import DERIVATION as LEAGUES
from ratings.derived.leagues import rules_of
from ratings.display.leagues import PROVISIONAL, bounds
from ratings.display.percentages import percent_of
from ratings.queries.rows import leaders

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse
    from numpy.typing import NDArray

    from ratings.derived import Content
    from ratings.derived.divisions import Division
    from ratings.display.leagues import LeagueRules
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
    """
    A player on the page of leagues.

    mean
        The moving mean; by confidence, the lower end of the rating's range.
    high
        By confidence, the upper end of the range; else None.
    missing
        Points of `mean` to the next league, None in the highest.
    division
        From 1; 0 without one.
    """

    leader: Leader
    league: int
    mean: float
    high: int | None
    missing: float | None
    division: int


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
        The moving mean, and the number of ratings in it. By confidence, the lower end of the rating's range, and 1.
    high
        By confidence, the upper end of the rating's range; else None.
    division
        The player's division with the rank in it; None without one.
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
        Points of the mean to the next league, and points that it can fall before relegation. By confidence, points of
        the lower end to the next league, and points that the upper end can fall.
    next_promotes, next_demotes
        The lowest rating after the next contest that means promotion, and the rating below which it means relegation.
        None if the rating would have to move farther than the closest leagues are apart, as hardly any contest does.
    """

    rules: LeagueRules
    league: int
    name: str | None
    mean: float
    window: int
    high: int | None
    division: Division | None
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


def divisions_in_rows(snapshot: SeriesSnapshot, rows: NDArray[np.int64]) -> dict[int, int] | None:
    """Return the divisions (from 1, or 0) of rows of the rank index by player id; None without divisions."""
    content = leagues_content(snapshot)
    if content is None or "division" not in content:
        return None
    return dict(zip(snapshot.index.player_ids[rows].tolist(), content["division"][rows].tolist(), strict=True))


def divisions_in(content: Content, league: int | None) -> int:
    """Return the number of the last division of a league; 0 without divisions."""
    if league is None or league == PROVISIONAL or "division" not in content:
        return 0
    return int(content["division"][content["league"] == league].max(initial=0))


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


def rows_in_leagues(content: Content, league: int | None, division: int | None = None) -> NDArray[np.int64]:
    """
    Return the rows of the rank index in a league, or in a division of it.

    For no league, all rows, highest league first, by rating in each.
    """
    if league is not None:
        inside = content["league"] == league
        return np.flatnonzero(inside if division is None else inside & (content["division"] == division))
    return np.argsort(-content["league"], kind="stable")


def league_rows(snapshot: SeriesSnapshot, content: Content, rows: NDArray[np.int64]) -> list[LeagueRow]:
    """Return rows of the rank index as the page shows them, in the same order, in one query."""
    player_ids = snapshot.index.player_ids[rows]
    found = {leader.rating.player_id: leader for leader in leaders(snapshot, player_ids)}
    nothing = np.zeros(len(content["league"]), dtype=np.int32)
    columns = (
        player_ids.tolist(),
        *(content.get(name, nothing)[rows].tolist() for name in ("league", "mean", "high", "division")),
    )
    is_range = "high" in content
    thresholds = snapshot.tiers.thresholds
    return [
        LeagueRow(
            found[player],
            league,
            int(mean) if is_range else mean,
            high if is_range else None,
            thresholds[league] - (int(mean) if is_range else mean) if 0 <= league < len(thresholds) else None,
            division,
        )
        for player, league, mean, high, division in zip(*columns, strict=True)
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
    mean: float = content["mean"][row].item()
    high = int(content["high"][row]) if "high" in content else None
    if high is not None:
        mean = int(mean)
    up, _ = bounds(rules, snapshot.tiers, mean)
    # The next rating adds to the sum of the ratings that stay in the mean.
    stays = round(mean * window) - int(content["leaving"][row])
    size = min(window + 1, rules.contests)
    thresholds, placed = snapshot.tiers.thresholds, league != PROVISIONAL
    points, reach = snapshot.rating(rating.score), int(np.diff(thresholds).min(initial=_FARTHEST))
    rise = thresholds[league] if placed and league < len(thresholds) else None
    fall = thresholds[league - 1] - rules.margin_in(snapshot.tiers) if league > 0 else None
    if high is not None:
        fall = thresholds[league - 1] if league > 0 else None
    limit = rules.provisional_sigma
    return PlayerLeague(
        rules=rules,
        league=league,
        name=league_name(snapshot, league),
        mean=mean,
        window=window,
        high=high,
        division=division_of(snapshot, content, row),
        since=Contest.objects.filter(pk=int(content["since"][row])).first(),
        likely=snapshot.tiers[int(up)].name,
        contests_missing=max(0, rules.provisional_contests - rating.contest_count),
        is_uncertain=limit is not None and rating.sigma > limit,
        above=league_name(snapshot, league + 1) if placed else None,
        below=league_name(snapshot, league - 1) if league > 0 else None,
        to_promotion=rise - mean if rise is not None else None,
        to_demotion=(mean if high is None else high) - fall if fall is not None else None,
        next_promotes=_if_near(rise * size - stays, points, reach) if rise is not None and high is None else None,
        next_demotes=_if_near(fall * size - stays, points, reach) if fall is not None and high is None else None,
    )


def _if_near(needed: int, points: int, reach: int) -> int | None:
    return needed if abs(needed - points) <= reach else None


def no_such_option(request: HttpRequest, snapshot: SeriesSnapshot, option: str) -> HttpResponse:
    """Explain that a series has no leagues or no season points, and link to its leaderboard."""
    context = {"series": snapshot.series, "snapshot": snapshot, "option": option}
    return render(request, "shared/no_option.html", context, status=404)
