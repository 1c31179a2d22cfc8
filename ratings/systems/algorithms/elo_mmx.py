"""Elo-MMX, the Gaussian variant of Elo-MMR.

Ebtekar and Liu, "Elo-MMR: A Rating System for Massive Multiplayer Competitions", sections 3 and 4. With
V(t) = phi(t) / Phi(t) and z_j = (p - mu_j) / delta_j the performance of a tie group is the zero of the falling

    H(p) = sum over worse of V(z_j) / delta_j - sum over better of V(-z_j) / delta_j - sum over own of z_j / delta_j

and with ``split_ties`` the group's own terms are (V(z_j) - V(-z_j)) / (2 delta_j). Each group sums over other rows, but
at one point p the sums of all groups are running sums along the places. Zeros fall from place to place, so the zeros
between two points belong to consecutive places. Points are therefore inserted between points until any two neighbours
are so close that one polynomial of degree nine, from H and four derivatives at both, approximates the H of every group
between them. This takes some forty points for a whole contest.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from ratings.systems.algorithms import elo_mmr_duel
from ratings.systems.algorithms.elo_mmr import LOGISTIC_SCALE, Diffused, EloMMRParameters
from ratings.systems.contest import Contest, Entrants, RoundChanges
from ratings.systems.declarations import COMPARED, MEAN_WITH_PERFORMANCE, Description, gettext_noop, rating_system
from ratings.systems.duel import Duel
from ratings.systems.numerics.roots import find_roots
from ratings.systems.numerics.truncation import above
from ratings.systems.performance_model import PerformanceModel
from ratings.systems.sides import Sides
from ratings.systems.situation import Situation, Surprises

Floats: TypeAlias = NDArray[np.float64]

# Up to this many pairs of a group and a player, summing all pairs is cheaper than running sums.
_ALL_PAIRS = 10_000
# The last step, relative to the smallest deviation; the remaining error is of the order of its cube.
_TOLERANCE = 1e-4
# H and its derivatives up to the fourth, each divided by the factorial.
_TERMS = 5
# V has no poles within 2.8 deviations of the real axis. Around a real point far from zero, it has none within 0.7 times
# the distance from zero. So for every player, a cell may be as wide as the first of these shares of the deviation, or
# as the second share of the distance.
_CELL, _FAR_CELL = 0.4, 0.2
# The largest effect of the ninth degree on a root, relative to the smallest deviation; for the eighth, ten times that.
# The omitted tenth degree has a far smaller effect. Two degrees are checked, because one may vanish by chance.
_LAST_TERM = 1e-10
# The greatest value of u^5 (1 - u)^4 in a cell from 0 to 1.
_LAST_TERM_HEIGHT = 5**5 * 4**4 / 9**9
_ROWS_AT_ONCE = 4_096


@rating_system
class EloMMX(EloMMRParameters):
    """Elo-MM(chi): Gaussian performances and beliefs, no memory. An extreme result moves a rating without bound."""

    name: ClassVar[str] = "elo-mmx"
    list_order: ClassVar[int] = 30
    description: ClassVar[Description] = Description(
        title="Elo-MMX",
        in_words=gettext_noop("Elo-MMX"),
        good_for=gettext_noop(
            "For contests with many players whose performances roughly follow a bell curve. One unusual result "
            "can change a rating a lot."
        ),
        how=COMPARED,
        adds_up=MEAN_WITH_PERFORMANCE,
    )
    max_rated_places: ClassVar[int] = 98

    def performance_model(self, mu: Floats, sigma: Floats) -> PerformanceModel:
        """Return normal performances around beliefs after the drift, for a contest of weight 1 without idle days."""
        logistic = EloMMRParameters.performance_model(self, mu, sigma)
        return PerformanceModel("normal", mu, logistic.scale / LOGISTIC_SCALE)

    def performance_share(self, situation: Situation) -> float:
        """Return the weight of the performance in the new rating."""
        belief, row = Diffused(self, situation.entrants), situation.row
        return float(belief.variance[row] / (belief.variance[row] + belief.noise[row]))

    def surprises(self, situation: Situation) -> Surprises:
        """Return the terms of the performance equation of Elo-MMX (docs/rating-systems.md)."""
        belief = Diffused(self, situation.entrants)
        sides = Sides.of(situation.contest, belief.strength, np.sqrt(belief.variance + belief.noise))
        deviation = sides.spread
        z = (sides.mu[situation.own] - sides.mu) / deviation
        won, won_excess, _ = above(z)
        lost, lost_excess, _ = above(-z)
        score = situation.score
        terms = score * won - (1.0 - score) * lost
        slopes = score * won * won_excess + (1.0 - score) * lost * lost_excess
        if not self.split_ties:
            tied = score == 0.5
            terms, slopes = np.where(tied, -z, terms), np.where(tied, 1.0, slopes)
        return Surprises(terms / deviation, 1.0 / float(np.add.reduce(slopes / (deviation * deviation))))

    def _rate(self, entrants: Entrants) -> RoundChanges:
        belief = Diffused(self, entrants)
        deviation = np.sqrt(belief.variance + belief.noise)
        sides = Sides.of(entrants.contest, belief.strength, deviation)
        of_sides = gaussian_performances(sides.contest, sides.mu, sides.spread, split_ties=self.split_ties)
        performance = sides.for_members(of_sides, belief.mu, deviation)
        gain = belief.variance / (belief.variance + belief.noise)
        mu = belief.mu + gain * (performance - belief.mu)
        return entrants.conclude(mu, np.sqrt(belief.posterior_variance), performance)

    def _rate_duel(self, duel: Duel) -> RoundChanges:
        beliefs = self.diffused_one(duel, 0), self.diffused_one(duel, 1)
        performance = elo_mmr_duel.gaussian_performances(duel, *beliefs, split_ties=self.split_ties)
        one, other = (
            belief.mu + belief.variance / (belief.variance + belief.noise) * (result - belief.mu)
            for belief, result in zip(beliefs, performance, strict=True)
        )
        return duel.conclude((one, other), elo_mmr_duel.deviations(*beliefs), performance)


def gaussian_performances(contest: Contest, mu: Floats, deviation: Floats, *, split_ties: bool) -> Floats:
    """Return the performance of each row of a contest, in rating points, shape (n,).

    mu, deviation
        Mean and deviation of each row's expected performance, shape (n,), aligned with ``contest.players``.

    Sums run in the order of (place, mu, deviation), so the order of the rows changes no bits.
    """
    order = np.lexsort((deviation, mu, contest.group))
    field = _Field(mu[order], deviation[order], contest.group_sizes, split_ties)
    few = len(contest.group_sizes) * len(mu) <= _ALL_PAIRS
    performance = np.empty_like(mu)
    performance[order] = np.repeat(_by_pairs(field) if few else _by_cells(field), contest.group_sizes)
    return performance


def _tail_series(t: Floats) -> list[Floats]:
    """Return V and its first four derivatives at t."""
    shift, excess, rest = above(t)
    first = -shift * excess
    second = -(first * excess + shift * rest)
    third = -(second * excess + 2.0 * first * rest + shift * second)
    fourth = -(third * excess + 3.0 * (second * rest + first * second) + shift * third)
    return [shift, first, second, third, fourth]


class _Field:
    """The participants, best places first, and the equations of their tie groups."""

    def __init__(self, mu: Floats, deviation: Floats, sizes: NDArray[np.int64], split_ties: bool) -> None:
        self.mu, self.deviation, self.steepness = mu, deviation, 1.0 / deviation
        self.ends = np.cumsum(sizes)
        self.starts = self.ends - sizes
        self.split_ties = split_ties
        self.least, self.largest = float(deviation.min()), float(deviation.max())

    def bounds(self) -> tuple[float, float]:
        """Return points between which all performances lie."""
        # At these points the pull of a group's own rows exceeds that of all others.
        reach = 2.0 + math.sqrt(2.0 * (math.log(len(self.mu)) + math.log(self.largest) - math.log(self.least) + 2.0))
        return float(self.mu.min()) - reach * self.largest, float(self.mu.max()) + reach * self.largest

    def series(self, point: float, first: int, last: int) -> Floats:
        """Return Taylor coefficients of H at a point for a range of groups, shape (_TERMS, last - first)."""
        starts, ends = self.starts[first:last], self.ends[first:last]
        begin, end = int(starts[0]), int(ends[-1])
        better = self._running_sums(point, 0, begin, end, worse=False)
        worse = self._running_sums(point, len(self.mu), end, begin, worse=True)
        # worse[:, k] is the sum over all rows except the first begin + k.
        if self.split_ties:
            halves = (
                better[:, starts - begin] + better[:, ends - begin],
                worse[:, starts - begin] + worse[:, ends - begin],
            )
            return 0.5 * (halves[0] + halves[1])
        series = better[:, starts - begin] + worse[:, ends - begin]
        steepness = self.steepness[begin:end]
        own = (point - self.mu[begin:end]) * steepness
        own *= steepness
        series[0] -= np.add.reduceat(own, starts - begin)
        series[1] -= np.add.reduceat(steepness * steepness, starts - begin)
        return series

    def _running_sums(self, point: float, outer: int, near: int, far: int, *, worse: bool) -> Floats:
        """Return sums of all rows from ``outer`` to each place between ``near`` and ``far``, in ascending order."""
        sums = np.empty((_TERMS, abs(far - near) + 1))
        sums[:, 0] = 0.0
        step = -1 if worse else 1
        for begin in range(0, abs(near - outer), _ROWS_AT_ONCE):
            rows = self._rows(outer, near, begin)
            sums[:, 0] += np.add.reduce(self._terms(point, rows, worse), axis=1)
        for begin in range(0, abs(far - near), _ROWS_AT_ONCE):
            rows = self._rows(near, far, begin)
            terms = self._terms(point, rows, worse)[:, ::step]
            sums[:, begin + 1 : begin + 1 + terms.shape[1]] = terms
        np.cumsum(sums, axis=1, out=sums)
        return sums[:, ::step]

    @staticmethod
    def _rows(start: int, stop: int, begin: int) -> slice:
        """Return the next rows on the way from one place to another, after the first ``begin`` rows."""
        if start <= stop:
            return slice(start + begin, min(start + begin + _ROWS_AT_ONCE, stop))
        return slice(max(start - begin - _ROWS_AT_ONCE, stop), start - begin)

    def _terms(self, point: float, rows: slice, worse: bool) -> Floats:
        """Return the rows' terms in H of a worse or better group, as Taylor coefficients."""
        steepness = self.steepness[rows] if worse else -self.steepness[rows]
        series = _tail_series((point - self.mu[rows]) * steepness)
        terms = np.empty((_TERMS, len(steepness)))
        factor = steepness
        for degree, derivative in enumerate(series):
            np.multiply(derivative, factor, out=terms[degree])
            factor = factor * steepness * (1.0 / (degree + 1))
        return terms

    def at_pairs(self, points: Floats) -> tuple[Floats, Floats, Floats]:
        """Return -H of each group at its own point, and its first and second derivatives; costs all pairs."""
        rows = np.arange(len(self.mu))
        better, worse = rows < self.starts[:, None], rows >= self.ends[:, None]
        own = ~(better | worse)
        position = (points[:, None] - self.mu) * self.steepness
        side = np.where(better, -1.0, 1.0)
        if self.split_ties:
            terms = _signed(position, side)
            both = _signed(position[own], side[own]), _signed(position[own], -side[own])
            for term, one, other in zip(terms, *both, strict=True):
                term[own] = 0.5 * (one + other)
        else:
            terms = _signed(position, side)
            terms[0][own], terms[1][own], terms[2][own] = -position[own], -1.0, 0.0
        factor = self.steepness
        sums = []
        for term in terms:
            sums.append(-np.add.reduce(term * factor, axis=1))
            factor = factor * self.steepness
        return sums[0], sums[1], sums[2]


def _signed(position: Floats, side: Floats) -> tuple[Floats, Floats, Floats]:
    """Return s V(s z) and its derivatives with respect to z."""
    shift, excess, rest = above(position * side)
    first = -shift * excess
    return side * shift, first, -side * (first * excess + shift * rest)


def _by_pairs(field: _Field) -> Floats:
    size = len(field.mu)
    low, high = field.bounds()
    mean = np.add.reduce(field.mu) / size
    distance = field.mu - mean
    spread = math.sqrt(np.add.reduce(distance * distance + field.deviation * field.deviation) / size)
    start = mean - spread * ndtri((field.starts + field.ends) / (2.0 * size))
    ends = np.full_like(start, low), np.full_like(start, high)
    return find_roots(field.at_pairs, *ends, start, tolerance=_TOLERANCE * field.least)


@dataclass(slots=True, eq=False)
class _Cell:
    """Two points, the groups whose performances lie between them, and the groups' series at both points."""

    low: float
    high: float
    first: int
    last: int
    at_low: Floats
    at_high: Floats


def _by_cells(field: _Field) -> Floats:
    n_groups = len(field.starts)
    low, high = field.bounds()
    # Repeated halving then reaches the widest cells that can suffice.
    narrowest = _CELL * field.least
    high = low + narrowest * 2.0 ** max(0, math.ceil(math.log2((high - low) / narrowest)))
    waiting = [_Cell(low, high, 0, n_groups, field.series(low, 0, n_groups), field.series(high, 0, n_groups))]
    lows, widths = np.empty(n_groups), np.empty(n_groups)
    polynomials = np.empty((2 * _TERMS, n_groups))
    while waiting:
        cell = waiting.pop()
        width = cell.high - cell.low
        coefficients = _polynomials(field, cell, narrowest)
        if coefficients is None:
            waiting += _halves(field, cell)
            continue
        groups = slice(cell.first, cell.last)
        lows[groups], widths[groups], polynomials[:, groups] = cell.low, width, coefficients

    def equations(points: Floats) -> tuple[Floats, Floats, Floats]:
        value, slope, bend = _evaluate(polynomials, points)
        return -value, -slope, -bend

    start = polynomials[0] / (polynomials[0] - _evaluate(polynomials, np.ones(n_groups))[0])
    tolerance = _TOLERANCE * np.minimum(1.0, field.least / widths)
    return lows + widths * find_roots(equations, np.zeros(n_groups), np.ones(n_groups), start, tolerance=tolerance)


def _halves(field: _Field, cell: _Cell) -> list[_Cell]:
    """Return the halves of a cell that contain performances."""
    middle = 0.5 * (cell.low + cell.high)
    series = field.series(middle, cell.first, cell.last)
    above_middle = int(np.count_nonzero(series[0] > 0.0))
    border = cell.first + above_middle
    upper, lower = slice(0, above_middle), slice(above_middle, None)
    halves = []
    if above_middle:
        halves.append(_Cell(middle, cell.high, cell.first, border, series[:, upper], cell.at_high[:, upper]))
    if border < cell.last:
        halves.append(_Cell(cell.low, middle, border, cell.last, cell.at_low[:, lower], series[:, lower]))
    return halves


def _polynomials(field: _Field, cell: _Cell, narrowest: float) -> Floats | None:
    """Return the polynomials for the groups of a cell; None if the cell is too wide for them."""
    width = cell.high - cell.low
    finest = width <= 1e-3 * narrowest or not cell.low < 0.5 * (cell.low + cell.high) < cell.high
    if not finest and width > narrowest:
        distance = np.maximum(cell.low - field.mu, field.mu - cell.high)
        if (width > np.maximum(_CELL * field.deviation, _FAR_CELL * distance)).any():
            return None
    scale = width ** np.arange(_TERMS)[:, None]
    coefficients = _two_point_hermite(cell.at_low * scale, cell.at_high * scale)
    slope = np.abs(coefficients[0] - cell.at_high[0])
    last_terms = np.maximum(np.abs(coefficients[-1]), 0.1 * np.abs(coefficients[-2])) * _LAST_TERM_HEIGHT
    if not finest and (last_terms * width > _LAST_TERM * field.least * slope).any():
        return None
    return coefficients


def _two_point_hermite(left: Floats, right: Floats) -> Floats:
    """Return Newton's coefficients of the polynomials with these Taylor coefficients at 0 and at 1.

    left, right
        Shape (m, k). The result, shape (2 m, k), is for 1, u, ... u^m, u^m (u - 1), ... u^m (u - 1)^(m - 1).
    """
    terms = len(left)
    coefficients = np.empty((2 * terms, left.shape[1]))
    coefficients[0] = left[0]
    differences = [left[0]] * terms + [right[0]] * terms
    for order in range(1, 2 * terms):
        following = []
        for begin in range(2 * terms - order):
            if begin + order < terms:
                following.append(left[order])
            elif begin >= terms:
                following.append(right[order])
            else:
                following.append(differences[begin + 1] - differences[begin])
        differences = following
        coefficients[order] = differences[0]
    return coefficients


def _evaluate(coefficients: Floats, points: Floats) -> tuple[Floats, Floats, Floats]:
    """Return values and two derivatives of each polynomial of ``_two_point_hermite`` at its own point; shape (k,)."""
    terms = len(coefficients) // 2
    value, slope, half_bend = coefficients[-1].copy(), np.zeros_like(points), np.zeros_like(points)
    for degree in range(2 * terms - 2, -1, -1):
        factor = points if degree < terms else points - 1.0
        half_bend = half_bend * factor + slope
        slope = slope * factor + value
        value = value * factor + coefficients[degree]
    return value, slope, 2.0 * half_bend
