"""How many players are in each tier of a series."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ratings.display import Tier
    from ratings.queries.snapshot import Shown


@dataclass(frozen=True, slots=True)
class TierCount:
    """A tier of the legend, `number` from 0 (lowest), with the players in it."""

    tier: Tier
    number: int
    players: int
    share: float


def tier_counts(view: Shown) -> list[TierCount]:
    """Return the tiers, highest first, with how many players are in each."""
    scores = view.index.scores
    positions = view.tiers.positions(view.mapping.show(scores)) if len(scores) else np.empty(0, dtype=np.int64)
    counts = np.bincount(positions, minlength=len(view.tiers)).tolist()
    total = max(1, len(scores))
    rows = [
        TierCount(tier, number, count, 100 * count / total)
        for number, (tier, count) in enumerate(zip(view.tiers, counts, strict=True))
    ]
    return rows[::-1]
