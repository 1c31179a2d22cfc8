"""Metrics for the accuracy of a system's predictions from its beliefs before each contest.

Pair inversion and rank deviation are from Ebtekar and Liu, "Elo-MMR: A Rating System for Massive Multiplayer
Competitions", section 6.2. Log-loss and calibration also take the predicted probabilities into account.
"""

import itertools
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.beliefs import Beliefs
from ratings.systems.contest import Contest
from ratings.systems.evaluate.calibration import Bin, Calibration, DrawCalibration, pairs_for_draws, sampled_pairs
from ratings.systems.forecast.outcomes import relative_margin
from ratings.systems.performance_model import PerformanceModel, probability_to_beat
from ratings.systems.system import RatingSystem

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

# Up to this size, comparing all pairs costs less than the method for larger fields.
_SMALL_FIELD = 64
# With fewer contests the pair inversion of duels has a standard error above 9 %. With a smaller share of the contests
# the metrics are not representative.
_ENOUGH_CONTESTS, _ENOUGH_SHARE = 30, 0.1


@dataclass(frozen=True, slots=True)
class Scores:
    """The results of a backtest.

    contests, participations
        The number judged: contests in which at least two judged entries did not tie. A team takes part once.
    draw_rate
        The estimated probability that equal entries tie, from all pairs judged, including contests in which all tied.
    outcome_loss
        Mean of -ln p over these pairs, where p is the predicted probability of the win, draw or loss that happened.
    draws
        How often pairs tied, by the expected score of their favourite. TrueSkill predicts ties by its draw margin, the
        other systems by the draw rate of the pairs before (``ratings.systems.forecast.outcomes``).
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
    draw_rate: float | None = None
    outcome_loss: float | None = None
    draws: tuple[Bin, ...] = ()

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
        self._calibration, self._draws = Calibration(), DrawCalibration()

    def judge(self, beliefs: Beliefs, contest: Contest) -> None:
        """Add a contest that has not been rated yet."""
        if contest.has_opponents:
            self._all_contests += 1
            self._all_participations += contest.n_entries
        field = _judged_field(self.system, beliefs, contest, self.min_contests)
        if field is None:
            return
        self._judge_draws(field)
        if field.place[0] == field.place[-1]:
            return
        by_strength = np.argsort(-field.strength, kind="stable")
        n = len(by_strength)
        self._contests += 1
        self._participations += n
        self._pair_inversion += n * _pair_inversion(by_strength)
        self._rank_deviation += n * _rank_deviation(by_strength, field.place)
        first, second = sampled_pairs(n)
        decided = field.place[first] < field.place[second]
        self._calibration.add(probability_to_beat(field.model, first[decided], second[decided]), n)

    def _judge_draws(self, field: "_JudgedField") -> None:
        first, second = pairs_for_draws(len(field.place))
        better = probability_to_beat(field.model, first, second)
        margin = relative_margin(self.system, field.model, field.size, first, second)
        self._draws.add(better, field.place[first] == field.place[second], margin, len(field.place))

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
            draw_rate=self._draws.rate,
            outcome_loss=self._draws.loss,
            draws=self._draws.table(),
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
    return _backtest(system, zip(contests, itertools.repeat(()), strict=False), n_players, min_contests, skip)[0]


def backtest_groups(
    system: RatingSystem,
    contests: Iterable[Contest],
    groups: Iterable[str],
    n_players: int,
    min_contests: int = 5,
    *,
    skip: int = 0,
) -> tuple[Scores, dict[str, Scores]]:
    """Do the same as ``backtest``, and judge the contests of each group by themselves as well.

    groups
        The group of each contest. All groups are rated in one pool.

    Returns the scores of all contests, and those of each group in the order of their first contests. Their seconds are
    those of all contests.
    """
    return _backtest(system, zip(contests, ((group,) for group in groups), strict=True), n_players, min_contests, skip)


def _backtest(
    system: RatingSystem, contests: Iterable[tuple[Contest, tuple[str, ...]]], n_players: int, least: int, skip: int
) -> tuple[Scores, dict[str, Scores]]:
    _check_count("skip", skip)
    everything, beliefs = Judge(system, least), system.new_beliefs(n_players)
    judges: dict[str, Judge] = {}
    seconds = 0.0
    for position, (contest, groups) in enumerate(contests):
        try:
            if position >= skip:
                everything.judge(beliefs, contest)
                for group in groups:
                    judges.setdefault(group, Judge(system, least)).judge(beliefs, contest)
            began = time.perf_counter()
            system.rate_round(beliefs, contest)
            seconds += time.perf_counter() - began
        except ValueError as error:
            raise ValueError(f"contest {position}: {error}") from error
    return everything.scores(seconds), {group: judge.scores(seconds) for group, judge in judges.items()}


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


@dataclass(frozen=True, slots=True, eq=False)
class _JudgedField:
    """The judged entries of a contest, ordered by place and then by belief; shape (n,) each.

    strength
        The means of the beliefs with the handicaps, in rating points; for teams, the sum or mean of their members.
    place
        0-based numbers of the tie groups, possibly with gaps.
    model
        The performances of the entries.
    size
        Their numbers of players.
    """

    strength: Floats
    place: Indices
    model: PerformanceModel
    size: Indices


def _judged_field(system: RatingSystem, beliefs: Beliefs, contest: Contest, min_contests: int) -> _JudgedField | None:
    """Return the entries whose players all have ``min_contests`` rated contests; None if there are not two."""
    known = beliefs.count[contest.players] >= min_contests
    if contest.teams is not None:
        known &= np.bincount(contest.entry, ~known)[contest.entry] == 0
    rows = np.flatnonzero(known)
    if len(rows) < 2 or (contest.teams is not None and (contest.entry[rows] == contest.entry[rows[0]]).all()):
        return None
    place = contest.group[rows]
    size = np.ones(len(rows), dtype=np.int64)
    strength = beliefs.mu[contest.players[rows]]
    model = system.performance_model(strength, beliefs.sigma[contest.players[rows]])
    if contest.teams is not None:
        strength, place, model, size = _of_teams(system, contest, rows, strength, model)
    elif contest.handicap is not None:
        strength, model = strength + contest.handicap[rows], model.shifted(contest.handicap[rows])
    # Ordered by values alone, so the order of the rows changes no bits of any sum.
    order = np.lexsort((model.scale, -strength, place))
    in_order = PerformanceModel(model.shape, model.location[order], model.scale[order])
    return _JudgedField(strength[order], place[order], in_order, size[order])


def _of_teams(
    system: RatingSystem, contest: Contest, rows: Indices, mu: Floats, model: PerformanceModel
) -> tuple[Floats, Indices, PerformanceModel, Indices]:
    """Return the strength, place, performance and size of each team, from its members in the given rows."""
    share = np.ones(len(rows)) if contest.play is None else contest.play[rows]
    entry = contest.entry[rows]
    order = np.lexsort((share, model.scale, mu, entry))
    rows, entry, share = rows[order], entry[order], share[order]
    firsts = np.flatnonzero(np.diff(entry, prepend=-1))
    sizes = np.diff(firsts, append=len(rows))
    if system.teams_add_up:
        strength = np.add.reduceat(share * mu[order], firsts)
        location = np.add.reduceat(share * model.location[order], firsts)
        scale = np.sqrt(np.add.reduceat(np.square(share * model.scale[order]), firsts))
    else:
        strength, location, scale = (
            np.add.reduceat(values[order], firsts) / sizes for values in (mu, model.location, model.scale)
        )
    model = PerformanceModel(model.shape, location, scale)
    if contest.handicap is not None:
        strength, model = strength + contest.handicap[rows[firsts]], model.shifted(contest.handicap[rows[firsts]])
    return strength, contest.group[rows[firsts]], model, sizes
