"""The logistic factors of many players, each a row of its own length.

Rows live in slabs, one for each power of two as capacity, so that memory stays within a factor of two
of what is needed and a row is one contiguous piece. Beyond its length a row holds zeros, and a zero
factor adds exactly nothing: results never depend on a row's capacity or on its neighbours.
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
_SMALLEST = 4


class FactorPool:
    """Rows of factors, oldest first, for players numbered 0 to n_players - 1."""

    def __init__(self, n_players: int) -> None:
        self.length = np.zeros(n_players, dtype=np.int64)
        self._level = np.full(n_players, -1, dtype=np.int64)
        self._slot = np.zeros(n_players, dtype=np.int64)
        self._slabs: list[Floats] = []
        self._used: list[int] = []
        self._free: list[Indices] = []

    def append(self, players: Indices, factors: Floats) -> None:
        """Add one factor, columns of shape (FIELDS, n), to the row of each of n distinct players."""
        length, level = self.length[players], self._level[players]
        capacity = np.where(level < 0, 0, _SMALLEST << np.maximum(level, 0))
        for full_level in np.unique(level[length == capacity]):
            self._promote(players[(length == capacity) & (level == full_level)], int(full_level) + 1)
        for each, slab, slots in self._by_level(players):
            slab[slots, :, length[each]] = factors[:, each].T
        self.length[players] = length + 1

    def blocks(self, players: Indices, rows: int) -> Iterator[tuple[Indices, Floats]]:
        """Yield positions among the players, and their factors with shape (FIELDS, width, positions).

        Factors run along the middle axis, so that many rows are summed in step. A block has at most
        ``rows`` players of like lengths; its width is the longest of them.
        """
        for each, slab, slots in self._by_level(players):
            length = self.length[players[each]]
            order = np.argsort(length, kind="stable")
            for begin in range(0, len(order), rows):
                part = order[begin : begin + rows]
                width = int(length[part[-1]])
                block = slab[slots[part], :, :width] if width < slab.shape[2] else slab[slots[part]]
                yield each[part], np.ascontiguousarray(block.transpose(1, 2, 0))

    def rows(self, player: int) -> Floats:
        """The factors of one player, shape (FIELDS, length)."""
        length = self.length[player]
        return self._slabs[self._level[player]][self._slot[player], :, :length] if length else np.empty((FIELDS, 0))

    def replace(self, players: Indices, factors: Floats, length: Indices) -> None:
        """Give players rows of new lengths from an array of shape (FIELDS, width, n), zeros beyond the length."""
        width = factors.shape[1]
        needed = np.maximum(0, np.ceil(np.log2(np.maximum(length, 1) / _SMALLEST))).astype(np.int64)
        level = self._level[players]
        for new_level in np.unique(needed[needed > level]):
            self._promote(players[(needed > level) & (needed == new_level)], int(new_level))
        for each, slab, slots in self._by_level(players):
            slab[slots] = 0.0
            common = min(width, slab.shape[2])
            slab[slots, :, :common] = factors[:, :common, each].transpose(2, 0, 1)
        self.length[players] = length

    def _by_level(self, players: Indices) -> Iterator[tuple[Indices, Floats, Indices]]:
        level = self._level[players]
        for number, slab in enumerate(self._slabs):
            each = np.flatnonzero(level == number)
            if len(each):
                yield each, slab, self._slot[players[each]]

    def _promote(self, players: Indices, level: int) -> None:
        slots = self._allocate(level, len(players))
        for each, slab, old_slots in self._by_level(players):
            self._slabs[level][slots[each], :, : slab.shape[2]] = slab[old_slots]
            slab[old_slots] = 0.0
            number = int(self._level[players[each[0]]])
            self._free[number] = np.concatenate([self._free[number], old_slots])
        self._level[players] = level
        self._slot[players] = slots

    def _allocate(self, level: int, number: int) -> Indices:
        while len(self._slabs) <= level:
            self._slabs.append(np.zeros((0, FIELDS, _SMALLEST << len(self._slabs))))
            self._used.append(0)
            self._free.append(np.empty(0, dtype=np.int64))
        recycled = self._free[level][:number]
        self._free[level] = self._free[level][number:]
        begin = self._used[level]
        self._used[level] = end = begin + number - len(recycled)
        slab = self._slabs[level]
        if end > len(slab):
            larger = np.zeros((max(end, len(slab) * 3 // 2), *slab.shape[1:]))
            larger[:begin] = slab[:begin]
            self._slabs[level] = larger
        return np.concatenate([recycled, np.arange(begin, end)])
