"""TopCoder's formulas, pair after pair, in plain loops.

Written from section 4 of the specification, to be compared with the fast version; it shares no code with it.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist


def cdf(x: float) -> float:
    """The normal distribution, exact in both tails."""
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def quantile(rank: float, n: int) -> float:
    """The normal quantile of rank / n, without loss of digits near n."""
    if 2 * rank > n:
        return -quantile(n - rank, n)
    return NormalDist().inv_cdf(rank / n) if 2 * rank < n else 0.0


class Player:
    """The remembered numbers of a player, in rating points, and the contests played."""

    def __init__(self, rating: float = 1500.0, volatility: float = 350.0, contests: int = 0) -> None:
        self.rating, self.volatility, self.contests = rating, volatility, contests


def expected_rank(field: Sequence[Player], player: Player, weight: float) -> float:
    """The sum of the probabilities of being beaten by each player, including oneself."""
    return math.fsum(
        cdf(math.sqrt(weight) * (other.rating - player.rating) / math.hypot(player.volatility, other.volatility))
        for other in field
    )


def rate(
    field: Sequence[Player],
    ranks: Sequence[float],
    weight: float = 1.0,
    ceiling: float = math.inf,
    weight_noob: float = 0.6,
    weight_limit: float = 0.18,
) -> list[float]:
    """Rate one contest, changing the players; return the performances."""
    n = len(field)
    mean = math.fsum(player.rating for player in field) / n
    mean_square = math.fsum(player.volatility**2 for player in field) / n
    factor = math.sqrt(mean_square + math.fsum((player.rating - mean) ** 2 for player in field) / (n - 1))
    performances = []
    for player, rank in zip(field, ranks, strict=True):
        low = sum(other < rank for other in ranks)
        high = low + sum(other == rank for other in ranks) - 1
        surplus = quantile(expected_rank(field, player, weight), n) - quantile(0.5 * (1 + low + high), n)
        performances.append(min(player.rating + factor * surplus, ceiling))
    for player, performance in zip(field, performances, strict=True):
        _update(player, performance, weight, weight_noob, weight_limit)
    return performances


def _update(player: Player, performance: float, weight: float, weight_noob: float, weight_limit: float) -> None:
    player.contests += 1
    nth, old = player.contests, player.rating
    share = weight_limit + (weight_noob - weight_limit) / nth
    w = weight * share / (1 - share) * (0.8 if old >= 2500 else 0.9 if old >= 2000 else 1.0)
    cap = (150 + 1500 / (nth + 1)) * math.sqrt(weight) * share / (0.18 + 0.42 / nth)
    new = (old + w * performance) / (1 + w)
    player.volatility = math.sqrt((new - old) ** 2 / w + player.volatility**2 / (1 + w))
    player.rating = min(max(new, old - cap), old + cap)
