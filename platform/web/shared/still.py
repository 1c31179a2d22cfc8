"""
The rating graph and the graph of a comparison as the server draws them, from their data.

Each is where the interactive graph will be, and stays there without JavaScript. Lines are in a box of WIDE by HIGH
that stretches with the page; texts keep their size, so their positions are percentages.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from web.shared.drawings import Tick, percent

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

WIDE, HIGH = 1000, 400
#: More points than this make no visible difference.
MOST_POINTS = 240
_MOST_UP, _MOST_ACROSS = 5, 6
#: The length of a day in milliseconds.
_DAY = 86_400_000.0
#: The share of the width of a narrow graph that the names of tiers take.
_NAME_WIDTH = 0.25


@dataclass(frozen=True, slots=True)
class StillTier:
    """
    The part of the height that a tier covers, as percentages.

    has_name
        Whether its name fits beside the graph.
    is_clear
        Whether its name fits at the left inside the graph, where narrow graphs have it, without covering the line.
    """

    number: int
    name: str
    y: str
    height: str
    middle: str
    has_name: bool
    is_clear: bool


@dataclass(frozen=True, slots=True)
class StillShade:
    """A season with a background of its own."""

    x: str
    width: str


@dataclass(frozen=True, slots=True)
class StillLine:
    """
    A line, as points "x,y x,y …" in the box; empty for fewer than two contests.

    number
        In a comparison, the position of the player, which chooses the colour; else None.
    dash, shape
        In a comparison, the lengths of dashes, and the path of the mark at the last point (`end`, as percentages).
    """

    points: str
    number: int | None = None
    dash: str = ""
    shape: str = ""
    end: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class StillGraph:
    """
    A drawn graph.

    band
        Points "x,y x,y …" in the box; empty for fewer than two contests, and without a band.
    dots
        Positions (x, y) of the first and last contests and the peak, as percentages, each with its tier.
    peak
        The peak's position (x, y), its rating, and where its label is anchored.
    """

    lines: list[StillLine]
    band: str
    dots: list[tuple[str, str, int]]
    up: list[Tick]
    across: list[Tick]
    tiers: list[StillTier]
    seasons: list[StillShade]
    peak: tuple[str, str, int, str] | None


def still_graph(chart: dict[str, Any]) -> StillGraph | None:
    """Draw the data of `rating_chart`; None without contests."""
    points = chart["points"]
    if not points:
        return None
    at, rating, low, high = (
        np.array([point[name] for point in points], float) for name in ("at", "rating", "low", "high")
    )
    if chart["isLong"]:
        low, high = smoothed(low), smoothed(high)
    left, right = _reach(at)
    bottom, top = _heights(rating, low, high)
    x = (at - left) / (right - left)
    y = 1 - (np.stack([rating, low, high]) - bottom) / (top - bottom)
    chosen = _chosen(at, chart["peak"])
    is_line = len(points) > 1
    band = _pairs(np.r_[x[chosen], x[chosen][::-1]], np.r_[y[1, chosen], y[2, chosen][::-1]])
    ends = sorted({int(chosen[0]), len(points) - 1, chart["peak"]})
    return StillGraph(
        lines=[StillLine(_pairs(x[chosen], y[0, chosen]))] if is_line else [],
        band=band if is_line and chart["hasBand"] else "",
        dots=[(percent(float(x[one])), percent(float(y[0, one])), points[one]["tier"]) for one in ends],
        up=_up(bottom, top),
        across=_across(left, right),
        tiers=_tiers(chart["tiers"], bottom, top, y[0, x < _NAME_WIDTH]),
        seasons=_shades(chart["seasons"], left, right),
        peak=_peak(float(x[chart["peak"]]), float(y[0, chart["peak"]]), points[chart["peak"]]) if is_line else None,
    )


def still_comparison(chart: dict[str, Any]) -> StillGraph | None:
    """Draw the data of `compare_chart`; None without contests."""
    if not chart["contests"]:
        return None
    moments = np.array([contest["at"] for contest in chart["contests"]], float)
    left, right = _reach(moments)
    ratings = [np.array([point["rating"] for point in player["points"]], float) for player in chart["players"]]
    every = np.concatenate(ratings)
    edge = 0.08 * (every.max() - every.min()) + 10
    bottom, top = float(every.min() - edge), float(every.max() + edge)
    lines, beneath = [], [np.empty(0)]
    for number, (player, rating) in enumerate(zip(chart["players"], ratings, strict=True)):
        if not len(rating):
            continue
        at = moments[[point["contest"] for point in player["points"]]]
        x = (at - left) / (right - left)
        y = 1 - (rating - bottom) / (top - bottom)
        beneath.append(y[x < _NAME_WIDTH])
        chosen = _chosen(at)
        drawn = _pairs(x[chosen], y[chosen]) if len(x) > 1 else ""
        dash = " ".join(str(length) for length in player["line"]["dash"])
        end = percent(float(x[-1])), percent(float(y[-1]))
        lines.append(StillLine(drawn, number, dash, player["line"]["shape"], end))
    tiers = _tiers(chart["tiers"], bottom, top, np.concatenate(beneath))
    return StillGraph(lines, "", [], _up(bottom, top), _across(left, right), tiers, [], None)


def _chosen(at: Floats, also: int | None = None) -> NDArray[np.int64]:
    """
    Return the positions of the points to draw: the last of each day, or fewer, always with the last one.

    at
        The moments of all points in milliseconds since 1970, shape (points,).
    also
        A position that is always among them.
    """
    ends = np.flatnonzero(np.diff(at // _DAY, append=np.inf) != 0)
    places = np.linspace(0, len(ends) - 1, min(len(ends), MOST_POINTS)).round().astype(np.int64)
    return np.union1d(ends[places], [] if also is None else [also]).astype(np.int64)


def smoothed(values: Floats) -> Floats:
    """Return a moving average over an eightieth of the values to each side, over fewer at the ends."""
    side = max(1, round(len(values) / 80))
    sums = np.concatenate([[0.0], np.cumsum(values)])
    places = np.arange(len(values))
    first, last = np.maximum(0, places - side), np.minimum(len(values), places + side + 1)
    averages: Floats = (sums[last] - sums[first]) / (last - first)
    return averages


def _reach(at: Floats) -> tuple[float, float]:
    """Return the ends of the axis: all contests with a little room, as the interactive graph has."""
    span = at[-1] - at[0]
    side = max(0.02 * span, min(_DAY, 0.05 * span)) if span > 0 else 15 * _DAY
    return float(at[0] - side), float(at[-1] + side)


def _heights(rating: Floats, low: Floats, high: Floats) -> tuple[float, float]:
    """Return the ends of the axis of ratings: the line with some room; the band may leave the picture."""
    least, most = float(rating.min()), float(rating.max())
    margin = max(0.25 * (most - least), 0.75 * float(high[-1] - low[-1]), 20.0)
    # Conservative displays are lower than the whole band, whose newest part stays in the picture.
    is_below = bool(low[-1] > rating[-1])
    above = max(margin, float(high[-1]) + 20 - most) if is_below else margin
    edge = 0.12 * (most - least) + 10
    bottom = min(least - 1.5 * edge, max(min(least, float(low.min())) - 0.2 * edge, least - margin))
    top = max(most + 2.2 * edge, min(max(most, float(high.max())) + 0.2 * edge, most + above))
    # A single point far below its band would touch the frame.
    room = 0.05 * (top - bottom)
    return min(bottom, least - room), max(top, float(high[-1]) + room) if is_below else top


def _pairs(x: Floats, y: Floats) -> str:
    return " ".join(f"{a:.0f},{b:.0f}" for a, b in zip((WIDE * x).tolist(), (HIGH * y).tolist(), strict=True))


def _up(bottom: float, top: float) -> list[Tick]:
    step = _round_step((top - bottom) / _MOST_UP)
    first = int(-(-bottom // step) * step)
    return [Tick(percent(1 - (value - bottom) / (top - bottom)), value) for value in range(first, int(top) + 1, step)]


def _round_step(least: float) -> int:
    """Return the smallest of 1, 2, 5, 10, 20, … that is at least this number."""
    power = 1
    while True:
        for factor in (1, 2, 5):
            if factor * power >= least:
                return factor * power
        power *= 10


def _across(left: float, right: float) -> list[Tick]:
    """Return the beginnings of years, or of every few years. Narrow pages leave out every other one."""
    first, last = (datetime.fromtimestamp(end / 1000, UTC).year for end in (left, right))
    step = _round_step((last - first) / _MOST_ACROSS) if last > first else 1
    years = [year for year in range(first + 1, last + 1) if year % step == 0]
    starts = [(datetime(year, 1, 1, tzinfo=UTC).timestamp() * 1000 - left) / (right - left) for year in years]
    kept = [(year, start) for year, start in zip(years, starts, strict=True) if 0.03 <= start <= 0.97]
    return [Tick(percent(start), year, place % 2 == 1) for place, (year, start) in enumerate(kept)]


def _tiers(tiers: Sequence[dict[str, Any]], bottom: float, top: float, beneath: Floats) -> list[StillTier]:
    """Lay out the tiers; `beneath` are the heights of the line where narrow graphs have names, from 0 at the top."""
    bands = []
    for number, tier in enumerate(tiers):
        begin = bottom if tier["from"] is None else max(bottom, tier["from"])
        end = min(top, tiers[number + 1]["from"]) if number + 1 < len(tiers) else top
        if begin < end:
            share = (end - begin) / (top - bottom)
            y = (top - end) / (top - bottom)
            is_clear = share > 0.08 and not bool(((beneath > y - 0.02) & (beneath < y + 0.12)).any())
            edges = (percent(y), percent(share), percent(y + share / 2))
            bands.append(StillTier(number, tier["name"], *edges, has_name=share > 0.06, is_clear=is_clear))
    return bands


def _shades(seasons: Sequence[int], left: float, right: float) -> list[StillShade]:
    """Shade every other season."""
    edges = [*seasons, right]
    shades = []
    for start, end in zip(edges[1::2], edges[2::2], strict=False):
        begin, stop = (min(1.0, max(0.0, (edge - left) / (right - left))) for edge in (start, end))
        if begin < stop:
            shades.append(StillShade(percent(begin), percent(stop - begin)))
    return shades


def _peak(x: float, y: float, point: dict[str, Any]) -> tuple[str, str, int, str]:
    anchor = "start" if x < 0.12 else "end" if x > 0.88 else "middle"
    return percent(x), percent(y), point["rating"], anchor
