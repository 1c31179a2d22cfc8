"""
Distributions of displayed ratings: bins, percentiles, tiers, and movement between tiers.

Pure functions of arrays. Ratings are whole displayed points, in ascending order unless stated otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ratings.display.percentages import percent_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ratings.display import Tier, Tiers

    Integers = NDArray[np.int64]

#: A histogram has at most this many bars.
MOST_BINS = 60
#: Fewer bars than this do not show a shape.
FEWEST_BINS = 12
#: The percentiles in the table, highest first.
PERCENTILES = (99, 95, 90, 75, 50, 25, 10, 5, 1)


@dataclass(frozen=True, slots=True)
class Bin:
    """The number of players whose rating is at least `start` and less than `end`."""

    start: int
    end: int
    players: int

    @property
    def last(self) -> int:
        """The highest rating in the bin."""
        return self.end - 1


@dataclass(frozen=True, slots=True)
class Percentile:
    """The lowest rating that `percent` % of the players do not exceed; `above` counts players with higher ratings."""

    percent: int
    rating: int
    above: int


@dataclass(frozen=True, slots=True)
class TierShare:
    """
    A tier with its number of players.

    number
        Position of the tier, from 0 (lowest).
    share, share_up
        Percentage of players in the tier, and in this tier or a higher one.
    below
        Minimum of the next tier; None for the highest.
    """

    tier: Tier
    number: int
    players: int
    share: float
    share_up: float
    below: int | None


@dataclass(frozen=True, slots=True)
class RatingPosition:
    """
    The position of a rating among those of all players.

    below, above
        Number of players with lower and with higher ratings.
    better_than
        Percentage of players with lower ratings, rounded down to one decimal, so that 100 means all of them.
    rank
        The competition rank that the rating has, or would have.
    """

    rating: int
    below: int
    above: int
    better_than: float

    @property
    def rank(self) -> int:
        return self.above + 1


@dataclass(frozen=True, slots=True)
class FlowCell:
    """Number of players who moved from one tier to another; `tenths` is their share of the row, rounded up."""

    players: int
    tenths: int
    is_same: bool


@dataclass(frozen=True, slots=True)
class FlowRow:
    """Movement from one tier, or of new players if `tier` is None; `cells` by destination, highest tier first."""

    tier: Tier | None
    number: int
    cells: list[FlowCell]
    total: int


@dataclass(frozen=True, slots=True)
class Flows:
    """Movement between tiers: the rows and columns with players, highest tier first, and the totals."""

    rows: list[FlowRow]
    columns: list[tuple[Tier, int]]
    rose: int
    fell: int
    stayed: int
    new: int

    @property
    def has_earlier(self) -> bool:
        """Whether anyone was rated a year earlier, so that there is something to compare with."""
        return self.rose + self.fell + self.stayed > 0


def bin_width(ratings: Integers, most: int = MOST_BINS) -> int:
    """Return the smallest of 1, 2, 5, 10, 20, 50, … with which the histogram has at most `most` bars."""
    span = int(ratings.max() - ratings.min()) + 1 if len(ratings) else 1
    width, step = 1, 0
    while span > width * (most - 1):
        step += 1
        width = (1, 2, 5)[step % 3] * 10 ** (step // 3)
    return width


def most_bins(players: int) -> int:
    """Return the number of bars that shows the shape, not single players: about twice the square root of `players`."""
    return min(MOST_BINS, max(FEWEST_BINS, round(2 * players**0.5)))


def bins(ratings: Integers, width: int) -> list[Bin]:
    """Return the bins of ratings (in any order) without gaps, lowest first."""
    if not len(ratings):
        return []
    number = ratings // width
    first = int(number.min())
    counts = np.bincount(number - first).tolist()
    return [Bin((first + i) * width, (first + i + 1) * width, count) for i, count in enumerate(counts)]


def percentiles(ratings: Integers) -> list[Percentile]:
    """Return the rating at each of PERCENTILES; an empty list without players."""
    if not len(ratings):
        return []
    found = [(percent, int(ratings[-(-len(ratings) * percent // 100) - 1])) for percent in PERCENTILES]
    return [Percentile(percent, rating, _above(ratings, rating)) for percent, rating in found]


def locate_rating(ratings: Integers, rating: int) -> RatingPosition:
    """Return the position of a rating among these."""
    below = int(np.searchsorted(ratings, rating, side="left"))
    better = 1000 * below // len(ratings) / 10 if len(ratings) else 0.0
    return RatingPosition(rating, below, _above(ratings, rating), better)


def tier_shares(ratings: Integers, tiers: Tiers) -> list[TierShare]:
    """Return the tiers with their numbers and shares of players, highest first."""
    counts = np.bincount(tiers.positions(ratings), minlength=len(tiers))
    total = max(1, len(ratings))
    at_least = np.cumsum(counts[::-1])[::-1]
    ends = [*tiers.thresholds, None]
    rows = zip(tiers, counts.tolist(), at_least.tolist(), ends, strict=True)
    return [
        TierShare(tier, number, count, percent_of(count, total), percent_of(up, total), below)
        for number, (tier, count, up, below) in enumerate(rows)
    ][::-1]


def flows_by_tier(counts: Integers, tiers: Tiers) -> Flows:
    """Return the movement between tiers as a table, from the `flows` of `ratings.derived.movement.compute`."""
    known = counts[:-1]
    reached = np.flatnonzero(counts.any(axis=0)).tolist()[::-1]
    rows = [_flow_row(tier, number, counts[number], reached) for number, tier in enumerate([*tiers, None])]
    # Highest tier first, and new players at the end.
    ordered = [row for row in [*rows[-2::-1], rows[-1]] if row.total]
    rose, fell = int(np.triu(known, 1).sum()), int(np.tril(known, -1).sum())
    columns = [(tiers[number], number) for number in reached]
    return Flows(ordered, columns, rose, fell, int(np.trace(known)), int(counts[-1].sum()))


def _flow_row(tier: Tier | None, number: int, counts: Integers, reached: list[int]) -> FlowRow:
    total = int(counts.sum())
    cells = [
        FlowCell(int(counts[to]), -(-10 * int(counts[to]) // total) if total else 0, tier is not None and to == number)
        for to in reached
    ]
    return FlowRow(tier, number, cells, total)


def _above(ratings: Integers, rating: int) -> int:
    return len(ratings) - int(np.searchsorted(ratings, rating, side="right"))
