"""Explanations of a rating change: the change as a sum of parts, and each opponent's share of it.

    explanation = explain(system, beliefs, contest, row, result, past)
    sum(part.points for part in explanation.parts)  # exactly the change of the mean

Some systems weigh a performance against the belief before the contest (Elo-MMR's equation 7 and its simpler
relatives). Their parts are these weights times the distances from the rating before. In systems that add up games, the
parts are the games. Where the inference has no separate parts (TrueSkill), there is a single part: the one performance
that would have had the same effect as the places. Each system declares which of these applies.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.beliefs import Beliefs
from ratings.systems.contest import Contest
from ratings.systems.situation import PastPerformances, Result, Situation, Surprises, WeightedValues
from ratings.systems.system import RatingSystem

Floats: TypeAlias = NDArray[np.float64]
Kind: TypeAlias = Literal["contest", "past", "prior", "limit", "pool"]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a change.

    kind
        ``contest`` for this contest; ``past`` for one earlier performance, which ``number`` counts from 0; ``prior``
        for the Gaussian part of the belief; ``limit`` for the effect of a bound or correction of the system; ``pool``
        for a correction of all participants.
    points
        Added to the mean, in rating points.
    level, weight
        In a weighted mean: the value (rating points), and its share of all weights, 0 to 1.
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
        Expected and actual places and probabilities.
    parts
        They add up to the change of the mean.
    pulls
        Each entry's share of the change, shape (n_entries,), in rating points; they add up to the part ``contest``.
        None if the system does not compare pairs, or if a performance ceiling replaced the comparison.
    sigma_drifted
        The deviation right before the contest, after the time since the last one.
    damping
        The share of its full weight that the performance kept, from 0 to 1: the further from the rating, the smaller.
    """

    situation: Situation
    parts: tuple[Part, ...]
    pulls: Floats | None
    sigma_drifted: float
    damping: float | None = None

    @property
    def change(self) -> float:
        """The change of the mean, in rating points."""
        return math.fsum(part.points for part in self.parts)

    def part(self, kind: Kind) -> float:
        """Return the sum of the parts of one kind, in rating points."""
        return math.fsum(part.points for part in self.parts if part.kind == kind)


def explain(
    system: RatingSystem,
    beliefs: Beliefs,
    contest: Contest,
    row: int,
    result: Result,
    past: PastPerformances | None = None,
) -> Explanation:
    """Return an explanation of one participant's change.

    beliefs
        About the participants before the contest: means and deviations. Counts, last days and further numbers are used
        only if the system ``depends_on_activity``. Elo-MMR's memory is not used.
    contest, row
        The contest, and the position of the participant in ``contest.players``.
    result
        The stored numbers of the engine, so that the parts add up to the displayed change.
    past
        Needed for Elo-MMR, whose belief depends on all earlier performances; other systems ignore it.

    Takes about linear time. Raises ValueError on a row outside the contest, and if Elo-MMR's past is missing.
    """
    situation = Situation(system, beliefs, contest, row)
    weighed = system.weighted_values(situation, result, past)
    if weighed is not None:
        return _of_weights(system, situation, result, weighed)
    share = system.performance_share(situation)
    if share is not None:
        return _of_performance(system, situation, result, share)
    terms = system.surprises(situation)
    if terms is not None:
        return _of_games(system, situation, result, terms)
    return _of_one_part(system, situation, result)


def _sigma(system: RatingSystem, situation: Situation) -> float:
    return float(system.sigma_drifted(situation.entrants)[situation.row])


def _of_weights(system: RatingSystem, situation: Situation, result: Result, weighed: WeightedValues) -> Explanation:
    """Explain a rating that is the weighted mean of all remembered values."""
    mu = float(situation.entrants.mu[situation.row])
    shares = weighed.weights / np.add.reduce(weighed.weights)
    points = shares * (weighed.levels - mu)
    columns = zip(points.tolist(), weighed.levels.tolist(), shares.tolist(), strict=True)
    prior, *performances = columns
    past = [Part("past", *each, number=number) for number, each in enumerate(performances[:-1])]
    contest = Part("contest", *performances[-1])
    pulls = _pulls(system, situation, result, contest.weight or 0.0)
    parts = (contest, *past, Part("prior", *prior))
    return Explanation(situation, parts, pulls, _sigma(system, situation), weighed.damping)


def _of_performance(system: RatingSystem, situation: Situation, result: Result, share: float) -> Explanation:
    """Explain a weighted mean of the rating before and the performance, and the effect of a bound on it."""
    mu = float(situation.entrants.mu[situation.row])
    points = share * (result.performance - mu)
    parts = [Part("contest", points, result.performance, share), Part("prior", 0.0, mu, 1.0 - share)]
    parts += _rest(system, result.mu - mu - points, mu)
    pulls = _pulls(system, situation, result, share)
    return Explanation(situation, tuple(parts), pulls, _sigma(system, situation))


def _pulls(system: RatingSystem, situation: Situation, result: Result, share: float) -> Floats | None:
    """Return each entry's share of the distance to the performance, with the performance's weight in the rating."""
    terms = system.surprises(situation)
    if terms is None or result.performance >= situation.contest.perf_ceiling:
        return None
    return share * terms.parts_of(result.performance - float(situation.entrants.mu[situation.row]))


def _of_games(system: RatingSystem, situation: Situation, result: Result, terms: Surprises) -> Explanation:
    """Explain a sum of games, and the effect of a bound of the system on it."""
    mu = float(situation.entrants.mu[situation.row])
    pulls = terms.terms * system.points_of_games(situation, result, terms)
    contest = Part("contest", float(np.add.reduce(pulls)))
    parts = (contest, *_rest(system, result.mu - mu - contest.points, mu))
    return Explanation(situation, parts, pulls, _sigma(system, situation))


def _of_one_part(system: RatingSystem, situation: Situation, result: Result) -> Explanation:
    """Explain a change without separate parts by the one performance that would have had the same effect."""
    before, drifted = float(situation.entrants.mu[situation.row]), _sigma(system, situation)
    change = result.mu - before
    weight = 1.0 - (result.sigma / drifted) ** 2 if drifted > result.sigma else None
    level = before + change / weight if weight else None
    return Explanation(situation, (Part("contest", change, level, weight),), None, drifted)


def _rest(system: RatingSystem, points: float, mu: float) -> list[Part]:
    """Return the part of a change that the other parts do not explain, unless it is rounding error."""
    return [Part(system.remainder_kind, points)] if abs(points) > 1e-9 * max(1.0, abs(mu)) else []


def strongest_pulls(pulls: Floats, most: int) -> tuple[Sequence[int], Sequence[int]]:
    """Return the entries with the strongest pulls up and down, strongest first; at most ``most`` of each."""
    order = np.argsort(pulls, kind="stable")
    down = [int(each) for each in order[:most] if pulls[each] < 0.0]
    up = [int(each) for each in order[::-1][:most] if pulls[each] > 0.0]
    return up, down
