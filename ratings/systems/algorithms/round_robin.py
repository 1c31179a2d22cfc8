"""A contest as a round robin: games of everyone against everyone, in Elo's and in Glicko's model.

The duelling heuristic of Elo's systems: for each player the change that a duel would make is computed against each
opponent, and the changes are averaged (Herbrich, Minka, Graepel, "TrueSkill", section 4). In a contest of teams
everyone meets all members of the other teams, at the strengths of the teams. Each duel moves the same number of points
from one player to another, so the sum of all ratings is unchanged whatever the sizes of the teams. The average is over
the number of opponents of a member of a smallest team, who has most of them: no one moves farther than by one duel,
and teams of equal size move by the change of one duel between them.

Glicko's games: Glickman, "Example of the Glicko-2 system" (2012), steps 3 and 4. On the internal scale (one unit is
400 / ln 10 rating points), with g_j = 1 / sqrt(1 + 3 phi_j^2 / pi^2), everything that the games against a field say
about a player is in one function of m,

    F(m) = sum_j g_j / (1 + exp(g_j (m - m_j)))        the surplus that losing all those games would leave unexplained

because 1 / v = -F'(m) and sum_j g_j (s_j - E_j) = F(m) - (sum of g_j over the games lost, half of it over draws).
"""

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ratings.systems.contest import Contest, Entrants
from ratings.systems.numerics.logistic_sums import DistinctPlayers, LogisticSum
from ratings.systems.numerics.pair_sums import Curve, expected_wins
from ratings.systems.situation import Situation, Surprises
from ratings.systems.system import Outcomes

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

# Up to this many pairs, summing all of them is cheaper than a table.
_ALL_PAIRS_OF_GAMES = 20_000
_LEAST_MAX_KNOTS = 4_096


def steepness_of(phi: Floats) -> Floats:
    """Return Glickman's g."""
    return 1.0 / np.sqrt(1.0 + 3.0 / math.pi**2 * phi * phi)


def round_robin(contest: Contest, mu: Floats, phi: Floats) -> tuple[Floats, Floats]:
    """Return each row's sum g (s - E) and 1 / v over the games against all others, shape (n,), internal scale."""
    steepness = steepness_of(phi)
    players = DistinctPlayers(mu, 1.0 / steepness)
    value, slope = map(players.for_players, _at_centres(players))
    by_group = contest.rows_by_group(players.order)
    in_groups = np.add.reduceat(steepness[by_group], np.cumsum(contest.group_sizes) - contest.group_sizes)
    better = np.cumsum(in_groups) - in_groups
    # The game against oneself is a draw: it does not change the surplus, and is subtracted from the information.
    surplus = value - (better + 0.5 * in_groups)[contest.group]
    return surplus, -slope - 0.25 * steepness * steepness


def game_terms(situation: Situation, mu: Floats, phi: Floats) -> Floats:
    """Return g (s - E) of the game with each entry, on the internal scale; opponents with small deviations count more.

    mu, phi
        Of the entries, shape (n_entries,).
    """
    steepness = steepness_of(phi)
    expected = expit(steepness * (mu[situation.own] - mu))
    terms: Floats = steepness * (situation.score - expected)
    terms[situation.own] = 0.0
    return terms


def games_of_first(mu: Floats, phi: Floats) -> tuple[Floats, float, float]:
    """Return everyone's g, and for row 0 sum g (s - E) if it wins all games, and 1 / v, on the internal scale."""
    steepness = steepness_of(phi)
    lost = expit(steepness[1:] * (mu[1:] - mu[0]))
    surplus = float(np.add.reduce(steepness[1:] * lost))
    return steepness, surplus, float(np.add.reduce(np.square(steepness[1:]) * lost * (1.0 - lost)))


def _at_centres(players: DistinctPlayers) -> tuple[Floats, Floats]:
    """Return values and slopes of the field's sum at the centres of the distinct players."""
    field = LogisticSum.of_players(players)
    table = None
    if len(players) ** 2 > _ALL_PAIRS_OF_GAMES:
        high, low = field(players.centre[[0, -1]])[0].tolist()
        table = field.tabulate(low, high, max(_LEAST_MAX_KNOTS, len(players)))
    value, slope, _ = (table or field)(players.centre)
    return value, slope


def duel_changes(contest: Contest, mu: Floats, gain: float, curve: Curve, scale: float) -> Floats:
    """Return the change of each row's rating in a contest, in rating points, shape (n,).

    mu
        Ratings before the contest, aligned with the rows. A team plays at the mean of its members' ratings.
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
        # Remove the rounding error of the sum; sorted, so that the order of the rows changes no bits.
        surplus -= np.add.reduce(np.sort(surplus)) / len(surplus)
        return gain * surplus
    return (gain * _team_surplus(contest, mu, curve, scale))[contest.entry]


def surprises_of_duels(situation: Situation, expected: Floats, gain: float) -> Surprises:
    """Return the duels with each entry, given the expected scores, shape (n_entries,)."""
    contest = situation.contest
    gain *= contest.bounded_weight / most_opponents(contest)
    return Surprises(np.bincount(contest.entry) * (situation.score - expected), gain)


def duels_by_place(entrants: Entrants, mu: float, expected: Floats, gain: float) -> Callable[[Indices], Outcomes]:
    """Return the function from places to the outcomes of the player in row 0.

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
    """Return score minus expected score per duel for a member of each team, shape (n_entries,)."""
    group = np.empty(contest.n_entries, dtype=np.int64)
    group[contest.entry] = contest.group
    sizes = np.bincount(contest.entry).astype(np.float64)
    worse = len(contest) - np.cumsum(contest.group_sizes)
    won = worse[group] + 0.5 * (contest.group_sizes[group] - sizes)
    surplus = (won - expected_wins(_team_means(contest, mu), curve, scale, sizes)) / most_opponents(contest)
    # As above, over all players.
    surplus -= np.add.reduce(np.sort(sizes * surplus)) / len(contest)
    return surplus


def _team_means(contest: Contest, mu: Floats) -> Floats:
    """Return the mean rating of each entry, shape (n_entries,), summed in the order of the ratings."""
    order = np.lexsort((mu, contest.entry))
    sizes = np.bincount(contest.entry)
    means: Floats = np.add.reduceat(mu[order], np.cumsum(sizes) - sizes) / sizes
    return means
