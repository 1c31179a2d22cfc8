"""Lists of players in a series: the pairings of the next round, and balanced teams."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from contests.models import Contest, Player, Standing
from contests.queries.games import score_table
from ratings.queries.head_to_head import chances_between
from ratings.queries.matchmaking import Entrant, Field, games_of
from ratings.systems import balance_teams, pair_players

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from ratings.queries.snapshot import SeriesSnapshot

#: The most players of a round, and of a match of balanced teams.
MOST_LISTED = 200


@dataclass(frozen=True, slots=True)
class RoundOptions:
    """
    The terms of the next round.

    met_since, met_in
        Avoid pairs that have met in games since this time, and pairs that have met in games of this event (or in this
        game); None for no such restriction.
    byes
        How many byes players have had, by player id.
    waited
        How many rounds players have waited, by player id.
    max_gap
        The largest difference of two displayed ratings; None for any.
    widening
        Displayed points by which `max_gap` grows for each round that a player has waited.
    """

    met_since: datetime | None = None
    met_in: Contest | None = None
    byes: Mapping[int, int] = field(default_factory=dict)
    waited: Mapping[int, int] = field(default_factory=dict)
    max_gap: float | None = None
    widening: float = 0.0


@dataclass(frozen=True, slots=True)
class Board:
    """
    One match of a round.

    first, second
        The stronger player first.
    win, draw, loss
        Probabilities for the first player.
    quality
        How close the match is, from 0 to 1.
    is_rematch
        Whether the two have met in the games since `met_since`, or of `met_in`.
    """

    number: int
    first: Entrant
    second: Entrant
    win: float
    draw: float
    loss: float
    quality: float
    is_rematch: bool


@dataclass(frozen=True, slots=True)
class NextRound:
    """
    The pairings of a round.

    bye
        The player without an opponent if their number is odd and there is no limit on gaps.
    waiting
        Players for whom no one is close enough, the strongest first.
    mean_quality
        The mean quality of the boards; 0 without any.
    """

    boards: list[Board]
    bye: Entrant | None
    waiting: list[Entrant]
    mean_quality: float

    @property
    def rematches(self) -> int:
        """The number of rematches."""
        return sum(board.is_rematch for board in self.boards)


def next_round(
    snapshot: SeriesSnapshot, players: Sequence[Player], options: RoundOptions, draw_rate: float
) -> NextRound:
    """
    Return the pairings of the next round for 2 to MOST_LISTED different players; the strongest boards first.

    draw_rate
        The probability that equal players draw (`ratings.derived.draws`).
    """
    pool = Field(snapshot, players, draw_rate)
    row = {player.pk: number for number, player in enumerate(players)}
    pairings = pair_players(
        pool.system,
        pool.beliefs,
        np.arange(len(players)),
        met=[(row[a], row[b]) for a, b in _met(snapshot, row, options)],
        byes={row[pk]: times for pk, times in options.byes.items() if pk in row},
        waited={row[pk]: times for pk, times in options.waited.items() if pk in row},
        max_gap=options.max_gap,
        ratings=pool.points,
        widening=options.widening,
    )
    pairs = np.array(pairings.pairs, dtype=np.int64).reshape(-1, 2)
    numbers = [pool.beliefs.mu, pool.beliefs.sigma]
    chances = chances_between(snapshot, numbers, pairs[:, 0], pairs[:, 1], pool.draw_rate)
    rematches = set(pairings.rematches)
    rows = zip(pairings.pairs, *(part.tolist() for part in chances), pairings.qualities.tolist(), strict=True)
    boards = [
        Board(number, pool.entrants[a], pool.entrants[b], win, draw, loss, quality, (a, b) in rematches)
        for number, ((a, b), win, draw, loss, quality) in enumerate(rows, start=1)
    ]
    return NextRound(
        boards,
        bye=None if pairings.bye is None else pool.entrants[pairings.bye],
        waiting=[pool.entrants[player] for player in pairings.waiting],
        mean_quality=pairings.mean_quality,
    )


def _met(snapshot: SeriesSnapshot, players: Iterable[int], options: RoundOptions) -> list[tuple[int, int]]:
    """Return the ids of two players for each time that they met in the games since `met_since`, or of `met_in`."""
    games = games_of(snapshot)
    chosen = games.none()
    if options.met_since is not None:
        chosen |= games.filter(ends_at__gte=options.met_since)
    if options.met_in is not None:
        chosen |= games.filter(event=options.met_in) | games.filter(pk=options.met_in.pk)
    rows = Standing.objects.filter(contest__in=chosen.values("pk"), player__in=list(players))
    by_game: dict[int, list[tuple[int, str]]] = {}
    for game, player, team in rows.values_list("contest", "player", "team"):
        by_game.setdefault(game, []).append((player, team))
    return [
        (a, b)
        for game in by_game.values()
        for (a, team), (b, other_team) in combinations(game, 2)
        if not (team and team == other_team)
    ]


def players_of(contest: Contest) -> list[Player]:
    """Return the ranked players of a contest, or those of an event, by place; at most one more than MOST_LISTED."""
    if contest.is_event:
        ids = [row.player_id for row in score_table(contest)][: MOST_LISTED + 1]
        players = Player.objects.in_bulk(ids)
        return [players[pk] for pk in ids]
    rows = Standing.objects.ranked().filter(contest=contest).select_related("player").order_by("rank", "id")
    return [standing.player for standing in rows[: MOST_LISTED + 1]]


@dataclass(frozen=True, slots=True)
class Team:
    """One of the teams, the strongest member first; `points` is the mean of the displayed ratings."""

    number: int
    members: list[Entrant]
    points: float


@dataclass(frozen=True, slots=True)
class Division:
    """
    Players divided into teams.

    quality
        How close the match of all teams is, from 0 to 1.
    bound
        An upper limit of the quality of any teams of these players.
    is_best
        Whether these teams are known to have the best possible quality.
    """

    teams: list[Team]
    quality: float
    bound: float
    is_best: bool

    @property
    def shortfall(self) -> float:
        """The most by which the quality may be below the best possible one, in percent."""
        return 100.0 * (1.0 - self.quality / self.bound) if self.bound > 0.0 else 0.0


def divide(snapshot: SeriesSnapshot, players: Sequence[Player], sizes: Sequence[int]) -> Division:
    """Divide different players into two or more teams of these sizes, which add up to their number."""
    pool = Field(snapshot, players, 0.0)
    found = balance_teams(pool.system, pool.beliefs, np.arange(len(players)), sizes)
    teams = [
        Team(number, [pool.entrants[row] for row in rows], float(np.mean(pool.points[rows])))
        for number, rows in enumerate(found.teams, start=1)
    ]
    return Division(teams, found.quality, found.bound, found.is_best)


def even_sizes(players: int, teams: int) -> list[int]:
    """Return the sizes of teams that differ by at most one, the larger ones first."""
    return [players // teams + (number < players % teams) for number in range(teams)]
