"""
Who finished ahead of whom where two players met, and who is expected to.

Places are those of a run's rating changes, so that they agree with everything else that is shown. Where two were in one
team, they did not meet. What was expected of a meeting follows from both beliefs right before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from contests.models import Standing
from ratings.systems import get_system
from ratings.systems.forecast.prediction import win_probability
from ratings.systems.performance_model import probability_to_beat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from contests.models import Contest, Player
    from ratings.models import Rating, RatingChange
    from ratings.queries.snapshot import SeriesSnapshot
    from ratings.systems import RatingSystem

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Score:
    """What came of the contests of two players, as the first sees it; `together`: those in one team."""

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
    A contest of two players.

    outcome
        1: the first finished ahead; -1: behind; 0: they tied; None: they were in one team.
    expected
        The probability, before the contest, that the first would finish ahead.
    """

    contest: Contest
    first: RatingChange
    second: RatingChange
    outcome: int | None
    expected: float

    @property
    def is_upset(self) -> bool:
        """Whether it went against odds of at least three to one."""
        return (self.outcome == 1 and self.expected <= 0.25) or (self.outcome == -1 and self.expected >= 0.75)


class Meetings:
    """
    The contests of some players, as tables of contests by players.

    contests
        Those with at least two of them, oldest first.
    changes
        By position in `contests` and in `players`; None where the player was not there.
    """

    def __init__(self, players: Sequence[Player], changes: Sequence[RatingChange]) -> None:
        """Sort out rating changes of one series, each with its contest, oldest first."""
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
        """Return the score of each player against each, in their order."""
        count = len(self.players)
        return [[self._score(a, b) for b in range(count)] for a in range(count)]

    def of_two(self, snapshot: SeriesSnapshot) -> list[Meeting]:
        """Return the meetings of the first two players, newest first."""
        rows = [
            (number, contest, row[0], row[1])
            for number, (contest, row) in enumerate(zip(self.contests, self.changes, strict=True))
        ]
        both = [(n, contest, a, b) for n, contest, a, b in rows if a is not None and b is not None]
        expected = chances_before(snapshot, [a for *_, a, _ in both], [b for *_, b in both])
        return [
            Meeting(contest, a, b, self._outcome(number), chance)
            for (number, contest, a, b), chance in zip(both, expected.tolist(), strict=True)
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
        """Return the team of each player in each contest, empty for none; a query only if there are teams at all."""
        number = {contest.pk: i for i, contest in enumerate(self.contests) if contest.has_teams}
        teams = [[""] * len(self.players) for _ in self.contests]
        if number:
            column = {player.pk: i for i, player in enumerate(self.players)}
            rows = Standing.objects.filter(contest__in=list(number), player__in=list(column))
            for contest, player, team in rows.values_list("contest", "player", "team"):
                teams[number[contest]][column[player]] = team
        return teams


def chances_now(snapshot: SeriesSnapshot, ratings: Sequence[Rating]) -> Floats:
    """
    Return the probability of each player to finish ahead of each other in their next contest, shape (n, n).

    NaN on the diagonal. In a contest of weight 1, be it a duel or any field (`ratings.systems.forecast.prediction`).
    """
    count = len(ratings)
    chances = np.full((count, count), np.nan)
    if count > 1:
        system = _system(snapshot)
        beliefs = system.new_beliefs(count)
        # All that predictions ask of a belief; the rest of it need not be read.
        beliefs.mu[:] = [rating.mu for rating in ratings]
        beliefs.sigma[:] = [rating.sigma for rating in ratings]
        first, second = np.nonzero(~np.eye(count, dtype=bool))
        chances[first, second] = win_probability(system, beliefs, first, second)
    return chances


def chances_before(snapshot: SeriesSnapshot, first: Sequence[RatingChange], second: Sequence[RatingChange]) -> Floats:
    """Return the probability of each first player to finish ahead of the second, by what was believed before."""
    if not first:
        return np.empty(0)
    changes = [*first, *second]
    mu, sigma = (np.array([getattr(each, name) for each in changes]) for name in ("mu_before", "sigma_before"))
    model = _system(snapshot).performance_model(mu, sigma)
    here = np.arange(len(first))
    return probability_to_beat(model, here, here + len(first))


def _system(snapshot: SeriesSnapshot) -> RatingSystem:
    """Return the system that the numbers are of."""
    scheme = snapshot.run.scheme if snapshot.run is not None else snapshot.scheme
    if scheme is None:
        raise ValueError(f"nothing is rated in {snapshot.series.slug}, so nobody can be expected to win there")
    return get_system(scheme.system, **scheme.parameters)
