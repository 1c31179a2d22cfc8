"""The forecast of a match on a phone: names of any length stay apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.factories import make_contest, make_player, make_series, rate

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.watching import Screen

LONG = "a_very_long_handle_that_does_not_fit_on_phones_at_all_1234567890"
PAIRS = [("2740359951832823", "2740359951832907"), (LONG, "2740359951832823"), ("ann", "bob")]
#: Texts of which a part is cut off or outside the cell, in the table of results.
_CUT = """() => [...document.querySelectorAll(".match-results bdi")].filter((name) => {
  const range = document.createRange(), cell = name.closest("th").getBoundingClientRect();
  range.selectNodeContents(name);
  return name.scrollWidth > name.clientWidth + 1 && getComputedStyle(name).display !== "inline"
    || [...range.getClientRects()].some(({ left, right }) => left < cell.left - 1 || right > cell.right + 1);
}).map((name) => name.textContent.trim())"""
#: How many lines the name in the box of the handicap takes.
_LINES = """() => new Set([...document.querySelector(".match-chances .figures > :last-child bdi").getClientRects()]
  .map(({ top }) => Math.round(top))).size"""


@pytest.mark.chromium_only
@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
def test_names_in_a_forecast_are_whole_on_phones(open_screen: Callable[..., Screen], locale: str):
    series = make_series("cup")
    make_player("ann", name="Stanisław Krishnamoorthy", country="BA")
    for day in range(3):
        order = ["2740359951832823", LONG, "ann", "2740359951832907", "bob"]
        make_contest(series, standings=[(handle, place) for place, handle in enumerate(order, 1)], day=day)
    rate(series)
    screen = open_screen(width=360, locale=locale)
    for first, second in PAIRS:
        page = screen.go(f"/c/main/series/cup/match/?a={first}&b={second}")
        assert page.locator(".match-results bdi").count() == 4
        assert not page.evaluate(_CUT), (first, second)
        assert screen.overflow() == 0, (first, second)
        box, figures = page.locator(".match-chances .figures > :last-child, .match-chances .figures").evaluate_all(
            "(all) => all.map((each) => each.getBoundingClientRect().width).sort((one, other) => one - other)"
        )
        assert box == pytest.approx(figures), "the handicap has the whole row"
        if LONG not in (first, second):
            assert page.evaluate(_LINES) == 1, (first, second)
