"""Beliefs of a system about many players, as arrays, and each player's part of them as bytes."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratings.systems.algorithms.factors import FIELDS, FactorPool

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

# Packed numbers are little-endian whatever the machine.
_PACKED = np.dtype("<f8")


class Memory:
    """What Elo-MMR keeps of each player beyond mean and deviation: one Gaussian factor, many logistic ones.

    centre, weight
        Of the Gaussian factor, shape (n_players,): rating points, 1 / points squared.
    decay
        Common multiplier of all logistic amplitudes of a player, shape (n_players,).
    """

    def __init__(self, mu: Floats, sigma: Floats) -> None:
        self.centre = mu.copy()
        self.weight = 1.0 / (sigma * sigma)
        self.decay = np.ones_like(mu)
        self.factors = FactorPool(len(mu))

    def columns(self) -> tuple[Floats, ...]:
        """Return the numbers of fixed size, as packed."""
        return self.centre, self.weight, self.decay


class Beliefs:
    """Beliefs on the skills of players 0 to n_players - 1.

    mu, sigma
        Mean and deviation in rating points, shape (n_players,).
    count
        Rated contests so far, shape (n_players,).
    last_day
        Day of the last of them, in the contests' own count of days; 0 for newcomers.
    extra
        Further numbers that a system keeps of each player, by name, shape (n_players,) each.
    memory
        Elo-MMR's factors, or None for systems that keep no such thing.

    The constructor takes the values of newcomers; ``extra`` those of the further numbers, by name.
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
        """Return the same beliefs, to be changed without changing these."""
        return deepcopy(self)

    def pack(self, players: ArrayLike) -> list[bytes]:
        """Return all that is remembered of each of the players, as little-endian float64.

        Mean, deviation, count, last day, then the further numbers; with a memory also centre, weight and
        decay, then the centres, the amplitudes and the steepnesses of the logistic factors, oldest first.

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
        """Replace what is believed of the players by what ``pack`` gave.

        Raises ValueError, before anything is changed, on bytes that no ``pack`` of such beliefs gives, on players
        outside the pool and on a player who is there twice.
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

    def _checked(self, players: ArrayLike) -> Indices:
        array = np.asarray(players)
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise ValueError("players must be a one-dimensional array of integers")
        outside = (array < 0) | (array >= len(self))
        if outside.any():
            raise ValueError(f"player {array[outside][0]} does not exist in a pool of {len(self)} players")
        return array.astype(np.int64, copy=False)

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


@dataclass(frozen=True, slots=True, eq=False)
class RoundChanges:
    """What one contest did, one entry for each row of the contest, in its order.

    mu_before, sigma_before, mu, sigma, performance in rating points (0 for a performance where the
    system has none); rank the 1-based competition rank among the entries; field the number of entries.
    """

    mu_before: Floats
    sigma_before: Floats
    mu: Floats
    sigma: Floats
    performance: Floats
    rank: Indices
    field: Indices
