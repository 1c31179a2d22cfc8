"""Glicko-2, step by step as in Glickman's "Example of the Glicko-2 system" (2012), in plain loops.

To be compared with the fast version; it shares no code with it. The volatility's equation is solved as printed.
Two limits are Podium's own: no volatility exceeds a newcomer's deviation, and no step exceeds ten such deviations.
"""

import math
from collections.abc import Sequence

SCALE = 173.7178
Game = tuple[float, float, float]  # the opponent's mean and deviation in rating points, the score


def g(phi: float) -> float:
    return 1 / math.sqrt(1 + 3 * phi**2 / math.pi**2)


def rated(
    mu: float, sigma: float, volatility: float, games: Sequence[Game], tau: float = 0.5, weight: float = 1.0
) -> tuple[float, float, float]:
    """Mean, deviation and volatility after a rating period in which each game was played ``weight`` times."""
    m, phi = mu / SCALE, sigma / SCALE
    precision = advantage = 0.0
    for opponent_mu, opponent_sigma, score in games:
        impact = g(opponent_sigma / SCALE)
        expected = 1 / (1 + math.exp(-impact * (m - opponent_mu / SCALE)))
        precision += weight * impact**2 * expected * (1 - expected)
        advantage += weight * impact * (score - expected)
    v = 1 / precision
    volatility = min(new_volatility(phi, volatility, v, v * advantage, tau), 350 / SCALE)
    drifted = phi**2 + volatility**2
    phi = 1 / math.sqrt(1 / drifted + 1 / v)
    step = min(max(SCALE * phi**2 * advantage, -10 * 350), 10 * 350)
    return mu + step, SCALE * phi, volatility


def new_volatility(phi: float, volatility: float, v: float, delta: float, tau: float) -> float:
    """Step 5, with a tighter tolerance than the example's."""
    a = math.log(volatility**2)

    def f(x: float) -> float:
        variance = math.exp(x)
        pull = variance * (delta**2 - phi**2 - v - variance) / (2 * (phi**2 + v + variance) ** 2)
        return pull - (x - a) / tau**2

    lower, k = a, 1
    if delta**2 > phi**2 + v:
        upper = math.log(delta**2 - phi**2 - v)
    else:
        while f(a - k * tau) < 0:
            k += 1
        upper = a - k * tau
    at_lower, at_upper = f(lower), f(upper)
    for _ in range(200):
        if abs(upper - lower) <= 1e-11:
            break
        middle = lower + (lower - upper) * at_lower / (at_upper - at_lower)
        at_middle = f(middle)
        if at_middle * at_upper <= 0:
            lower, at_lower = upper, at_upper
        else:
            at_lower /= 2
        upper, at_upper = middle, at_middle
    return math.exp(lower / 2)
