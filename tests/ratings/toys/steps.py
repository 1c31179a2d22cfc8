"""A toy rating system in one file: each opponent behind is worth a step, each opponent ahead costs one."""

from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.systems.contest import Entrants, RoundChanges
from ratings.systems.declarations import (
    Description,
    Dimension,
    newcomers_deviation,
    newcomers_mean,
    number,
    rating_system,
)
from ratings.systems.performance_model import PerformanceModel
from ratings.systems.system import RatingSystem, SigmaMeans

Floats: TypeAlias = NDArray[np.float64]


@rating_system
class Steps(RatingSystem):
    """Steps: gains depend only on places."""

    name: ClassVar[str] = "steps"
    description: ClassVar[Description] = Description(
        title="Toy Steps",
        in_words="the toy of steps",
        good_for="Trying out a system that was written this morning.",
        how="Each opponent behind you is worth a step.",
        adds_up="From %(before)s on, steps are counted.",
    )
    search_space: ClassVar[tuple[Dimension, ...]] = (Dimension("stride", 0.1, 10.0),)
    sigma_means: ClassVar[SigmaMeans] = "nothing"
    default_mapping: ClassVar[str] = "bend"

    stride: float = number(8.0, "The length of a step.", unit="rating points", minimum=0.1, maximum=1000.0)
    mu_noob: float = newcomers_mean()
    sig_noob: float = newcomers_deviation()

    def performance_model(self, mu: Floats, sigma: Floats) -> PerformanceModel:
        """Return normal performances, all of one deviation."""
        return PerformanceModel("normal", mu, np.full_like(mu, 200.0))

    def _rate(self, entrants: Entrants) -> RoundChanges:
        contest = entrants.contest
        ahead = contest.competition_ranks - 1
        behind = len(contest) - ahead - contest.group_sizes[contest.group]
        return entrants.conclude(entrants.mu + self.stride * (behind - ahead), entrants.sigma)
