"""
Head-to-head results of players, and the probabilities of finishing ahead.

Ranks come from the rating changes of a run, so they agree with all other numbers on pages. Teammates do not count as
opponents. The expected result of a past meeting follows from the players' beliefs right before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from contests.models import Standing
from ratings.display.favored import UPSET
from ratings.systems import Chances, get_system, match_qualities
from ratings.systems.forecast.outcomes import by_draw_rate, chances_of
from ratings.systems.performance_model import probability_to_beat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from contests.models import Contest, Player
    from ratings.models import Rating, RatingChange
    from ratings.queries.snapshot import SeriesSnapshot
    from ratings.systems import RatingSystem
    from ratings.systems.performance_model import PerformanceModel

    Floats = NDArray[np.float64]
    Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Score:
    """The results of two players from the first one's point of view; `together` counts contests as teammates."""

    wins: int = 0
    losses: int = 0
    ties: int = 0
    together: int = 0

    @property
    def meetings(self) -> int:
        return self.wins + self.losses + self.ties


@dataclass(frozen=True, slots=True)
class Meeting:
    """
    A contest that two players entered.

    outcome
        1 if the first player finished ahead, -1 if behind, 0 for a tie, None for teammates.
    expected, expected_loss
        Probabilities, before the contest, that the first player would finish ahead and behind.
    """

    contest: Contest
    first: RatingChange
    second: RatingChange
    outcome: int | None
    expected: float
    expected_loss: float

    @property
    def is_game(self) -> bool:
        """Whether these two were the only ones in it, so that one won and the other lost, or they drew."""
        return self.outcome is not None and self.first.field_size == 2

    @property
    def is_upset(self) -> bool:
        """Whether a player won against odds of at least 3 to 1."""
        return (self.outcome == 1 and self.expected <= UPSET) or (self.outcome == -1 and self.expected_loss <= UPSET)


class Meetings:
    """
    The contests in which at least two of some players took part.

    contests
        These contests, oldest first.
    changes
        One row per contest, with the rating change of each player; None for players who did not take part.
    """

    def __init__(self, players: Sequence[Player], changes: Sequence[RatingChange]) -> None:
        """Collect the rating changes of one series, oldest first, each with its contest."""
        column = {player.pk: number for number, player in enumerate(players)}
        by_contest: dict[int, list[RatingChange | None]] = {}
        contests: dict[int, Contest] = {}
        for change in changes:
            contests[change.contest_id] = change.contest
            by_contest.setdefault(change.contest_id, [None] * len(players))[column[change.player_id]] = change
        self.players = list(players)
        common = [pk for pk, row in by_contest.items() if sum(change is not None for change in row) > 1]
        self.contests = [contests[pk] for pk in common]
        self.changes = [by_contest[pk] for pk in common]
        self._ranks = np.array(
            [[change.rank if change else 0 for change in row] for row in self.changes], dtype=np.int64
        ).reshape(len(common), len(players))
        self._teams = self._read_teams()

    def scores(self) -> list[list[Score]]:
        """Return the score of each player against each other player, in the order of `players`."""
        count = len(self.players)
        return [[self._score(a, b) for b in range(count)] for a in range(count)]

    def of_two(self, snapshot: SeriesSnapshot, draw_rate: float) -> list[Meeting]:
        """Return the meetings of the first two players, newest first."""
        rows = [
            (number, contest, row[0], row[1])
            for number, (contest, row) in enumerate(zip(self.contests, self.changes, strict=True))
        ]
        both = [(n, contest, a, b) for n, contest, a, b in rows if a is not None and b is not None]
        chances = chances_before(snapshot, [a for *_, a, _ in both], [b for *_, b in both], draw_rate)
        return [
            Meeting(contest, a, b, self._outcome(number), win, loss)
            for (number, contest, a, b), win, loss in zip(
                both, chances.win.tolist(), chances.loss.tolist(), strict=True
            )
        ][::-1]

    def _score(self, a: int, b: int) -> Score:
        first, second = self._ranks[:, a], self._ranks[:, b]
        both = (first > 0) & (second > 0)
        mates = both & self._mates(a, b)
        met = both & ~mates
        wins, losses = int(np.sum(met & (first < second))), int(np.sum(met & (first > second)))
        return Score(wins, losses, int(np.sum(met)) - wins - losses, int(np.sum(mates)))

    def _outcome(self, contest: int) -> int | None:
        if self._mates(0, 1)[contest]:
            return None
        return int(np.sign(self._ranks[contest, 1] - self._ranks[contest, 0]))

    def _mates(self, a: int, b: int) -> NDArray[np.bool_]:
        return np.array([bool(row[a]) and row[a] == row[b] for row in self._teams], dtype=bool)

    def _read_teams(self) -> list[list[str]]:
        """Return each player's team in each contest, empty for none. Needs a query only if a contest has teams."""
        number = {contest.pk: i for i, contest in enumerate(self.contests) if contest.has_teams}
        teams = [[""] * len(self.players) for _ in self.contests]
        if number:
            column = {player.pk: i for i, player in enumerate(self.players)}
            rows = Standing.objects.filter(contest__in=list(number), player__in=list(column))
            for contest, player, team in rows.values_list("contest", "player", "team"):
                teams[number[contest]][column[player]] = team
        return teams


def chances_now(snapshot: SeriesSnapshot, ratings: Sequence[Rating], draw_rate: float) -> Chances:
    """
    Return the probabilities that each player finishes ahead of, ties with and finishes behind each other player.

    draw_rate
        The probability that equal players tie (`ratings.derived.draws`). With 0, no one ties.

    Each of the three has the shape (n, n), with NaN on the diagonal. They are for the players' next contest, of weight
    1; its other players have no effect (see `ratings.systems.forecast.prediction`).
    """
    count = len(ratings)
    tables = [np.full((count, count), np.nan) for _ in range(3)]
    if count > 1:
        # Predictions use nothing else of a belief, so the stored beliefs are not read.
        beliefs = [[rating.mu for rating in ratings], [rating.sigma for rating in ratings]]
        first, second = np.nonzero(~np.eye(count, dtype=bool))
        for table, values in zip(tables, chances_between(snapshot, beliefs, first, second, draw_rate), strict=True):
            table[first, second] = values
    return Chances(*tables)


def chances_before(
    snapshot: SeriesSnapshot, first: Sequence[RatingChange], second: Sequence[RatingChange], draw_rate: float
) -> Chances:
    """Return what `chances_between` does, for beliefs before the contest; the players are those of the changes."""
    changes = [*first, *second]
    beliefs = [[getattr(each, name) for each in changes] for name in ("mu_before", "sigma_before")]
    here = np.arange(len(first))
    return chances_between(snapshot, beliefs, here, here + len(first), draw_rate)


def qualities_now(snapshot: SeriesSnapshot, ratings: Sequence[Rating]) -> Floats:
    """Return how close a match between any two players would be, from 0 to 1, shape (n, n), 0 on the diagonal."""
    system = system_of(snapshot)
    beliefs = system.new_beliefs(len(ratings))
    beliefs.mu[:] = [rating.mu for rating in ratings]
    beliefs.sigma[:] = [rating.sigma for rating in ratings]
    return match_qualities(system, beliefs, np.arange(len(ratings)))


def chances_between(
    snapshot: SeriesSnapshot, beliefs: ArrayLike, first: Indices, second: Indices, draw_rate: float
) -> Chances:
    """
    Return the probabilities that each first player finishes ahead of, ties with and finishes behind the second.

    beliefs
        Means and deviations of some players, two rows.
    first, second
        Positions of the players among them, shape (k,).
    """
    system, (mu, sigma) = system_of(snapshot), np.array(beliefs, dtype=np.float64).reshape(2, -1)
    sizes = np.ones(len(mu), dtype=np.int64)
    return chances_of_sides(system, system.performance_model(mu, sigma), sizes, first, second, draw_rate)


def chances_of_sides(
    system: RatingSystem, model: PerformanceModel, sizes: Indices, first: Indices, second: Indices, draw_rate: float
) -> Chances:
    """Return what `chances_of` does, but without draws if none were drawn, whatever the system's draw margin."""
    if draw_rate == 0.0:
        return by_draw_rate(probability_to_beat(model, first, second), 0.0)
    return chances_of(system, model, sizes, first, second, draw_rate)


def system_of(snapshot: SeriesSnapshot) -> RatingSystem:
    """Return the rating system that produced the numbers."""
    scheme = snapshot.run.scheme if snapshot.run is not None else snapshot.scheme
    if scheme is None:
        raise ValueError(f"{snapshot.series.slug} has no ratings from which to predict results")
    return get_system(scheme.system, **scheme.parameters)
