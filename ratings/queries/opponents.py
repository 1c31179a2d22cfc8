"""A player's games in a series: the score against each opponent and on each side, and streaks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from contests.bulk import chunks
from contests.models import Player, Standing
from contests.models.contest import Side
from ratings.models import RatingChange

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ratings.models import Rating

#: Opponents to list.
MOST_OPPONENTS = 50
#: Games in one query.
_CONTESTS = 10_000


@dataclass(slots=True)
class Record:
    """Wins, draws and losses of some games."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def add(self, outcome: int) -> None:
        """Count a game: 1 for a win, 0 for a draw, -1 for a loss."""
        self.wins += outcome == 1
        self.draws += outcome == 0
        self.losses += outcome == -1

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def percent(self) -> float:
        """The share of points, in percent."""
        return 100 * (self.wins + 0.5 * self.draws) / self.games if self.games else 0.0


@dataclass(frozen=True, slots=True)
class Opponent:
    """An opponent, and the record against them."""

    player: Player
    record: Record


@dataclass(frozen=True, slots=True)
class GameRecords:
    """
    A player's two-player games in a series.

    opponents
        The most frequent ones; `opponent_count` counts all.
    by_side
        Records of the sides that the player is known to have had: (label, record).
    streak, streak_outcome
        The length of the current streak, and whether it is one of wins (1), draws (0) or losses (-1).
    longest_wins, longest_unbeaten
        The most wins in a row, and the most games in a row without a loss.
    outcomes
        1, 0 or -1 for a win, draw or loss, by contest.
    last_opponent
        The opponent of the last game.
    met
        The id of the opponent, by contest.
    """

    total: Record
    opponents: list[Opponent]
    opponent_count: int
    by_side: list[tuple[str, Record]] = field(default_factory=list)
    streak: int = 0
    streak_outcome: int = 0
    longest_wins: int = 0
    longest_unbeaten: int = 0
    outcomes: dict[int, int] = field(default_factory=dict)
    last_opponent: Player | None = None
    met: dict[int, int] = field(default_factory=dict)

    def opponents_in(self, contests: Iterable[int]) -> dict[int, Player]:
        """Return the opponents in some contests, by contest, in one query."""
        ids = {contest: self.met[contest] for contest in contests if contest in self.met}
        players = Player.objects.in_bulk(set(ids.values()))
        return {contest: players[pk] for contest, pk in ids.items() if pk in players}


def game_records(rating: Rating, changes: Sequence[RatingChange]) -> GameRecords | None:
    """
    Return the records of a player's games, in three queries for up to 10,000 games; None unless at least half of
    the rated contests were two-player games.

    changes
        The player's rating changes in the series, oldest first.
    """
    games = [change for change in changes if change.field_size == 2]
    if not games or 2 * len(games) < len(changes):
        return None
    met: dict[int, list[tuple[int, int]]] = {}
    sides: dict[int, str] = {}
    # Ids instead of a subquery, for which PostgreSQL sometimes reads the whole series once for each row.
    for ids in chunks([change.contest_id for change in games], _CONTESTS):
        others = RatingChange.objects.current().filter(contest__in=ids).exclude(player=rating.player_id)
        # A team of several is not a single opponent.
        for contest, player, rank in others.values_list("contest_id", "player_id", "rank"):
            met.setdefault(contest, []).append((player, rank))
        own = Standing.objects.filter(player=rating.player_id, contest__in=ids).exclude(side="")
        sides.update(own.values_list("contest_id", "side"))
    return _counted(games, met, sides)


def _counted(
    games: Sequence[RatingChange], met: dict[int, list[tuple[int, int]]], sides: dict[int, str]
) -> GameRecords | None:
    total, by_player, by_side = Record(), dict[int, Record](), {side: Record() for side in Side.values}
    by_contest: dict[int, int] = {}
    opponent_in: dict[int, int] = {}
    for change in games:
        opponents = met.get(change.contest_id, [])
        if len(opponents) != 1:
            continue
        player, rank = opponents[0]
        outcome = (change.rank < rank) - (change.rank > rank)
        by_contest[change.contest_id], opponent_in[change.contest_id] = outcome, player
        total.add(outcome)
        by_player.setdefault(player, Record()).add(outcome)
        if change.contest_id in sides:
            by_side[sides[change.contest_id]].add(outcome)
    if not by_contest:
        return None
    outcomes, last = list(by_contest.values()), list(opponent_in.values())[-1]
    frequent = sorted(by_player.items(), key=lambda item: (-item[1].games, -item[1].percent, item[0]))
    players = Player.objects.in_bulk([last, *(pk for pk, _ in frequent[:MOST_OPPONENTS])])
    return GameRecords(
        total,
        [Opponent(players[pk], record) for pk, record in frequent[:MOST_OPPONENTS] if pk in players],
        len(frequent),
        [(side, record) for side, record in by_side.items() if record.games],
        _last_streak(outcomes),
        outcomes[-1],
        _longest(outcomes, {1}),
        _longest(outcomes, {0, 1}),
        by_contest,
        players.get(last),
        opponent_in,
    )


def _last_streak(outcomes: Sequence[int]) -> int:
    length = 0
    for outcome in reversed(outcomes):
        if outcome != outcomes[-1]:
            break
        length += 1
    return length


def _longest(outcomes: Sequence[int], counted: set[int]) -> int:
    best = length = 0
    for outcome in outcomes:
        length = length + 1 if outcome in counted else 0
        best = max(best, length)
    return best
