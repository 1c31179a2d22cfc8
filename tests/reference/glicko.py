"""Glicko for whole rounds in plain loops.

Written from section 6 of the specification, to be compared with the fast version; it shares no code with it.
"""

import math
from collections.abc import Sequence


def logistic_cdf(x: float) -> float:
    """The distribution function of the logistic distribution with mean 0 and deviation 1."""
    return 0.5 * (1.0 + math.tanh(0.5 * x * math.pi / math.sqrt(3.0)))


def rate_round(
    field: Sequence[tuple[float, float]],
    ranks: Sequence[float],
    *,
    contest_weight: float = 1.0,
    drift: float = 35.0,
    beta: float = 400.0 * (math.pi / math.sqrt(3.0)) / math.log(10.0),
) -> list[tuple[float, float]]:
    """New means and deviations of the rows."""
    beta /= math.sqrt(contest_weight)
    q = math.pi / math.sqrt(3.0) / beta
    drifted = [(mu, math.sqrt(sigma**2 + drift**2)) for mu, sigma in field]
    rated = []
    for (mu, sigma), rank in zip(drifted, ranks, strict=True):
        terms = []
        for (other_mu, other_sigma), other_rank in zip(drifted, ranks, strict=True):
            score = 1.0 if rank < other_rank else 0.5 if rank == other_rank else 0.0
            expected = logistic_cdf((mu - other_mu) / math.sqrt(other_sigma**2 + beta**2))
            terms.append((score - expected) / math.sqrt(1.0 + (other_sigma / beta) ** 2))
        variance = 1.0 / (1.0 / sigma**2 + q**2 / 4.0)
        rated.append((mu + q * variance * math.fsum(terms) / len(field), math.sqrt(variance)))
    return rated
