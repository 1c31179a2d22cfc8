"""How much each opponent's result surprised at a player's rating: where performances and changes come from.

Each system compares a player with everybody else. Its comparison with one opponent is a term that is positive for
whoever finished behind, negative for whoever finished ahead, and large where that was unlikely. Here are these terms
at the rating before the contest. Where the system has a performance, it lies above or below the rating as their sum
does, and each opponent's part of the distance is in proportion to the term; else the change is a multiple of the sum.
"""

import math
from dataclasses import dataclass
from functools import singledispatch
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr, ndtri

from ratings.systems.algorithms.codeforces import Codeforces
from ratings.systems.algorithms.duels import most_opponents
from ratings.systems.algorithms.elo import Elo
from ratings.systems.algorithms.elo_mmr import LOGISTIC_SCALE, Diffused, EloMMRParameters
from ratings.systems.algorithms.elo_mmx import EloMMX
from ratings.systems.algorithms.glicko import Glicko
from ratings.systems.algorithms.glicko2 import Glicko2
from ratings.systems.algorithms.kreimeier import Kreimeier
from ratings.systems.algorithms.round_robin import steepness_of
from ratings.systems.algorithms.topcoder import TopCoder
from ratings.systems.explain.situation import Situation
from ratings.systems.numerics.truncation import above
from ratings.systems.system import RatingSystem

Floats: TypeAlias = NDArray[np.float64]

_LOGISTIC_DEVIATION = 1.0 / LOGISTIC_SCALE
# A sum that is a smaller part of its terms is rounding.
_NOTHING = 1e-10


@dataclass(frozen=True, slots=True, eq=False)
class Surprises:
    """What each entry's result says at the rating before, shape (n_entries,); nothing for the own one.

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


@singledispatch
def surprises(system: RatingSystem, situation: Situation) -> Surprises | None:
    """The terms of a contest by the system's own comparison; None where it is not made of comparisons in pairs."""
    return None


@surprises.register
def _(system: EloMMRParameters, situation: Situation) -> Surprises:
    """The terms of the performance equation of Elo-MMR (specification, section 1)."""
    belief = Diffused(system, situation.entrants)
    scale = LOGISTIC_SCALE * np.sqrt(belief.variance + belief.noise)
    curve = np.tanh((belief.mu[situation.row] - belief.mu) / (2.0 * scale))
    tie = 1.0 if system.split_ties else 2.0
    weight = np.where(situation.score == 0.5, tie, 1.0)
    terms = (2.0 * situation.score - 1.0 - weight * curve) / scale
    slopes = weight * (1.0 - curve * curve) / (2.0 * scale * scale)
    return Surprises(terms, 1.0 / float(np.add.reduce(slopes)))


@surprises.register
def _(system: EloMMX, situation: Situation) -> Surprises:
    """The terms of the performance equation of Elo-MMX (specification, section 2)."""
    belief = Diffused(system, situation.entrants)
    deviation = np.sqrt(belief.variance + belief.noise)
    z = (belief.mu[situation.row] - belief.mu) / deviation
    won, won_excess, _ = above(z)
    lost, lost_excess, _ = above(-z)
    score = situation.score
    terms = score * won - (1.0 - score) * lost
    slopes = score * won * won_excess + (1.0 - score) * lost * lost_excess
    if not system.split_ties:
        tied = score == 0.5
        terms, slopes = np.where(tied, -z, terms), np.where(tied, 1.0, slopes)
    return Surprises(terms / deviation, 1.0 / float(np.add.reduce(slopes / (deviation * deviation))))


@surprises.register
def _(system: Codeforces, situation: Situation) -> Surprises:
    """Expected minus actual place, opponent by opponent; the performance goes half the way in places."""
    scale = system.scale / (math.log(10.0) * math.sqrt(situation.contest.bounded_weight))
    mu = situation.entrants.mu
    expected = expit((mu[situation.row] - mu) / scale)
    slope = float(np.add.reduce(expected * (1.0 - expected))) / scale
    return Surprises(situation.score - expected, 0.5 / slope)


@surprises.register
def _(system: TopCoder, situation: Situation) -> Surprises:
    """Expected minus actual place, opponent by opponent."""
    mu, volatility = situation.entrants.mu, situation.entrants.sigma
    spread = np.hypot(volatility, volatility[situation.row]) / math.sqrt(situation.contest.bounded_weight)
    expected = ndtr((mu[situation.row] - mu) / spread)
    n = len(mu)
    place = float(np.add.reduce(1.0 - expected))
    density = math.exp(-0.5 * float(ndtri(np.clip(place / n, 0.5 / n, 1.0 - 0.5 / n))) ** 2) / math.sqrt(2.0 * math.pi)
    field = math.sqrt(float(np.mean(volatility**2)) + float(np.var(mu)) * n / (n - 1))
    return Surprises(situation.score - expected, field / (n * density))


@surprises.register
def _(system: Elo, situation: Situation) -> Surprises:
    difference = situation.strength[situation.own] - situation.strength
    if system.curve == "gaussian":
        expected = ndtr(difference / (math.sqrt(2.0) * system.beta))
    else:
        expected = expit(difference * math.log(10.0) / system.scale)
    return _of_duels(situation, expected, system.k_factor)


@surprises.register
def _(system: Kreimeier, situation: Situation) -> Surprises:
    difference = situation.strength[situation.own] - situation.strength
    return _of_duels(situation, expit(difference / system.temperature), system.max_gain)


def _of_duels(situation: Situation, expected: Floats, gain: float) -> Surprises:
    contest = situation.contest
    gain *= contest.bounded_weight / most_opponents(contest)
    return Surprises(np.bincount(contest.entry) * (situation.score - expected), gain)


@surprises.register
def _(system: Glicko, situation: Situation) -> Surprises:
    """Each game counts by how well the opponent is known (specification, section 6)."""
    unit = system.beta / (_LOGISTIC_DEVIATION * math.sqrt(situation.contest.bounded_weight))
    mu, phi = situation.entrants.mu / unit, np.hypot(situation.entrants.sigma, system.drift) / unit
    own = float(phi[situation.row])
    variance = 1.0 / (1.0 / (own * own) + 0.25)
    return Surprises(_of_games(situation, mu, phi), unit * variance / len(mu))


@surprises.register
def _(system: Glicko2, situation: Situation) -> Surprises:
    """Each game counts by how well the opponent is known; how far it moves the rating, the new deviation says."""
    entrants = situation.entrants
    sigma = system._after_idle_periods(entrants, entrants.beliefs.extra["volatility"][entrants.players])
    return Surprises(_of_games(situation, entrants.mu / system.scale, sigma / system.scale), math.nan)


def _of_games(situation: Situation, mu: Floats, phi: Floats) -> Floats:
    steepness = steepness_of(phi)
    expected = expit(steepness * (mu[situation.row] - mu))
    terms: Floats = steepness * (situation.score - expected)
    terms[situation.own] = 0.0
    return terms
