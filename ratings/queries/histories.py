"""
Rating changes of many players as their histories: where each of them ends, and how high it went.

The order of a history is that of its contests today. Where somebody has moved a contest in time since the changes were
rated, that order is not the one they were rated in; it shows, because each change begins where the one before it
ended, and the end is then found by that.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from contests.models import Contest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Histories:
    """
    The rows of rating changes by player, each player's in the order of contests.

    rows
        Positions in the columns that it was made of, shape (changes,).
    player_ids, first, last
        Shape (players,), players rising: the beginning of each history in `rows`, and the position in `rows` of the
        change that says where the player stands.
    """

    rows: NDArray[np.int64]
    player_ids: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]

    @property
    def counts(self) -> NDArray[np.int64]:
        """Contests of each player."""
        return np.diff(self.first, append=len(self.rows))

    @property
    def last_rows(self) -> NDArray[np.int64]:
        """Positions in the columns of the changes that say where everybody stands."""
        return self.rows[self.last]

    def peak_rows(self, score: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return positions in the columns of the changes by which the players first reached their highest score."""
        if not len(self.rows):
            return self.rows
        ordered = score[self.rows]
        highest = np.repeat(np.maximum.reduceat(ordered, self.first), self.counts)
        reached = np.flatnonzero(ordered == highest)
        owner = np.repeat(np.arange(len(self.first)), self.counts)[reached]
        return self.rows[reached[np.unique(owner, return_index=True)[1]]]


def contest_order(series_id: int) -> NDArray[np.int64]:
    """Return the ids of all contests of a series, deleted ones too, in the order in which they are rated today."""
    ids = Contest.objects.filter(series_id=series_id).in_order().values_list("id", flat=True)
    return np.array(ids, dtype=np.int64)


def histories_of(columns: Mapping[str, NDArray[Any]], order: NDArray[np.int64], *, chained: bool) -> Histories:
    """
    Sort rating changes into histories.

    columns
        contest_id and player_id; mu_before and mu too if `chained`.
    order
        Ids of the contests in their order (`contest_order`).
    chained
        Whether the system moves nobody between contests, so that each change begins where the one before it ended.

    ValueError if a history has no single end.
    """
    sorter = np.argsort(order)
    position = sorter[np.searchsorted(order, columns["contest_id"], sorter=sorter)]
    rows = np.lexsort((position, columns["player_id"]))
    players = columns["player_id"][rows]
    first = np.flatnonzero(np.diff(players, prepend=players[:1] - 1))
    last = np.append(first[1:], len(rows))[: len(first)] - 1
    found = Histories(rows, players[first], first, last)
    if chained:
        _mend_ends(found, columns["mu_before"][rows], columns["mu"][rows])
    return found


def _mend_ends(found: Histories, mu_before: NDArray[np.float64], mu: NDArray[np.float64]) -> None:
    """Correct the ends of the histories in which a change does not begin where the one before it ended."""
    apart = mu_before[1:] != mu[:-1]
    apart[found.first[1:] - 1] = False
    broken = np.unique(np.searchsorted(found.first, np.flatnonzero(apart) + 1, side="right") - 1)
    for player in broken.tolist():
        start, stop = int(found.first[player]), int(found.first[player] + found.counts[player])
        # Everybody's end is where no other change of theirs begins.
        ends = Counter(mu[start:stop].tolist()) - Counter(mu_before[start:stop].tolist())
        if ends.total() > 1:
            raise ValueError(f"the {stop - start} changes of player {found.player_ids[player]} are not one history")
        for end in ends:
            found.last[player] = start + int(np.flatnonzero(mu[start:stop] == end)[-1])
