"""Shares of players per tier: thresholds proposed from the players' ratings, and warnings about uneven tiers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from ratings.display.percentages import percent_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from ratings.display.tiers import Tier

ENOUGH_PLAYERS = 100
"""The least number of rated players whose ratings can propose thresholds."""
MOST_PERCENT = 35
_LOWEST_SHARE, _TOP_SHARE = 0.15, 0.015
_STEPS = (1000, 500, 250, 100, 50, 25, 10, 5, 2, 1)


class UnevenTier(NamedTuple):
    """A tier with too many players or none; `percent` is its share of all players."""

    tier: Tier
    players: int
    percent: float


def intended_shares(count: int) -> NDArray[np.float64]:
    """
    Return the shares of players below the thresholds of `count` tiers, of shape (count - 1,).

    With eight tiers or more, 15 % of the players are in the lowest tier and 1.5 % in the highest; with fewer tiers,
    more. The thresholds between are equally far apart in standard deviations of a normal distribution.
    """
    lowest, top = max(_LOWEST_SHARE, 1 / count), max(_TOP_SHARE, 8 / 3 / 2**count)
    return ndtr(np.linspace(ndtri(lowest), ndtri(1 - top), count - 1))


def proposed_thresholds(shown: NDArray[np.int64], count: int) -> list[int]:
    """
    Return thresholds of tiers, in displayed points, that give them about the intended shares of these players.

    Thresholds are round numbers. They may repeat if many players have the same rating.

    shown
        The displayed ratings of all players, in any order; at least one.
    """
    exact = np.quantile(shown, intended_shares(count), method="higher")
    gaps = np.diff(exact)
    least = float(gaps[gaps > 0].min()) if np.any(gaps > 0) else 1.0
    step = next((step for step in _STEPS if step <= least / 3), 1)
    return (np.round(exact / step) * step).astype(np.int64).tolist()


def uneven_tiers(tiers: Collection[Tier], counts: Sequence[int]) -> list[UnevenTier]:
    """Return the tiers with no players, or more than 35 % of them, highest first; [] for fewer than 100 players."""
    total = sum(counts)
    if total < ENOUGH_PLAYERS or len(tiers) < 2:
        return []
    rows = [UnevenTier(tier, count, percent_of(count, total)) for tier, count in zip(tiers, counts, strict=True)]
    return [row for row in rows if row.players == 0 or 100 * row.players > MOST_PERCENT * total][::-1]
