"""Codeforces' system in plain loops and by bisection.

Written from section 1 of the Elo-MMR paper and section 3 of the specification, to be compared with the fast version;
it shares no code with it.
"""

import math
from collections.abc import Sequence
from fractions import Fraction


def beats(difference: float, scale: float) -> float:
    """The probability that a player who is stronger by this much wins, base 10."""
    exponent = -difference / scale
    return 0.0 if exponent > 300 else 1.0 / (1.0 + 10.0**exponent)


def expected_rank(rating: float, field: Sequence[float], scale: float) -> float:
    """Half a place plus the expected number of players in the field who beat a player of this rating."""
    return 0.5 + math.fsum(beats(other - rating, scale) for other in field)


def actual_ranks(ranks: Sequence[float]) -> list[float]:
    """Places from 1; players who tie share the mean of their places."""
    better = [sum(other < rank for other in ranks) for rank in ranks]
    tied = [sum(other == rank for other in ranks) for rank in ranks]
    return [before + (size + 1) / 2 for before, size in zip(better, tied, strict=True)]


def performance(actual: float, rating: float, field: Sequence[float], scale: float) -> float:
    """The rating at which the geometric mean of actual and expected rank would be expected."""
    wanted = math.sqrt(actual * expected_rank(rating, field, scale))
    low, high = min(field) - 20.0 * scale, max(field) + 20.0 * scale
    for _ in range(100):
        middle = 0.5 * (low + high)
        if expected_rank(middle, field, scale) > wanted:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def without_inflation(field: Sequence[float], changes: Sequence[float]) -> list[float]:
    """The changes after the site's two corrections, averaged exactly over all orders of equally rated players."""
    n = len(field)
    exact = [Fraction(change) for change in changes]
    shift = -1 - sum(exact, Fraction(0)) / n
    exact = [change + shift for change in exact]
    best = min(n, round(4.0 * math.sqrt(n)))
    total = Fraction(0)
    for own, change in zip(field, exact, strict=True):
        above, alike = sum(other > own for other in field), sum(other == own for other in field)
        total += change * Fraction(min(max(best - above, 0), alike), alike)
    return [float(change + min(max(-total / best, Fraction(-10)), Fraction(0))) for change in exact]


def rate_round(
    field: Sequence[float],
    ranks: Sequence[float],
    *,
    contest_weight: float = 1.0,
    ceiling: float = math.inf,
    scale: float = 400.0,
    weight: float = 1.0,
    inflation_control: bool = False,
) -> tuple[list[float], list[float]]:
    """New ratings and performances of the rows."""
    scale /= math.sqrt(contest_weight)
    performances = [
        min(performance(actual, rating, field, scale), ceiling)
        for actual, rating in zip(actual_ranks(ranks), field, strict=True)
    ]
    both = contest_weight * weight
    changes = [(rating + both * seen) / (1.0 + both) - rating for rating, seen in zip(field, performances, strict=True)]
    if inflation_control:
        changes = without_inflation(field, changes)
    return [rating + change for rating, change in zip(field, changes, strict=True)], performances
