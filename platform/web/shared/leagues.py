"""A player's position between leagues as pages show it, and pages of options that a series lacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from django.shortcuts import render

from contests.models import Contest
from ratings.derived.divisions import division_of
from ratings.derived.league_tables import league_name, leagues_content
from ratings.derived.leagues import rules_of
from ratings.display.leagues import PROVISIONAL, bounds

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from ratings.derived.divisions import Division
    from ratings.display.leagues import LeagueRules
    from ratings.models import Rating
    from ratings.queries.snapshot import SeriesSnapshot


#: With fewer than two thresholds, any rating is near any other.
_FARTHEST = 2**62


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
