"""The logistic factors of many players, each a row of its own length.

All rows lie in one flat array; a row that outgrows its place moves to one four times as large, and the old
place serves the next player who needs one of that size. Rows are read as rectangles, filled up with zeros;
a zero factor adds exactly nothing, so results never depend on where a row lies or on its neighbours.
"""

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

# What is kept of a factor: its centre (rating points), its amplitude (slope of the log-likelihood far
# from the centre, 1/points, before the player's common decay) and its steepness (1/scale, 1/points).
FIELDS = 3
CENTRE, AMPLITUDE, STEEPNESS = range(FIELDS)
_SMALLEST, _GROWTH = 4, 4
# A rectangle has at most so many cells of each field: a few of them together stay in the second-level cache.
_CELLS = 32_768
# Handling one more rectangle costs about as much as so many cells.
_OVERHEAD = 8_192


class FactorPool:
    """Rows of factors, oldest first, for players numbered 0 to n_players - 1."""

    def __init__(self, n_players: int) -> None:
        self.length = np.zeros(n_players, dtype=np.int64)
        self._capacity = np.zeros(n_players, dtype=np.int64)
        self._begin = np.zeros(n_players, dtype=np.int64)
        # Cell 0 stays zero: it is what rectangles are filled up with.
        self._cells = np.zeros((FIELDS, 1))
        self._used = 1
        self._free: dict[int, Indices] = {}

    def append(self, players: Indices, factors: Floats) -> None:
        """Add one factor, columns of shape (FIELDS, n), to the row of each of n distinct players."""
        length = self.length[players]
        self._reserve(players, length + 1)
        at = self._begin[players] + length
        for cells, values in zip(self._cells, factors, strict=True):
            cells[at] = values
        self.length[players] = length + 1

    def replace(self, players: Indices, factors: Floats, length: Indices) -> None:
        """Give players rows of new lengths, the first cells of the columns of a (FIELDS, width, n) array."""
        self._reserve(players, length)
        inside = np.arange(factors.shape[1])[:, None] < length
        at = (self._begin[players] + np.arange(factors.shape[1])[:, None])[inside]
        for cells, values in zip(self._cells, factors, strict=True):
            cells[at] = values[inside]
        self.length[players] = length

    def rows(self, player: int) -> Floats:
        """Return the factors of one player, shape (FIELDS, length)."""
        begin = self._begin[player]
        return self._cells[:, begin : begin + self.length[player]]

    def rectangles(self, players: Indices) -> Iterator[tuple[Indices, Floats]]:
        """Yield positions among the players, and their factors with shape (FIELDS, width, positions).

        Factors run along the middle axis, so that many rows are summed in step. Players of like lengths
        come together; the width is the longest of them.
        """
        length = self.length[players]
        order = np.argsort(length, kind="stable")
        for begin, end in _cuts(length[order]):
            positions = order[begin:end]
            wanted = length[positions]
            steps = np.arange(wanted[-1])[:, None]
            at = self._begin[players[positions]] + steps
            at *= steps < wanted
            yield positions, np.take(self._cells, at, axis=1)

    def _reserve(self, players: Indices, length: Indices) -> None:
        """Make room for rows of these lengths, moving those that have too little."""
        small = np.flatnonzero(length > self._capacity[players])
        if not len(small):
            return
        lower, capacity = 0, _SMALLEST
        while lower < length[small].max():
            moving = players[small[(length[small] > lower) & (length[small] <= capacity)]]
            if len(moving):
                self._move(moving, self._allocate(capacity, len(moving)))
                self._capacity[moving] = capacity
            lower, capacity = capacity, capacity * _GROWTH

    def _move(self, players: Indices, begin: Indices) -> None:
        old_capacity, old_begin = self._capacity[players], self._begin[players]
        for capacity in np.unique(old_capacity[old_capacity > 0]):
            same = old_capacity == capacity
            steps = np.arange(capacity)
            self._cells[:, begin[same, None] + steps] = self._cells[:, old_begin[same, None] + steps]
            free = self._free.get(int(capacity), old_begin[:0])
            self._free[int(capacity)] = np.concatenate([free, old_begin[same]])
        self._begin[players] = begin

    def _allocate(self, capacity: int, number: int) -> Indices:
        free = self._free.pop(capacity, np.empty(0, dtype=np.int64))
        self._free[capacity] = free[number:]
        recycled = free[:number]
        fresh = self._used + capacity * np.arange(number - len(recycled))
        self._used += capacity * len(fresh)
        if self._used > self._cells.shape[1]:
            # Pages that are never written take no memory, so doubling is cheap.
            larger = np.empty((FIELDS, max(self._used, 2 * self._cells.shape[1])))
            larger[:, : self._cells.shape[1]] = self._cells
            self._cells = larger
        return np.concatenate([recycled, fresh])


def _cuts(length: Indices) -> list[tuple[int, int]]:
    """Cut ascending lengths, all positive, into runs: little filling up, few runs, each of limited size."""
    cuts: list[tuple[int, int]] = []
    begin, width, end = 0, 2, 0
    while begin < len(length):
        width = max(width, 2)
        end = int(np.searchsorted(length, width, side="right"))
        following = width + max(2, width // 4)
        last = end == len(length)
        if end > begin and (last or (end - begin) * (following - width) > _OVERHEAD):
            rows = max(2, _CELLS // int(length[end - 1]))
            cuts += [(first, min(first + rows, end)) for first in range(begin, end, rows)]
            begin = end
        width = following
    return cuts
