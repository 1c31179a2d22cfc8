"""
Rating changes of many players, sorted into one history per player.

A history is sorted by the current order of its contests. If an organizer has moved a contest in time since the changes
were rated, they were rated in another order. In that case some change does not begin with the rating at which the
previous one ended, and the last change is found by following these ratings.
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
    Rating changes sorted by player and, for each player, by contest.

    rows
        Positions in the original columns, shape (changes,).
    player_ids, first, last
        Players by ascending id, the start of each history in `rows`, and the position in `rows` of the change that has
        the player's current rating; shape (players,).
    """

    rows: NDArray[np.int64]
    player_ids: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]

    @property
    def counts(self) -> NDArray[np.int64]:
        """Number of contests of each player."""
        return np.diff(self.first, append=len(self.rows))

    @property
    def last_rows(self) -> NDArray[np.int64]:
        """Positions in the original columns of the changes that have the current ratings."""
        return self.rows[self.last]

    def peak_rows(self, score: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the positions in the original columns of the changes that first reached each player's best score."""
        if not len(self.rows):
            return self.rows
        ordered = score[self.rows]
        highest = np.repeat(np.maximum.reduceat(ordered, self.first), self.counts)
        reached = np.flatnonzero(ordered == highest)
        owner = np.repeat(np.arange(len(self.first)), self.counts)[reached]
        return self.rows[reached[np.unique(owner, return_index=True)[1]]]


def contest_order(series_id: int) -> NDArray[np.int64]:
    """Return the ids of all contests of a series, including deleted ones, in the current order of rating."""
    ids = Contest.objects.filter(series_id=series_id).in_order().values_list("id", flat=True)
    return np.array(ids, dtype=np.int64)


def histories_of(columns: Mapping[str, NDArray[Any]], order: NDArray[np.int64], *, chained: bool) -> Histories:
    """
    Sort rating changes into histories.

    columns
        contest_id and player_id, and if `chained` also mu_before and mu.
    order
        Ids of the contests in the order of `contest_order`.
    chained
        Whether each change begins with the rating at which the previous one ended, because the system moves no one
        between contests.

    ValueError if a history has no unique last change.
    """
    sorter = np.argsort(order)
    position = sorter[np.searchsorted(order, columns["contest_id"], sorter=sorter)]
    rows = np.lexsort((position, columns["player_id"]))
    players = columns["player_id"][rows]
    first = np.flatnonzero(np.diff(players, prepend=players[:1] - 1))
    last = np.append(first[1:], len(rows))[: len(first)] - 1
    found = Histories(rows, players[first], first, last)
    if chained:
        _correct_ends(found, columns["mu_before"][rows], columns["mu"][rows])
    return found


def _correct_ends(found: Histories, mu_before: NDArray[np.float64], mu: NDArray[np.float64]) -> None:
    """Correct `last` of the histories in which a change does not begin where the previous one ended."""
    apart = mu_before[1:] != mu[:-1]
    apart[found.first[1:] - 1] = False
    broken = np.unique(np.searchsorted(found.first, np.flatnonzero(apart) + 1, side="right") - 1)
    for player in broken.tolist():
        start, stop = int(found.first[player]), int(found.first[player] + found.counts[player])
        # The last change ends at a rating with which no other change of the player begins.
        ends = Counter(mu[start:stop].tolist()) - Counter(mu_before[start:stop].tolist())
        if ends.total() > 1:
            raise ValueError(f"the {stop - start} changes of player {found.player_ids[player]} are not one history")
        for end in ends:
            found.last[player] = start + int(np.flatnonzero(mu[start:stop] == end)[-1])
