"""A player's games in a series: the score against each opponent and on each side, and streaks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from contests.bulk import chunks
from contests.models import Player, Standing
from contests.models.contest import Side
from ratings.models import RatingChange

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from ratings.models import Rating

#: The most opponents to list.
MOST_OPPONENTS = 50
#: The most games in one query.
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
class PlayedGames:
    """
    The two-sided games among a player's rated contests.

    outcomes
        1, 0 or -1 for a win, draw or loss, by contest.
    met
        The id of the opponent, by contest; games against or in teams of several have none.
    """

    outcomes: dict[int, int] = field(default_factory=dict)
    met: dict[int, int] = field(default_factory=dict)

    def opponents_in(self, contests: Iterable[int]) -> dict[int, Player]:
        """Return the opponents in some contests, by contest, in one query; in none without opponents."""
        ids = {contest: self.met[contest] for contest in contests if contest in self.met}
        players = Player.objects.in_bulk(set(ids.values()))
        return {contest: players[pk] for contest, pk in ids.items() if pk in players}


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
    """

    total: Record
    opponents: list[Opponent]
    opponent_count: int
    by_side: list[tuple[str, Record]] = field(default_factory=list)
    streak: int = 0
    streak_outcome: int = 0
    longest_wins: int = 0
    longest_unbeaten: int = 0


def outcome_of(rank: int, ranks: Collection[int]) -> int:
    """Return 1, 0 or -1 for a win, draw or loss, given the ranks of a game; those of the own side don't matter."""
    return (rank < max(ranks)) - (rank > min(ranks))


def played_games(player_id: int, changes: Iterable[RatingChange]) -> PlayedGames:
    """Return the games among a player's rating changes, in one query for up to 10,000 games."""
    own = {change.contest_id: change.rank for change in changes if change.field_size == 2}
    met: dict[int, list[tuple[int, int]]] = {}
    # Ids instead of a subquery, for which PostgreSQL sometimes reads the whole series once for each row.
    for ids in chunks(list(own), _CONTESTS):
        others = RatingChange.objects.current().filter(contest__in=ids).exclude(player=player_id)
        for contest, player, rank in others.values_list("contest_id", "player_id", "rank"):
            met.setdefault(contest, []).append((player, rank))
    played = PlayedGames()
    for contest, rank in own.items():
        if contest not in met:
            continue
        ranks = [other for _, other in met[contest]]
        played.outcomes[contest] = outcome_of(rank, ranks)
        # A team of several is not a single opponent.
        if len(ranks) == 1:
            played.met[contest] = met[contest][0][0]
    return played


def game_records(rating: Rating, changes: Sequence[RatingChange], played: PlayedGames) -> GameRecords | None:
    """
    Return the records of a player's games, in two queries for up to 10,000 games.

    None unless at least half of the rated contests were two-player games.

    changes
        The player's rating changes in the series, oldest first.
    played
        The games among them.
    """
    games = [change.contest_id for change in changes if change.field_size == 2]
    if not games or 2 * len(games) < len(changes):
        return None
    sides: dict[int, str] = {}
    for ids in chunks(games, _CONTESTS):
        own = Standing.objects.filter(player=rating.player_id, contest__in=ids).exclude(side="")
        sides.update(own.values_list("contest_id", "side"))
    return _counted(played, sides)


def _counted(played: PlayedGames, sides: dict[int, str]) -> GameRecords | None:
    if not played.met:
        return None
    total, by_player, by_side = Record(), dict[int, Record](), {side: Record() for side in Side.values}
    for contest, player in played.met.items():
        outcome = played.outcomes[contest]
        total.add(outcome)
        by_player.setdefault(player, Record()).add(outcome)
        if contest in sides:
            by_side[sides[contest]].add(outcome)
    outcomes = [played.outcomes[contest] for contest in played.met]
    frequent = sorted(by_player.items(), key=lambda item: (-item[1].games, -item[1].percent, item[0]))
    players = Player.objects.in_bulk([pk for pk, _ in frequent[:MOST_OPPONENTS]])
    return GameRecords(
        total,
        [Opponent(players[pk], record) for pk, record in frequent[:MOST_OPPONENTS] if pk in players],
        len(frequent),
        [(side, record) for side, record in by_side.items() if record.games],
        _last_streak(outcomes),
        outcomes[-1],
        _longest(outcomes, {1}),
        _longest(outcomes, {0, 1}),
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
