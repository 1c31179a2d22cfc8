"""
The odds of a contest's results, according to the ratings just before it: pure functions of arrays.

Everything follows from the system's performance model: performances are independent, and the higher one takes the
better place. The module answers two questions, and both stay cheap in fields of 20,000.

*Against the odds*: how likely was an entry to finish in this place or better (or this place or worse)? Given the
entry's performance, the number of entries ahead is a sum of independent Bernoulli variables. The module takes this sum
as normal with the same mean and variance, applies a continuity correction, and averages over the entry's performance.
If a place is shared, the least surprising one counts. In fields of up to `EXACT_FIELD` entries, the sums are exact.

*Upsets*: how likely was one entry to finish ahead of another? A field of 20,000 has 200 million pairs, and the least
likely ones all have the same loser: the favourite who left early. So the winner must be among the `TOP` best placed
and the loser among the `TOP` highest rated of those who had a rating, and each entry appears at most once as a winner
and once as a loser. The pairs are chosen from the least likely one on, as long as they are upsets: pairs with a chance
of at most `UPSET`.

Both leave out entries with newcomers, who had no rating. These entries still count as opponents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import ndtr

from ratings.display.favored import UPSET
from ratings.systems.forecast.prediction import sums_of_tosses
from ratings.systems.performance_model import STANDARD, probability_to_beat

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ratings.systems.performance_model import PerformanceModel
    from web.public.contest.field import Entries

    Floats = NDArray[np.float64]
    Indices = NDArray[np.int64]
    ChancesToWin = Callable[[Indices, Indices], Floats]

#: The probabilities of places are exact in fields up to this size.
EXACT_FIELD = 40
#: The number of best places and of highest ratings that are searched for upsets.
TOP = 100
#: Performances farther out than this, in standard units, have a probability below 1e-7 and are ignored.
_FAR = 16.0
#: The maximum size of a table of entries by nodes.
_AT_ONCE = 1 << 19
_MOST_NODES = 4_000
#: The spacing of nodes, relative to a spacing with errors of 1e-12; the trapezoidal rule still errs by less than 1e-7.
_STEP = 1.5
#: For the entries in the list, nodes are this many times denser; and this many more candidates are computed.
_FINER, _MORE = 16, 25


@dataclass(frozen=True, slots=True, eq=False)
class Odds:
    """
    The odds of each entry, as arrays of shape (m,).

    win
        Probability of finishing ahead of all others.
    expected
        Expected place, from 1 to m.
    middle
        Actual place; for a shared one, the middle of the places it covers.
    surprise
        Approximate probability of this place or better, if it is better than expected; otherwise of this or worse.
    performances
        The performances from which the odds follow.
    """

    win: Floats
    expected: Floats
    middle: Floats
    surprise: Floats
    performances: _Performances


@dataclass(frozen=True, slots=True)
class Upset:
    """An entry that finished ahead of another (both positions among the entries), and the probability of that."""

    winner: int
    loser: int
    probability: float


def odds_of(entries: Entries) -> Odds:
    """Return the odds of each entry, of which there must be at least two."""
    return _Performances(entries.model).odds(entries.rank, _last_of_tie(entries.rank))


def best_against_odds(entries: Entries, odds: Odds, most: int, *, is_better: bool) -> list[tuple[int, float]]:
    """
    Return the entries that finished better (or worse) than expected and were least likely to, with the probability.

    Only probabilities below one half are returned; their errors are below 0.001. That of an unshared first place is
    `odds.win`, because pages show both.
    """
    side = odds.middle < odds.expected if is_better else odds.middle > odds.expected
    candidates = np.flatnonzero(side & entries.is_known & (odds.surprise < 0.5))
    candidates = candidates[np.argsort(odds.surprise[candidates], kind="stable")][: most + _MORE]
    found = odds.performances.fine_surprise(candidates, entries.rank, is_better=is_better)
    if is_better and len(entries) > EXACT_FIELD and np.count_nonzero(entries.rank == 1) == 1:
        found = [
            float(odds.win[each]) if entries.rank[each] == 1 else chance
            for each, chance in zip(candidates.tolist(), found, strict=True)
        ]
    return sorted(zip(candidates.tolist(), found, strict=True), key=lambda pair: pair[1])[:most]


def upsets_of(entries: Entries, most: int, chances: ChancesToWin | None = None) -> list[Upset]:
    """
    Return the least likely pairs, as defined in the module docstring, least likely first.

    chances
        The probabilities that the first entries finish ahead of the second ones; by default those without ties.
    """
    known = np.flatnonzero(entries.is_known)
    strength = entries.strength[known]
    winners = known[:TOP]
    losers = known[np.argsort(-strength, kind="stable")][:TOP]
    first, second = (each.ravel() for each in np.meshgrid(winners, losers, indexing="ij"))
    ahead = entries.rank[first] < entries.rank[second]
    first, second = first[ahead], second[ahead]
    if not len(first):
        return []
    probability = probability_to_beat(entries.model, first, second) if chances is None else chances(first, second)
    pairs: list[Upset] = []
    listed: set[tuple[str, int]] = set()
    for each in np.argsort(probability, kind="stable").tolist():
        if probability[each] > UPSET or len(pairs) == most:
            break
        pair = Upset(int(first[each]), int(second[each]), float(probability[each]))
        sides = {("winner", pair.winner), ("loser", pair.loser)}
        if not sides & listed:
            listed |= sides
            pairs.append(pair)
    return pairs


class _Performances:
    """The performances of a field on common nodes, so that the sums over all entries are computed only once."""

    def __init__(self, model: PerformanceModel) -> None:
        self.model, self.standard = model, STANDARD[model.shape]
        low = max(self.standard.low, -_FAR)
        high = min(self.standard.high, _FAR)
        start = float((model.location + low * model.scale).min())
        stop = float((model.location + high * model.scale).max())
        count = int(np.ceil((stop - start) / (_STEP * self.standard.step * float(model.scale.min())))) + 1
        self.nodes = np.linspace(start, stop, min(max(count, 2), _MOST_NODES))
        self.size = len(model.location)
        self.rows = max(1, _AT_ONCE // len(self.nodes))
        self.log_all_below, self.ahead, self.variance = self._sums()

    def odds(self, first: Indices, last: Indices) -> Odds:
        """
        Return the odds of each entry.

        first, last
            The first and the last place that each entry took; they differ if it shared a place.
        """
        win, expected, surprise = (np.empty(self.size) for _ in range(3))
        middle = (first + last) / 2
        for part in self._parts():
            below, weights = self._below(part), self._weights(part)
            win[part] = _mean(weights, np.exp(np.minimum(self.log_all_below - _log(below), 0.0)))
            ahead = self.ahead - (1.0 - below)
            expected[part] = 1.0 + _mean(weights, ahead)
            is_better = middle[part] < expected[part]
            limit = np.where(is_better, last[part] - 0.5, first[part] - 1.5)
            deviation = np.sqrt(np.maximum(self.variance - below * (1.0 - below), 1e-12))
            up_to = _mean(weights, ndtr((limit[:, None] - ahead) / deviation))
            surprise[part] = np.where(is_better, up_to, 1.0 - up_to)
        return Odds(win, expected, middle, np.clip(surprise, 0.0, 1.0), self)

    def fine_surprise(self, positions: Indices, rank: Indices, *, is_better: bool) -> list[float]:
        """
        Return `surprise` with more precision for a few entries, all better or all worse than expected.

        In large fields, the place as a function of the performance is almost a step, which needs many nodes. The sums
        are smooth, so they are interpolated. In small fields, sums of Bernoulli variables are not normal, so they are
        computed exactly.
        """
        last = _last_of_tie(rank)[positions] if is_better else rank[positions] - 1
        limits = zip(positions.tolist(), last.tolist(), strict=True)
        return [self._place_up_to(each, limit, is_better=is_better) for each, limit in limits]

    def _place_up_to(self, position: int, limit: int, *, is_better: bool) -> float:
        location, scale = self.model.location[position], self.model.scale[position]
        nodes = np.linspace(self.nodes[0], self.nodes[-1], _FINER * (len(self.nodes) - 1) + 1)
        weights = self.standard.density((nodes - location) / scale)
        if self.size <= EXACT_FIELD:
            others = np.delete(np.arange(self.size), position)
            points = (nodes[:, None] - self.model.location[others]) / self.model.scale[others]
            ahead = 1.0 - self.standard.cumulative(points)
            up_to = np.add.reduce(sums_of_tosses(ahead)[:, :limit], axis=1)
        else:
            below = self.standard.cumulative((nodes - location) / scale)
            mean = CubicSpline(self.nodes, self.ahead)(nodes) - (1.0 - below)
            variance = CubicSpline(self.nodes, self.variance)(nodes) - below * (1.0 - below)
            up_to = ndtr((limit - 0.5 - mean) / np.sqrt(np.maximum(variance, 1e-12)))
        probability = float(np.average(up_to, weights=weights))
        return min(1.0, max(0.0, probability if is_better else 1.0 - probability))

    def _sums(self) -> tuple[Floats, Floats, Floats]:
        """Return sums over the entries at each node: ln P(below), P(ahead), and the variances of being ahead."""
        log_below, ahead, variance = (np.zeros(len(self.nodes)) for _ in range(3))
        for part in self._parts():
            below = self._below(part)
            log_below += np.add.reduce(_log(below), axis=0)
            ahead += np.add.reduce(1.0 - below, axis=0)
            variance += np.add.reduce(below * (1.0 - below), axis=0)
        return log_below, ahead, variance

    def _parts(self) -> list[slice]:
        return [slice(begin, begin + self.rows) for begin in range(0, self.size, self.rows)]

    def _points(self, part: slice) -> Floats:
        points: Floats = (self.nodes - self.model.location[part, None]) / self.model.scale[part, None]
        return points

    def _below(self, part: slice) -> Floats:
        return self.standard.cumulative(self._points(part))

    def _weights(self, part: slice) -> Floats:
        density = self.standard.density(self._points(part))
        weights: Floats = density / np.add.reduce(density, axis=1, keepdims=True)
        return weights


def _mean(weights: Floats, values: Floats) -> Floats:
    means: Floats = np.einsum("ig,ig->i", weights, values)
    return means


def _last_of_tie(rank: Indices) -> Indices:
    """Return the last of the places that each entry shares; `rank` must not decrease."""
    in_order = np.sort(rank)
    return np.searchsorted(in_order, rank, side="right")


def _log(probability: Floats) -> Floats:
    logarithm: Floats = np.log(np.maximum(probability, 1e-300))
    return logarithm
