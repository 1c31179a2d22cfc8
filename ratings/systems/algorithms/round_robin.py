"""The games of a contest in Glicko's model, when everyone meets everyone once, and what they say of each player.

Glickman, "Example of the Glicko-2 system" (2012), steps 3 and 4. On its internal scale (one unit is 400 / ln 10 rating
points), with g_j = 1 / sqrt(1 + 3 phi_j^2 / pi^2), all that the games against a field say of a player is in one
function of m,

    F(m) = sum_j g_j / (1 + exp(g_j (m - m_j)))        the surplus that losing all those games would leave unexplained

because 1 / v = -F'(m) and sum_j g_j (s_j - E_j) = F(m) - (sum of g_j over the games lost, half of it over draws).
"""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ratings.systems.contest import Contest
from ratings.systems.numerics.distinct import Distinct, stable_argsort
from ratings.systems.numerics.kernels import LogisticSum
from ratings.systems.situation import Situation

Floats: TypeAlias = NDArray[np.float64]

# Up to this many pairs all pairs are cheaper than a table.
_ALL_PAIRS = 20_000
_LEAST_MAX_KNOTS = 4_096


def steepness_of(phi: Floats) -> Floats:
    """Return Glickman's g."""
    return 1.0 / np.sqrt(1.0 + 3.0 / math.pi**2 * phi * phi)


def round_robin(contest: Contest, mu: Floats, phi: Floats) -> tuple[Floats, Floats]:
    """Return each row's sum g (s - E) and 1 / v over the games against all others, shape (n,), internal scale."""
    steepness = steepness_of(phi)
    players = Distinct(mu, 1.0 / steepness)
    value, slope = map(players.for_players, _at_centres(players))
    by_group = players.order[stable_argsort(contest.group[players.order], len(contest.group_sizes))]
    in_groups = np.add.reduceat(steepness[by_group], np.cumsum(contest.group_sizes) - contest.group_sizes)
    better = np.cumsum(in_groups) - in_groups
    # The game against oneself is drawn: it leaves the surplus as it is, and is taken out of the information.
    surplus = value - (better + 0.5 * in_groups)[contest.group]
    return surplus, -slope - 0.25 * steepness * steepness


def game_terms(situation: Situation, mu: Floats, phi: Floats) -> Floats:
    """Return g (s - E) of the game with each entry, on the internal scale; an opponent known better counts for more."""
    steepness = steepness_of(phi)
    expected = expit(steepness * (mu[situation.row] - mu))
    terms: Floats = steepness * (situation.score - expected)
    terms[situation.own] = 0.0
    return terms


def games_of_first(mu: Floats, phi: Floats) -> tuple[Floats, float, float]:
    """Return everyone's g, and for row 0: sum g (s - E) as if all games were won, and 1 / v, on the internal scale."""
    steepness = steepness_of(phi)
    lost = expit(steepness[1:] * (mu[1:] - mu[0]))
    surplus = float(np.add.reduce(steepness[1:] * lost))
    return steepness, surplus, float(np.add.reduce(np.square(steepness[1:]) * lost * (1.0 - lost)))


def _at_centres(players: Distinct) -> tuple[Floats, Floats]:
    """Return values and slopes of the field's sum at the distinct players themselves, which rise."""
    field = LogisticSum(players.centre, players.width, players.number / players.width)
    table = None
    if len(players) ** 2 > _ALL_PAIRS:
        high, low = field(players.centre[[0, -1]])[0].tolist()
        table = field.tabulate(low, high, max(_LEAST_MAX_KNOTS, len(players)))
    value, slope, _ = (table or field)(players.centre)
    return value, slope
