"""Players of whom the same is believed, taken together: their sums are computed once, and alike to the last bit."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]


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
        self.order = np.lexsort((width, centre))
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
        """What was computed for the pairs, shape (m,), for each player, shape (n,)."""
        spread = np.empty(len(self.order))
        spread[self.order] = np.repeat(values, self._repeats)
        return spread
