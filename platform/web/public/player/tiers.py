"""The tiers of a series as one player's ladder: when each was first reached, and what is missing to the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ratings.queries.provisional import provisional

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ratings.display import Tier
    from ratings.queries.snapshot import SeriesSnapshot
    from web.public.player.history import HistoryRow


@dataclass(frozen=True, slots=True)
class TierStep:
    """
    One tier of a player's ladder.

    reached
        The first contest after which the rating was in this tier or above; None for tiers never reached, and for those
        below the one that the first contest led to.
    is_provisional
        Whether the rating was still provisional then.
    missing
        Shown points from the rating now to the tier; None unless it is above.
    """

    tier: Tier
    reached: HistoryRow | None
    is_provisional: bool
    is_current: bool
    missing: int | None


def tier_steps(snapshot: SeriesSnapshot, rows: Sequence[HistoryRow], points: int) -> list[TierStep]:
    """
    Return all tiers, highest first, of a player whose history (oldest first) led to a rating, in shown points.

    Tiers below the one that the first contest led to were never a step: the player was above them from the start.
    """
    if not rows:
        return []
    early = provisional(snapshot, np.array([row.change.sigma for row in rows]))
    positions = snapshot.tiers.positions([row.after for row in rows])
    current = snapshot.tier_number(points)
    highest = np.maximum.accumulate(positions)
    steps = []
    for number, tier in enumerate(snapshot.tiers):
        first = int(np.searchsorted(highest, number))
        is_reached = first < len(rows) and number >= positions[0]
        missing = tier.minimum - points if number > current and tier.minimum is not None else None
        steps.append(
            TierStep(
                tier,
                reached=rows[first] if is_reached else None,
                is_provisional=is_reached and bool(early[first]),
                is_current=number == current,
                missing=missing,
            )
        )
    return steps[::-1]
