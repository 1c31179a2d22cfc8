"""How well a system's beliefs predicted each contest, as they were before it.

Ebtekar and Liu, "Elo-MMR: A Rating System for Massive Multiplayer Competitions", section 6.2.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.belief import Beliefs
from ratings.systems.contest import Contest
from ratings.systems.system import RatingSystem

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

# Up to here comparing each with each costs less than the passes that larger fields need.
_SMALL_FIELD = 48


@dataclass(frozen=True, slots=True)
class Scores:
    """What a backtest found.

    contests, participations
        How many were judged: contests in which at least two of those judged placed apart.
    pair_inversion
        Per cent of opponents against whom the order of the means was right; ties are right. Higher is better.
    rank_deviation
        Mean distance of predicted and actual rank in per cent of the greatest possible. Lower is better.

    Both are means over participations, None when there were none to judge.
    """

    contests: int
    participations: int
    pair_inversion: float | None
    rank_deviation: float | None


class Judge:
    """Compares contests with what is believed before them.

    min_contests
        Only players with at least so many rated contests are judged, as if nobody else had taken part.
    """

    def __init__(self, min_contests: int = 5) -> None:
        self.min_contests = min_contests
        self._contests = self._participations = 0
        self._pair_inversion = self._rank_deviation = 0.0

    def judge(self, beliefs: Beliefs, contest: Contest) -> None:
        """Add a contest, which must not be rated yet."""
        rows = np.flatnonzero(beliefs.count[contest.players] >= self.min_contests)
        if not contest.says_something or len(rows) < 2:
            return
        mu = beliefs.mu[contest.players[rows]]
        group = contest.group[rows]
        if group.min() == group.max():
            return
        self._contests += 1
        self._participations += len(rows)
        self._pair_inversion += len(rows) * pair_inversion(mu, group)
        self._rank_deviation += len(rows) * rank_deviation(mu, group)

    def scores(self) -> Scores:
        """The means over all that was judged."""
        judged = self._participations
        return Scores(
            contests=self._contests,
            participations=judged,
            pair_inversion=self._pair_inversion / judged if judged else None,
            rank_deviation=self._rank_deviation / judged if judged else None,
        )


def backtest(
    system: RatingSystem, contests: Iterable[Contest], n_players: int, min_contests: int = 5, *, skip: int = 0
) -> Scores:
    """Rate contests in the order given, and judge each by what was believed just before it.

    min_contests
        Judge players with at least so many rated contests only.
    skip
        Rate, but do not judge, so many contests at the start.

    Raises ValueError, naming the contest's position, on what the system cannot rate.
    """
    judge, beliefs = Judge(min_contests), system.new_beliefs(n_players)
    for position, contest in enumerate(contests):
        try:
            if position >= skip:
                judge.judge(beliefs, contest)
            system.rate_round(beliefs, contest)
        except ValueError as error:
            raise ValueError(f"contest {position}: {error}") from error
    return judge.scores()


def pair_inversion(strength: Floats, place: Indices) -> float:
    """Per cent of all pairs whose order was predicted, for at least two entries.

    strength
        What the prediction is made from, higher is better, shape (n,).
    place
        Where each placed, smaller is better, equal is a tie, shape (n,).

    A tied pair counts as predicted, and so does a pair of equal strength: section 6.2 asks for "the higher-rated
    player either winning or tying".
    """
    n = len(strength)
    # Ties with the weaker last: they make no inversion, whatever their strengths are.
    order = np.lexsort((-strength, place))
    inversions = _pairs_in_ascending_order(strength[order])
    return 100.0 * (1.0 - inversions / (n * (n - 1) // 2))


def rank_deviation(strength: Floats, place: Indices) -> float:
    """Mean distance between predicted and actual rank, in per cent of n - 1, for at least two entries.

    Arguments as of ``pair_inversion``. Of the ranks that a tie shares the one nearest to the prediction counts; among
    equal strengths the better placed are predicted to be before the others.
    """
    n = len(strength)
    order = np.lexsort((place, -strength))
    in_order = np.sort(place)
    actual = place[order]
    best = np.searchsorted(in_order, actual, "left")
    worst = np.searchsorted(in_order, actual, "right") - 1
    predicted = np.arange(n)
    distances = np.abs(predicted - np.clip(predicted, best, worst))
    return 100.0 * float(distances.sum()) / (n * (n - 1))


def _pairs_in_ascending_order(values: Floats) -> int:
    """Number of pairs whose earlier value is smaller than the later one, in O(n log n)."""
    n = len(values)
    if n <= _SMALL_FIELD:
        return int(np.count_nonzero(np.triu(values[:, None] < values[None, :], 1)))
    # Positions in the order of their values; of equal values the later position comes first and makes no pair.
    positions = np.lexsort((-np.arange(n), values))
    index = np.arange(n)
    pairs = 0
    # At each level positions are sorted by value within blocks, and each block is split into its two halves: a pair is
    # counted where its two positions part.
    for level in range((n - 1).bit_length() - 1, -1, -1):
        half = 1 << level
        late = (positions & half) != 0
        # Each block before has exactly ``half`` early positions.
        base = (index >> (level + 1)) << level
        early_so_far = np.cumsum(~late) - base
        pairs += int(early_so_far[late].sum())
        target = np.where(late, index + half - early_so_far, early_so_far - 1 + 2 * base)
        split = np.empty_like(positions)
        split[target] = positions
        positions = split
    return pairs
