"""A search for the parameters that predict best: found on the first contests, judged on the rest.

Ebtekar and Liu, "Elo-MMR", section 6: "The hyperparameter set that performed best on the first 10% of the dataset, was
then used to test the algorithm on the remaining 90% of the dataset." They use a grid. Here half of the candidates are
spread evenly over the ranges, and the others are drawn closer and closer around the best.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.contest import Contest
from ratings.systems.evaluate.metrics import Scores, backtest
from ratings.systems.system import SYSTEMS, RatingSystem, get_system

Floats: TypeAlias = NDArray[np.float64]

# Objectives: the field of Scores, and the sign that makes smaller values better.
OBJECTIVES = {"pair-inversion": ("pair_inversion", -1.0), "rank-deviation": ("rank_deviation", 1.0),
              "log-loss": ("log_loss", 1.0)}  # fmt: skip

# Half of the candidates explore. The others are drawn in rounds, each this close to the best so far (1: whole range).
_STEPS = (0.2, 0.1, 0.05, 0.025)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One set of parameters to evaluate, small enough to be sent to another process.

    parameters
        The parameters that differ from the system's defaults.
    skip, stop
        Rate the contests before ``stop`` (all contests if it is None), and judge those from ``skip`` on.
    """

    system: str
    parameters: dict[str, Any]
    min_contests: int = 5
    skip: int = 0
    stop: int | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A candidate's parameters (those that differ from the defaults), and their scores."""

    parameters: dict[str, Any]
    scores: Scores


@dataclass(frozen=True, slots=True)
class Tuning:
    """The results of a search.

    training
        Number of contests at the start that the search used.
    candidates
        All candidates evaluated on them, in that order; the first one has the defaults.
    best
        The best candidate; the first one if several are equal.
    default_on_rest, best_on_rest
        The scores of the defaults and of the best on the other contests, which did not influence the choice.
    """

    system: str
    objective: str
    training: int
    candidates: tuple[Evaluation, ...]
    best: Evaluation
    default_on_rest: Scores
    best_on_rest: Scores


# Evaluates several candidates, in any order and anywhere, and returns their scores in the given order.
Evaluate: TypeAlias = Callable[[Sequence[Candidate]], Sequence[Scores]]


def evaluate_candidate(candidate: Candidate, contests: Sequence[Contest], n_players: int) -> Scores:
    """Backtest one candidate; apart from the seconds, the result depends only on the arguments."""
    system = get_system(candidate.system, **candidate.parameters)
    return backtest(system, contests[: candidate.stop], n_players, candidate.min_contests, skip=candidate.skip)


def training_size(contests: Sequence[Contest], share: float) -> int:
    """Return the number of contests at the start for training: the fewest with this share of all participations.

    The share counts participations because the metrics do. A tenth of the contests may have only a fiftieth of the
    data, because series begin small.

    Raises ValueError unless both parts have at least one contest.
    """
    if not 0.0 < share < 1.0:
        raise ValueError(f"share = {share!r} is not allowed: it must be a number, more than 0 and less than 1")
    so_far = np.cumsum([len(contest) for contest in contests])
    size = int(np.searchsorted(so_far, share * so_far[-1])) + 1 if len(so_far) else 0
    if not 0 < size < len(contests):
        raise ValueError(
            f"{len(contests)} contests are too few to find parameters on some of them and judge these on the rest"
        )
    return size


def tune(
    system: str,
    evaluate: Evaluate,
    training: int,
    *,
    objective: str = "pair-inversion",
    n_candidates: int = 40,
    seed: int = 0,
    min_contests: int = 5,
) -> Tuning:
    """Search for better parameters of a system; the same seed always gives the same result.

    evaluate
        Evaluates candidates on the contests; called once per round with all its candidates.
    training
        Number of contests at the start to search on; see ``training_size``.
    objective
        One of OBJECTIVES.
    n_candidates
        The number of candidates to try, including the defaults.

    Raises ValueError if there is nothing to search or nothing to judge.
    """
    if system not in SYSTEMS:
        raise ValueError(f"there is no rating system {system!r}; choose from: {', '.join(SYSTEMS)}")
    if objective not in OBJECTIVES:
        raise ValueError(f"there is no objective {objective!r}; choose from: {', '.join(OBJECTIVES)}")
    if n_candidates < 2:
        raise ValueError(f"{n_candidates} candidates are too few: the defaults are one, so try at least 2")
    candidate = Candidate(system, {}, min_contests, stop=training)
    search = _Search(SearchSpace(SYSTEMS[system]), candidate, evaluate, objective)
    search.run(n_candidates, np.random.default_rng(seed))
    best = search.best
    on_rest = [Candidate(system, parameters, min_contests, skip=training) for parameters in ({}, best.parameters)]
    default_scores, best_scores = evaluate(on_rest)
    if not default_scores.participations:
        raise ValueError(f"after the first {training} contests there is nothing to judge: take a smaller share")
    return Tuning(system, objective, training, tuple(search.found), best, default_scores, best_scores)


class SearchSpace:
    """The unit cube of a system's search space; points have shape (number of dimensions,)."""

    def __init__(self, system: type[RatingSystem]) -> None:
        self.dimensions = system.search_space
        if not self.dimensions:
            raise ValueError(f"{system.name} has no parameters that a search could improve")
        defaults = {parameter.name: parameter.default for parameter in system.PARAMETERS}
        self.defaults = [defaults[dimension.name] for dimension in self.dimensions]

    def origin(self) -> Floats:
        """Return the point of the defaults."""
        pairs = zip(self.dimensions, self.defaults, strict=True)
        return np.array([dimension.position(default, default) for dimension, default in pairs])

    def parameters(self, point: Floats) -> dict[str, Any]:
        """Return the parameters of a point, without those that equal their defaults."""
        triples = zip(self.dimensions, self.defaults, point.tolist(), strict=True)
        values = {
            dimension.name: (default, dimension.value(default, position)) for dimension, default, position in triples
        }
        return {name: value for name, (default, value) in values.items() if value != default}

    def spread(self, count: int, random: np.random.Generator) -> Floats:
        """Return points that cover each parameter's range evenly (a Latin hypercube), shape (count, dimensions)."""
        # Imported here because scipy.stats takes longer to load than the rest of this module.
        from scipy.stats.qmc import LatinHypercube

        points: Floats = LatinHypercube(len(self.dimensions), rng=random).random(count)
        return points

    def around(self, centre: Floats, count: int, step: float, random: np.random.Generator) -> Floats:
        """Return points near a centre, shape (count, dimensions).

        ``step`` is the deviation of each coordinate, and the probability that a choice is redrawn.
        """
        points = np.clip(centre + step * random.standard_normal((count, len(centre))), 0.0, 1.0)
        anew = random.random(points.shape)
        redrawn = random.random(points.shape) < step
        for k, dimension in enumerate(self.dimensions):
            if dimension.choices:
                points[:, k] = np.where(redrawn[:, k], anew[:, k], centre[k])
        return points


class _Search:
    """The state of a search: the candidates tried so far, and the best of them."""

    def __init__(self, space: SearchSpace, candidate: Candidate, evaluate: Evaluate, objective: str) -> None:
        self.space, self.candidate, self.evaluate = space, candidate, evaluate
        self.figure, self.sign = OBJECTIVES[objective]
        self.found: list[Evaluation] = []
        self.least = math.inf

    def run(self, n_candidates: int, random: np.random.Generator) -> None:
        """Explore with half of the candidates, beginning with the defaults; refine with the others."""
        explored = n_candidates // 2
        self.try_all(np.vstack([self.space.origin(), self.space.spread(explored - 1, random)]))
        refined, rounds = n_candidates - explored, len(_STEPS)
        for number, step in enumerate(_STEPS):
            count = refined * (number + 1) // rounds - refined * number // rounds
            if count:
                self.try_all(self.space.around(self.best_point, count, step, random))

    def try_all(self, points: Floats) -> None:
        """Evaluate points, shape (count, dimensions); the first point of a search is that of the defaults."""
        candidates = [replace(self.candidate, parameters=self.space.parameters(point)) for point in points]
        for point, candidate, scores in zip(points, candidates, self.evaluate(candidates), strict=True):
            evaluation = Evaluation(candidate.parameters, scores)
            self.found.append(evaluation)
            if not scores.participations:
                raise ValueError(
                    f"the first {candidate.stop} contests have no two players with different places who were rated in "
                    f"at least {candidate.min_contests} contests before: use a larger share or require fewer contests"
                )
            loss = self.sign * getattr(scores, self.figure)
            if loss < self.least:
                self.least, self.best, self.best_point = loss, evaluation, point
