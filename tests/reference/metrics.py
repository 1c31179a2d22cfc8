"""The accuracy figures of the Elo-MMR paper's section 6.2, pair by pair, and those of probabilities.

Written from the paper, to be compared with the fast version; shares no code with it.
"""

import math
from collections.abc import Callable, Sequence


def pair_inversion(strengths: Sequence[float], places: Sequence[int]) -> float:
    """Mean over the entries of the percentage of opponents against whom the result was predicted correctly."""
    n = len(strengths)
    correct = 0
    for i in range(n):
        for j in range(n):
            higher_won = strengths[i] >= strengths[j] and places[i] < places[j]
            lower_lost = strengths[i] <= strengths[j] and places[i] > places[j]
            tied = places[i] == places[j]
            correct += i != j and (higher_won or lower_lost or tied)
    return 100.0 * correct / (n - 1) / n


def rank_deviation(strengths: Sequence[float], places: Sequence[int]) -> float:
    """Mean over the entries of the distance between actual and predicted rank, as a percentage of the largest."""
    n = len(strengths)
    predicted_order = sorted(range(n), key=lambda i: (-strengths[i], places[i]))
    total = 0
    for predicted, i in enumerate(predicted_order):
        best = sum(place < places[i] for place in places)
        tied = sum(place == places[i] for place in places)
        total += min(abs(actual - predicted) for actual in range(best, best + tied))
    return 100.0 * total / (n - 1) / n


def log_loss(places: Sequence[int], win: Callable[[int, int], float]) -> float:
    """Mean of -ln p over all pairs with different places; ``win(i, j)`` is the probability that i places before j."""
    pairs = [(i, j) for i in range(len(places)) for j in range(len(places)) if places[i] < places[j]]
    return -sum(math.log(win(i, j)) for i, j in pairs) / len(pairs)
