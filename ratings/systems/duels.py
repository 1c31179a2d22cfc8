"""The duelling heuristic: a contest as the average of all duels between its entries.

Herbrich, Minka, Graepel, "TrueSkill", section 4: for each entry the change that a duel would make is computed
against each other entry, and their average is made.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.contest import Contest
from ratings.systems.pair_sums import Curve, expected_wins

Floats: TypeAlias = NDArray[np.float64]


def duel_changes(contest: Contest, mu: Floats, gain: float, curve: Curve, scale: float) -> Floats:
    """What a contest adds to the rating of each row, in rating points, shape (n,).

    mu
        Ratings before it, aligned with the rows. A team plays at the mean of its members' ratings, and each
        member gets the team's change.
    gain
        The most that one duel of weight 1 can move a rating, in rating points.

    Over the entries the changes add up to zero, to rounding: so they do over the players if all teams are of one size.
    """
    firsts = np.arange(len(contest)) if contest.teams is None else np.unique(contest.entry, return_index=True)[1]
    ratings = mu if contest.teams is None else _team_means(contest, mu)
    group = contest.group[firsts]
    tied = np.bincount(group)[group]
    opponents = len(firsts) - 1
    worse = opponents + 1 - tied - (contest.competition_ranks[firsts] - 1)
    surplus = (worse - expected_wins(ratings, curve, scale) + 0.5 * (tied - 1)) / opponents
    # What rounding leaves of the sum; sorted, so that the order of the rows changes no bits.
    surplus -= np.add.reduce(np.sort(surplus)) / len(surplus)
    changes = gain * contest.bounded_weight * surplus
    return changes if contest.teams is None else changes[contest.entry]


def _team_means(contest: Contest, mu: Floats) -> Floats:
    """The mean rating of each entry, shape (n_entries,), summed in the order of the ratings."""
    order = np.lexsort((mu, contest.entry))
    sizes = np.bincount(contest.entry)
    means: Floats = np.add.reduceat(mu[order], np.cumsum(sizes) - sizes) / sizes
    return means
