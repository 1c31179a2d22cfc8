"""The values by which systems explain a change; `explain` makes an explanation of them."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

# A sum that is a smaller part of its terms is rounding.
_NOTHING = 1e-10


@dataclass(frozen=True, slots=True)
class Result:
    """One player after the contest: mean, deviation, performance (0 where the system has none), as stored."""

    mu: float
    sigma: float
    performance: float


@dataclass(frozen=True, slots=True, eq=False)
class Past:
    """The earlier contests of one player, oldest first, shape (k,) each. Elo-MMR's memory follows from them.

    weight, day
        Of the contests.
    performance, mu, sigma
        Of the player: the performance in each, and mean and deviation after it.
    """

    weight: Floats
    day: Floats
    performance: Floats
    mu: Floats
    sigma: Floats

    def __len__(self) -> int:
        return len(self.day)


@dataclass(frozen=True, slots=True, eq=False)
class Weighed:
    """The values of which a new rating is the weighted mean.

    levels, weights
        The Gaussian part of the belief, then one value for each performance, oldest first, that of the contest last;
        shape (1 + performances,), rating points and their inverse squares.
    damping
        How much of its full weight the performance of the contest kept, from 0 to 1.
    """

    levels: Floats
    weights: Floats
    damping: float


@dataclass(frozen=True, slots=True, eq=False)
class Surprises:
    """A comparison of the player, at the rating before, with each entry, shape (n_entries,); 0 for the own one.

    A term is positive for an entry that finished behind, negative for one that finished ahead, and large where that
    was unlikely. Where the system has a performance, it lies above or below the rating as the sum of the terms does,
    and each entry's part of the distance is in proportion to its term; else the change is a multiple of the sum.

    terms
        In a unit of the system's own.
    points
        Rating points for one unit of the terms, where their sum is next to nothing (with a performance), or always.
    """

    terms: Floats
    points: float

    def parts_of(self, distance: float) -> Floats:
        """Cut a distance from the rating to the performance, in rating points, into a part for each entry."""
        total = float(np.add.reduce(self.terms))
        if abs(total) <= _NOTHING * float(np.add.reduce(np.abs(self.terms))) or distance == 0.0:
            return self.terms * self.points
        return self.terms * (distance / total)
