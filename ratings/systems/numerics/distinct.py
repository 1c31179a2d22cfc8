"""Orders that depend on values alone, never on rows: sums in them are the same to the last bit for any order of rows.

Players of whom the same is believed are taken together: their sums are computed once.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]


class Distinct:
    """The distinct pairs of (centre, width) among n players, in rising order, which depends on values alone.

    centre, width
        The pairs, shape (m,) with m <= n.
    number
        How many players have each, shape (m,), as floats.
    order
        The players, equal ones side by side, in the order of the pairs; shape (n,).
    """

    def __init__(self, centre: Floats, width: Floats) -> None:
        self.order = _by_values(centre, width)
        centre, width = centre[self.order], width[self.order]
        fresh = np.ones(len(centre), dtype=bool)
        fresh[1:] = (centre[1:] != centre[:-1]) | (width[1:] != width[:-1])
        first = np.flatnonzero(fresh)
        self.centre, self.width = centre[first], width[first]
        self._repeats = np.diff(first, append=len(centre))
        self.number: Floats = self._repeats.astype(np.float64)

    def __len__(self) -> int:
        return len(self.centre)

    def for_players(self, values: Floats) -> Floats:
        """Return what was computed for the pairs, shape (m,), for each player, shape (n,)."""
        spread = np.empty(len(self.order))
        spread[self.order] = np.repeat(values, self._repeats)
        return spread


def _by_values(centre: Floats, width: Floats) -> Indices:
    order = np.argsort(centre)
    in_order, widths = centre[order], width[order]
    # A second key is needed by few contests, and costs as much as the first.
    if np.any((in_order[1:] == in_order[:-1]) & (widths[1:] != widths[:-1])):
        return np.lexsort((width, centre))
    return order


def stable_argsort(group: NDArray[np.int64], n_groups: int) -> Indices:
    """Return the rows by tie group, best first; within a group in the order they had."""
    # NumPy sorts 16-bit integers by radix, in linear time.
    order = np.argsort(group.astype(np.uint16), kind="stable")
    for shift in range(16, (n_groups - 1).bit_length(), 16):
        order = order[np.argsort((group[order] >> shift).astype(np.uint16), kind="stable")]
    return order
