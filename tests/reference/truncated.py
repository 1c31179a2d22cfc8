"""Truncated normal distributions, by the TrueSkill paper's formulas: accurate only within a few deviations."""

import math


def density(x: float) -> float:
    return math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)


def below(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def win(t: float, e: float) -> tuple[float, float]:
    """V and W of table 1 for "greater than the margin"."""
    v = density(t - e) / below(t - e)
    return v, v * (v + t - e)


def draw(t: float, e: float) -> tuple[float, float]:
    """V and W of table 1 for "within the margin"."""
    if t < 0.0:  # both tails near 1 would cancel
        v, w = draw(-t, e)
        return -v, w
    mass = below(e - t) - below(-e - t)
    v = (density(-e - t) - density(e - t)) / mass
    return v, v * v + ((e - t) * density(e - t) + (e + t) * density(e + t)) / mass
