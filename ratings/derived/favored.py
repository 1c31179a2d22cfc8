"""
Which side of a match is favoured: by the chances, and by season points.

With season points, each side compares its own points with the other side's hidden rating, as in StarCraft II: players
whose points have yet to catch up with their rating meet opponents who seem stronger. So each side may see the
other as the favourite. The rule for gains of season points uses the same comparison (`ratings.display.season`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

from ratings.derived import derived
from ratings.derived.leagues import DERIVATION as LEAGUES
from ratings.derived.season import DERIVATION as SEASON
from ratings.display.favored import favored
from ratings.display.mappings import round_half_up
from ratings.display.season import league_floors, season_rules_from_dict
from ratings.queries.rows import newcomer_belief

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ratings.derived import Content
    from ratings.display.favored import Favored
    from ratings.models import Rating
    from ratings.queries.snapshot import SeriesSnapshot


@dataclass(frozen=True, slots=True)
class View:
    """
    A match as one side sees it, in displayed points.

    level
        The side's season points plus the threshold of the league; the mean of the members of a team.
    against
        The rating of the other side.
    favored
        Which side would be favoured if these two met.
    """

    level: int
    against: int
    favored: Favored


@dataclass(frozen=True, slots=True)
class MatchFavored:
    """
    Which side of a match is favoured.

    by_chances
        By the chances of the forecast.
    views
        By season points, as side a and as side b see it; None without season points, or before they are computed.
    """

    by_chances: Favored
    views: tuple[View, View] | None


def favored_in(snapshot: SeriesSnapshot, sides: Sequence[Sequence[Rating | None]], expected: float) -> MatchFavored:
    """
    Return which of two sides is favoured in a match right after the newest contest.

    sides
        The ratings of the players of side a and of side b; None for newcomers.
    expected
        The expected score of side a: the probability of a win plus half that of a draw.
    """
    assert snapshot.scheme is not None
    rules = season_rules_from_dict(snapshot.scheme.season)
    content = derived(snapshot, SEASON) if rules is not None else None
    if rules is None or content is None or not content["seasons"]:
        return MatchFavored(favored(expected), None)
    levels, hidden = zip(*(_numbers_of(snapshot, content, side) for side in sides), strict=True)
    own, other = (snapshot.mapping.odds(np.array(shown), rules.scale) for shown in (levels, hidden))
    chances = expit(own - other[::-1])
    views = [
        View(_whole(level), _whole(against), favored(float(chance)))
        for level, against, chance in zip(levels, hidden[::-1], (chances[0], 1.0 - chances[1]), strict=True)
    ]
    return MatchFavored(favored(expected), (views[0], views[1]))


def _whole(shown: float) -> int:
    return int(round_half_up(np.array(shown)))


def _numbers_of(snapshot: SeriesSnapshot, content: Content, side: Sequence[Rating | None]) -> tuple[float, float]:
    """Return a side's level by season points and its rating, both as means of its players, in displayed points."""
    assert snapshot.scheme is not None
    floors, leagues = league_floors(snapshot.tiers, snapshot.mapping), None
    if snapshot.scheme.leagues:
        leagues = derived(snapshot, LEAGUES)
    start = float(snapshot.score(*newcomer_belief(snapshot.scheme)))
    hidden = [snapshot.mapping.position(start if rating is None else rating.score) for rating in side]
    points, league = np.zeros(len(side)), snapshot.tiers.positions(round_half_up(np.array(hidden)))
    begin, end = content["offsets"][-2:].tolist()
    rules = season_rules_from_dict(snapshot.scheme.season)
    counted = "points" if rules is None or rules.bonus_in_level else "bare"
    for number, rating in enumerate(side):
        row = snapshot.index.position(rating.player_id, rating.score) if rating is not None else None
        if row is None:
            continue
        if leagues is not None and leagues["league"][row] >= 0:
            league[number] = leagues["league"][row]
        own = np.flatnonzero(content["place"][begin:end] == row)
        if len(own):
            points[number] = content[counted][begin + own[0]]
    return float(np.mean(points + floors[league])), float(np.mean(hidden))
