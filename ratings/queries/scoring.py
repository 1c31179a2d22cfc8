"""How a scheme sorts the players of a series."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ratings.display import conservative_factor, sort_score

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ratings.models import Scheme


@dataclass(frozen=True, slots=True)
class Scoring:
    """How mean and deviation become the sort score: x = mu - k (sigma - sig_limit)."""

    k: float = 0.0
    sig_limit: float = 0.0

    def __call__(self, mu: NDArray[np.float64], sigma: NDArray[np.float64]) -> NDArray[np.float64]:
        return sort_score(mu, sigma, self.k, self.sig_limit)


def scoring_of(scheme: Scheme) -> Scoring:
    """Return how the scheme sorts players."""
    return Scoring(conservative_factor(scheme.display), float(scheme.parameters.get("sig_limit", 0.0)))
