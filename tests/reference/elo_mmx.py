"""Elo-MMX as the paper describes it, in plain loops and bisections.

Written from sections 3 and 4 of the paper and sections 1 and 2 of the specification, to be compared with the fast
version; it shares no code with it. Parameters and the bisection are those of the twin of Elo-MMR.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tests.reference.elo_mmr import Parameters, zero


@dataclass
class Player:
    mu: float
    sigma: float
    count: int = 0
    day: float = 0.0


def hazard(t: float) -> float:
    """phi(t) / Phi(t)."""
    if t > -20.0:
        return math.sqrt(2.0 / math.pi) * math.exp(-0.5 * t * t) / math.erfc(-t / math.sqrt(2.0))
    # Laplace's continued fraction: x + 1/(x + 2/(x + 3/(x + ...))) for x = -t
    rest = -t
    for k in range(60, 0, -1):
        rest = -t + k / rest
    return rest


def performance(
    i: int, ranks: Sequence[float], mu: Sequence[float], delta: Sequence[float], *, split_ties: bool
) -> float:
    """The performance of row i: where the derivative of the likelihood of its result is zero."""

    def f(p: float) -> float:
        total = 0.0
        for rank, mu_j, delta_j in zip(ranks, mu, delta, strict=True):
            z = (p - mu_j) / delta_j
            if rank > ranks[i]:
                total -= hazard(z) / delta_j
            elif rank < ranks[i]:
                total += hazard(-z) / delta_j
            elif split_ties:
                total += 0.5 * (hazard(-z) - hazard(z)) / delta_j
            else:
                total += z / delta_j
        return total

    return zero(f, min(mu) - 1.0, max(mu) + 1.0)


def rate_round(
    parameters: Parameters,
    pool: dict[int, Player],
    players: Sequence[int],
    ranks: Sequence[float],
    *,
    weight: float = 1.0,
    perf_ceiling: float = math.inf,
    day: float = 0.0,
) -> list[float] | None:
    """One round; the performance of each row, or None for a round of fewer than two."""
    if len(players) < 2:
        return None
    betas = []
    for number in players:
        player = pool.setdefault(number, Player(parameters.mu_noob, parameters.sig_noob))
        delay = parameters.noob_delay[player.count] if player.count < len(parameters.noob_delay) else 1.0
        w = weight * parameters.weight_limit * delay
        idle = day - player.day if player.count else 0.0
        betas.append(math.sqrt((1.0 + 1.0 / w) * parameters.sig_limit**2 + parameters.drift_per_day / w))
        player.sigma = math.sqrt(player.sigma**2 + w * parameters.sig_limit**2 + parameters.drift_per_day * idle)
    mu = [pool[number].mu for number in players]
    delta = [math.hypot(pool[number].sigma, beta) for number, beta in zip(players, betas, strict=True)]
    performances = []
    for i in range(len(players)):
        p = performance(i, ranks, mu, delta, split_ties=parameters.split_ties)
        performances.append(min(p, perf_ceiling))
    for number, p, beta in zip(players, performances, betas, strict=True):
        player = pool[number]
        precision = 1.0 / player.sigma**2 + 1.0 / beta**2
        player.mu = (player.mu / player.sigma**2 + p / beta**2) / precision
        player.sigma = 1.0 / math.sqrt(precision)
        player.count += 1
        player.day = day
    return performances
