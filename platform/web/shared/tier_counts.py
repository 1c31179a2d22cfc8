"""How many players are in each tier of a series."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ratings.display import Tier
    from ratings.queries.snapshot import SeriesSnapshot


@dataclass(frozen=True, slots=True)
class TierCount:
    """A tier of the legend, `number` from 0 (lowest), with the players in it."""

    tier: Tier
    number: int
    players: int
    share: float


def tier_counts(snapshot: SeriesSnapshot) -> list[TierCount]:
    """Return the tiers, highest first, with how many players are in each."""
    scores = snapshot.index.scores
    positions = snapshot.tiers.positions(snapshot.mapping.show(scores)) if len(scores) else np.empty(0, dtype=np.int64)
    counts = np.bincount(positions, minlength=len(snapshot.tiers)).tolist()
    total = max(1, len(scores))
    rows = [
        TierCount(tier, number, count, 100 * count / total)
        for number, (tier, count) in enumerate(zip(snapshot.tiers, counts, strict=True))
    ]
    return rows[::-1]
