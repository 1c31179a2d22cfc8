"""The graph of a comparison: a line for every player, told apart by more than colour, and all numbers of one moment."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.browser.careers import CHART, PICTURE, center, lengthen, make_career
from tests.factories import make_player

if TYPE_CHECKING:
    from tests.browser.watching import Screen

#: No mark of the legend has one of these colours any more: themes change with the next frame.
OTHER_COLOURS = """(colours) => [...document.querySelectorAll(".chart-players svg")]
  .every((mark) => !colours.includes(getComputedStyle(mark).color))"""


def test_players_are_told_apart_and_their_numbers_are_seen_together(screen: Screen):
    make_player("<b>eve</b>")
    series = make_career(4, handle="<b>eve</b>")
    lengthen(series, 4, handle="bob")
    page = screen.go("/compare/?series=cup&player=%3Cb%3Eeve%3C/b%3E&player=bob&player=joe")
    page.wait_for_selector("[data-compare][data-ready]")
    legend = page.locator(".chart-players")
    assert legend.locator("bdi").all_inner_texts() == ["<b>eve</b>", "bob", "joe"]
    shapes = legend.locator(".shape").evaluate_all("(paths) => paths.map((path) => path.getAttribute('d'))")
    colours = "(marks) => marks.map((mark) => getComputedStyle(mark).color)"
    light = legend.locator("svg").evaluate_all(colours)
    assert len(set(shapes)) == len(set(light)) == 3

    # A contest that all three were in: each with rating, change and place, the highest rating first.
    canvas, status = page.locator("canvas"), page.locator("[data-chart-status]")
    canvas.press("Home")
    tip = page.locator(".chart-tip")
    assert "Round 1" in tip.inner_text()
    ratings = [int(text.replace(",", "")) for text in tip.locator(".chart-tip-players b").all_inner_texts()]
    assert len(ratings) == 3
    assert ratings == sorted(ratings, reverse=True)
    assert len(re.findall(r"place \d of 4", tip.inner_text())) == 3
    assert re.match(r"1 of 8: Round 1 6 Jan 2024, <b>eve</b> [\d,]+, bob [\d,]+, joe [\d,]+$", status.inner_text())
    # Only bob played later; the box leaves out players whose line has ended.
    canvas.press("End")
    assert tip.locator(".chart-tip-players bdi").all_inner_texts() == ["bob"]

    before = page.evaluate(PICTURE)
    legend.get_by_role("button", name="bob").click()
    assert legend.get_by_role("button", name="bob").get_attribute("aria-pressed") == "false"
    assert page.evaluate(PICTURE) != before
    legend.get_by_role("button", name="bob").click()
    page.get_by_role("button", name="By contest").click()
    assert page.evaluate(f"{CHART}.data.datasets[0].data.map((p) => p.x)") == [1, 2, 3, 4, 5, 6, 7, 8]
    middle = center(page)
    page.mouse.move(middle["x"], middle["y"])
    tip.wait_for()
    assert "After contest number" in tip.inner_text()
    page.get_by_role("button", name="Dark theme").click()
    page.wait_for_function(f"(before) => {PICTURE} !== before", arg=before)
    page.wait_for_function(OTHER_COLOURS, arg=light)
    assert screen.barriers() == []
