"""Players with histories for the rating graph, and functions that read a graph in a browser."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from contests.models import Contest, ContestState
from ratings.models import RatingChange
from tests.factories import FIRST_DAY, make_contest, make_player, make_series, rate

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from contests.models import Series
    from tests.browser.watching import Screen

#: The chart of the page.
CHART = "Chart.getChart(document.querySelector('canvas'))"
#: A picture of what the canvas shows, as text.
PICTURE = "document.querySelector('canvas').toDataURL()"


def make_career(contests: int, *, apart: float = 14, handle: str = "ann", series: Series | None = None) -> Series:
    """Let a player rise and fall among others, in that many contests, and rate them."""
    series = series or make_series("cup")
    for number in range(contests):
        place = 1 + (number // 5) % 3
        others = [name for name in ("bob", "eve", "joe") if name != handle]
        order = [*others[: place - 1], handle, *others[place - 1 :]]
        standings = [(name, position) for position, name in enumerate(order, start=1)]
        make_contest(series, standings=standings, day=apart * number, name=f"Round {number + 1}")
    rate(series)
    return series


def lengthen(series: Series, contests: int, handle: str = "ann") -> None:
    """Add that many contests to the history of a rated player, without rating anyone again."""
    player, last = make_player(handle), series.contests.newest_first().first()
    assert last is not None
    made = Contest.objects.bulk_create(
        Contest(
            series=series, slug=f"long-{number}", name=f"Long round {number}", state=ContestState.FINALIZED,
            ends_at=last.ends_at + timedelta(days=3 * number), finalized_at=FIRST_DAY, standing_count=4,
        )
        for number in range(1, contests + 1)
    )  # fmt: skip
    heights = [1500.0 + 300 * ((number * 37) % 101) / 101 for number in range(contests + 1)]
    RatingChange.objects.bulk_create(
        RatingChange(
            series=series, contest=contest, player=player, number=10_000 + number, rank=1, field_size=4, from_run=1,
            mu_before=before, mu=after, sigma_before=90.0, sigma=90.0, performance=after + 100,
        )
        for number, (contest, before, after) in enumerate(zip(made, heights[:-1], heights[1:], strict=True))
    )  # fmt: skip


def open_graph(screen: Screen, path: str = "/c/main/players/ann/") -> Page:
    """Open a player's page, and wait for its graph."""
    page = screen.go(path)
    page.wait_for_selector("[data-chart][data-ready]")
    return page


def seen(page: Page) -> tuple[float, float]:
    """The range of the axis that the graph shows."""
    low, high = page.evaluate(f"(({{ min, max }}) => [min, max])({CHART}.scales.x)")
    return low, high


def width(page: Page) -> float:
    low, high = seen(page)
    return high - low


def center(page: Page) -> dict[str, Any]:
    """The middle of the graph, scrolled into view, in pixels of the window."""
    page.locator("canvas").scroll_into_view_if_needed()
    box = page.locator("canvas").bounding_box()
    assert box is not None
    return {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
