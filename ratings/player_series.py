"""All series of one player side by side: a row of numbers and a small graph of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ratings.models import RatingChange
from ratings.profiles import figures
from ratings.shown import shown_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from ratings.models import Rating
    from ratings.profiles import Figures
    from ratings.shown import Shown

#: Size of a small graph, and the room around its line, in its own units.
WIDTH, HEIGHT, ROOM = 120, 32, 3
#: More points than this could not be told apart at that size.
MOST_POINTS = 120


@dataclass(frozen=True, slots=True)
class Sparkline:
    """
    A line without axes: SVG path in a box of WIDTH by HEIGHT, and where its last point lies.

    first, last
        Shown points at both ends, for the words that stand for the picture.
    """

    path: str
    x: float
    y: float
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class SeriesRow:
    """A player in one series."""

    view: Shown
    figures: Figures
    line: Sparkline | None


def series_rows(ratings: Sequence[Rating]) -> list[SeriesRow]:
    """Return the rows of a player's ratings, each with its series, in the order given; three queries."""
    views = shown_all(rating.series for rating in ratings)
    histories = _histories(ratings)
    return [
        SeriesRow(view, figures(view, rating), _line(view, histories.get(rating.series_id, [])))
        for rating in ratings
        for view in [views[rating.series_id]]
    ]


def sparkline(at: ArrayLike, points: ArrayLike) -> Sparkline | None:
    """
    Return the line through shown points over time; None if there are none.

    at
        Moments in any unit, rising, shape (n,).
    """
    times, heights = np.asarray(at, dtype=np.float64), np.asarray(points, dtype=np.float64)
    if not len(times):
        return None
    if len(times) > MOST_POINTS:
        chosen = np.unique(np.linspace(0, len(times) - 1, MOST_POINTS).round().astype(int))
        times, heights = times[chosen], heights[chosen]
    x = _spread(times, ROOM, WIDTH - ROOM)
    y = _spread(heights, HEIGHT - ROOM, ROOM)
    path = "M" + "L".join(f"{across:.1f} {up:.1f}" for across, up in zip(x, y, strict=True))
    return Sparkline(path, round(float(x[-1]), 1), round(float(y[-1]), 1), int(heights[0]), int(heights[-1]))


def _spread(values: Any, low: float, high: float) -> Any:
    """Return values stretched from one end to the other; in the middle where they are all the same."""
    least, span = values.min(), values.max() - values.min()
    share = (values - least) / span if span else np.full(len(values), 0.5)
    return low + (high - low) * share


def _histories(ratings: Sequence[Rating]) -> dict[int, list[Any]]:
    """Return (end, mean, deviation) of the rated contests of one player by series, oldest first."""
    found: dict[int, list[Any]] = {}
    changes = RatingChange.objects.current().filter(
        player__in={rating.player_id for rating in ratings}, series__in=[rating.series_id for rating in ratings]
    )
    ordered = changes.order_by("contest__ends_at", "contest__sequence", "contest_id")
    for series_id, *row in ordered.values_list("series_id", "contest__ends_at", "mu", "sigma"):
        found.setdefault(series_id, []).append(row)
    return found


def _line(view: Shown, history: Sequence[Any]) -> Sparkline | None:
    if not history:
        return None
    at = [row[0].timestamp() for row in history]
    mu, sigma = (np.array([row[place] for row in history]) for place in (1, 2))
    return sparkline(at, view.mapping.show(view.score(mu, sigma)))
