"""Kreimeier's rating as his article describes it, player after player.

Written from "Rising from the Ranks" and section 7 of the specification; it shares no code with the fast version.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.reference.elo import duels


@dataclass
class Pool:
    """Everyone who has competed, and when the last contest was."""

    ratings: dict[int, float] = field(default_factory=dict)
    day: float = 0.0

    def mean(self, when_empty: float) -> float:
        return math.fsum(self.ratings.values()) / len(self.ratings) if self.ratings else when_empty


def fermi(x: float, temperature: float) -> float:
    """The article's sigmoid."""
    return 0.0 if x < -700 * temperature else 1.0 / (1.0 + math.exp(-x / temperature))


def rate_round(
    pool: Pool,
    players: Sequence[int],
    ranks: Sequence[float],
    teams: Sequence[object] | None = None,
    *,
    day: float = 0.0,
    weight: float = 1.0,
    temperature: float = 1.0,
    max_gain: float = 1.0,
    decay: float = 0.0,
    period_days: float = 30.0,
    mu_noob: float = 0.0,
) -> list[tuple[float, float]] | None:
    """Each row's rating before and after; None for a round of fewer than two entries."""
    if len(set(players if teams is None else teams)) < 2:
        return None
    mean = pool.mean(mu_noob)
    for player, rating in pool.ratings.items():
        pool.ratings[player] = mean + (1.0 - decay) ** ((day - pool.day) / period_days) * (rating - mean)
    for player in players:
        pool.ratings.setdefault(player, mean)
    before = [pool.ratings[player] for player in players]
    changes = duels(pool.ratings, players, ranks, teams, lambda x: fermi(x, temperature), max_gain * weight)
    for player, change in zip(players, changes, strict=True):
        pool.ratings[player] += change
    pool.day = day
    return [(rating, pool.ratings[player]) for rating, player in zip(before, players, strict=True)]
