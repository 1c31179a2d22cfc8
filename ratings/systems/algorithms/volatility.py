"""Glicko-2's volatilities: the one equation of the system that needs iteration (step 5 of Glickman's example)."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

# Of the logarithm of the variance; Glickman's example has 1e-6.
_TOLERANCE = 1e-12
# After so many steps of the Illinois method, brackets are halved instead.
_ILLINOIS_STEPS = 60


def volatilities(
    phi: Floats, volatility: Floats, surplus: Floats, information: Floats, *, tau: float, greatest: float
) -> Floats:
    """New volatilities after one rating period, shape (n,), on Glicko-2's internal scale.

    phi, volatility
        Deviations and volatilities before it, shape (n,).
    surplus, information
        sum_j g_j (s_j - E_j) and 1 / v > 0 of the games, shape (n,).
    tau
        How much volatilities may change.
    greatest
        No volatility rises above this.

    After an upset that volatility alone cannot explain the equation may have several roots. The one found is that of
    the published iteration: hence the same brackets, however wide, and the same steps.

    The Illinois method, for all players at once; each stops by itself, so its bits never depend on its neighbours.
    """
    equations = _Equations(tau, phi * phi, 2.0 * np.log(volatility), surplus * surplus - information, information)
    first, second = equations.brackets()
    logarithms = second.copy()
    rows = np.flatnonzero(equations(first) * equations(second) < 0.0)
    searched = equations.of(rows)
    first, second = first[rows], second[rows]
    at_first, at_second = searched(first), searched(second)
    steps = 0
    while len(rows):
        steps += 1
        with np.errstate(divide="ignore", invalid="ignore"):
            third = first + (first - second) * at_first / (at_second - at_first)
        if steps > _ILLINOIS_STEPS:
            third = 0.5 * (first + second)
        at_third = searched(third)
        crossed = at_third * at_second <= 0.0
        at_first = np.where(crossed, at_second, at_first if steps > _ILLINOIS_STEPS else 0.5 * at_first)
        first, second, at_second = np.where(crossed, second, first), third, at_third
        left = np.abs(second - first) > _TOLERANCE
        logarithms[rows[~left]] = first[~left]
        rows, first, second = rows[left], first[left], second[left]
        at_first, at_second, searched = at_first[left], at_second[left], searched.of(np.flatnonzero(left))
    return np.minimum(np.exp(0.5 * logarithms), greatest)


@dataclass(frozen=True, slots=True, eq=False)
class _Equations:
    """The paper's f, of the logarithm x of the squared volatility; its root is wanted.

    With u = 1 / v and S the surplus, Delta = S / u. Multiplied through by u squared nothing is infinite when games
    between very unequal players say next to nothing (u near 0). ``excess`` is S squared minus u.
    """

    tau: float
    phi_square: Floats
    start: Floats
    excess: Floats
    information: Floats

    def __call__(self, logarithm: Floats) -> Floats:
        variance = np.exp(logarithm)
        seen = self.information * (self.phi_square + variance)
        pull = variance * (self.excess - self.information * seen) / (2.0 * (1.0 + seen) ** 2)
        return pull - (logarithm - self.start) / self.tau**2

    def of(self, rows: NDArray[np.intp]) -> "_Equations":
        """The equations of some of the players."""
        columns = (self.phi_square, self.start, self.excess, self.information)
        return _Equations(self.tau, *(column[rows] for column in columns))

    def brackets(self) -> tuple[Floats, Floats]:
        """Where to start: A and B of the paper's step 5.2."""
        surprise = self.excess - self.information * self.information * self.phi_square
        with np.errstate(divide="ignore", invalid="ignore"):
            above = np.log(surprise) - 2.0 * np.log(self.information)
        below = self.start - self.tau
        low = ~(surprise > 0.0) & (self(below) < 0.0)
        while low.any():
            below = np.where(low, below - self.tau, below)
            low &= self(below) < 0.0
        return self.start.copy(), np.where(surprise > 0.0, above, below)
