"""
Matchmaking in a series: the prospects of a match, and the best opponents for a player.

The library computes all of it (`ratings.systems`); this module gives it the published ratings of the series, and turns
what comes back into displayed points. Players without a rating count as newcomers.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from django.db.models import Q

from contests.bulk import read_arrays
from contests.caching import cached
from contests.models import Contest, Player, Standing
from ratings.models import Rating
from ratings.queries.boards import SLACK, board_of, is_established
from ratings.queries.filters import Filters, matching_rows
from ratings.queries.head_to_head import chances_between, system_of
from ratings.queries.pools import newcomer_mean, take_belief, with_pool
from ratings.systems import (
    Chances,
    best_opponents,
    even_handicap,
    match_qualities,
    match_quality,
    outcome_probabilities,
    team_win_probability,
)
from ratings.systems import Contest as Round
from ratings.systems.contest import days_since_1970
from ratings.systems.forecast.outcomes import by_draw_rate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from contests.models.contest import ContestQuerySet
    from ratings.queries.snapshot import SeriesSnapshot
    from ratings.systems import Beliefs, RatingSystem

    Floats = NDArray[np.float64]
    Indices = NDArray[np.int64]

#: The most players on one side of a match.
MOST_IN_TEAM = 16
#: The best opponents are among this many players whose ratings are nearest: no one further away is a closer match.
_NEAREST = 5_000
_RATINGS = Rating._meta.db_table
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: 1 January of year 1: days before it have no date.
_FIRST_DAY = (datetime.min.replace(tzinfo=UTC) - _EPOCH).days


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player with their rating in the series, None for a newcomer, and the displayed points."""

    player: Player
    rating: Rating | None
    points: int

    @property
    def is_rated(self) -> bool:
        """Whether the player has a rating in the series."""
        return self.rating is not None


class Field:
    """
    Some players of a series, numbered from 0 in the given order, with the beliefs about them.

    draw_rate
        The probability that equal sides draw (`ratings.derived.draws`); 0 if no game of the series did.
    with_history
        Whether the beliefs are complete, so that contests can be rated; otherwise they are enough for predictions.
    """

    def __init__(
        self, snapshot: SeriesSnapshot, players: Sequence[Player], draw_rate: float, *, with_history: bool = False
    ) -> None:
        """Read the ratings in one query."""
        self.snapshot, self.draw_rate = snapshot, draw_rate
        self.system: RatingSystem = system_of(snapshot)
        rows = Rating.objects.filter(series=snapshot.series, player__in=[player.pk for player in players])
        found = {rating.player_id: rating for rating in (rows if with_history else rows.defer("belief"))}
        ratings = [found.get(player.pk) for player in players]
        self.beliefs = _beliefs_of(snapshot, self.system, ratings, with_history=with_history)
        scores = snapshot.score(self.beliefs.mu, self.beliefs.sigma)
        self.points: NDArray[np.int64] = np.asarray(snapshot.mapping.show(scores)).reshape(len(players))
        self.entrants = [
            Entrant(player, rating, points)
            for player, rating, points in zip(players, ratings, self.points.tolist(), strict=True)
        ]

    def points_after(self, sides: Sequence[Sequence[int]], places: Sequence[int]) -> list[list[int]]:
        """Return the displayed points of all players of each side after a contest with these places, from 1."""
        beliefs, rows, day = self._to_rate
        players = [row for side in sides for row in side]
        entry = np.repeat(np.arange(len(sides)), [len(side) for side in sides])
        teams = entry.tolist() if len(players) > len(sides) else None
        contest = Round(rows[players], np.asarray(places)[entry], day=day, teams=teams)
        changes = self.system.rate_round(beliefs.copy(), contest)
        assert changes is not None  # there are two sides
        score = self.snapshot.score(changes.mu, changes.sigma)
        after = dict(zip(contest.players.tolist(), np.asarray(self.snapshot.mapping.show(score)).tolist(), strict=True))
        return [[after[int(rows[row])] for row in side] for side in sides]

    @cached_property
    def _to_rate(self) -> tuple[Beliefs, Indices, float]:
        """Beliefs that a contest can be rated with, the players' rows in them, and the day of the contest."""
        ended = Contest.objects.rated().filter(series=self.snapshot.series).newest_first()
        newest = ended.values_list("ends_at", flat=True).first()
        day = max(float(self.beliefs.last_day.max()), days_since_1970(newest) if newest is not None else 0.0)
        if not self.system.needs_pool:
            return self.beliefs, np.arange(len(self.beliefs)), day
        ids = np.array([entrant.player.pk for entrant in self.entrants], dtype=np.int64)
        return *with_pool(self.system, self.beliefs, self.snapshot, ids, day), day


def _beliefs_of(
    snapshot: SeriesSnapshot, system: RatingSystem, ratings: Sequence[Rating | None], *, with_history: bool
) -> Beliefs:
    beliefs = system.new_beliefs(len(ratings))
    new = [row for row, rating in enumerate(ratings) if rating is None]
    if system.has_positions and new:
        beliefs.mu[new] = newcomer_mean(snapshot, len(new))
    known = [(row, rating) for row, rating in enumerate(ratings) if rating is not None]
    if with_history:
        for row, rating in known:
            take_belief(beliefs, row, rating)
    elif known:
        rows = [row for row, _ in known]
        beliefs.mu[rows] = [rating.mu for _, rating in known]
        beliefs.sigma[rows] = [rating.sigma for _, rating in known]
    return beliefs


@dataclass(frozen=True, slots=True)
class Prospects:
    """
    A match of two sides.

    sides
        The players of each side.
    win, draw, loss
        Probabilities for the first side; that of a draw is 0 if no game of the series was drawn.
    quality
        How close the match is, from 0 to 1.
    handicap
        The advantage of the first side, in rating points, with which both have the same chances; negative if the second
        side needs it, None for ladders.
    after_win, after_draw, after_loss
        The displayed points of the players of each side after each result of the first one; None without draws.
    """

    sides: list[list[Entrant]]
    win: float
    draw: float
    loss: float
    quality: float
    handicap: float | None
    after_win: list[list[int]]
    after_draw: list[list[int]] | None
    after_loss: list[list[int]]

    @property
    def expected(self) -> float:
        """The expected score of the first side, in which a draw counts half."""
        return self.win + 0.5 * self.draw


def prospects_of(
    snapshot: SeriesSnapshot, first: Sequence[Player], second: Sequence[Player], draw_rate: float
) -> Prospects:
    """
    Return the prospects of a match between two sides of one player or several.

    Raises ValueError on a player who is there twice, and on several players if the system rates individuals.
    """
    field = Field(snapshot, [*first, *second], draw_rate, with_history=True)
    a, b = list(range(len(first))), list(range(len(first), len(first) + len(second)))
    chances = _chances_of_sides(field, a, b)
    return Prospects(
        sides=[[field.entrants[row] for row in side] for side in (a, b)],
        win=float(chances.win),
        draw=float(chances.draw),
        loss=float(chances.loss),
        quality=match_quality(field.system, field.beliefs, [a, b]),
        handicap=None if field.system.has_positions else even_handicap(field.system, field.beliefs, a, b),
        after_win=field.points_after([a, b], [1, 2]),
        after_draw=field.points_after([a, b], [1, 1]) if field.draw_rate else None,
        after_loss=field.points_after([a, b], [2, 1]),
    )


def handicap_for_even(snapshot: SeriesSnapshot, first: Sequence[Player], second: Sequence[Player]) -> float | None:
    """
    Return the advantage of the first side, in rating points, with which both have the same chances; None for ladders.

    Negative if the second side needs it. Raises ValueError as `prospects_of` does.
    """
    field = Field(snapshot, [*first, *second], 0.0)
    rows = list(range(len(field.entrants)))
    if field.system.has_positions:
        return None
    return even_handicap(field.system, field.beliefs, rows[: len(first)], rows[len(first) :])


def _chances_of_sides(field: Field, a: Sequence[int], b: Sequence[int]) -> Chances:
    if len(a) == len(b) == 1:
        # As on the page that compares players.
        numbers = [field.beliefs.mu, field.beliefs.sigma]
        chances = chances_between(field.snapshot, numbers, np.array([0]), np.array([1]), field.draw_rate)
        return Chances(*(part[0] for part in chances))
    if not field.draw_rate:
        return by_draw_rate(np.array(team_win_probability(field.system, field.beliefs, a, b)), 0.0)
    return outcome_probabilities(field.system, field.beliefs, a, b, field.draw_rate)


@dataclass(frozen=True, slots=True)
class OpponentFilters:
    """
    The players to propose as opponents.

    established
        Only established and active players.
    active_days
        Only those who played at most this many days before the newest contest.
    unmet_days
        Only those whom the player has not met in a game for this many days before the newest contest.
    """

    established: bool = False
    active_days: int | None = None
    unmet_days: int | None = None


@dataclass(frozen=True, slots=True)
class Opponent:
    """
    A proposed opponent.

    quality
        How close the match is, from 0 to 1.
    win, draw, loss
        Probabilities for the player who looks for an opponent.
    after_win
        The player's displayed points after a win.
    """

    entrant: Entrant
    quality: float
    win: float
    draw: float
    loss: float
    after_win: int


def opponents_of(
    snapshot: SeriesSnapshot, player: Player, filters: OpponentFilters, count: int, draw_rate: float
) -> tuple[Entrant, list[Opponent]]:
    """Return the player, and the rated opponents with whom a match would be closest, the best first."""
    rows = matching_rows(snapshot, Filters(active_days=filters.active_days))
    if filters.established and len(rows):
        rows = rows[is_established(board_of(snapshot))[rows]]
    ids = snapshot.index.player_ids[rows]
    allowed = ids != player.pk
    if filters.unmet_days is not None:
        allowed &= ~np.isin(ids, _met_within(snapshot, player, filters.unmet_days))
    chosen = _closest(snapshot, player, rows[allowed], count)
    players = [player, *_players(snapshot.index.player_ids[chosen].tolist())]
    field = Field(snapshot, players, draw_rate, with_history=True)
    others = np.arange(1, len(field.entrants))
    quality = match_qualities(field.system, field.beliefs, [0], others)[0] if len(others) else np.empty(0)
    beliefs = [field.beliefs.mu, field.beliefs.sigma]
    chances = chances_between(snapshot, beliefs, np.zeros_like(others), others, field.draw_rate)
    numbers = zip(others.tolist(), quality.tolist(), *(part.tolist() for part in chances), strict=True)
    found = [
        Opponent(field.entrants[row], closeness, win, draw, loss, field.points_after([[0], [row]], [1, 2])[0][0])
        for row, closeness, win, draw, loss in numbers
    ]
    return field.entrants[0], found


def _closest(snapshot: SeriesSnapshot, player: Player, rows: Indices, count: int) -> Indices:
    """Return the rows of the rank index with whom the player's match has the best quality, best first."""
    system, own = system_of(snapshot), Field(snapshot, [player], 0.0).beliefs
    mu, sigma = _means_and_deviations(snapshot)
    distance = np.abs(mu[rows] - own.mu[0])
    if len(rows) > _NEAREST:
        rows = np.sort(rows[np.argpartition(distance, _NEAREST)[:_NEAREST]])
    beliefs = system.new_beliefs(len(rows) + 1)
    beliefs.mu[0], beliefs.sigma[0] = own.mu[0], own.sigma[0]
    beliefs.mu[1:], beliefs.sigma[1:] = mu[rows], sigma[rows]
    best = best_opponents(system, beliefs, 0, np.arange(1, len(beliefs)), count)
    return rows[[row - 1 for row, _ in best]]


def _means_and_deviations(snapshot: SeriesSnapshot) -> tuple[Floats, Floats]:
    """Return mean and deviation of all rated players, in the order of the rank index."""
    assert snapshot.run is not None
    query = (
        f"SELECT CAST(mu AS double precision), CAST(sigma AS double precision) FROM {_RATINGS} "
        "WHERE series_id = %s ORDER BY score DESC, player_id"
    )

    def read() -> tuple[Floats, Floats]:
        columns = read_arrays(query, [snapshot.series.pk], {"mu": "f8", "sigma": "f8"})
        return columns["mu"], columns["sigma"]

    return cached(f"means:{snapshot.run.uid}", read, 86_400)


def _met_within(snapshot: SeriesSnapshot, player: Player, days: int) -> list[int]:
    """Return the ids of the players in the games that the player took part in, some days before the newest contest."""
    games = games_of(snapshot).filter(standings__player=player)
    since = board_of(snapshot).newest_day - days - SLACK
    if since > _FIRST_DAY:
        games = games.filter(ends_at__gte=_EPOCH + timedelta(days=since))
    return list(Standing.objects.filter(contest__in=games.values("pk")).values_list("player", flat=True))


def games_of(snapshot: SeriesSnapshot) -> ContestQuerySet:
    """Return the games of a series with final results: contests of two, and all games of events."""
    contests = Contest.objects.finalized().filter(series=snapshot.series, is_event=False)
    return contests.filter(Q(standing_count=2) | Q(event__isnull=False))


def _players(ids: Sequence[int]) -> list[Player]:
    found = Player.objects.in_bulk(ids)
    return [found[pk] for pk in ids if pk in found]
