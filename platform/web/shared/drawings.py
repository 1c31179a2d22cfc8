"""
Layout of the SVG charts that the server draws: histograms, stacked bars and sparklines.

Positions and sizes of bars are percentages, written as SVG attributes expect them, so that a chart is as wide as its
page while its text keeps its size. Pure functions: numbers in, texts and numbers out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ratings.display.percentages import percent_of
from ratings.queries.distributions import FEWEST_BINS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ratings.display import Tiers
    from ratings.queries.distributions import Bin


#: Share of the height that stays free for the labels above the bars.
_HEADROOM = 0.12
_MOST_TICKS = 12


@dataclass(frozen=True, slots=True)
class Tick:
    """A number on an axis; narrow charts leave out those with `is_second`."""

    at: str
    value: int
    is_second: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """One bar of the histogram, with the tier at the middle of its bin; `share` of the players in percent."""

    bin: Bin
    tier: int
    x: str
    width: str
    y: str
    height: str
    share: float


@dataclass(frozen=True, slots=True)
class TierSpan:
    """The part of the axis that a tier covers; `is_wide` if its symbol fits."""

    number: int
    name: str
    symbol: str
    x: str
    width: str
    is_wide: bool


@dataclass(frozen=True, slots=True)
class Marker:
    """A rating on the axis; `is_late` in the right half, where the label goes to its left."""

    at: str
    rating: int
    is_late: bool


@dataclass(frozen=True, slots=True)
class Histogram:
    """Bars over an axis of ratings from `low` to `high`; `gutter` is the width of the vertical axis in pixels."""

    columns: list[Column]
    across: list[Tick]
    up: list[Tick]
    tiers: list[TierSpan]
    low: int
    high: int
    gutter: int

    def marker(self, rating: int) -> Marker:
        """Return the position of a rating, at the edge if it is outside."""
        share = min(1.0, max(0.0, (rating + 0.5 - self.low) / (self.high - self.low)))
        return Marker(percent(share), rating, share > 0.5)


@dataclass(frozen=True, slots=True)
class Segment:
    """Part of a stacked bar: the players of one tier at the end of a period; `share` in percent."""

    number: int
    name: str
    players: int
    share: float
    y: str
    height: str


@dataclass(frozen=True, slots=True)
class Stack:
    """The stacked bar of one period, highest tier first."""

    x: str
    width: str
    middle: str
    segments: list[Segment]
    total: int


def gutter(ticks: Sequence[Tick]) -> int:
    """Return the width in pixels of the numbers on a vertical axis, at the smallest text size."""
    return 10 + 7 * max((len(f"{tick.value:,}") for tick in ticks), default=0)


def percent(share: float) -> str:
    """Return a share from 0 to 1 as a percentage for an SVG attribute."""
    return f"{100 * share:.2f}%"


def histogram(bins: Sequence[Bin], tiers: Tiers) -> Histogram:
    """Lay out at least one bin, without gaps, lowest first."""
    width = bins[0].end - bins[0].start
    # A single bar would fill the whole width.
    padding = max(1, (FEWEST_BINS - len(bins)) // 2) if len(bins) < FEWEST_BINS else 0
    low, high = bins[0].start - padding * width, bins[-1].end + padding * width
    total, most = sum(one.players for one in bins), max(one.players for one in bins)
    top = most * (1 + _HEADROOM)
    middles = tiers.positions([(one.start + one.end) / 2 for one in bins]).tolist()
    columns = [
        Column(
            one, tier, percent((one.start - low) / (high - low)), percent(width / (high - low)),
            percent(1 - one.players / top), percent(one.players / top), percent_of(one.players, total),
        )
        for one, tier in zip(bins, middles, strict=True)
    ]  # fmt: skip
    up = up_to(most)
    return Histogram(columns, _across(low, high), up, _spans(tiers, low, high), low, high, gutter(up))


def stacks(counts: Sequence[Sequence[int]], tiers: Tiers, *, as_shares: bool) -> list[Stack]:
    """
    Lay out a stacked bar for each period.

    counts
        For each period, the number of players in each tier, lowest first.
    as_shares
        Whether every bar has the full height of the chart, instead of a height by its number of players.
    """
    totals = [sum(row) for row in counts]
    top = max(totals, default=0) * (1 + _HEADROOM)
    width = 1 / max(1, len(counts))
    return [
        Stack(
            percent(i * width + 0.06 * width), percent(0.88 * width), percent((i + 0.5) * width),
            _segments(row, tiers, float(total) if as_shares else top), total,
        )
        for i, (row, total) in enumerate(zip(counts, totals, strict=True))
    ]  # fmt: skip


def up_to(most: int) -> list[Tick]:
    """Return the ticks of a vertical axis up to `most`: a few round numbers."""
    step, top = _step(most, 5), most * (1 + _HEADROOM)
    return [Tick(percent(1 - value / top), value) for value in range(step, most + 1, step)]


def _segments(row: Sequence[int], tiers: Tiers, top: float) -> list[Segment]:
    segments, height, total = [], 0, sum(row)
    for number, (tier, players) in enumerate(zip(tiers, row, strict=True)):
        height += players
        if players:
            y, share = percent(1 - height / top), percent_of(players, total)
            segments.append(Segment(number, tier.name, players, share, y, percent(players / top)))
    return segments[::-1]


def _across(low: int, high: int) -> list[Tick]:
    """Return the ticks of an axis of ratings; narrow charts keep those at double steps."""
    step = _step(high - low, _MOST_TICKS)
    first = -(-low // step) * step
    # The edges would cut off half of a number.
    room = 0.03 * (high - low)
    return [
        Tick(percent((value - low) / (high - low)), value, value // step % 2 == 1)
        for value in range(first, high + 1, step)
        if low + room <= value <= high - room
    ]


def _spans(tiers: Tiers, low: int, high: int) -> list[TierSpan]:
    ends = [*tiers.thresholds, high]
    starts = [low, *tiers.thresholds]
    spans = []
    for number, (tier, start, end) in enumerate(zip(tiers, starts, ends, strict=True)):
        begin, stop = max(low, start), min(high, end)
        if begin < stop:
            share = (stop - begin) / (high - low)
            x = percent((begin - low) / (high - low))
            spans.append(TierSpan(number, tier.name, tier.symbol, x, percent(share), share >= 0.04))
    return spans


def _step(span: int, most: int) -> int:
    """Return the smallest step of 1, 2, 5, 10, … that divides a span into at most `most` parts."""
    step, size = 1, 0
    while span > step * most:
        size += 1
        step = (1, 2, 5)[size % 3] * 10 ** (size // 3)
    return step


LINE_WIDTH, LINE_HEIGHT, LINE_MARGIN = 300, 56, 5
#: More points make no visible difference.
MOST_POINTS = 150


def sparkline(values: Sequence[float]) -> str:
    """Return the points "x,y x,y …" of the values in a box of LINE_WIDTH by LINE_HEIGHT; empty for fewer than two."""
    if len(values) < 2:
        return ""
    last = len(values) - 1
    chosen = range(len(values)) if last < MOST_POINTS else _spread_over(last)
    heights = [float(values[i]) for i in chosen]
    high = max(heights)
    spread = high - min(heights) or 1.0
    width, height = LINE_WIDTH - 2 * LINE_MARGIN, LINE_HEIGHT - 2 * LINE_MARGIN
    # Plain numbers: for the 24 points of a row on a leaderboard, they take a fifth of the time of arrays.
    return " ".join(
        f"{LINE_MARGIN + width * i / last:.1f},{LINE_MARGIN + height * (high - value) / spread:.1f}"
        for i, value in zip(chosen, heights, strict=True)
    )


def _spread_over(last: int) -> list[int]:
    """Return MOST_POINTS positions from 0 to the last one, as evenly as possible."""
    positions: list[int] = np.unique(np.linspace(0, last, MOST_POINTS).round().astype(int)).tolist()
    return positions
