"""The page of a player in a real browser: sorted without scripts, opened at a row, copied from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.community import build_site

if TYPE_CHECKING:
    from tests.browser.watching import Screen


@pytest.mark.chromium_only
def test_the_history_is_sorted_and_filtered_without_scripts(open_screen):
    build_site()
    page = open_screen(java_script_enabled=False).go("/c/main/players/ann/?series=harbour-cup")
    cells = page.locator(".history-table tbody tr td:nth-of-type(2)")
    best_first = sorted(int(text.split("/")[0]) for text in cells.all_inner_texts())
    assert len(best_first) > 2
    page.locator(".history-table").get_by_role("link", name="Place", exact=True).click()
    expect(cells).to_have_text([re.compile(rf"^\s*{place}\b") for place in best_first])
    page.get_by_label("Order").select_option("Worst places first")
    page.get_by_role("button", name="Apply", exact=True).click()
    expect(cells).to_have_text([re.compile(rf"^\s*{place}\b") for place in reversed(best_first)])
    assert page.get_by_label("Order").input_value() == "-place"


def test_an_address_with_a_contest_opens_at_its_row(screen: Screen):
    site = build_site()
    page = screen.go(f"/c/main/players/ann/?series=harbour-cup&at={site.contest.pk}#contest-{site.contest.pk}")
    row = page.locator("tr.is-marked").and_(page.locator(f"#contest-{site.contest.pk}"))
    assert row.inner_text().startswith(site.contest.name)
    box = row.bounding_box()
    assert box is not None
    assert 0 <= box["y"] < page.evaluate("innerHeight")


def test_a_snippet_is_copied_and_leads_back_to_the_page(screen: Screen):
    build_site()
    screen.context.grant_permissions(["clipboard-write"])
    page = screen.go("/c/main/players/ann/?series=harbour-cup")
    page.locator("summary", has_text="Share").click()
    button = page.locator(".snippets .field", has_text="Link").get_by_role("button")
    assert button.inner_text() == "Copy"
    button.click()
    page.get_by_role("button", name="Copied").wait_for()
    # The permissions policy keeps scripts from reading the clipboard; a visitor pastes.
    field = page.get_by_role("combobox").first
    field.press("Control+V")
    assert urlsplit(field.input_value())[2:4] == ("/c/main/players/ann/", "series=harbour-cup")
