"""One participant's view of a contest, and the values from which systems explain the change of the rating.

``explain`` turns these values into an explanation.
"""

from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.beliefs import Beliefs
from ratings.systems.contest import Contest, Entrants
from ratings.systems.performance_model import PerformanceModel, probability_to_beat

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

# A sum that is a smaller part of its terms is rounding.
_NOTHING = 1e-10


class PerformanceRules(Protocol):
    """How a system sees performances: as much of it as a situation needs."""

    teams_add_up: ClassVar[bool]

    def performance_model(self, mu: Floats, sigma: Floats) -> PerformanceModel:
        """Return how players of such beliefs perform in their next contest of weight 1."""


class Situation:
    """A contest before it is rated, and one row of it.

    beliefs
        On the participants before the contest.
    row
        The participant in question: a position in ``contest.players``.

    ``firsts`` (n_entries,) is a row of each entry, ``own`` the number of the row's entry. ``score`` (n_entries,) is 1
    against entries that finished behind, 0 against those ahead, one half in ties; ``ahead`` (n_entries,) what the
    system expected: the probability to finish ahead of each. For the own entry both are one half.

    Raises ValueError on a row that is none, and as ``Entrants`` does.
    """

    def __init__(self, system: PerformanceRules, beliefs: Beliefs, contest: Contest, row: int) -> None:
        if not 0 <= row < len(contest):
            raise ValueError(f"row {row} is none of the {len(contest)} of the contest")
        self.contest, self.row = contest, row
        self.entrants = Entrants(beliefs, contest)
        self.firsts: Indices = np.unique(contest.entry, return_index=True)[1]
        self.own = int(contest.entry[row])
        group = contest.group[self.firsts]
        self.score: Floats = 0.5 * (1.0 + np.sign(group - group[self.own]))
        self.strength, self.model = _entries(system, self.entrants)
        self.ahead = self._ahead()

    def __len__(self) -> int:
        return len(self.firsts)

    @property
    def expected_place(self) -> float:
        """One more than the number of entries expected ahead, from 1 to n."""
        return 1.0 + float(np.add.reduce(1.0 - self.ahead)) - 0.5

    @property
    def place(self) -> int:
        """The competition rank: those who tie share the best place."""
        return int(self.contest.competition_ranks[self.row])

    @property
    def middle_place(self) -> float:
        """The place that the own entry has in the middle of those with whom it ties; with nobody, its place."""
        return self.place + 0.5 * (self.tied - 1)

    @property
    def tied(self) -> int:
        """How many entries share the place, the own one too."""
        return int(np.count_nonzero(self.score == 0.5))

    @property
    def others(self) -> Indices:
        """The numbers of all other entries."""
        return np.delete(np.arange(len(self)), self.own)

    def _ahead(self) -> Floats:
        others = self.others
        ahead = np.full(len(self), 0.5)
        ahead[others] = probability_to_beat(self.model, np.full(len(others), self.own), others)
        return ahead


def _entries(system: PerformanceRules, entrants: Entrants) -> tuple[Floats, PerformanceModel]:
    """Return the strength (rating points) and performance of each entry; a team has the sum or mean of its members'."""
    model = system.performance_model(entrants.mu, entrants.sigma)
    contest = entrants.contest
    if contest.teams is None:
        return entrants.mu, model
    n = contest.n_entries
    share = np.ones(len(contest)) if contest.play is None else contest.play

    def summed(values: Floats) -> Floats:
        return np.bincount(contest.entry, values, n).astype(np.float64)

    if system.teams_add_up:
        strength, location = summed(share * entrants.mu), summed(share * model.location)
        return strength, PerformanceModel(model.shape, location, np.sqrt(summed(np.square(share * model.scale))))
    sizes = summed(np.ones(len(contest)))
    location, scale = summed(model.location) / sizes, summed(model.scale) / sizes
    return summed(entrants.mu) / sizes, PerformanceModel(model.shape, location, scale)


@dataclass(frozen=True, slots=True)
class Result:
    """One player after the contest: mean, deviation, performance (0 where the system has none), as stored."""

    mu: float
    sigma: float
    performance: float


@dataclass(frozen=True, slots=True, eq=False)
class Past:
    """The earlier contests of one player, oldest first, shape (k,) each. Elo-MMR's memory follows from them.

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


@dataclass(frozen=True, slots=True, eq=False)
class Weighed:
    """The values of which a new rating is the weighted mean.

    levels, weights
        The Gaussian part of the belief, then one value for each performance, oldest first, that of the contest last;
        shape (1 + performances,), rating points and their inverse squares.
    damping
        How much of its full weight the performance of the contest kept, from 0 to 1.
    """

    levels: Floats
    weights: Floats
    damping: float


@dataclass(frozen=True, slots=True, eq=False)
class Surprises:
    """A comparison of the player, at the rating before, with each entry, shape (n_entries,); 0 for the own one.

    A term is positive for an entry that finished behind, negative for one that finished ahead, and large where that
    was unlikely. Where the system has a performance, it lies above or below the rating as the sum of the terms does,
    and each entry's part of the distance is in proportion to its term; else the change is a multiple of the sum.

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
