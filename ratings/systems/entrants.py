"""The participants of one contest with the beliefs about them before it."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.belief import Beliefs, RoundChanges
from ratings.systems.contest import Contest

Floats: TypeAlias = NDArray[np.float64]


class Entrants:
    """The beliefs about the participants before a contest, aligned with its rows, shape (n,).

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
        """Write what every system remembers into the beliefs, and return what changed.

        Without performances (rating points) they are reported as 0, as the reference implementation does.
        """
        beliefs, contest, players = self.beliefs, self.contest, self.players
        beliefs.mu[players], beliefs.sigma[players] = mu, sigma
        beliefs.count[players] += 1
        beliefs.last_day[players] = contest.day
        field = np.full(len(players), contest.n_entries)
        shown = np.zeros(len(players)) if performance is None else performance
        return RoundChanges(self.mu, self.sigma, mu, sigma, shown, contest.competition_ranks, field)
