"""One participant's view of a contest, and the values from which systems explain the change of the rating.

``explain`` turns these values into an explanation.
"""

from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.beliefs import Beliefs
from ratings.systems.contest import Contest, Entrants
from ratings.systems.performance_model import PerformanceModel, entry_performances, probability_to_beat

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

# A sum smaller than this share of its terms is rounding error.
_ROUNDING_SHARE = 1e-10


class PerformanceRules(Protocol):
    """The part of a rating system that a situation needs."""

    teams_add_up: ClassVar[bool]

    def performance_model(self, mu: Floats, sigma: Floats) -> PerformanceModel:
        """Return the performances of players with these beliefs in their next contest of weight 1."""


class Situation:
    """A contest before it is rated, seen from one row.

    beliefs
        About the participants before the contest.
    row
        The participant: a position in ``contest.players``.

    ``firsts`` (n_entries,) is the first row of each entry, ``own`` the number of the participant's own entry.
    ``strength`` (n_entries,) is each entry's rating with its handicap; for a team, the sum or mean of its members'.
    ``score`` (n_entries,) is 1 against entries that finished behind, 0 against those ahead, and one half in ties.
    ``ahead`` (n_entries,) is the expected score: the probability of finishing ahead of each. Both are one half for the
    participant's own entry.

    Raises ValueError if the contest has no such row, and as ``Entrants`` does.
    """

    def __init__(self, system: PerformanceRules, beliefs: Beliefs, contest: Contest, row: int) -> None:
        if not 0 <= row < len(contest):
            raise ValueError(f"row {row} is outside the contest of {len(contest)} rows")
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
        """The competition rank: entries that tie share the best place."""
        return int(self.contest.competition_ranks[self.row])

    @property
    def middle_place(self) -> float:
        """The mean of the places that the participant's entry and those tied with it occupy."""
        return self.place + 0.5 * (self.tied - 1)

    @property
    def tied(self) -> int:
        """The number of entries that share the place, including the participant's."""
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
    """Return each entry's strength (rating points) and performance; for a team, the sum or mean of its members'."""
    model = system.performance_model(entrants.mu, entrants.sigma)
    contest = entrants.contest
    if contest.teams is None:
        return entrants.strength, model.shifted(contest.handicap)
    share = np.ones(len(contest)) if contest.play is None else contest.play
    handicap = contest.entry_handicap
    performances = entry_performances(model, contest.entry, share, system.teams_add_up).shifted(handicap)
    counted = share if system.teams_add_up else 1.0 / np.bincount(contest.entry)[contest.entry]
    strength = np.bincount(contest.entry, counted * entrants.mu).astype(np.float64)
    return strength + handicap, performances


@dataclass(frozen=True, slots=True)
class Result:
    """One player after the contest, as stored: mean, deviation and performance (0 if the system has none)."""

    mu: float
    sigma: float
    performance: float


@dataclass(frozen=True, slots=True, eq=False)
class PastPerformances:
    """One player's earlier contests, oldest first, shape (k,) each; they determine Elo-MMR's memory of the player.

    weight, day
        Weight and day of each contest.
    performance, mu, sigma
        The player's performance in each contest, and the mean and deviation after it.
    """

    weight: Floats
    day: Floats
    performance: Floats
    mu: Floats
    sigma: Floats

    def __len__(self) -> int:
        return len(self.day)


@dataclass(frozen=True, slots=True, eq=False)
class WeightedValues:
    """The values of which a new rating is the weighted mean.

    levels, weights
        The Gaussian part of the belief, then one value for each performance, oldest first, ending with the contest
        itself; shape (1 + performances,), in rating points and their inverse squares.
    damping
        The share of its full weight that the performance in the contest kept, from 0 to 1.
    """

    levels: Floats
    weights: Floats
    damping: float


@dataclass(frozen=True, slots=True, eq=False)
class Surprises:
    """A comparison of the player, at the rating before, with each entry, shape (n_entries,); 0 for the player's own
    entry.

    A term is positive for an entry that finished behind, negative for one that finished ahead, and large if that was
    unlikely. If the system has a performance, the sum of the terms has the sign of its distance from the rating, and
    each entry's share of the distance is proportional to its term. Otherwise the change is a multiple of the sum.

    terms
        In a unit of the system's own.
    points
        Rating points per unit of the terms. Systems with a performance use it only if the sum is close to zero.
    """

    terms: Floats
    points: float

    def parts_of(self, distance: float) -> Floats:
        """Divide the distance from the rating to the performance, in rating points, among the entries."""
        total = float(np.add.reduce(self.terms))
        if abs(total) <= _ROUNDING_SHARE * float(np.add.reduce(np.abs(self.terms))) or distance == 0.0:
            return self.terms * self.points
        return self.terms * (distance / total)
