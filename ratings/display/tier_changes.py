"""The numbers of players per tier before and after a change of the tiers or of the ratings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ratings.display.leagues import PROVISIONAL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ratings.display.tiers import Tier, Tiers


@dataclass(frozen=True, slots=True)
class TierChange:
    """
    One tier with its numbers of players.

    now
        The number in the current tier of that name, or of another name if the tier is renamed; None for a new tier.
    then
        The number afterwards; None for a tier that is removed.
    """

    tier: Tier
    now: int | None
    then: int | None


def tier_changes(old: Tiers, was: NDArray[np.int64], new: Tiers, will_be: NDArray[np.int64]) -> list[TierChange]:
    """
    Return the new tiers, highest first, and then the removed ones.

    was, will_be
        The positions of players in the old and the new tiers; `PROVISIONAL` for players in none.
    """
    renamed, names = renamed_tiers(old, new), {tier.name for tier in new}
    counts = list(zip(old, _bins(was, old), strict=True))
    before = {renamed.get(tier.name, tier.name): count for tier, count in counts}
    kept = [
        TierChange(tier, before.get(tier.name), count) for tier, count in zip(new, _bins(will_be, new), strict=True)
    ]
    removed = [
        TierChange(tier, count, None) for tier, count in counts if renamed.get(tier.name, tier.name) not in names
    ]
    return [*reversed(kept), *reversed(removed)]


def renamed_tiers(old: Tiers, new: Tiers) -> dict[str, str]:
    """Return the new names of tiers by their former ones if no threshold changes; otherwise nothing."""
    if [tier.minimum for tier in old] != [tier.minimum for tier in new]:
        return {}
    names_before, names_after = {tier.name for tier in old}, {tier.name for tier in new}
    return {
        before.name: after.name
        for before, after in zip(old, new, strict=True)
        if before.name not in names_after and after.name not in names_before
    }


def _bins(positions: NDArray[np.int64], tiers: Tiers) -> list[int]:
    return np.bincount(positions[positions != PROVISIONAL], minlength=len(tiers)).tolist()
