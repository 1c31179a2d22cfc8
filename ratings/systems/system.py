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
from ratings.systems.duel import Duel
from ratings.systems.performance_model import PerformanceModel, entry_performances

if TYPE_CHECKING:
    from collections.abc import Callable

    from ratings.systems.contest import Contest, RoundChanges
    from ratings.systems.declarations import Description, Dimension, Parameter
    from ratings.systems.situation import PastPerformances, Result, Situation, Surprises, WeightedValues

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]
SigmaMeans: TypeAlias = Literal["uncertainty", "volatility", "nothing"]
#: Mean, deviation and performance after each of some places, each of their shape.
Outcomes: TypeAlias = tuple[Floats, Floats, Floats]


class RatingSystem(ABC):
    """The base class of all systems. They are frozen: all state is in the beliefs.

    A system defines its name, description, parameters, ``performance_model`` and ``_rate``. It also defines
    ``new_beliefs`` if its parameters ``mu_noob`` and ``sig_noob`` do not determine the whole belief about a newcomer.
    Everything else has a default.

    Identity:

    name
        The name in programs and stored schemes.
    list_order
        Lists name systems in ascending order of this number.
    description
        Its texts on pages.
    PARAMETERS
        Descriptions of its parameters.
    search_space
        The ranges that a tuning searches; empty if no parameter could improve predictions. If multiplying several
        parameters by the same factor only multiplies all ratings by it and leaves predictions unchanged, one of them
        is left out: ``sig_noob`` for most systems, the scale of the curve for Elo. Also left out are newcomers' means,
        which shift everyone, and parameters that depend on how often people take part, such as drift per day.

    Contests that it can rate:

    rates_teams
        Whether it can rate contests whose entries are teams.
    teams_add_up
        Whether a team performs as the sum of its members; otherwise as their mean.
    rates_partial_play
        Whether it can rate contests in which some players took part for only a share of the time.
    rates_handicaps
        Whether it can count an entry as stronger by a number of rating points.
    needs_pool
        Whether a contest may depend on, or change, players who do not take part. Beliefs must then always include
        everyone who was ever rated.
    uses_weights
        Whether the weight of a contest changes anything.

    Meaning of its numbers:

    has_performance
        Whether it computes how strong each participant was in a contest; otherwise performances are 0.
    sigma_means
        The meaning of the deviation: the uncertainty of the rating, the volatility of performances, or nothing if it
        never changes.
    has_positions
        Whether ratings are positions with their signs changed, so that distances mean nothing; the top has -1.
    conservative_factor
        The system's public value lies this many deviations below the mean.
    default_mapping
        The display mapping that suits it.

    Explanations and forecasts:

    remainder_kind
        The kind of the remainder of a change after its parts: a ``limit`` that the system sets for one contest, or a
        correction of the whole ``pool``.
    is_monotone
        Whether a better place against the same others never gives a lower rating, whether the display shows the mean or
        the mean minus a multiple of the deviation.
    max_rated_places
        Without a fast method (``outcomes_by_place``), a forecast rates the contest again for each place. Larger fields
        are therefore thinned to this many players.
    """

    __slots__ = ()

    name: ClassVar[str]
    list_order: ClassVar[int] = 1000
    description: ClassVar[Description]
    PARAMETERS: ClassVar[tuple[Parameter, ...]] = ()
    search_space: ClassVar[tuple[Dimension, ...]] = ()

    rates_teams: ClassVar[bool] = False
    teams_add_up: ClassVar[bool] = False
    rates_partial_play: ClassVar[bool] = False
    rates_handicaps: ClassVar[bool] = True
    needs_pool: ClassVar[bool] = False
    uses_weights: ClassVar[bool] = True

    has_performance: ClassVar[bool] = False
    sigma_means: ClassVar[SigmaMeans] = "uncertainty"
    has_positions: ClassVar[bool] = False
    conservative_factor: ClassVar[float] = 0.0
    default_mapping: ClassVar[str] = "offset"

    remainder_kind: ClassVar[Literal["limit", "pool"]] = "limit"
    is_monotone: ClassVar[bool] = True
    max_rated_places: ClassVar[int] = 100

    # Parameters of all systems but the ladder.
    mu_noob: float
    sig_noob: float

    def __post_init__(self) -> None:
        for parameter in self.PARAMETERS:
            value = parameter.clean(self.name, getattr(self, parameter.name))
            object.__setattr__(self, parameter.name, value)

    def parameters(self) -> dict[str, Any]:
        """Return the parameters by name, as values that JSON can represent."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    def new_beliefs(self, n_players: int) -> Beliefs:
        """Return beliefs about players who have not competed."""
        return Beliefs(n_players, self.mu_noob, self.sig_noob)

    def rate_round(self, beliefs: Beliefs, contest: Contest) -> RoundChanges | None:
        """Rate one contest, updating ``beliefs`` in place; with fewer than two entries, return None and change nothing.

        Raises ValueError, and changes nothing, on teams if the system rates individuals, on players outside the pool
        and on a contest earlier than a participant's last one.
        """
        contest.check(
            self.name,
            len(beliefs),
            rates_teams=self.rates_teams,
            rates_partial_play=self.rates_partial_play,
            rates_handicaps=self.rates_handicaps,
        )
        if not contest.has_opponents:
            return None
        return self._rate_checked(beliefs, contest)

    @abstractmethod
    def performance_model(self, mu: Floats, sigma: Floats) -> PerformanceModel:
        """Return the performances of players with these beliefs, shape (n,), in their next contest of weight 1."""

    def match_model(self, mu: Floats, sigma: Floats) -> PerformanceModel:
        """Return the performances that predict matches: ``performance_model``, unless the source uses others."""
        return self.performance_model(mu, sigma)

    def composed(self, model: PerformanceModel, sizes: Indices) -> PerformanceModel:
        """Return the performances of teams whose members play in full.

        model
            The performances of all members, team by team.
        sizes
            The number of members of each team, shape (k,).
        """
        if (sizes == 1).all():
            return model
        entry = np.repeat(np.arange(len(sizes)), sizes)
        return entry_performances(model, entry, np.ones(len(entry)), self.teams_add_up)

    def draw_margin(self, players: Indices) -> Floats | None:
        """Return the largest difference of performances that is a draw, in rating points; None if there is none.

        players
            The number of players on both sides of each match, shape (k,).
        """
        return None

    def _rate_checked(self, beliefs: Beliefs, contest: Contest) -> RoundChanges:
        return self._rate(Entrants(beliefs, contest))

    @abstractmethod
    def _rate(self, entrants: Entrants) -> RoundChanges:
        """Rate a checked contest of at least two entries."""

    @property
    def natural_temperature(self) -> float | None:
        """The rating difference that multiplies the odds by e; None if it depends on the players."""
        return None

    @property
    def min_sigma(self) -> float:
        """The lower limit (rating points) of all players' deviations; 0 if there is none."""
        return float(getattr(self, "sig_limit", 0.0))

    @property
    def depends_on_activity(self) -> bool:
        """Whether expectations depend on each player's number of contests, or on the days since the last one."""
        return False

    def can_challenge(self, own: float | None, positions: Floats) -> NDArray[np.bool_]:
        """Return whether a player can challenge each of the others; only ladders have challenges.

        own
            The player's position, from 1; None for someone who has not entered the ladder, who starts below everyone.
        positions
            Positions of the others, shape (n,).
        """
        return np.zeros(positions.shape, dtype=np.bool_)

    def sigma_drifted(self, entrants: Entrants) -> Floats:
        """Return the deviations right before the contest, after the time since the last one, shape (n,)."""
        return entrants.sigma

    def weighted_values(
        self, situation: Situation, result: Result, past: PastPerformances | None
    ) -> WeightedValues | None:
        """Return the values of which the new rating is the weighted mean; None if it is not a weighted mean.

        Raises ValueError if the system needs the past performances and they are missing.
        """
        return None

    def performance_share(self, situation: Situation) -> float | None:
        """Return the performance's weight in the new rating, 0 to 1; None unless the rating is a weighted mean."""
        return None

    def surprises(self, situation: Situation) -> Surprises | None:
        """Return the system's comparison with each entry; None if it does not compare pairs."""
        return None

    def points_of_games(self, situation: Situation, result: Result, terms: Surprises) -> float:
        """Return the rating points per unit of the terms, for systems whose changes are sums of games."""
        return terms.points

    def outcomes_by_place(self, entrants: Entrants) -> Callable[[Indices], Outcomes] | None:
        """Return a function from places (from 1) to the outcomes of row 0's player, faster than rating each place.

        entrants
            The player, then the others in the order of finish, best first; no teams.

        None if the system has no fast method. A fast method is possible if a player's change depends only on the
        others' beliefs and on which of them are ahead. All sums over the field are then the same for each place, or
        running sums along the order of finish, and all places in a field of 20,000 cost hardly more than one contest.
        """
        return None

    @property
    def has_fast_forecast(self) -> bool:
        """Whether ``outcomes_by_place`` supports a field of individuals."""
        return type(self).outcomes_by_place is not RatingSystem.outcomes_by_place


class DuelSystem(RatingSystem):
    """The base class of systems that rate two-player games with plain numbers (``Duel``)."""

    __slots__ = ()

    def _rate_checked(self, beliefs: Beliefs, contest: Contest) -> RoundChanges:
        return self._rate_duel(Duel(beliefs, contest)) if contest.is_duel else super()._rate_checked(beliefs, contest)

    @abstractmethod
    def _rate_duel(self, duel: Duel) -> RoundChanges:
        """Rate a checked two-player game by the formulas of ``_rate``."""


def sums_ahead(values: Floats) -> Floats:
    """Return for each place, best first, the sum of the values of the other players who are ahead of it, shape (n,)."""
    return np.concatenate([[0.0], np.cumsum(values[1:])])


SYSTEMS: dict[str, type[RatingSystem]] = {}
"""All systems by name, in the order in which lists name them."""


def register_system(system: type[RatingSystem]) -> type[RatingSystem]:
    """Add a system to the registry; ValueError if another one has its name."""
    if SYSTEMS.get(system.name, system) is not system:
        raise ValueError(f"there are two rating systems named {system.name!r}")
    known = sorted([*SYSTEMS.values(), system], key=lambda each: (each.list_order, each.name))
    SYSTEMS.clear()
    SYSTEMS.update({each.name: each for each in known})
    return system


def unregister_system(name: str) -> None:
    """Remove a system from the registry; KeyError if there is none of that name."""
    del SYSTEMS[name]


def get_system(name: str, **parameters: Any) -> RatingSystem:
    """Return the rating system of that name with the given parameters, and defaults for all others.

    Raises ValueError, whose message says what is wrong and what is allowed.
    """
    if not isinstance(name, str) or name not in SYSTEMS:
        raise ValueError(f"there is no rating system {name!r}; choose from: {', '.join(SYSTEMS)}")
    known = [parameter.name for parameter in SYSTEMS[name].PARAMETERS]
    for unknown in parameters:
        if unknown not in known:
            raise ValueError(f"{name} has no parameter {unknown!r}; its parameters are: {', '.join(known) or 'none'}")
    return SYSTEMS[name](**parameters)
