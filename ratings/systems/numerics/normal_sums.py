"""Everyone's expected rank when performances are normal and no two deviations need be alike, in linear time.

E_i = sum_j Phi((m_j - m_i) / sqrt(s_i^2 + s_j^2)) depends on i, and on j, by a smooth function of (m, log s) alone. So
players are spread over the knots of a grid around them, twelve equispaced ones in m and Chebyshev's in log s. The knots
are summed against each other, for each two deviations a convolution along m, and everyone's sum is read off the grid.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import fft
from scipy.special import ndtr

from ratings.systems.numerics.distinct import Distinct
from ratings.systems.numerics.interpolation import KNOTS, add_to_knots, lagrange_weights

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

# Up to this many distinct players all pairs are cheaper than a grid.
_ALL_PAIRS = 200
_PAIRS_AT_ONCE = 1 << 16
_PLAYERS_AT_ONCE = 4_096
# Beyond so many deviations a normal distribution is 0 or 1 in double precision, against the one half for oneself.
_REACH = 9.0
# Distance of knots, as a part of the least deviation of a difference: an error of 2e-12 of one curve's height.
_SPACING = 0.15
# In log s all curves are analytic, and no larger, up to pi / 4 from the real axis; polynomials converge by it.
_ANALYTIC = np.pi / 4
_DIGITS = 9.0  # of the bound; the errors themselves are near 1e-13
_MOST_NODES = 128


def expected_ranks(centres: Floats, deviations: Floats) -> Floats:
    """For each player the sum of the probabilities to be beaten by each, oneself counting one half; shape (n,).

    centres, deviations
        Of the players' normal performances, shape (n,), same unit, in any order: it changes no bits.

    Errs by less than 3e-12 n. Where no grid of sensible size can hold the players, all pairs are summed.
    """
    players = Distinct(centres, deviations)
    return players.for_players(_sums(players.centre, players.width, players.number))


def _sums(centres: Floats, deviations: Floats, number: Floats) -> Floats:
    """Return the same for distinct players in order of (centre, deviation), each of them ``number`` times there."""
    if len(centres) > _ALL_PAIRS:
        grid = _Grid(centres, deviations)
        if grid.cost < len(centres) ** 2:
            return grid.read_off(grid.sums_at_knots(grid.spread(number)))
    return _all_pairs(centres, deviations, number)


def _all_pairs(centres: Floats, deviations: Floats, number: Floats) -> Floats:
    sums = np.empty_like(centres)
    square = deviations * deviations
    rows = max(1, _PAIRS_AT_ONCE // len(centres))
    for begin in range(0, len(centres), rows):
        block = slice(begin, begin + rows)
        ahead = centres - centres[block, None]
        ahead /= np.sqrt(square + square[block, None])
        sums[block] = np.add.reduce(ndtr(ahead) * number, axis=1)
    return sums


@dataclass(slots=True, eq=False)
class _Grid:
    """Knots around the players: equispaced in m, with gaps in which all is decided cut short, and nodes of s."""

    centres: Floats
    deviations: Floats
    nodes: Floats = field(init=False)
    spacing: float = field(init=False)
    length: float = field(init=False)
    position: Floats = field(init=False)

    def __post_init__(self) -> None:
        low, high = float(self.deviations.min()), float(self.deviations.max())
        self.nodes = _chebyshev_nodes(np.log(low), np.log(high))
        self.spacing = _SPACING * np.sqrt(2.0) * low
        gaps = np.diff(self.centres, prepend=self.centres[0])
        self.position = np.cumsum(np.minimum(gaps, _REACH * np.sqrt(2.0) * high)) / self.spacing
        self.length = float(self.position[-1]) + len(KNOTS)

    @property
    def cost(self) -> float:
        """About how many pairs take as long."""
        if len(self.nodes) > _MOST_NODES:
            return np.inf
        return 3.0 * len(self.nodes) * (len(self.nodes) * self.length + len(KNOTS) * len(self.centres) / 4)

    def spread(self, number: Floats) -> Floats:
        """Return how much of the players lies on each knot, shape (nodes, knots along m)."""
        masses = np.zeros((len(self.nodes), int(self.length) + 1))
        for block, cell, along, across in self._blocks():
            along *= number[block]
            add_to_knots(masses, cell, across[:, None] * along)
        return masses

    def sums_at_knots(self, masses: Floats) -> Floats:
        """Return the sum over all knots at each of them, same shape."""
        knots = masses.shape[1]
        size = fft.next_fast_len(2 * knots - 1, real=True)
        spectra = fft.rfft(masses, size)
        distance = self.spacing * np.concatenate([np.arange(knots), np.arange(knots - size, 0)])
        square = np.exp(2.0 * self.nodes)
        sums = np.empty_like(masses)
        for node in range(len(square)):
            behind = -distance / np.sqrt(square[node] + square[:, None])
            products = fft.rfft(ndtr(behind))
            products *= spectra
            sums[node] = fft.irfft(np.add.reduce(products, axis=0), size)[:knots]
        return sums

    def read_off(self, sums: Floats) -> Floats:
        """Return the polynomials through the knots around each player, at the player; shape (n,)."""
        results = np.zeros_like(self.centres)
        for block, cell, along, across in self._blocks():
            for knot, weight in enumerate(along):
                results[block] += weight * np.add.reduce(sums[:, cell + knot] * across, axis=0)
        return results

    def _blocks(self) -> Iterator[tuple[slice, Indices, Floats, Floats]]:
        """Players, the cell of each along m, and the weights of the knots around it, along m and across it."""
        logarithms = np.log(self.deviations)
        for begin in range(0, len(self.centres), _PLAYERS_AT_ONCE):
            block = slice(begin, begin + _PLAYERS_AT_ONCE)
            whole = np.floor(self.position[block])
            along = lagrange_weights(self.position[block] - whole, KNOTS)
            yield block, whole.astype(np.int64), along, lagrange_weights(logarithms[block], self.nodes)


def _chebyshev_nodes(low: float, high: float) -> Floats:
    """Nodes enough to interpolate between ``low`` and ``high``, the logarithms of the extreme deviations."""
    half = 0.5 * (high - low)
    if half <= 0.0:
        return np.array([low])
    ratio = _ANALYTIC / half
    rate = np.log(ratio + np.sqrt(1.0 + ratio * ratio))
    number = 2 + int(np.ceil(_DIGITS * np.log(10.0) / rate))
    nodes: Floats = low + half + half * np.cos(np.pi * (np.arange(number) + 0.5) / number)
    return nodes
