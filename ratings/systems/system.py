"""The base class of all rating systems, and the registry that finds a system by its name.

Everything that distinguishes one system from another is declared on its class, so a new system is one new module in
``ratings/systems/algorithms``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.beliefs import Beliefs
from ratings.systems.contest import Entrants

if TYPE_CHECKING:
    from collections.abc import Callable

    from ratings.systems.contest import Contest, RoundChanges
    from ratings.systems.declarations import Dimension, Parameter, Words
    from ratings.systems.performance_model import PerformanceModel
    from ratings.systems.situation import Past, Result, Situation, Surprises, Weighed

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]
SigmaMeans: TypeAlias = Literal["uncertainty", "volatility", "nothing"]
#: Mean, deviation and performance after each of some places, each of their shape.
Outcomes: TypeAlias = tuple[Floats, Floats, Floats]


class RatingSystem(ABC):
    """The base of all systems. They are frozen: all state is in the beliefs.

    A system defines its name, its words, its parameters, ``performance_model`` and ``_rate``; ``new_beliefs`` too if
    its parameters ``mu_noob`` and ``sig_noob`` do not say all that is believed of a newcomer. The rest has defaults.

    What it is:

    name
        What programs and stored schemes call it.
    listed
        Lists name systems by rising numbers.
    words
        How pages speak of it.
    PARAMETERS
        Its parameters, described.
    searched
        The ranges in which a tuning searches; none if no parameter could improve predictions. Where multiplying
        several parameters by one factor multiplies all ratings by it, and predicts the same, one of them is left
        out: ``sig_noob`` for most, the scale of Elo's curve. So are means of newcomers, which shift everyone, and
        what depends on how often people take part, such as drift by the day.

    What it can rate:

    rates_teams
        Whether it can rate contests whose entries are teams.
    teams_add_up
        Whether a team performs as the sum of its members; else as their mean.
    rates_partial_play
        Whether it can rate contests in which some took part for a share of the time only.
    needs_pool
        Whether a contest may depend on, or change, players who do not take part: then beliefs must always hold
        everyone who was ever rated.
    uses_weights
        Whether the weight of a contest changes anything.

    What its numbers mean:

    has_performance
        Whether it says how strong each participant was in a contest; else performances are 0.
    sigma_means
        What the deviation says of a player: how uncertain the rating is, how much performances vary, or nothing,
        when it stays what it was.
    has_positions
        Whether ratings are positions with their signs turned, so that distances mean nothing; the top has -1.
    careful_factor
        The system's public value lies this many deviations below the mean.
    suited_mapping
        The display mapping that suits it.

    How it is explained and forecast:

    rest_is
        What a change contains beside its parts: a ``limit`` that the system sets to one contest, or a correction of
        the whole ``pool``.
    is_monotone
        Whether a better place against the same others never gives a lower rating.
    predicts_teams
        Whether ``team_win_probability`` and ``match_quality`` hold for it.
    most_rated
        Without a fast form of its own (``outcomes_by_place``), a forecast rates the contest again for each place, so
        larger fields are thinned to this many.
    """

    __slots__ = ()

    name: ClassVar[str]
    listed: ClassVar[int] = 1000
    words: ClassVar[Words]
    PARAMETERS: ClassVar[tuple[Parameter, ...]] = ()
    searched: ClassVar[tuple[Dimension, ...]] = ()

    rates_teams: ClassVar[bool] = False
    teams_add_up: ClassVar[bool] = False
    rates_partial_play: ClassVar[bool] = False
    needs_pool: ClassVar[bool] = False
    uses_weights: ClassVar[bool] = True

    has_performance: ClassVar[bool] = False
    sigma_means: ClassVar[SigmaMeans] = "uncertainty"
    has_positions: ClassVar[bool] = False
    careful_factor: ClassVar[float] = 0.0
    suited_mapping: ClassVar[str] = "offset"

    rest_is: ClassVar[Literal["limit", "pool"]] = "limit"
    is_monotone: ClassVar[bool] = True
    predicts_teams: ClassVar[bool] = False
    most_rated: ClassVar[int] = 100

    # Parameters of all systems but the ladder.
    mu_noob: float
    sig_noob: float

    def __post_init__(self) -> None:
        for parameter in self.PARAMETERS:
            value = parameter.clean(self.name, getattr(self, parameter.name))
            object.__setattr__(self, parameter.name, value)

    def parameters(self) -> dict[str, Any]:
        """Return the parameters by name, as values that JSON knows."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    def new_beliefs(self, n_players: int) -> Beliefs:
        """Return beliefs on players of whom nothing is known."""
        return Beliefs(n_players, self.mu_noob, self.sig_noob)

    def rate_round(self, beliefs: Beliefs, contest: Contest) -> RoundChanges | None:
        """Rate one contest, updating ``beliefs`` in place; None, and nothing changed, without two entries.

        Raises ValueError, and changes nothing, on teams where the system rates individuals, on players outside the
        pool and on a contest before a participant's last one.
        """
        contest.check(self.name, len(beliefs), rates_teams=self.rates_teams, rates_partial_play=self.rates_partial_play)
        if not contest.has_opponents:
            return None
        return self._rate_checked(beliefs, contest)

    @abstractmethod
    def performance_model(self, mu: Floats, sigma: Floats) -> PerformanceModel:
        """Return how players of such beliefs, shape (n,), perform in their next contest of weight 1."""

    def _rate_checked(self, beliefs: Beliefs, contest: Contest) -> RoundChanges:
        return self._rate(Entrants(beliefs, contest))

    @abstractmethod
    def _rate(self, entrants: Entrants) -> RoundChanges:
        """Rate a contest of at least two entries, of participants who may take part in it."""

    @property
    def natural_temperature(self) -> float | None:
        """The difference of ratings that multiplies the odds by e; None where that follows from the players."""
        return None

    @property
    def least_sigma(self) -> float:
        """The deviation (rating points) that no player's falls below; 0 where there is none."""
        return float(getattr(self, "sig_limit", 0.0))

    @property
    def reads_records(self) -> bool:
        """Whether the others' numbers of contests, or days since the last, decide on what is expected of them."""
        return False

    def sigma_drifted(self, entrants: Entrants) -> Floats:
        """Return the deviations right before the contest, after the time since the last one, shape (n,)."""
        return entrants.sigma

    def weighed(self, situation: Situation, result: Result, past: Past | None) -> Weighed | None:
        """Return the values of which the new rating is the weighted mean; None if it is none of many values.

        Raises ValueError on a past that is missing where the system asks for it.
        """
        return None

    def performance_share(self, situation: Situation) -> float | None:
        """Return the weight of the performance in the new rating, 0 to 1; None if it is no mean of the two."""
        return None

    def surprises(self, situation: Situation) -> Surprises | None:
        """Return the system's comparison with each entry; None where it does not compare in pairs."""
        return None

    def points_of_games(self, situation: Situation, result: Result, terms: Surprises) -> float:
        """Return the rating points for one unit of the terms, where the change is their sum."""
        return terms.points

    def outcomes_by_place(self, entrants: Entrants) -> Callable[[Indices], Outcomes] | None:
        """Return a function from places, from 1, to what they do to the player in row 0, faster than rating each.

        entrants
            The player, then the others in the order of finish, best first; nobody in a team.

        None if the system has no fast form. It can have one where nothing but the others' beliefs, and which of them
        are ahead, decides on a player's change: then all sums over the field are the same for each place, or running
        sums along the order of finish, and the places of a field of 20,000 cost hardly more than one contest.
        """
        return None

    @property
    def forecasts_fast(self) -> bool:
        """Whether ``outcomes_by_place`` has a form for a field of individuals."""
        return type(self).outcomes_by_place is not RatingSystem.outcomes_by_place


def sums_ahead(values: Floats) -> Floats:
    """Return the sums of the others' values over those ahead of each place, by place from 0 for the first."""
    return np.concatenate([[0.0], np.cumsum(values[1:])])


SYSTEMS: dict[str, type[RatingSystem]] = {}
"""All systems by name, in the order in which lists name them."""


def register_system(system: type[RatingSystem]) -> type[RatingSystem]:
    """Make a system known everywhere; ValueError if another one has its name."""
    if SYSTEMS.get(system.name, system) is not system:
        raise ValueError(f"there are two rating systems named {system.name!r}")
    known = sorted([*SYSTEMS.values(), system], key=lambda each: (each.listed, each.name))
    SYSTEMS.clear()
    SYSTEMS.update({each.name: each for each in known})
    return system


def unregister_system(name: str) -> None:
    """Forget a system; KeyError if there is none of that name."""
    del SYSTEMS[name]


def get_system(name: str, **parameters: Any) -> RatingSystem:
    """Return the rating system of that name with the given parameters, all others at their defaults.

    Raises ValueError naming what is wrong and what is allowed.
    """
    if not isinstance(name, str) or name not in SYSTEMS:
        raise ValueError(f"there is no rating system {name!r}; known are: {', '.join(SYSTEMS)}")
    known = [parameter.name for parameter in SYSTEMS[name].PARAMETERS]
    for unknown in parameters:
        if unknown not in known:
            raise ValueError(f"{name} has no parameter {unknown!r}; known are: {', '.join(known) or 'none'}")
    return SYSTEMS[name](**parameters)
