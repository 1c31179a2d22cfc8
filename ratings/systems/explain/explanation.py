"""Why a contest changed a rating by as much as it did: the change as a sum of parts, and each opponent's pull.

    explanation = explain(system, beliefs, contest, row, result, past)
    sum(part.points for part in explanation.parts)  # what was added to the mean, exactly

Where a system weighs a performance against what it believed before (Elo-MMR's equation 7, and its simpler relatives),
the parts are these weights times the distances from the rating before. Where it adds up games, the parts are the games.
Where inference cannot be taken apart (TrueSkill), there is one part: what the places said, as the one performance that
would have had this effect.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.algorithms.codeforces import Codeforces
from ratings.systems.algorithms.elo_mmr import Diffused, EloMMR, EloMMRInfinity, EloMMRParameters
from ratings.systems.algorithms.elo_mmx import EloMMX
from ratings.systems.algorithms.glicko import Glicko
from ratings.systems.algorithms.glicko2 import Glicko2
from ratings.systems.algorithms.topcoder import TopCoder
from ratings.systems.algorithms.trueskill import TrueSkill
from ratings.systems.algorithms.trueskill_spb import TrueSkillSPb
from ratings.systems.belief import Beliefs
from ratings.systems.contest import Contest
from ratings.systems.explain.player_memory import PlayerMemory
from ratings.systems.explain.situation import Situation
from ratings.systems.explain.surprises import Surprises, surprises
from ratings.systems.system import Entrants, RatingSystem

Floats: TypeAlias = NDArray[np.float64]
Kind: TypeAlias = Literal["contest", "past", "prior", "limit", "pool"]


@dataclass(frozen=True, slots=True)
class Result:
    """What the contest left of one player: mean, deviation, performance (0 where the system has none), as stored."""

    mu: float
    sigma: float
    performance: float


@dataclass(frozen=True, slots=True, eq=False)
class Past:
    """The earlier contests of one player, oldest first, shape (k,) each: what Elo-MMR remembers follows from them.

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


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a change.

    kind
        ``contest`` what this contest said; ``past`` one earlier performance, ``number`` counting them from 0;
        ``prior`` the Gaussian part of the belief; ``limit`` what a bound of the system took away or a correction
        added; ``pool`` a correction for all participants.
    points
        Added to the mean, in rating points.
    level, weight
        Where parts are of a weighted mean: what is weighed (rating points), and its share of all weights, 0 to 1.
    """

    kind: Kind
    points: float
    level: float | None = None
    weight: float | None = None
    number: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """Why one participant's rating changed.

    situation
        Places and probabilities, expected and actual.
    parts
        They add up to the change of the mean.
    pulls
        Of each entry, shape (n_entries,), in rating points of the change: they add up to the part ``contest``. None
        where the system does not compare in pairs, or a ceiling stands in place of the comparison.
    sigma_drifted
        The deviation right before the contest, after the time that passed since the last one.
    damping
        How much of its full weight the performance kept, from 0 to 1: less the further it lies from the rating.
    """

    situation: Situation
    parts: tuple[Part, ...]
    pulls: Floats | None
    sigma_drifted: float
    damping: float | None = None

    @property
    def change(self) -> float:
        """What was added to the mean, in rating points."""
        return math.fsum(part.points for part in self.parts)

    def part(self, kind: Kind) -> float:
        """The sum of the parts of one kind, in rating points."""
        return math.fsum(part.points for part in self.parts if part.kind == kind)


def explain(
    system: RatingSystem, beliefs: Beliefs, contest: Contest, row: int, result: Result, past: Past | None = None
) -> Explanation:
    """Take the change of one participant apart.

    beliefs
        On the participants before the contest: means and deviations; counts, last days and further numbers only where
        the parameters of the system ask for them. Elo-MMR's memory is not read.
    contest, row
        The contest, and the position of the participant in ``contest.players``.
    result
        What was stored: the engine's numbers, so that the parts add up to the change that is shown.
    past
        For Elo-MMR, whose belief depends on all earlier performances; others ignore it.

    Takes about linear time. Raises ValueError on a row that is none, and on a past that is missing.
    """
    situation = Situation(system, beliefs, contest, row)
    before = float(situation.entrants.mu[row])
    if isinstance(system, EloMMR):
        if past is None:
            raise ValueError("elo-mmr is explained from the player's earlier contests: give their past")
        return _of_weights(system, situation, result, _remembered(system, past))
    if isinstance(system, EloMMRInfinity):
        return _of_weights(system, situation, result, None)
    if isinstance(system, (EloMMX, Codeforces, TopCoder)):
        share = _share(system, situation)
        return _of_performance(system, situation, result, share)
    terms = surprises(system, situation)
    if terms is not None:
        return _of_games(system, situation, result, terms)
    sigma = float(situation.entrants.sigma[row])
    drifted = math.hypot(sigma, system.tau) if isinstance(system, (TrueSkill, TrueSkillSPb)) else sigma
    change = result.mu - before
    weight = 1.0 - (result.sigma / drifted) ** 2 if drifted > result.sigma else None
    level = before + change / weight if weight else None
    return Explanation(situation, (Part("contest", change, level, weight),), None, drifted)


def records_matter(system: RatingSystem) -> bool:
    """Whether others' numbers of contests, or their days since the last, are part of what is expected of them."""
    if isinstance(system, EloMMRParameters):
        return bool(system.noob_delay) or system.drift_per_day > 0.0
    return isinstance(system, Glicko2) and system.period_days > 0.0


def _remembered(system: EloMMR, past: Past) -> PlayerMemory:
    """The memory after the past contests, before the time that passed since."""
    memory = PlayerMemory(system.mu_noob, system.sig_noob)
    mu, sigma, day = system.mu_noob, system.sig_noob, 0.0
    for n in range(len(past)):
        belief = _diffused(system, float(past.weight[n]), n, (mu, sigma), (day, float(past.day[n])))
        memory.diffuse(mu, sigma * sigma, float(belief.drift[0]), system.transfer_speed)
        memory.add(float(past.performance[n]), float(belief.noise[0]))
        mu, sigma, day = float(past.mu[n]), float(past.sigma[n]), float(past.day[n])
    return memory


def _diffused(
    system: EloMMRParameters, weight: float, count: int, belief: tuple[float, float], days: tuple[float, float]
) -> Diffused:
    """The belief on one player, (mu, sigma), between two days, before a contest of that weight."""
    alone = Beliefs(1, *belief)
    alone.count[0], alone.last_day[0] = count, days[0]
    return Diffused(system, Entrants(alone, Contest([0], [1], weight, day=days[1])))


def _of_weights(
    system: EloMMRParameters, situation: Situation, result: Result, memory: PlayerMemory | None
) -> Explanation:
    """Equation 7: the new rating as the mean of all that is remembered, by weights."""
    belief, row = Diffused(system, situation.entrants), situation.row
    mu, drifted = float(belief.mu[row]), math.sqrt(float(belief.variance[row]))
    if memory is None:
        memory = PlayerMemory(mu, drifted)
    elif isinstance(system, EloMMR):
        memory.diffuse(mu, float(belief.variance_before[row]), float(belief.drift[row]), system.transfer_speed)
    memory.add(result.performance, float(belief.noise[row]))
    weights, levels = memory.weights(result.mu), memory.levels()
    shares = weights / np.add.reduce(weights)
    points = shares * (levels - mu)
    columns = zip(points.tolist(), levels.tolist(), shares.tolist(), strict=True)
    prior, *performances = [(Part("prior", *each), each) for each in columns]
    past = [Part("past", *each, number=number) for number, (_, each) in enumerate(performances[:-1])]
    contest = Part("contest", *performances[-1][1])
    pulls = _pulls(system, situation, result, contest.weight or 0.0)
    return Explanation(situation, (contest, *past, prior[0]), pulls, drifted, float(memory.damping(result.mu)[-1]))


def _share(system: RatingSystem, situation: Situation) -> float:
    """The weight of the performance in the new rating, 0 to 1."""
    entrants, row = situation.entrants, situation.row
    weight = situation.contest.bounded_weight
    if isinstance(system, EloMMX):
        belief = Diffused(system, entrants)
        return float(belief.variance[row] / (belief.variance[row] + belief.noise[row]))
    if isinstance(system, Codeforces):
        return weight * system.weight / (1.0 + weight * system.weight)
    assert isinstance(system, TopCoder)
    contests = 1.0 + entrants.count[row : row + 1].astype(np.float64)
    ratio = float(system.weights_and_caps(entrants.mu[row : row + 1], contests, weight)[0][0])
    return ratio / (1.0 + ratio)


def _of_performance(system: RatingSystem, situation: Situation, result: Result, share: float) -> Explanation:
    """A weighted mean of the rating before and the performance, and what a cap or a correction changes of it."""
    mu, sigma = float(situation.entrants.mu[situation.row]), float(situation.entrants.sigma[situation.row])
    if isinstance(system, EloMMX):
        sigma = math.sqrt(float(Diffused(system, situation.entrants).variance[situation.row]))
    points = share * (result.performance - mu)
    parts = [Part("contest", points, result.performance, share), Part("prior", 0.0, mu, 1.0 - share)]
    rest = result.mu - mu - points
    if abs(rest) > 1e-9 * max(1.0, abs(mu)):
        parts.append(Part("pool" if isinstance(system, Codeforces) else "limit", rest))
    return Explanation(situation, tuple(parts), _pulls(system, situation, result, share), sigma)


def _pulls(system: RatingSystem, situation: Situation, result: Result, share: float) -> Floats | None:
    """Each entry's part of the distance to the performance, as it counts in the rating."""
    terms = surprises(system, situation)
    if terms is None or result.performance >= situation.contest.perf_ceiling:
        return None
    return share * terms.parts_of(result.performance - float(situation.entrants.mu[situation.row]))


def _of_games(system: RatingSystem, situation: Situation, result: Result, terms: Surprises) -> Explanation:
    """The sum of all games, and what a bound of the system took away."""
    row = situation.row
    mu, sigma = float(situation.entrants.mu[row]), float(situation.entrants.sigma[row])
    points = terms.points
    if isinstance(system, Glicko2):
        points = result.sigma**2 / system.scale * situation.contest.bounded_weight
        beliefs = situation.entrants.beliefs
        volatility = beliefs.extra["volatility"][situation.entrants.players]
        sigma = float(system._after_idle_periods(situation.entrants, volatility)[row])
        total = float(np.add.reduce(terms.terms))
        if system.period_days and (result.mu - mu) * total > 0.0:
            # Volatilities of the past are not known, so steps are not exactly those of the games.
            points = (result.mu - mu) / total
    elif isinstance(system, Glicko):
        sigma = math.hypot(sigma, system.drift)
    pulls = terms.terms * points
    parts = [Part("contest", float(np.add.reduce(pulls)))]
    rest = result.mu - mu - parts[0].points
    if abs(rest) > 1e-9 * max(1.0, abs(mu)):
        parts.append(Part("limit", rest))
    return Explanation(situation, tuple(parts), pulls, sigma)


def strongest(pulls: Floats, most: int) -> tuple[Sequence[int], Sequence[int]]:
    """The entries that pulled up most, and those that pulled down most, the strongest first; at most so many each."""
    order = np.argsort(pulls, kind="stable")
    down = [int(each) for each in order[:most] if pulls[each] < 0.0]
    up = [int(each) for each in order[::-1][:most] if pulls[each] > 0.0]
    return up, down
