"""The rating graph: by mouse, by keyboard, in both themes, and the same numbers beside it as a table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.browser.community import build_site
from tests.factories import make_contest, make_series, rate

if TYPE_CHECKING:
    from tests.browser.watching import Screen

#: A picture of what the canvas shows, as text.
PICTURE = "document.querySelector('canvas').toDataURL()"


@pytest.fixture
def player_page(screen: Screen):
    build_site()
    page = screen.go("/players/ann/?series=harbour-cup")
    page.wait_for_function("Chart.getChart(document.querySelector('canvas')) !== undefined")
    return page


def test_the_graph_shows_the_numbers_of_the_table(player_page):
    drawn = player_page.evaluate(
        "Chart.getChart(document.querySelector('canvas')).data.datasets[2].data.map((p) => p.y)"
    )
    rows = player_page.get_by_role("table").locator("tbody tr").all_inner_texts()
    assert len(drawn) == len(rows) == 6
    for rating, row in zip(drawn, reversed(rows), strict=True):  # the table has the newest first
        assert f"{round(rating):,}" in row, (rating, row)


def test_arrow_keys_move_along_the_graph_and_say_where_they_are(player_page):
    canvas, status = player_page.locator("canvas"), player_page.locator("[data-chart-status]")
    before = player_page.evaluate(PICTURE)
    canvas.focus()
    canvas.press("Home")
    first = status.inner_text()
    assert re.match(r"1 of 6: Round 1, .* place \d+ of \d+, rating [\d,]+, change", first), first
    assert player_page.evaluate(PICTURE) != before, "the point is not shown"
    canvas.press("ArrowRight")
    assert status.inner_text().startswith("2 of 6: Round 2")
    canvas.press("ArrowLeft")
    assert status.inner_text() == first
    canvas.press("End")
    assert status.inner_text().startswith("6 of 6: Round 6")
    canvas.press("ArrowRight")
    assert status.inner_text().startswith("6 of 6"), "past the end there is nothing"
    canvas.press("Enter")
    player_page.wait_for_url("**/contests/*/")
    assert player_page.locator("h1").inner_text().startswith("Round 6")


def test_the_graph_is_reached_and_left_by_the_tab_key(player_page):
    for _ in range(60):
        player_page.keyboard.press("Tab")
        if player_page.evaluate("document.activeElement.tagName") == "CANVAS":
            break
    else:
        pytest.fail("the tab key never comes to the graph")
    player_page.keyboard.press("Tab")
    assert player_page.evaluate("document.activeElement.tagName") != "CANVAS"


def test_pointing_at_the_graph_shows_the_contest(player_page):
    box = player_page.locator("canvas").bounding_box()
    player_page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    title = "Chart.getChart(document.querySelector('canvas')).tooltip.title[0]"
    player_page.wait_for_function(f"{title} !== undefined")
    assert player_page.evaluate(title).startswith("Round ")


def test_switching_the_theme_draws_the_graph_anew_and_lasts(player_page):
    light = player_page.evaluate(PICTURE)
    background = "getComputedStyle(document.body).backgroundColor"
    before = player_page.evaluate(background)
    player_page.get_by_role("button", name="Dark theme").click()
    player_page.wait_for_function(f"(before) => {PICTURE} !== before", arg=light)
    assert player_page.evaluate(background) != before
    assert player_page.get_by_role("button", name="Dark theme").get_attribute("aria-pressed") == "true"
    player_page.reload()
    assert player_page.evaluate(background) != before


@pytest.mark.parametrize("contests", [1, 2, 120])
def test_the_graph_of_any_length_is_drawn(screen: Screen, contests):
    series = make_series()
    for day in range(contests):
        make_contest(series, standings=[("ann", 1 + day % 2), ("bob", 2 - day % 2), ("eve", 3)], day=3 * day)
    rate(series)
    page = screen.go("/players/ann/")
    page.wait_for_function("Chart.getChart(document.querySelector('canvas')) !== undefined")
    assert page.evaluate("Chart.getChart(document.querySelector('canvas')).data.datasets[2].data.length") == contests
    page.locator("canvas").press("End")
    assert page.locator("[data-chart-status]").inner_text().startswith(f"{contests} of {contests}")


def test_without_javascript_the_numbers_are_there(open_screen):
    build_site()
    screen = open_screen(java_script_enabled=False)
    page = screen.go("/players/ann/?series=harbour-cup")
    assert page.get_by_role("table").locator("tbody tr").count() == 6
    assert "The graph needs JavaScript" in page.content()
