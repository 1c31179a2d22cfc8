"""Metrics for the accuracy of a system's predictions from its beliefs before each contest.

Pair inversion and rank deviation are from Ebtekar and Liu, "Elo-MMR: A Rating System for Massive Multiplayer
Competitions", section 6.2. Log-loss and calibration also take the predicted probabilities into account.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.beliefs import Beliefs
from ratings.systems.contest import Contest
from ratings.systems.performance_model import PerformanceModel, probability_to_beat
from ratings.systems.system import RatingSystem

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

BINS = 10
# The most pairs per field: more would cost more time than rating it, and add nothing over many contests.
_MOST_PAIRS = 1024
_ALL_PAIRS = 45
# Larger fields are sampled at this many distances.
_DISTANCES = 8
# No surprise counts for more than -ln of this, about 34.5, so that one "impossible" result cannot dominate the mean.
_LEAST_PROBABILITY = 1e-15
# Up to this size comparing all pairs costs less than the method for larger fields.
_SMALL_FIELD = 64
# With fewer contests the pair inversion of duels has a standard error above 9 %. With a smaller share of the contests
# the metrics are not representative.
_ENOUGH_CONTESTS, _ENOUGH_SHARE = 30, 0.1


@dataclass(frozen=True, slots=True)
class Bin:
    """Pairs whose favourite had a predicted probability from ``low`` to ``high`` of placing before the other.

    pairs
        The number of such pairs in the sample.
    predicted, observed
        The mean predicted probability, and the frequency with which the favourite placed before the other. Each
        contest has the weight of its participants. Both are None if there were no pairs. A pair without a favourite
        counts as half a success.
    """

    low: float
    high: float
    pairs: int
    predicted: float | None
    observed: float | None


class Calibration:
    """Sums over pairs of entries that did not tie.

    In fields of more than 45 entries a sample of at most 1,024 pairs is used. Entries are arranged in a circle in the
    order of their places (ties in the order of their beliefs). For each of 8 distances, spread evenly from adjacent to
    opposite, each entry (in large fields, every k-th entry) is compared with the one at this distance. A distance in
    the circle represents two differences of places, so small and large differences occur as often as among all pairs.
    The sample depends neither on chance nor on the order of the rows.
    """

    def __init__(self) -> None:
        self._loss = self._participations = 0.0
        self._pairs = np.zeros(BINS, dtype=np.int64)
        self._weight, self._predicted, self._observed = np.zeros(BINS), np.zeros(BINS), np.zeros(BINS)

    def add(self, model: PerformanceModel, place: Indices) -> None:
        """Add a contest of at least two entries that did not all tie.

        place
            The place of each entry of the model, best first, shape (n,); ties in an order by values.
        """
        before, after = _pairs(len(place))
        decided = place[before] < place[after]
        before, after = before[decided], after[decided]
        if not len(before):
            return
        win = probability_to_beat(model, before, after)
        # A participation has the same weight in a small contest as in a large one.
        weight = len(place) / len(before)
        self._participations += len(place)
        self._loss -= weight * float(np.log(np.maximum(win, _LEAST_PROBABILITY)).sum())
        favourite = np.maximum(win, 1.0 - win)
        number = np.minimum(((favourite - 0.5) * (2 * BINS)).astype(np.int64), BINS - 1)
        count = np.bincount(number, minlength=BINS)
        self._pairs += count
        self._weight += weight * count
        self._predicted += weight * np.bincount(number, favourite, BINS)
        self._observed += weight * np.bincount(number, 0.5 + 0.5 * np.sign(win - 0.5), BINS)

    @property
    def log_loss(self) -> float | None:
        """Mean of -ln p over participations, each against its opponents; None before the first contest."""
        return self._loss / self._participations if self._participations else None

    def table(self) -> tuple[Bin, ...]:
        """Return ten bins from 0.5 to 1."""
        edges = [0.5 + 0.5 * k / BINS for k in range(BINS + 1)]
        sums = zip(self._pairs.tolist(), self._weight.tolist(), self._predicted.tolist(), self._observed.tolist(),
                   strict=True)  # fmt: skip
        return tuple(
            Bin(
                edges[k],
                edges[k + 1],
                pairs,
                predicted / weight if pairs else None,
                observed / weight if pairs else None,
            )
            for k, (pairs, weight, predicted, observed) in enumerate(sums)
        )


@dataclass(frozen=True, slots=True)
class Scores:
    """The results of a backtest.

    contests, participations
        The number judged: contests in which at least two judged entries did not tie. A team takes part once.
    all_contests, all_participations
        The number available: all contests of at least two entries that were not skipped.
    pair_inversion
        Percentage of opponents against whom the order of the means was right; ties count as right. Higher is better.
    rank_deviation
        Mean distance between predicted and actual rank, in percent of the largest possible distance. Lower is better.
    log_loss
        Mean of -ln p, where p is the predicted probability for the player who placed ahead. Lower is better; guessing
        gives ln 2.
    calibration
        How often favourites won, by their predicted probability.
    seconds
        Time spent on rating, without judging.

    The three metrics are means over participations; None if there were none to judge.
    """

    contests: int
    participations: int
    pair_inversion: float | None
    rank_deviation: float | None
    log_loss: float | None
    calibration: tuple[Bin, ...]
    seconds: float = 0.0
    all_contests: int = 0
    all_participations: int = 0

    @property
    def are_few(self) -> bool:
        """Whether too little was judged: the metrics may be due to chance or not representative."""
        return (
            self.contests < _ENOUGH_CONTESTS
            or self.contests < _ENOUGH_SHARE * self.all_contests
            or self.participations < _ENOUGH_SHARE * self.all_participations
        )


class Judge:
    """A judge that compares contests with the predictions before them.

    min_contests
        Only players with at least this many rated contests are judged, as if no one else had taken part. A team is
        judged if all its members are experienced enough.
    """

    def __init__(self, system: RatingSystem, min_contests: int = 5) -> None:
        _check_count("min_contests", min_contests)
        self.system, self.min_contests = system, min_contests
        self._contests = self._participations = 0
        self._all_contests = self._all_participations = 0
        self._pair_inversion = self._rank_deviation = 0.0
        self._calibration = Calibration()

    def judge(self, beliefs: Beliefs, contest: Contest) -> None:
        """Add a contest that has not been rated yet."""
        if contest.has_opponents:
            self._all_contests += 1
            self._all_participations += contest.n_entries
        field = _judged_field(self.system, beliefs, contest, self.min_contests)
        if field is None:
            return
        by_strength = np.argsort(-field.strength, kind="stable")
        n = len(by_strength)
        self._contests += 1
        self._participations += n
        self._pair_inversion += n * _pair_inversion(by_strength)
        self._rank_deviation += n * _rank_deviation(by_strength, field.place)
        self._calibration.add(field.model, field.place)

    def scores(self, seconds: float = 0.0) -> Scores:
        """Return the means over everything judged so far."""
        judged = self._participations
        return Scores(
            contests=self._contests,
            participations=judged,
            pair_inversion=self._pair_inversion / judged if judged else None,
            rank_deviation=self._rank_deviation / judged if judged else None,
            log_loss=self._calibration.log_loss,
            calibration=self._calibration.table(),
            seconds=seconds,
            all_contests=self._all_contests,
            all_participations=self._all_participations,
        )


def backtest(
    system: RatingSystem, contests: Iterable[Contest], n_players: int, min_contests: int = 5, *, skip: int = 0
) -> Scores:
    """Rate contests in the given order, and judge the prediction of each from the beliefs just before it.

    min_contests
        Judge only players with at least this many rated contests.
    skip
        Rate, but do not judge, this many contests at the start.

    Raises ValueError, naming the contest's position, on a contest that the system cannot rate.
    """
    _check_count("skip", skip)
    judge, beliefs = Judge(system, min_contests), system.new_beliefs(n_players)
    seconds = 0.0
    for position, contest in enumerate(contests):
        try:
            if position >= skip:
                judge.judge(beliefs, contest)
            began = time.perf_counter()
            system.rate_round(beliefs, contest)
            seconds += time.perf_counter() - began
        except ValueError as error:
            raise ValueError(f"contest {position}: {error}") from error
    return judge.scores(seconds)


def pair_inversion(strength: Floats, place: Indices) -> float:
    """Return the percentage of all pairs whose order was predicted, for at least two entries.

    strength
        The strengths from which the order is predicted, shape (n,); higher is better.
    place
        The places as whole numbers from 0, shape (n,); smaller is better, equal is a tie.

    A tied pair counts as predicted, and so does a pair of equal strength: section 6.2 requires "the higher-rated
    player either winning or tying".
    """
    _check_prediction(strength, place)
    # With the weaker last, ties are never inversions.
    order = np.lexsort((-strength, place))
    return _pair_inversion(np.argsort(-strength[order], kind="stable"))


def rank_deviation(strength: Floats, place: Indices) -> float:
    """Return the mean distance between predicted and actual rank, in percent of n - 1, for at least two entries.

    Arguments are those of ``pair_inversion``. Of the ranks that tied entries share, the one nearest to the prediction
    counts. Among entries of equal strength, those that placed better are predicted ahead of the others.
    """
    _check_prediction(strength, place)
    order = np.lexsort((-strength, place))
    return _rank_deviation(np.argsort(-strength[order], kind="stable"), place[order])


def _check_count(name: str, count: Any) -> None:
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 0:
        raise ValueError(f"{name} = {count!r} is not allowed: it must be a whole number, at least 0")


def _check_prediction(strength: Floats, place: Indices) -> None:
    if strength.ndim != 1 or strength.shape != place.shape:
        raise ValueError(
            f"strengths and places have shapes {strength.shape} and {place.shape}: give one for each entry"
        )
    if len(place) < 2:
        raise ValueError(f"{len(place)} {'entry is' if len(place) else 'entries are'} too few: give at least 2")
    if place.dtype.kind not in "iu":
        raise ValueError(f"places must be whole numbers, not {place.dtype}")
    if np.isnan(strength).any():
        raise ValueError(f"row {np.isnan(strength).argmax()} has the strength nan: it must be a number")
    if place.min() < 0:
        raise ValueError(f"row {place.argmin()} has the place {place.min()}: places are whole numbers from 0")


def _pair_inversion(by_strength: Indices) -> float:
    n = len(by_strength)
    return 100.0 * (1.0 - _inversions(by_strength) / (n * (n - 1) // 2))


def _rank_deviation(by_strength: Indices, place: Indices) -> float:
    n = len(place)
    sizes = np.bincount(place)
    behind = np.cumsum(sizes)
    actual = place[by_strength]
    predicted = np.arange(n)
    nearest = np.minimum(np.maximum(predicted, (behind - sizes)[actual]), behind[actual] - 1)
    return 100.0 * float(np.abs(predicted - nearest).sum()) / (n * (n - 1))


def _inversions(permutation: Indices) -> int:
    """Return the number of pairs whose earlier value is greater, in O(n log n)."""
    n = len(permutation)
    if n <= _SMALL_FIELD:
        return int(np.count_nonzero(np.triu(permutation[:, None] > permutation[None, :])))
    index = np.arange(n, dtype=np.int32)
    values = permutation.astype(np.int32)
    inversions = 0
    # Blocks of values that share their higher bits, each in its original order, are split by the next bit. An inversion
    # is counted when its two values part. All blocks but the last are full, so half of each has the bit unset.
    for level in range((n - 1).bit_length() - 1, -1, -1):
        low = (values >> level) & 1 == 0
        lows_before = (index >> (level + 1)) << level
        rank_low = np.cumsum(low, dtype=np.int32) - lows_before
        rank_high = index - lows_before - lows_before - rank_low
        inversions += int(rank_high[low].sum(dtype=np.int64)) + int(np.count_nonzero(low))
        start = index & ~((2 << level) - 1)
        target = np.where(low, start + rank_low - 1, start + (1 << level) + rank_high)
        split = np.empty_like(values)
        split[target] = values
        values = split
    return inversions


@lru_cache(maxsize=16)
def _pairs(n: int) -> tuple[Indices, Indices]:
    """Return the positions of the better and the worse entry of each sampled pair, among n in order."""
    if n <= _ALL_PAIRS:
        return np.triu_indices(n, 1)
    index = np.arange(n)
    distances = [1 + (2 * k + 1) * (n // 2) // (2 * _DISTANCES) for k in range(_DISTANCES)]
    ahead = np.concatenate([(index + distance) % n for distance in distances])
    step = -(-len(ahead) // _MOST_PAIRS)
    each, ahead = np.tile(index, len(distances))[::step], ahead[::step]
    return np.minimum(each, ahead), np.maximum(each, ahead)


@dataclass(frozen=True, slots=True, eq=False)
class _JudgedField:
    """The judged entries of a contest, ordered by place and then by belief; shape (n,) each.

    strength
        The means of the beliefs, in rating points; for teams, the sum or mean of their members.
    place
        0-based numbers of the tie groups, possibly with gaps.
    model
        The performances of the entries.
    """

    strength: Floats
    place: Indices
    model: PerformanceModel


def _judged_field(system: RatingSystem, beliefs: Beliefs, contest: Contest, min_contests: int) -> _JudgedField | None:
    """Return the entries whose players all have ``min_contests`` rated contests; None if all of these tied."""
    known = beliefs.count[contest.players] >= min_contests
    if contest.teams is not None:
        known &= np.bincount(contest.entry, ~known)[contest.entry] == 0
    rows = np.flatnonzero(known)
    if not len(rows):
        return None
    place = contest.group[rows]
    if place.min() == place.max():
        return None
    strength = beliefs.mu[contest.players[rows]]
    model = system.performance_model(strength, beliefs.sigma[contest.players[rows]])
    if contest.teams is not None:
        strength, place, model = _of_teams(system, contest, rows, strength, model)
    # Ordered by values alone, so the order of the rows changes no bits of any sum.
    order = np.lexsort((model.scale, -strength, place))
    in_order = PerformanceModel(model.shape, model.location[order], model.scale[order])
    return _JudgedField(strength[order], place[order], in_order)


def _of_teams(
    system: RatingSystem, contest: Contest, rows: Indices, mu: Floats, model: PerformanceModel
) -> tuple[Floats, Indices, PerformanceModel]:
    """Return the strength, place and performance of each team, from its members in the given rows."""
    share = np.ones(len(rows)) if contest.play is None else contest.play[rows]
    entry = contest.entry[rows]
    order = np.lexsort((share, model.scale, mu, entry))
    rows, entry, share = rows[order], entry[order], share[order]
    firsts = np.flatnonzero(np.diff(entry, prepend=-1))
    if system.teams_add_up:
        strength = np.add.reduceat(share * mu[order], firsts)
        location = np.add.reduceat(share * model.location[order], firsts)
        scale = np.sqrt(np.add.reduceat(np.square(share * model.scale[order]), firsts))
    else:
        sizes = np.diff(firsts, append=len(rows))
        strength, location, scale = (
            np.add.reduceat(values[order], firsts) / sizes for values in (mu, model.location, model.scale)
        )
    return strength, contest.group[rows[firsts]], PerformanceModel(model.shape, location, scale)
