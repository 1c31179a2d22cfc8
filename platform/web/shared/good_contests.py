"""The number of good contests that a player needs to gain some points."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The newest contests whose gains say how much a good contest brings.
RECENT = 20
#: The first contests of a player move the rating further than any good contest later on; their gains don't count.
SETTLING = 5
#: Above this number of good contests, the goal is too distant for an estimate.
FARTHEST = 30


def good_contests_to(missing: int | None, differences: Sequence[int]) -> tuple[int, int] | None:
    """
    Return roughly how many good contests bring the missing points, and the points that one of them brings.

    A good contest brings the mean gain of the newest contests with a gain. None if there were no gains, or if the goal
    is too distant for an estimate.

    differences
        The changes of the displayed rating after the first SETTLING contests, oldest first.
    """
    gains = [difference for difference in differences[-RECENT:] if difference > 0]
    if not missing or not gains:
        return None
    gain = sum(gains) / len(gains)
    count = math.ceil(missing / gain)
    return (count, round(gain)) if count <= FARTHEST else None
