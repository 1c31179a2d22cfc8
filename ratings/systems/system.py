"""What all rating systems are: frozen parameters, and one step from beliefs and a contest to beliefs."""

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.belief import Beliefs, RoundChanges
from ratings.systems.contest import Contest
from ratings.systems.parameters import Parameter
from ratings.systems.performance_model import PerformanceModel

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]
SigmaMeans: TypeAlias = Literal["uncertainty", "volatility", "nothing"]


class Entrants:
    """What is believed of the participants before a contest, aligned with its rows, shape (n,).

    mu, sigma
        In rating points.
    count
        Rated contests so far.
    idle
        Days since each one's last contest; 0 for newcomers.

    Raises ValueError for a contest before a participant's last one.
    """

    def __init__(self, beliefs: Beliefs, contest: Contest) -> None:
        players = contest.players
        self.beliefs, self.contest, self.players = beliefs, contest, players
        self.mu, self.sigma, self.count = beliefs.mu[players], beliefs.sigma[players], beliefs.count[players]
        self.idle = np.where(self.count > 0, contest.day - beliefs.last_day[players], 0.0)
        if self.idle.min() < 0:
            player = players[self.idle.argmin()]
            raise ValueError(
                f"the contest of day {contest.day:g} comes after one of day {beliefs.last_day[player]:g} "
                f"for player {player}: rate contests in order of time"
            )

    def __len__(self) -> int:
        return len(self.players)

    def conclude(self, mu: Floats, sigma: Floats, performance: Floats | None = None) -> RoundChanges:
        """Write what every system remembers into the beliefs, and say what changed.

        Without performances (rating points) they are reported as 0, as the reference implementation does.
        """
        beliefs, contest, players = self.beliefs, self.contest, self.players
        beliefs.mu[players], beliefs.sigma[players] = mu, sigma
        beliefs.count[players] += 1
        beliefs.last_day[players] = contest.day
        field = np.full(len(players), contest.n_entries)
        shown = np.zeros(len(players)) if performance is None else performance
        return RoundChanges(self.mu, self.sigma, mu, sigma, shown, contest.competition_ranks, field)


class RatingSystem(ABC):
    """Base of all systems, which are frozen: all state is in the beliefs.

    name
        What it is called everywhere.
    rates_teams
        Whether it can rate contests whose entries are teams.
    teams_add_up
        Whether a team performs as the sum of its members; else as their mean.
    rates_partial_play
        Whether it can rate contests in which some took part for a share of the time only.
    needs_pool
        Whether a contest may depend on, or change, players who do not take part: then beliefs must always hold
        everybody who was ever rated.
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
    PARAMETERS
        Its parameters, described.

    A system defines its parameters, ``performance_model`` and ``_rate``; ``new_beliefs`` too if its parameters
    ``mu_noob`` and ``sig_noob`` do not say all that is believed of a newcomer.
    """

    __slots__ = ()

    name: ClassVar[str]
    rates_teams: ClassVar[bool] = False
    teams_add_up: ClassVar[bool] = False
    rates_partial_play: ClassVar[bool] = False
    needs_pool: ClassVar[bool] = False
    has_performance: ClassVar[bool] = False
    sigma_means: ClassVar[SigmaMeans] = "uncertainty"
    has_positions: ClassVar[bool] = False
    careful_factor: ClassVar[float] = 0.0
    suited_mapping: ClassVar[str] = "offset"
    PARAMETERS: ClassVar[tuple[Parameter, ...]] = ()

    # Parameters of all systems but the ladder.
    mu_noob: float
    sig_noob: float

    def __post_init__(self) -> None:
        for parameter in self.PARAMETERS:
            value = parameter.clean(self.name, getattr(self, parameter.name))
            object.__setattr__(self, parameter.name, value)

    def parameters(self) -> dict[str, Any]:
        """The parameters by name, as values that JSON knows."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    def new_beliefs(self, n_players: int) -> Beliefs:
        """Beliefs on players of whom nothing is known."""
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
        """How players of such beliefs, shape (n,), perform in their next contest of weight 1: for predictions."""

    @property
    def natural_temperature(self) -> float | None:
        """The difference of ratings that multiplies the odds by e; None where that follows from the players."""
        return None

    def _rate_checked(self, beliefs: Beliefs, contest: Contest) -> RoundChanges:
        return self._rate(Entrants(beliefs, contest))

    @abstractmethod
    def _rate(self, entrants: Entrants) -> RoundChanges:
        """Rate a contest of at least two entries, of participants who may take part in it."""
