"""The performance of each place in one contest, from logistic beliefs.

Elo-MMR paper, algorithm 3, first phase. With D_j(p) = 1 / (1 + exp((p - mu_j) / scale_j)) and weights
c_j = 1 / scale_j the equation of a tie group g becomes

    F(p) + F_g(p) = B_g + C_g            F = sum_j c_j D_j over all, F_g over the group

where C_g is the weight of the group and B_g that of all better groups. In this form nothing cancels for
the winner of a large field. With ``split_ties`` it is F(p) = B_g + C_g / 2.
"""

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.contest import Contest
from ratings.systems.numerics.distinct import Distinct, stable_argsort
from ratings.systems.numerics.interpolation import HermiteTable
from ratings.systems.numerics.kernels import LogisticSum, falling_curves
from ratings.systems.numerics.roots import find_roots
from ratings.systems.system import sums_ahead

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

# Up to this many pairs of a group and a distinct curve all pairs are cheaper than a table.
_ALL_PAIRS = 6_000
_LEAST_MAX_KNOTS = 4_096
# As a fraction of the smallest scale; the last step leaves the cube of it.
_TOLERANCE = 1e-4
# The same limits where one player's places are asked for, not all groups of a contest.
_ALL_PAIRS_BY_PLACE = 100_000
_MOST_KNOTS_BY_PLACE = 16_384


def logistic_performances(contest: Contest, mu: Floats, scale: Floats, *, split_ties: bool) -> Floats:
    """Return the performance of each row of a contest, in rating points, shape (n,).

    mu, scale
        Centre and logistic scale (deviation * sqrt(3) / pi) of each row's expected performance,
        shape (n,), aligned with ``contest.players``.

    Sums run in the order of (mu, scale), so the order of the rows changes no bits.
    """
    players = Distinct(mu, scale)
    # One curve for all players alike (newcomers are many), weighted by their number.
    field = LogisticSum(players.centre, players.width, players.number / players.width)
    by_group = players.order[stable_argsort(contest.group[players.order], len(contest.group_sizes))]
    groups = _Groups(contest, mu[by_group], scale[by_group], split_ties)
    performance = np.empty_like(mu)
    performance[by_group] = np.repeat(groups.solve(field), contest.group_sizes)
    return performance


class _Groups:
    """The equations of all tie groups, rows sorted by group and within it canonically."""

    def __init__(self, contest: Contest, mu: Floats, scale: Floats, split_ties: bool) -> None:
        self.sizes = contest.group_sizes
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.mu, self.steepness = mu, 1.0 / scale
        self.square = self.steepness * self.steepness
        self.cube = self.square * self.steepness
        self.weight = np.add.reduceat(self.steepness, self.starts)
        self.better = np.cumsum(self.weight) - self.weight
        self.share = 0.5 if split_ties else 1.0
        self.least_scale = float(scale.min())

    def solve(self, field: LogisticSum) -> Floats:
        """Performance of each group, shape (number of groups,)."""
        n_groups = len(self.sizes)
        middle = self.better + 0.5 * self.weight
        # Half the weight of the outermost groups: their equations hold further in.
        low, high = 0.5 * float(self.weight[0]), float(self.better[-1] + 0.5 * self.weight[-1])
        table = None
        if n_groups * len(field.centres) > _ALL_PAIRS:
            table = field.tabulate(low, high, max(_LEAST_MAX_KNOTS, 8 * n_groups))
        if table is None:
            lower, upper = self._brackets(field)
            start = _normal_quantiles(field, middle)
            return self._roots(field, lower, upper, start)
        ends = np.full(n_groups, table.first), np.full(n_groups, table.last)
        return self._roots(table, *ends, table.inverse(middle))

    def _roots(self, field: LogisticSum | HermiteTable, lower: Floats, upper: Floats, start: Floats) -> Floats:
        target = self.better + self.share * self.weight

        def equations(points: Floats) -> tuple[Floats, Floats, Floats]:
            value, slope, curvature = field(points)
            if self.share == 1.0:
                own = self._own(points)
                return target - value - own[0], -slope - own[1], -curvature - own[2]
            return target - value, -slope, -curvature

        return find_roots(equations, lower, upper, start, tolerance=_TOLERANCE * self.least_scale)

    def _own(self, points: Floats) -> tuple[Floats, Floats, Floats]:
        """Return what the members of each group add to the sum over the field, and its derivatives."""
        exponent = np.repeat(points, self.sizes)
        exponent -= self.mu
        exponent *= self.steepness
        curve, product, bend = falling_curves(exponent)
        curve *= self.steepness
        product *= self.square
        bend *= self.cube
        sums = [np.add.reduceat(terms, self.starts) for terms in (curve, product, bend)]
        return sums[0], -sums[1], sums[2]

    def _brackets(self, field: LogisticSum) -> tuple[Floats, Floats]:
        reach = float(field.scales.max()) * (2.0 + math.log(float(field.amplitudes.sum() / self.weight.min())))
        ones = np.ones(len(self.sizes))
        return ones * (field.centres[0] - reach), ones * (field.centres[-1] + reach)


def _normal_quantiles(field: LogisticSum, targets: Floats) -> Floats:
    """Return where a single logistic curve with the field's mean and variance takes the targets: first guesses."""
    total = np.add.reduce(field.amplitudes)
    mean = np.add.reduce(field.amplitudes * field.centres) / total
    distance = field.centres - mean
    spread = field.scales * field.scales + (3.0 / math.pi**2) * distance * distance
    scale = np.sqrt(np.add.reduce(field.amplitudes * spread) / total)
    share = np.clip(targets / total, 1e-15, 1.0 - 1e-15)
    quantiles: Floats = mean + scale * np.log((1.0 - share) / share)
    return quantiles


def performances_by_place(mu: Floats, scale: Floats, *, split_ties: bool) -> Callable[[Indices], Floats]:
    """Return a function from places, from 1, to the performance of the player in row 0 at each of them.

    mu, scale
        As in ``logistic_performances``; the others in the order of finish, best first. Each is a group alone.
    """
    field, own = _LogisticField(mu, scale), 1.0 / float(scale[0])
    share = 0.5 if split_ties else 1.0
    targets = sums_ahead(1.0 / scale) + share * own

    def performances(places: Indices) -> Floats:
        return field.roots(targets[places - 1], float(mu[0]), own if share == 1.0 else 0.0)

    return performances


class _LogisticField:
    """The sum of all participants' falling curves, tabulated once many values are asked for."""

    def __init__(self, mu: Floats, scale: Floats) -> None:
        players = Distinct(mu, scale)
        self.sum = LogisticSum(players.centre, players.width, players.number / players.width)
        self.least, self.own = float(scale.min()), 1.0 / float(scale[0])
        self.total = float(np.add.reduce(self.sum.amplitudes))
        reach = float(scale.max()) * (2.0 + math.log(self.total / float(self.sum.amplitudes.min())))
        self.ends = float(players.centre[0]) - reach, float(players.centre[-1]) + reach
        self.table: HermiteTable | None = None
        self.asked = 0

    def roots(self, target: Floats, mu: float, own: float) -> Floats:
        """Return where the sum, and the player's own curve once more with this amplitude, takes the targets."""
        self.asked += len(target) * len(self.sum.centres)
        if self.table is None and self.asked > _ALL_PAIRS_BY_PLACE:
            self.table = self.sum.tabulate(0.25 * self.own, self.total - 0.25 * self.own, _MOST_KNOTS_BY_PLACE)
        curve = self.sum if not isinstance(self.table, HermiteTable) else self.table
        first, last = (self.table.first, self.table.last) if self.table is not None else self.ends
        steepness = self.own

        def equations(points: Floats) -> tuple[Floats, Floats, Floats]:
            value, slope, bend = curve(points)
            once, product, second = falling_curves((points - mu) * steepness)
            value = target - value - own * once
            return value, own * steepness * product - slope, -bend - own * steepness * steepness * second

        start = self.table.inverse(target) if self.table is not None else np.full(len(target), mu)
        lower, upper = np.full(len(target), first), np.full(len(target), last)
        return find_roots(equations, lower, upper, start, tolerance=_TOLERANCE * self.least)
