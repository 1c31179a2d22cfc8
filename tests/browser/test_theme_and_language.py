"""The theme and the language that visitors choose: both stay on all pages, and both work in all browsers."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from contests.models import Contest
from tests.browser.careers import PICTURE, make_career, open_graph
from tests.browser.test_every_page import faults_of
from tests.factories import make_contest, make_series

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


def test_announced_contests_have_the_readers_own_time_beside_utc(open_screen: Callable[..., Screen]):
    draft = make_contest(make_series("cup"), finalized=False, is_announced=True, name="Round 9")
    Contest.objects.filter(pk=draft.pk).update(ends_at=datetime(2050, 1, 9, 23, 30, tzinfo=UTC))
    page = open_screen().go(reverse("contest", args=[draft.pk]))
    assert page.locator("dl time").all_inner_texts() == ["9 Jan 2050 23:30 UTC", "(10 Jan 2050 00:30 your time)"]
