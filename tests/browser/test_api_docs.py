"""The page of the REST API, under the strict content policy of all pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.factories import make_series

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.watching import Screen


@pytest.mark.parametrize("width", [1280, 360])
def test_operations_are_listed_and_can_be_tried(open_screen: Callable[..., Screen], width):
    make_series("cup", name="Harbour Cup")
    screen = open_screen(width=width)
    page = screen.go("/api/v1/docs/")
    expect(page.locator(".opblock")).to_have_count(32)
    expect(page.get_by_role("heading", level=1)).to_have_text(["Podium REST API"])
    page.locator("#operations-series-listSeries .opblock-summary").click()
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Execute").click()
    page.locator(".live-responses-table", has_text="Harbour Cup").wait_for()
    assert screen.overflow() == 0
    assert screen.troubles == []
