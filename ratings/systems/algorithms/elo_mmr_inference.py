"""The inference of Elo-MMR for many players at once: drift, performances and new means.

Elo-MMR paper, algorithms 2 and 3. In the first phase of algorithm 3 every tie group of a contest gets a performance.
With D_j(p) = 1 / (1 + exp((p - mu_j) / scale_j)) and weights c_j = 1 / scale_j the equation of a group g becomes

    F(p) + F_g(p) = B_g + C_g            F = sum_j c_j D_j over all, F_g over the group

where C_g is the weight of the group and B_g that of all better groups. In this form nothing cancels for the winner of
a large field. With ``split_ties`` the equation is F(p) = B_g + C_g / 2.

In the second phase the performance joins the player's belief, which is a Gaussian times logistic factors. The new mean
is the zero of the increasing

    w (x - c) + d * sum_k a_k tanh((x - p_k) i_k / 2)

with the Gaussian's weight w and centre c, the decay d common to all factors of the player, and for each factor its
centre p_k, steepness i_k = pi / (sqrt(3) beta_k) and amplitude a_k (i_k times the reciprocal of the decay at the time
of the contest), as in ``beliefs``.
"""

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.beliefs import AMPLITUDE, CENTRE, STEEPNESS, Memory
from ratings.systems.contest import Contest
from ratings.systems.numerics.logistic_sums import DistinctPlayers, LogisticSum, falling_curves
from ratings.systems.numerics.pair_sums import HermiteTable
from ratings.systems.numerics.roots import find_roots
from ratings.systems.system import sums_ahead

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

# A logistic of deviation 1 has this steepness.
UNIT_STEEPNESS = math.pi / math.sqrt(3.0)
# The weight of a factor is its amplitude times its steepness, divided by this.
WEIGHT = UNIT_STEEPNESS * UNIT_STEEPNESS
# The last step, relative to the posterior deviation; the remaining error is of the order of its cube.
MEAN_TOLERANCE = 3e-4
_MEAN_TOLERANCE_BY_PLACE = 1e-4
# A factor is folded into the Gaussian if this moves the mean by at most this many rating points per point of sig,
# times the share that one contest forgets. All folds together then stay below 1e-6 points.
FOLD_TOLERANCE = 1e-8
FOLD_FROM, FOLD_EVERY = 32, 8
LEAST_DECAY, RENORMALIZE_BELOW = 1e-200, 1e-30
# Up to this many pairs of a group and a distinct curve, summing all pairs is cheaper than a table.
_ALL_PAIRS = 6_000
_LEAST_MAX_KNOTS = 4_096
# Relative to the smallest scale; after the last step the error is about its cube.
PERFORMANCE_TOLERANCE = 1e-4
# The same limits for the places of one player, instead of all groups of a contest.
_ALL_PAIRS_BY_PLACE = 100_000
_MOST_KNOTS_BY_PLACE = 16_384


def diffuse(
    memory: Memory, players: Indices, mu: Floats, variance: Floats, drift: Floats, transfer_speed: float
) -> None:
    """Apply the drift of skills since the players' last contest: the pseudodiffusion of algorithm 2.

    mu, variance
        Mean and variance of the beliefs before it, shape (n,): rating points and their square.
    drift
        Variance to be added (gamma squared), shape (n,).
    transfer_speed
        The paper's rho: the speed at which logistic factors merge into the Gaussian, relative to their decay.

    The mean of each belief is unchanged; its variance grows by ``drift``.
    """
    log_growth = np.log1p(drift / variance)
    kept = np.exp(-transfer_speed * log_growth)
    # 1 / variance is the weight of all factors together.
    transferred = -np.expm1(-transfer_speed * log_growth) / variance
    total = kept * memory.weight[players] + transferred
    shrink = variance / (variance + drift)
    centre = memory.centre[players]
    pull = transferred / np.where(total > 0, total, 1.0)
    memory.centre[players] = centre + pull * (mu - centre)
    memory.weight[players] = shrink * total
    memory.decay[players] *= shrink * kept


def logistic_means(
    memory: Memory, players: Indices, mu: Floats, performance: Floats, noise: Floats, variance: Floats
) -> Floats:
    """Add a contest's performances to the memory of its players and return their new means, shape (n,).

    mu, performance, noise, variance
        Mean before, new performance and its variance, variance of the new belief; shape (n,), rating
        points or their square. The memory is the one after diffusion, so ``mu`` is still its mean, and
        the new mean lies between ``mu`` and ``performance``.
    """
    steepness = UNIT_STEEPNESS / np.sqrt(noise)
    decay = np.maximum(memory.decay[players], LEAST_DECAY)
    memory.decay[players] = decay
    memory.factors.append(players, np.array([performance, steepness / decay, steepness]))
    start = mu + variance * steepness * np.tanh(0.5 * steepness * (performance - mu))
    lower, upper = np.minimum(mu, performance), np.maximum(mu, performance)
    posterior = _Posteriors(memory, players)
    tolerance = MEAN_TOLERANCE * np.sqrt(variance)
    return find_roots(posterior, lower, upper, start, tolerance=tolerance, narrow=posterior.only)


class _Posteriors:
    """The derivatives of the log-likelihoods of some players' skills, with the sign that makes them increase."""

    def __init__(self, memory: Memory, players: Indices) -> None:
        self.memory, self.players = memory, players
        self.weight, self.centre = memory.weight[players], memory.centre[players]
        self.twice_decay = 2.0 * memory.decay[players]
        positions, self.rectangles = zip(*memory.factors.rectangles(players), strict=True)
        self.order = np.concatenate(positions)
        self.back = np.argsort(self.order)
        self.buffers = np.empty((3, max(factors[0].size for factors in self.rectangles)))
        self.sums = np.empty((3, len(players)))
        self.half_totals = 0.5 * np.concatenate([_column_sums(each[AMPLITUDE]) for each in self.rectangles])[self.back]

    def only(self, rows: Indices) -> "_Posteriors":
        """Return the equations of some of the players."""
        return _Posteriors(self.memory, self.players[rows])

    def __call__(self, points: Floats) -> tuple[Floats, Floats, Floats]:
        end, in_order = 0, points[self.order]
        for factors in self.rectangles:
            begin, end = end, end + factors.shape[2]
            sum_factors(in_order[begin:end], factors, self.buffers, self.sums[:, begin:end])
        falling, slope, bend = self.sums[:, self.back]
        value = self.weight * (points - self.centre) + self.twice_decay * (self.half_totals - falling)
        return value, self.weight + self.twice_decay * slope, -self.twice_decay * bend


def sum_factors(points: Floats, factors: Floats, buffers: Floats, sums: Floats) -> None:
    """Write sums of a D, a i D (1 - D) and a i^2 D (1 - D) (1 - 2 D) over each player's factors into ``sums``.

    points
        The points of D = 1 / (1 + exp((point - centre) i)), shape (n,).
    factors
        Shape (FIELDS, width, n), with zeros at the end of shorter rows.
    buffers
        Working memory, shape (3, at least width * n).
    sums
        Shape (3, n); overwritten.
    """
    centres, amplitudes, steepness = factors
    curve, rest, terms = buffers[:, : centres.size].reshape(3, *centres.shape)
    np.subtract(points, centres, out=curve)
    curve *= steepness
    with np.errstate(over="ignore"):
        np.exp(curve, out=curve)
    curve += 1.0
    np.divide(1.0, curve, out=curve)  # division is vectorised, np.reciprocal is not
    np.subtract(1.0, curve, out=rest)
    np.multiply(curve, amplitudes, out=terms)
    sums[0] = _column_sums(terms)
    terms *= rest
    terms *= steepness
    sums[1] = _column_sums(terms)
    rest -= curve
    terms *= rest
    terms *= steepness
    sums[2] = _column_sums(terms)


def _column_sums(terms: Floats) -> Floats:
    """Return sums along the first axis, each column from top to bottom, so that zeros at the end change no bits."""
    # NumPy would sum a single column pairwise.
    columns = np.repeat(terms, 2, axis=1) if terms.shape[1] == 1 else terms
    sums: Floats = np.add.reduce(columns, axis=0)
    return sums[: terms.shape[1]]


def forget(memory: Memory, players: Indices, mu: Floats, variance: Floats, lost: Floats) -> None:
    """Fold the oldest factors without a noticeable effect into the Gaussian, and rescale decays to 1.

    mu, variance
        Mean and variance of the new beliefs, shape (n,): rating points and their square.
    lost
        Share of all weight that the last diffusion removed, shape (n,).

    When this happens depends only on a player's own memory, never on its location or on other players.
    """
    length, decay = memory.factors.length[players], memory.decay[players]
    due = (length >= FOLD_FROM) & (length % FOLD_EVERY == 0) | (decay < RENORMALIZE_BELOW)
    for rows, factors in memory.factors.rectangles(players[due]):
        each = np.flatnonzero(due)[rows]
        _fold(memory, players[each], factors, mu[each], variance[each], lost[each])


def _fold(memory: Memory, players: Indices, factors: Floats, mu: Floats, variance: Floats, lost: Floats) -> None:
    factors[AMPLITUDE] *= memory.decay[players]
    weight = factors[AMPLITUDE] * factors[STEEPNESS] / WEIGHT
    length = memory.factors.length[players]
    present = np.arange(factors.shape[1])[:, None] < length
    noise_deviation = UNIT_STEEPNESS / np.where(present, factors[STEEPNESS], 1.0)
    effect = weight * (np.abs(mu - factors[CENTRE]) + 3.0 * noise_deviation) * variance
    folded = np.logical_and.accumulate((effect <= FOLD_TOLERANCE * lost) & present, axis=0)
    weight = np.where(folded, weight, 0.0)
    distance = weight * (factors[CENTRE] - memory.centre[players])
    memory.weight[players] += _column_sums(weight)
    memory.centre[players] += _column_sums(distance) / memory.weight[players]
    memory.decay[players] = 1.0
    number = np.count_nonzero(folded, axis=0)
    source = np.arange(factors.shape[1])[:, None] + number
    inside = source < factors.shape[1]
    moved = np.take_along_axis(factors, np.minimum(source, factors.shape[1] - 1)[None], axis=1)
    memory.factors.replace(players, np.where(inside, moved, 0.0), length - number)


def gaussian_and_logistic_mean(mu: Floats, gaussian: Floats, performance: Floats, noise: Floats) -> Floats:
    """Return the mean of a Gaussian (mu, variance ``gaussian``) times one logistic (performance, variance ``noise``).

    All arrays have shape (n,) and are in rating points or their square.
    """
    steepness = UNIT_STEEPNESS / np.sqrt(noise)
    weight = 1.0 / gaussian

    def equations(points: Floats) -> tuple[Floats, Floats, Floats]:
        curve, product, bend = falling_curves((points - performance) * steepness)
        value = weight * (points - mu) + steepness * (1.0 - 2.0 * curve)
        return value, weight + 2.0 * steepness**2 * product, -2.0 * steepness**3 * bend

    variance = 1.0 / (weight + 1.0 / noise)
    start = mu + variance * steepness * np.tanh(0.5 * steepness * (performance - mu))
    lower, upper = np.minimum(mu, performance), np.maximum(mu, performance)
    return find_roots(equations, lower, upper, start, tolerance=MEAN_TOLERANCE * np.sqrt(variance))


def copy_of(memory: Memory, player: int) -> Memory:
    """Return the memory of one player as that of player 0."""
    rows = memory.factors.rows(player)
    own = Memory(np.zeros(1), np.ones(1))
    for mine, column in zip(own.columns(), memory.columns(), strict=True):
        mine[0] = column[player]
    own.factors.replace(np.zeros(1, dtype=np.int64), rows[:, :, None].copy(), np.array([rows.shape[1]]))
    return own


def means_of(memory: Memory, mu: float, noise: float, variance: float) -> Callable[[Floats], Floats]:
    """Return a function from performances of player 0 to the new mean after each, as in ``logistic_means``.

    mu, noise, variance
        As in ``logistic_means``. The memory is the one after diffusion.
    """
    factors = memory.factors.rows(0)
    centres, amplitudes, steepness = factors[CENTRE], memory.decay[0] * factors[AMPLITUDE], factors[STEEPNESS]
    weight, centre = float(memory.weight[0]), float(memory.centre[0])
    newest = math.pi / math.sqrt(3.0 * noise)

    def means(performance: Floats) -> Floats:
        def equations(points: Floats) -> tuple[Floats, Floats, Floats]:
            curve, product, bend = falling_curves((points[:, None] - centres) * steepness)
            value = weight * (points - centre) + np.einsum("kj,j->k", 1.0 - 2.0 * curve, amplitudes)
            slope = weight + 2.0 * np.einsum("kj,j->k", product, amplitudes * steepness)
            second = -2.0 * np.einsum("kj,j->k", bend, amplitudes * steepness * steepness)
            curve, product, bend = falling_curves((points - performance) * newest)
            value += newest * (1.0 - 2.0 * curve)
            return value, slope + 2.0 * newest**2 * product, second - 2.0 * newest**3 * bend

        start = mu + variance * newest * np.tanh(0.5 * newest * (performance - mu))
        lower, upper = np.minimum(mu, performance), np.maximum(mu, performance)
        return find_roots(equations, lower, upper, start, tolerance=_MEAN_TOLERANCE_BY_PLACE * math.sqrt(variance))

    return means


def logistic_performances(contest: Contest, mu: Floats, scale: Floats, *, split_ties: bool) -> Floats:
    """Return the performance of each row of a contest, in rating points, shape (n,).

    mu, scale
        Centre and logistic scale (deviation * sqrt(3) / pi) of each row's expected performance,
        shape (n,), aligned with ``contest.players``.

    Sums run in the order of (mu, scale), so the order of the rows changes no bits.
    """
    players = DistinctPlayers(mu, scale)
    field = LogisticSum.of_players(players)
    by_group = contest.rows_by_group(players.order)
    groups = _Groups(contest, mu[by_group], scale[by_group], split_ties)
    performance = np.empty_like(mu)
    performance[by_group] = np.repeat(groups.solve(field), contest.group_sizes)
    return performance


class _Groups:
    """The equations of all tie groups; rows are sorted by group, and within a group by their values."""

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
        """Return the performance of each group, shape (number of groups,)."""
        n_groups = len(self.sizes)
        middle = self.better + 0.5 * self.weight
        # Half of the weight of the outermost groups, whose solutions lie further inside.
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

        return find_roots(equations, lower, upper, start, tolerance=PERFORMANCE_TOLERANCE * self.least_scale)

    def _own(self, points: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the sum over each group's own members, and its derivatives."""
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
    """Return first guesses: where one logistic curve with the field's mean and variance takes the targets."""
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
        As in ``logistic_performances``. The others are in the order of finish, best first, without ties.
    """
    field, own = _LogisticField(mu, scale), 1.0 / float(scale[0])
    share = 0.5 if split_ties else 1.0
    targets = sums_ahead(1.0 / scale) + share * own

    def performances(places: Indices) -> Floats:
        return field.roots(targets[places - 1], float(mu[0]), own if share == 1.0 else 0.0)

    return performances


class _LogisticField:
    """The sum of all participants' falling curves, tabulated after many values have been requested."""

    def __init__(self, mu: Floats, scale: Floats) -> None:
        players = DistinctPlayers(mu, scale)
        self.sum = LogisticSum.of_players(players)
        self.least, self.own = float(scale.min()), 1.0 / float(scale[0])
        self.total = float(np.add.reduce(self.sum.amplitudes))
        reach = float(scale.max()) * (2.0 + math.log(self.total / float(self.sum.amplitudes.min())))
        self.ends = float(players.centre[0]) - reach, float(players.centre[-1]) + reach
        self.table: HermiteTable | None = None
        self.asked = 0

    def roots(self, target: Floats, mu: float, own: float) -> Floats:
        """Return where the sum, plus the player's own curve with the amplitude ``own``, takes the targets."""
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
        return find_roots(equations, lower, upper, start, tolerance=PERFORMANCE_TOLERANCE * self.least)
