"""One contest as one of its entries met it: who finished behind and ahead, and how likely that was."""

from typing import ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.belief import Beliefs
from ratings.systems.contest import Contest
from ratings.systems.entrants import Entrants
from ratings.systems.numerics.outcomes import probability_to_beat
from ratings.systems.performance_model import PerformanceModel

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]


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
