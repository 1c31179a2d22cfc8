"""Replay: rating many contests one after the other, and keeping all changes."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.beliefs import Beliefs
from ratings.systems.contest import Contest, RoundChanges
from ratings.systems.system import RatingSystem

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """Every rated participation, in the order of the input, and the beliefs at the end.

    contest
        Position of the contest in the input; skipped contests count.
    player, rank, field
        Index in the pool, 1-based competition rank among the entries, and number of entries.
    mu_before, sigma_before, mu, sigma, performance
        In rating points.
    skipped
        Number of contests with fewer than two entries.
    """

    contest: Indices
    player: Indices
    rank: Indices
    field: Indices
    mu_before: Floats
    sigma_before: Floats
    mu: Floats
    sigma: Floats
    performance: Floats
    beliefs: Beliefs
    skipped: int = 0

    def __len__(self) -> int:
        return len(self.player)


def replay(system: RatingSystem, contests: Iterable[Contest], n_players: int) -> History:
    """Rate contests in the given order, starting from a pool of ``n_players`` newcomers.

    Raises ValueError, naming the contest's position, on a contest that the system cannot rate.
    """
    return rate_all(system, system.new_beliefs(n_players), contests)


def rate_all(system: RatingSystem, beliefs: Beliefs, contests: Iterable[Contest]) -> History:
    """Rate contests in the given order from these beliefs, which are updated in place; raise ValueError as above.

    The next contest is taken from ``contests`` after the one before it has been rated.
    """
    columns, skipped = _Columns(), 0
    for position, contest in enumerate(contests):
        try:
            changes = system.rate_round(beliefs, contest)
        except ValueError as error:
            raise ValueError(f"contest {position}: {error}") from error
        if changes is None:
            skipped += 1
        else:
            columns.add(position, contest, changes)
    return columns.history(beliefs, skipped)


class _Columns:
    """Columns that grow by half when full, so that a long replay is never in memory twice.

    Rows are collected and written many at a time: writing each small contest by itself takes longer than rating it.
    """

    _FLOATS = ("mu_before", "sigma_before", "mu", "sigma", "performance")
    _INTEGERS = ("rank", "field")
    _MANY = 4096

    def __init__(self) -> None:
        self.size = 0
        self.columns: dict[str, NDArray[Any]] = {name: np.empty(0) for name in self._FLOATS}
        self.columns |= {name: np.empty(0, np.int64) for name in ("contest", "player", *self._INTEGERS)}
        self.waiting: list[tuple[int, Contest, RoundChanges]] = []
        self.rows_waiting = 0

    def add(self, position: int, contest: Contest, changes: RoundChanges) -> None:
        self.waiting.append((position, contest, changes))
        self.rows_waiting += len(contest.players)
        if self.rows_waiting >= self._MANY:
            self._write()

    def _write(self) -> None:
        if not self.waiting:
            return
        begin, self.size = self.size, self.size + self.rows_waiting
        positions, contests, changes = zip(*self.waiting, strict=True)
        players = [contest.players for contest in contests]
        for name in (*self._FLOATS, *self._INTEGERS):
            np.concatenate([getattr(each, name) for each in changes], out=self._reserve(name)[begin : self.size])
        np.concatenate(players, out=self._reserve("player")[begin : self.size])
        self._reserve("contest")[begin : self.size] = np.repeat(positions, [len(each) for each in players])
        self.waiting, self.rows_waiting = [], 0

    def _reserve(self, name: str) -> NDArray[Any]:
        column = self.columns[name]
        if self.size > len(column):
            larger = np.empty(max(self.size, len(column) * 3 // 2, 1024), dtype=column.dtype)
            larger[: len(column)] = column
            self.columns[name] = column = larger
        return column

    def history(self, beliefs: Beliefs, skipped: int) -> History:
        self._write()
        columns = {name: column[: self.size] for name, column in self.columns.items()}
        return History(**columns, beliefs=beliefs, skipped=skipped)
