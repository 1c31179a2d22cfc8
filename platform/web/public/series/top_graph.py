"""The graph of the best players' ratings on the page of a series, drawn by the server."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np
from django.utils.formats import date_format
from django.utils.translation import pgettext

from ratings.derived import derived
from ratings.derived.top_histories import DERIVATION
from web.shared.drawings import percent
from web.shared.names import first_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ratings.queries.rows import Leader
    from ratings.queries.snapshot import SeriesSnapshot

    Floats = NDArray[np.float64]

#: The size of the drawing's own units; the page stretches it.
WIDTH, HEIGHT = 1000, 400
#: The minimum distance between two labels, and the free margin above and below the lines, as shares of the height.
_LABEL_GAP, _MARGIN = 0.05, 0.04
_LONGEST_LABEL = 17
#: Points that a line has at most, apart from its first. More of them tangle ten lines, above all on a phone.
_MOST_POINTS = 80
_MOST_YEARS, _MOST_PARTS, _MOST_LEVELS = 6, 4, 5
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Line:
    """
    The line of one player, with its label at the right end.

    number
        Position from 1, which chooses the colour.
    points
        "x,y x,y …" in units of the drawing.
    rest
        Position of the line's last point, as a percentage, if it is not at the right end; else empty. From there on,
        the graph shows the unchanged rating as a dotted line.
    end, label
        Heights of the end of the line and of its label, as percentages.
    """

    number: int
    name: str
    rating: int
    points: str
    rest: str
    end: str
    label: str


@dataclass(frozen=True, slots=True)
class TopGraph:
    """The lines, best player first; ticks are (position as a percentage, number or time)."""

    lines: list[Line]
    times: list[tuple[str, str]]
    levels: list[tuple[str, int]]


def top_graph(snapshot: SeriesSnapshot, leaders: Sequence[Leader]) -> TopGraph | None:
    """Return the graph of the leaders whose histories were derived; None if there is no line to draw."""
    content = derived(snapshot, DERIVATION)
    if content is None:
        return None
    parts = np.cumsum(content["counts"])[:-1]
    days = dict(zip(content["players"], np.split(content["days"], parts), strict=True))
    ratings = dict(zip(content["players"], np.split(content["ratings"], parts), strict=True))
    shown = [
        (number, row, days[row.rating.player_id], ratings[row.rating.player_id])
        for number, row in enumerate(leaders, start=1)
        if len(days.get(row.rating.player_id, ())) > 1
    ]
    first = min((when[0] for *_, when, _ in shown), default=0.0)
    last = max((when[-1] for *_, when, _ in shown), default=0.0)
    if last <= first:
        return None
    every = np.concatenate([line for *_, line in shown])
    low, high = _padded(float(every.min()), float(every.max()))
    ends = [(high - row.points) / (high - low) for _, row, *_ in shown]
    lines = [
        Line(
            number,
            _cut(first_name(row.rating.player, snapshot.series.community.names_first)),
            row.points,
            _points((when - first) / (last - first), (high - line) / (high - low)),
            percent((when[-1] - first) / (last - first)) if when[-1] < last else "",
            percent(end),
            percent(label),
        )
        for (number, row, when, line), end, label in zip(shown, ends, spread(ends, _LABEL_GAP), strict=True)
    ]
    levels = [(percent((high - level) / (high - low)), level) for level in _round_numbers(low, high)]
    return TopGraph(lines, _times(first, last), levels)


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """
    Return heights from 0 to 1, as close as possible to these, that are at least `gap` apart, in the same order.

    Heights that overlap form a block around their mean, and blocks that overlap are joined. If there is no room for
    all, they are evenly spread.
    """
    order = sorted(range(len(heights)), key=lambda at: heights[at])
    gap = min(gap, 1 / max(1, len(heights) - 1))
    # Blocks as (mean of the preferred heights of the first label, number of labels).
    blocks: list[tuple[float, int]] = []
    for at in order:
        start, count = heights[at], 1
        while blocks and start < blocks[-1][0] + gap * blocks[-1][1]:
            before, number = blocks.pop()
            start = (before * number + (start - gap * number) * count) / (number + count)
            start, count = min(max(start, 0.0), 1 - gap * (number + count - 1)), number + count
        blocks.append((start, count))
    placed = [start + gap * at for start, count in blocks for at in range(count)]
    found = [0.0] * len(heights)
    for at, place in zip(order, placed, strict=True):
        found[at] = place
    return found


def _padded(low: float, high: float) -> tuple[float, float]:
    room = _MARGIN * max(high - low, 1.0)
    return low - room, high + room


def _points(x: Floats, y: Floats) -> str:
    """Return the line through positions from 0 to 1: the first, and the last one in each part of the width."""
    part = np.minimum((x * _MOST_POINTS).astype(np.int64), _MOST_POINTS - 1)
    is_drawn = np.append(part[1:] != part[:-1], True)
    is_drawn[0] = True
    drawn = zip((WIDTH * x[is_drawn]).tolist(), (HEIGHT * y[is_drawn]).tolist(), strict=True)
    return " ".join(f"{a:.0f},{b:.0f}" for a, b in drawn)


def _cut(name: str) -> str:
    """Shorten a long name: without a remark in brackets at its end, such as a country, or cut."""
    if len(name) > _LONGEST_LABEL and name.endswith(")"):
        name = name.partition(" (")[0]
    return name if len(name) <= _LONGEST_LABEL else f"{name[: _LONGEST_LABEL - 1].rstrip()}…"


def _round_numbers(low: float, high: float) -> list[int]:
    """Return a few multiples of 1, 2 or 5 times a power of ten within a range."""
    size = 10 ** max(0, len(str(int(high - low))) - 2)
    step = next(size * by for by in (1, 2, 5, 10, 20, 50, 100) if (high - low) / (size * by) <= _MOST_LEVELS)
    return list(range(int(np.ceil(low / step)) * step, int(high) + 1, step))


def _times(first: float, last: float) -> list[tuple[str, str]]:
    """Return the starts of a few years between two days since 1970; of months, days or hours if fewer than two fit."""
    begin, end = _EPOCH + timedelta(days=first), _EPOCH + timedelta(days=last)
    day = pgettext("how a day without its year is written", "j M")
    shown: list[tuple[str, str]] = []
    for moments, form in (
        (_starts_of_years(begin, end), "Y"),
        (_starts_of_months(begin, end), pgettext("how a month is written", "M Y")),
        (_starts_of_days(begin, end), day),
        (_starts_of_hours(begin, end), f"{day} H:i"),
    ):
        placed = [((one - begin) / (end - begin), date_format(one, form)) for one in moments]
        shown = [(percent(at), words) for at, words in placed if 0.04 < at < 0.96]
        if len(shown) > 1:
            break
    return shown


def _starts_of_years(begin: datetime, end: datetime) -> list[datetime]:
    years = range(begin.year + 1, end.year + 1)
    step = next(by for by in (1, 2, 5, 10, 20, 50, 100, 1000) if len(years) / by <= _MOST_YEARS)
    return [datetime(year, 1, 1, tzinfo=UTC) for year in years if year % step == 0]


def _starts_of_months(begin: datetime, end: datetime) -> list[datetime]:
    months = [divmod(number, 12) for number in range(12 * begin.year + begin.month, 12 * end.year + end.month)]
    step = next(by for by in (1, 2, 3, 6, 12) if len(months) / by <= _MOST_PARTS or by == 12)
    return [datetime(year, month + 1, 1, tzinfo=UTC) for year, month in months if month % step == 0]


def _starts_of_days(begin: datetime, end: datetime) -> list[datetime]:
    midnight = begin.replace(hour=0, minute=0, second=0, microsecond=0)
    step = max(1, -(-(end - begin).days // _MOST_PARTS))
    return [midnight + timedelta(days=number) for number in range(1, (end - midnight).days + 1, step)]


def _starts_of_hours(begin: datetime, end: datetime) -> list[datetime]:
    midnight = begin.replace(hour=0, minute=0, second=0, microsecond=0)
    hour = timedelta(hours=1)
    step = next(by for by in (1, 2, 3, 6, 12) if (end - begin) / hour / by <= _MOST_PARTS or by == 12)
    return [midnight + number * hour for number in range(step, int((end - midnight) / hour) + 1, step)]
