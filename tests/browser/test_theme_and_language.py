"""The theme and the language that visitors choose: both stay on all pages, and both work in all browsers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.careers import PICTURE, make_career, open_graph
from tests.browser.test_every_page import faults_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.watching import Screen

BACKGROUND = "getComputedStyle(document.body).backgroundColor"


@pytest.mark.firefox_core
def test_the_theme_follows_the_system_until_visitors_choose_another(open_screen: Callable[..., Screen]):
    make_career(3)
    backgrounds = {}
    for system in ("light", "dark"):
        screen = open_screen(theme=system)
        page = open_graph(screen)
        before, picture = page.evaluate(BACKGROUND), page.evaluate(PICTURE)
        switch = page.get_by_role("button", name="Dark theme")
        expect(switch).to_have_attribute("aria-pressed", str(system == "dark").lower())
        switch.click()
        expect(switch).to_have_attribute("aria-pressed", str(system == "light").lower())
        page.wait_for_function(f"(before) => {PICTURE} !== before", arg=picture)
        chosen = page.evaluate(BACKGROUND)
        assert chosen != before
        assert screen.barriers() == []
        page = screen.go("/contests/")
        assert page.evaluate(BACKGROUND) == chosen
        backgrounds[system] = before, chosen
    assert backgrounds["light"] == backgrounds["dark"][::-1]


@pytest.mark.firefox_core
def test_the_language_stays_on_the_next_pages_and_can_be_changed_back(open_screen: Callable[..., Screen]):
    make_career(3)
    screen = open_screen()
    page = open_graph(screen)
    page.get_by_role("link", name="Deutsch").click()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    page.wait_for_selector("[data-chart][data-ready]")
    page.locator("canvas").press("Home")
    expect(page.locator("[data-chart-status]")).to_contain_text("1 von 3")
    assert faults_of(screen, "de") == []
    page.get_by_role("link", name="Wettbewerbe").first.click()
    page.wait_for_url("**/contests/**")
    assert faults_of(screen, "de") == []
    page.get_by_role("link", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
