"""The duelling heuristic: a contest as the average of all duels between its players.

Herbrich, Minka, Graepel, "TrueSkill", section 4: for each player the change that a duel would make is computed against
each opponent, and their average is made. In a contest of teams everyone meets all members of the other teams, at the
strengths of the teams. Each duel moves the same points from one player to another, so the sum of all ratings stays,
whatever the sizes. The average is over the number of opponents that a member of a smallest team has, who has most of
them: nobody moves farther than by one duel, and teams of one size move by the change of a duel between them.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.contest import Contest, Entrants
from ratings.systems.numerics.pair_sums import Curve, expected_wins
from ratings.systems.situation import Situation, Surprises
from ratings.systems.system import Outcomes

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]


def duel_changes(contest: Contest, mu: Floats, gain: float, curve: Curve, scale: float) -> Floats:
    """Return what a contest adds to the rating of each row, in rating points, shape (n,).

    mu
        Ratings before it, aligned with the rows. A team plays at the mean of its members' ratings.
    gain
        The most that one duel of weight 1 can move a rating, in rating points.

    The changes add up to zero, to rounding.
    """
    gain *= contest.bounded_weight
    if contest.teams is None:
        tied = contest.group_sizes[contest.group]
        opponents = len(contest) - 1
        worse = opponents + 1 - tied - (contest.competition_ranks - 1)
        surplus = (worse - expected_wins(mu, curve, scale) + 0.5 * (tied - 1)) / opponents
        # What rounding leaves of the sum; sorted, so that the order of the rows changes no bits.
        surplus -= np.add.reduce(np.sort(surplus)) / len(surplus)
        return gain * surplus
    return (gain * _team_surplus(contest, mu, curve, scale))[contest.entry]


def surprises_of_duels(situation: Situation, expected: Floats, gain: float) -> Surprises:
    """Return the duels with each entry, whose expected scores have shape (n_entries,)."""
    contest = situation.contest
    gain *= contest.bounded_weight / most_opponents(contest)
    return Surprises(np.bincount(contest.entry) * (situation.score - expected), gain)


def duels_by_place(entrants: Entrants, mu: float, expected: Floats, gain: float) -> Callable[[Indices], Outcomes]:
    """Return what each place does to the player in row 0.

    mu
        The player's rating before the contest.
    expected
        The player's expected scores against the others, shape (n - 1,).
    """
    gain, n, wins = gain * entrants.contest.bounded_weight, len(entrants), float(np.add.reduce(expected))

    def outcomes(places: Indices) -> Outcomes:
        after: Floats = mu + gain * (n - places - wins) / (n - 1)
        return after, np.full(len(places), entrants.sigma[0]), np.zeros(len(places))

    return outcomes


def most_opponents(contest: Contest) -> int:
    """Return the number of opponents that a member of a smallest team has."""
    if contest.teams is None:
        return len(contest) - 1
    return len(contest) - int(np.bincount(contest.entry).min())


def _team_surplus(contest: Contest, mu: Floats, curve: Curve, scale: float) -> Floats:
    """Return the score of a member of each team less the expected one, per duel; shape (n_entries,)."""
    group = np.empty(contest.n_entries, dtype=np.int64)
    group[contest.entry] = contest.group
    sizes = np.bincount(contest.entry).astype(np.float64)
    worse = len(contest) - np.cumsum(contest.group_sizes)
    won = worse[group] + 0.5 * (contest.group_sizes[group] - sizes)
    surplus = (won - expected_wins(_team_means(contest, mu), curve, scale, sizes)) / most_opponents(contest)
    # As above: of all players.
    surplus -= np.add.reduce(np.sort(sizes * surplus)) / len(contest)
    return surplus


def _team_means(contest: Contest, mu: Floats) -> Floats:
    """Return the mean rating of each entry, shape (n_entries,), summed in the order of the ratings."""
    order = np.lexsort((mu, contest.entry))
    sizes = np.bincount(contest.entry)
    means: Floats = np.add.reduceat(mu[order], np.cumsum(sizes) - sizes) / sizes
    return means
