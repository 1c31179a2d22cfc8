"""A rating system's beliefs about many players: arrays, and each player's part of them as bytes.

Elo-MMR also remembers one logistic factor for each past contest of a player. The factors of all players lie in one
flat array. A row that outgrows its place moves to a place four times as large, and the next player who needs that size
gets the old place. Rows are read as rectangles padded with zeros. A zero factor adds exactly nothing, so results never
depend on where a row lies or which rows lie next to it.
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

# The numbers of a factor: its centre (rating points), its amplitude (slope of the log-likelihood far
# from the centre, 1/points, before the player's common decay) and its steepness (1/scale, 1/points).
FIELDS = 3
CENTRE, AMPLITUDE, STEEPNESS = range(FIELDS)
_SMALLEST, _GROWTH = 4, 4
# The most cells of each field in a rectangle: a few rectangles together fit into the second-level cache.
_CELLS = 32_768
# One more rectangle costs about as much time as this many cells.
_OVERHEAD = 8_192
# Packed numbers are little-endian on every machine.
_PACKED = np.dtype("<f8")


class FactorPool:
    """Rows of factors, oldest first, for players numbered 0 to n_players - 1."""

    def __init__(self, n_players: int) -> None:
        self.length = np.zeros(n_players, dtype=np.int64)
        self._capacity = np.zeros(n_players, dtype=np.int64)
        self._begin = np.zeros(n_players, dtype=np.int64)
        # Cell 0 stays zero: rectangles are padded with it.
        self._cells = np.zeros((FIELDS, 1))
        self._used = 1
        self._free: dict[int, list[int]] = {}

    def append(self, players: Indices, factors: Floats) -> None:
        """Add one factor, columns of shape (FIELDS, n), to the row of each of n distinct players."""
        length = self.length[players]
        self._reserve(players, length + 1)
        at = self._begin[players] + length
        for cells, values in zip(self._cells, factors, strict=True):
            cells[at] = values
        self.length[players] = length + 1

    def append_one(self, player: int, *factor: float) -> None:
        """Add one factor to the row of one player."""
        length = self.length.item(player)
        if length == self._capacity.item(player):
            self._grow_one(player, length)
        at = self._begin.item(player) + length
        for field, value in enumerate(factor):
            self._cells[field, at] = value
        self.length[player] = length + 1

    def drop_oldest(self, player: int, number: int) -> None:
        """Remove the first factors from the row of one player."""
        row = self.rows(player)
        row[:, :-number] = row[:, number:].copy()
        self.length[player] -= number

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

        Factors run along the middle axis, so that many rows are summed at once. Players with similar lengths are
        grouped; the width is that of the longest row.
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
        """Make room for rows of these lengths, moving rows that have too little."""
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

    def _grow_one(self, player: int, capacity: int) -> None:
        """Move the full row of one player to a place of the next size, as ``_reserve`` does."""
        larger, begin = capacity * _GROWTH or _SMALLEST, self._begin.item(player)
        target = int(self._allocate(larger, 1)[0])
        if capacity:
            self._cells[:, target : target + capacity] = self._cells[:, begin : begin + capacity]
            self._free.setdefault(capacity, []).append(begin)
        self._begin[player], self._capacity[player] = target, larger

    def _move(self, players: Indices, begin: Indices) -> None:
        old_capacity, old_begin = self._capacity[players], self._begin[players]
        for capacity in np.unique(old_capacity[old_capacity > 0]):
            same = old_capacity == capacity
            steps = np.arange(capacity)
            self._cells[:, begin[same, None] + steps] = self._cells[:, old_begin[same, None] + steps]
            self._free.setdefault(int(capacity), []).extend(old_begin[same].tolist())
        self._begin[players] = begin

    def _allocate(self, capacity: int, number: int) -> Indices:
        free = self._free.get(capacity, [])
        recycled = np.array(free[-number:], dtype=np.int64)
        del free[-number:]
        fresh = self._used + capacity * np.arange(number - len(recycled))
        self._used += capacity * len(fresh)
        if self._used > self._cells.shape[1]:
            # Pages that are never written take no memory, so doubling is cheap.
            larger = np.empty((FIELDS, max(self._used, 2 * self._cells.shape[1])))
            larger[:, : self._cells.shape[1]] = self._cells
            self._cells = larger
        return np.concatenate([recycled, fresh])


def _cuts(length: Indices) -> list[tuple[int, int]]:
    """Divide ascending positive lengths into runs of limited size, so that both runs and padding are few."""
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


class Memory:
    """Elo-MMR's memory of each player beyond mean and deviation: one Gaussian factor and many logistic ones.

    centre, weight
        Of the Gaussian factor, shape (n_players,): rating points, 1 / points squared.
    decay
        Common factor of all logistic amplitudes of a player, shape (n_players,).
    means_in_games
        How many means were found in two-player games since this memory was created; a large number shows a long replay.
    """

    def __init__(self, mu: Floats, sigma: Floats) -> None:
        self.centre = mu.copy()
        self.weight = 1.0 / (sigma * sigma)
        self.decay = np.ones_like(mu)
        self.factors = FactorPool(len(mu))
        self.means_in_games = 0

    def assume(self, players: Indices, mu: Floats, sigma: Floats) -> None:
        """Replace the factors of players by one Gaussian factor each."""
        self.centre[players], self.weight[players], self.decay[players] = mu, 1.0 / (sigma * sigma), 1.0
        self.factors.replace(players, np.empty((FIELDS, 0, len(players))), np.zeros(len(players), dtype=np.int64))

    def columns(self) -> tuple[Floats, ...]:
        """Return the numbers that every player has, in the order of ``pack``."""
        return self.centre, self.weight, self.decay


class Beliefs:
    """Beliefs about the skills of players 0 to n_players - 1.

    mu, sigma
        Mean and deviation in rating points, shape (n_players,).
    count
        Rated contests so far, shape (n_players,).
    last_day
        Day of the last rated contest, on the same calendar as ``Contest.day``; 0 for newcomers.
    extra
        Additional numbers that a system keeps for each player, by name, shape (n_players,) each.
    memory
        Elo-MMR's factors; None for other systems.

    The constructor takes the values of newcomers.
    """

    def __init__(
        self,
        n_players: int,
        mu: float,
        sigma: float,
        *,
        extra: Mapping[str, float] | None = None,
        with_memory: bool = False,
    ) -> None:
        if isinstance(n_players, bool) or not isinstance(n_players, (int, np.integer)) or n_players < 0:
            raise ValueError(f"n_players = {n_players!r} is not allowed: it must be a whole number, at least 0")
        self.mu = np.full(n_players, mu)
        self.sigma = np.full(n_players, sigma)
        self.count = np.zeros(n_players, dtype=np.int64)
        self.last_day = np.zeros(n_players)
        self.extra = {name: np.full(n_players, float(value)) for name, value in (extra or {}).items()}
        self.memory = Memory(self.mu, self.sigma) if with_memory else None

    def __len__(self) -> int:
        return len(self.mu)

    def copy(self) -> "Beliefs":
        """Return an independent copy."""
        return deepcopy(self)

    def checked_indices(self, players: ArrayLike) -> Indices:
        """Return indices of players, in any shape, as integers; ValueError unless all of them are in the pool."""
        given = np.asarray(players)
        if given.size and given.dtype.kind not in "iu":
            raise ValueError(f"players must be whole numbers, their indices in the pool, not {given.dtype}")
        outside = (given < 0) | (given >= len(self))
        if outside.any():
            raise ValueError(f"player {given[outside][0]} does not exist in a pool of {len(self)} players")
        return given.astype(np.int64, copy=False)

    def checked_field(self, players: ArrayLike) -> Indices:
        """Return the players of a field, shape (n,); ValueError unless at least two, distinct and all in the pool."""
        field = self.checked_indices(players)
        if field.ndim != 1 or len(field) < 2:
            raise ValueError(f"a field needs at least two players in one row, not {field.size} of shape {field.shape}")
        in_order = np.sort(field)
        repeated = in_order[1:] == in_order[:-1]
        if repeated.any():
            raise ValueError(f"player {in_order[1:][repeated][0]} is named more than once")
        return field

    def pack(self, players: ArrayLike) -> list[bytes]:
        """Return everything known about each of the players, as little-endian float64.

        Mean, deviation, count, last day, then the additional numbers; with a memory also centre, weight and decay,
        then the centres, the amplitudes and the steepnesses of the logistic factors, oldest first.

        Raises ValueError on players outside the pool.
        """
        players = self._checked(players)
        columns = [self.mu, self.sigma, self.count, self.last_day, *self._further_columns()]
        heads = np.column_stack([column[players] for column in columns]).astype(_PACKED, copy=False)
        packed = [head.tobytes() for head in heads]
        if self.memory is not None:
            rows = [self.memory.factors.rows(player) for player in players]
            packed = [head + row.astype(_PACKED).tobytes() for head, row in zip(packed, rows, strict=True)]
        return packed

    def unpack(self, players: ArrayLike, packed: Sequence[bytes]) -> None:
        """Replace the beliefs about the players by the output of ``pack``.

        Raises ValueError, before anything is changed, on bytes that ``pack`` cannot have returned for this system, on
        players outside the pool and on repeated players.
        """
        players = self._checked(players)
        if len(packed) != len(players):
            raise ValueError(f"{len(packed)} packed beliefs for {len(players)} players: give one for each")
        in_order = np.sort(players)
        repeated = in_order[1:][in_order[1:] == in_order[:-1]]
        if len(repeated):
            raise ValueError(f"player {repeated[0]} is unpacked more than once")
        head_size = 4 + len(self._further_columns())
        rows = [self._unpacked(row, head_size) for row in packed]
        heads = np.array([row[:head_size] for row in rows]).reshape(len(rows), head_size)
        self.mu[players], self.sigma[players], self.last_day[players] = heads[:, 0], heads[:, 1], heads[:, 3]
        self.count[players] = heads[:, 2].astype(np.int64)
        for column, values in zip(self._further_columns(), heads[:, 4:].T, strict=True):
            column[players] = values
        if self.memory is None:
            return
        lengths = np.array([(len(row) - head_size) // FIELDS for row in rows], dtype=np.int64)
        for length in np.unique(lengths):
            each = np.flatnonzero(lengths == length)
            block = np.array([rows[position][head_size:] for position in each]).reshape(len(each), FIELDS, length)
            self.memory.factors.replace(players[each], block.transpose(1, 2, 0), lengths[each])

    def assume(
        self, players: ArrayLike, mu: ArrayLike, sigma: ArrayLike, count: ArrayLike, last_day: ArrayLike
    ) -> None:
        """Give players means, deviations, numbers of contests and days of the last one, without a history.

        Elo-MMR's memory gets one Gaussian factor with this mean and deviation, which stands for all past contests. The
        other numbers of the players stay as they are. Raises ValueError on players outside the pool.
        """
        players = self._checked(players)
        self.mu[players], self.sigma[players], self.count[players] = mu, sigma, count
        self.last_day[players] = last_day
        if self.memory is not None:
            self.memory.assume(players, self.mu[players], self.sigma[players])

    def _checked(self, players: ArrayLike) -> Indices:
        array = np.asarray(players)
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise ValueError("players must be a one-dimensional array of integers")
        return self.checked_indices(array)

    def _further_columns(self) -> tuple[Floats, ...]:
        return *self.extra.values(), *(self.memory.columns() if self.memory else ())

    def _unpacked(self, row: bytes, head_size: int) -> Floats:
        size, rest = divmod(len(row), _PACKED.itemsize)
        factors, odd = divmod(size - head_size, FIELDS)
        if rest or factors < 0 or odd or (self.memory is None and factors):
            expected = f"{head_size * 8} bytes" + (f" and {FIELDS * 8} for each factor" if self.memory else "")
            raise ValueError(f"a packed belief of {len(row)} bytes does not fit this system: expected {expected}")
        numbers = np.frombuffer(row, dtype=_PACKED).astype(np.float64)
        if not np.isfinite(numbers).all() or numbers[1] <= 0 or numbers[2] < 0:
            raise ValueError("a packed belief holds numbers that no player can have: rate the series from its start")
        return numbers


def position_in_field(field: Indices, player: int) -> int:
    """Return the player's position in the field; ValueError if there is none."""
    positions = np.flatnonzero(field == player)
    if not len(positions):
        raise ValueError(f"player {player} is not among the {len(field)} players of the field")
    return int(positions[0])
