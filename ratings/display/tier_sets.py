"""Named sets of tiers that organizers can choose from, and the default tiers of new series."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ratings.display.colours import tier_colours
from ratings.display.mappings import gettext_noop
from ratings.display.tiers import Tier, Tiers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ratings.display.mappings import Mapping

DEFAULT_SCORES = (1000, 1250, 1500, 1750, 2000, 2300, 2600)
"""Default thresholds of the scores x, in rating points, for newcomers at 1500 with a deviation of 350."""

SHAPES = ("○", "△", "▽", "□", "◇", "☆", "●", "▲", "▼", "■", "◆", "★")
"""Symbols that differ in shape at a glance, and that the webfont has."""


@dataclass(frozen=True, slots=True)
class TierSet:
    """Names and symbols of tiers, lowest first; without colours of their own, they rise from grey to red."""

    title: str
    names: tuple[str, ...]
    symbols: tuple[str, ...]
    colours: tuple[tuple[str, str], ...] = ()

    def tiers(self, thresholds: Sequence[int], *, lowest: float = -math.inf) -> Tiers:
        """
        Return the tiers with thresholds in displayed points, one fewer than tiers.

        Tiers that no rating can reach, because their thresholds are not above the `lowest` rating, are left out.
        """
        kept, reached, below = [0], [None, *thresholds], lowest
        for place, threshold in enumerate(thresholds, start=1):
            if threshold > below:
                kept.append(place)
                below = threshold
        colours = [self.colours[place] for place in kept] if self.colours else tier_colours(len(kept))
        return Tiers(
            tuple(
                Tier(self.names[place], reached[place], *pair, self.symbols[place])
                for place, pair in zip(kept, colours, strict=True)
            )
        )


def default_tiers(mapping: Mapping, scores: Sequence[float] | None = None) -> Tiers:
    """Return the eight tiers of a new series, which are named after lights, from faint to bright.

    The mapping computes the thresholds from seven ascending `scores` (rating points). By default, newcomers and the
    middle of the pool, at 1500, are at the threshold of the middle tier "Torch". On a fixed range, which follows the
    players, thresholds are shares of the range: about 3 % of a normal pool are "Nova", and half are "Torch" or above.
    """
    return LIGHTS.tiers(mapping.thresholds(scores or DEFAULT_SCORES))


def ladder_tiers(mapping: Mapping) -> Tiers:
    """Return the tiers of a ladder: the leader, the top 3, 10, 30, 100, 300 and 1,000, and everyone below."""
    names = ("Below 1,000", *(f"Top {place:,}" for place in reversed(_LADDER_PLACES)), "Leader")
    thresholds = [mapping.show(-float(place)) for place in (*reversed(_LADDER_PLACES), 1)]
    return TierSet("Places", names, LIGHTS.symbols).tiers(thresholds, lowest=mapping.least)


_LADDER_PLACES = (3, 10, 30, 100, 300, 1000)

_BELTS = ("White", "Yellow", "Orange", "Green", "Blue", "Purple", "Brown", "Black")
LIGHTS = TierSet(
    gettext_noop("Lights"),
    ("Spark", "Candle", "Lantern", "Torch", "Beacon", "Comet", "Star", "Nova"),
    ("○", "△", "□", "◇", "▲", "■", "◆", "★"),
)
TIER_SETS = {
    "lights": LIGHTS,
    "neutral": TierSet(
        gettext_noop("Neutral levels"), tuple(f"Level {number}" for number in range(1, 9)), LIGHTS.symbols
    ),
    "metals": TierSet(
        gettext_noop("Metals"),
        ("Iron", "Bronze", "Silver", "Gold", "Platinum", "Diamond"),
        ("○", "△", "□", "▲", "■", "◆"),
        (
            ("#3d4958", "#99a7b9"), ("#743500", "#e79c6d"), ("#4e545a", "#aeb4bb"), ("#785c00", "#e6b731"),
            ("#007070", "#67d4d4"), ("#0c3dc9", "#6595ff"),
        ),
    ),
    "belts": TierSet(
        gettext_noop("Belts"),
        tuple(f"{colour} belt" for colour in _BELTS),
        LIGHTS.symbols,
        (
            ("#6c6c6c", "#bebebe"), ("#7b6c00", "#efd845"), ("#8a4100", "#f58028"), ("#006a27", "#6ce182"),
            ("#004bb6", "#84b2ff"), ("#550089", "#af60f8"), ("#572913", "#b37e66"), ("#161616", "#f2f2f2"),
        ),
    ),
    "stars": TierSet(
        gettext_noop("Stars"),
        ("No star", "1 star", "2 stars", "3 stars", "4 stars", "5 stars"),
        ("☆", "1★", "2★", "3★", "4★", "5★"),
    ),
}  # fmt: skip
"""Name -> a set to choose from. A search made neighbours differ for colour-blind readers as in `tier_colours`, in the
hues that fit the names of the metals and belts."""
