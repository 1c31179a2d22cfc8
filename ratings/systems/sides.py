"""A contest of teams as a contest of single players: each team plays as one player, the mean of its members.

Systems whose sources define them only for individuals rate teams in this way. A team's mean is that of its members'
means, and its spread that of their spreads, as if members had their good and bad days together. In return, each member
performed as many spreads above or below their own mean as the team did above or below its own. So a team of one is a
player, and a team of equal players is rated like one of them. Sums instead of means would depend on the origin of the
ratings, and reward large teams.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.contest import Contest

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """The entries of a contest, each as one player.

    contest
        The contest of the entries, numbered from 0.
    mu, spread
        Mean with the handicap, and spread (a deviation or scale, in any unit) of each entry, shape (n_entries,).
    entry
        The entry of each row of the original contest, shape (n,).
    are_teams
        Whether the original contest has teams. Otherwise entries are rows, in the same order.
    """

    contest: Contest
    mu: Floats
    spread: Floats
    entry: Indices
    are_teams: bool

    @classmethod
    def of(cls, contest: Contest, mu: Floats, spread: ArrayLike) -> Sides:
        """Return the entries of a contest whose rows have these means with handicaps, and spreads, shape (n,)."""
        spreads = np.asarray(spread, dtype=np.float64)
        if contest.teams is None:
            return cls(contest, mu, spreads, contest.entry, are_teams=False)
        # Sums run in an order of values, so the order of the rows changes no bits.
        order = np.lexsort((spreads, mu, contest.entry))
        sizes = np.bincount(contest.entry)
        starts = np.cumsum(sizes) - sizes
        place = contest.group[order][starts]
        handicap = None if contest.handicap is None else contest.handicap[order][starts]
        sides = Contest(
            np.arange(len(sizes)), place, contest.weight, contest.perf_ceiling, contest.day, handicap=handicap
        )
        means = [np.add.reduceat(values[order], starts) / sizes for values in (mu, spreads)]
        return cls(sides, means[0], means[1], contest.entry, are_teams=True)

    def for_members(self, performance: Floats, mu: Floats, spread: Floats) -> Floats:
        """Return the performance of each row without its handicap, shape (n,), from those of the entries.

        The ceiling of the contest limits the performances of the entries.

        mu, spread
            Of each row: the mean without the handicap, and the spread as in ``of``.
        """
        own = self.contest.without_handicap(performance)
        if not self.are_teams:
            return own
        ratio = spread / self.spread[self.entry]
        mean = self.mu if self.contest.handicap is None else self.mu - self.contest.entry_handicap
        return mu + ratio * (own - mean)[self.entry]
