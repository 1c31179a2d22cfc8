"""The search box: suggestions by keyboard, by mouse and by touch, for one name and for many, and without JavaScript."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.browser.community import build_site

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.watching import Screen

OPTIONS = "[role=option]"


@pytest.fixture
def box(screen: Screen):
    """The box in the head of a page, with suggestions open."""
    build_site()
    page = screen.go("/contests/")
    field = page.get_by_role("combobox", name="Find players, contests and series")
    # At once: the suggestions for a part of the word could come first, and those for the word replace them later.
    field.click()
    field.fill("round")
    page.locator(OPTIONS).first.wait_for()
    return field


def options_of(field) -> list[str]:
    return field.page.locator(f"{OPTIONS} .suggest-name > bdi").all_inner_texts()


@pytest.mark.firefox_core
def test_typing_opens_a_list_and_announces_its_length(box, screen):
    assert box.get_attribute("aria-expanded") == "true"
    options = options_of(box)
    assert options
    assert all(text.startswith("Round ") for text in options)
    listbox = box.page.locator(f"#{box.get_attribute('aria-controls')}")
    assert listbox.get_attribute("role") == "listbox"
    assert listbox.get_attribute("aria-label")
    said = box.page.get_by_role("status").filter(has_text="suggestions").inner_text()
    assert said == f"{len(options_of(box))} suggestions"
    assert screen.barriers() == []
    assert screen.overflow() == 0


@pytest.mark.firefox_core
def test_arrows_go_through_the_list_and_enter_goes_to_what_is_chosen(box):
    def active() -> str | None:
        return box.get_attribute("aria-activedescendant")

    assert active() is None
    box.press("ArrowDown")
    first = active()
    assert box.page.locator(f"#{first}").get_attribute("aria-selected") == "true"
    box.press("ArrowDown")
    assert active() != first
    assert box.page.locator('[aria-selected="true"]').count() == 1
    box.press("ArrowUp")
    assert active() == first
    box.press("ArrowUp")
    assert active() is None, "back in the field"
    box.press("ArrowUp")
    last = options_of(box)[-1]
    assert last in box.page.locator(f"#{active()}").inner_text()
    box.press("Enter")
    box.page.wait_for_url("**/contests/*/")
    assert box.page.locator("h1").inner_text().startswith(last)


@pytest.mark.firefox_core
def test_escape_closes_the_list_and_keeps_the_words(box):
    box.press("ArrowDown")
    box.press("Escape")
    assert box.get_attribute("aria-expanded") == "false"
    assert box.get_attribute("aria-activedescendant") is None
    assert box.input_value() == "round"
    box.press("ArrowDown")
    box.page.locator(OPTIONS).first.wait_for()
    assert box.get_attribute("aria-expanded") == "true", "and an arrow opens it again"


def test_enter_without_a_choice_searches(box):
    box.press("Enter")
    box.page.wait_for_url("**/search/?q=round")
    assert box.page.locator("h1").inner_text() == "Search: round"


def test_leaving_the_field_closes_the_list(box):
    box.press("Tab")
    assert box.get_attribute("aria-expanded") == "false"
    assert not box.page.locator(OPTIONS).first.is_visible()


def test_a_click_goes_to_what_is_clicked(box):
    chosen = options_of(box)[1]
    box.page.locator(OPTIONS).nth(1).click()
    box.page.wait_for_url("**/contests/*/")
    assert box.page.locator("h1").inner_text().startswith(chosen)


@pytest.mark.chromium_only
def test_a_tap_on_a_phone_does_too(open_screen: Callable[..., Screen]):
    build_site()
    screen = open_screen(width=360, height=700, has_touch=True, is_mobile=True)
    page = screen.go("/contests/")
    field = page.get_by_role("combobox", name="Find players, contests and series")
    field.tap()
    field.press_sequentially("round", delay=20)
    option = page.locator(OPTIONS).first
    option.wait_for()
    assert option.bounding_box()["height"] >= 44
    assert screen.overflow() == 0
    option.tap()
    page.wait_for_url("**/contests/*/")


def test_the_list_does_not_move_the_page(box):
    where = "JSON.stringify(document.querySelector('h1').getBoundingClientRect())"
    opened = box.page.evaluate(where)
    box.press("Escape")
    assert box.page.evaluate(where) == opened


def test_names_are_text(screen: Screen):
    build_site()
    page = screen.go("/players/")
    field = page.get_by_role("combobox", name="Find a player")
    field.press_sequentially("<b", delay=20)
    page.locator(OPTIONS).first.wait_for()
    # Only the letters of words count, so "<b" finds bob as well.
    bold, bob = sorted(page.locator(OPTIONS).all_inner_texts(), key=lambda text: "bob" in text)
    assert "<b>bold</b>" in bold
    assert "bob" in bob
    page.get_by_role("option", name="<b>bold</b>").click()
    page.wait_for_url(re.compile(r":\d+/players/\?q=%3Cb%3Ebold"))


def test_the_last_of_many_names_is_completed(screen: Screen):
    build_site()
    page = screen.go("/compare/")
    field = page.get_by_role("combobox", name="Players", exact=True)
    field.press_sequentially("ann,bo", delay=20)
    bob = page.locator(OPTIONS).filter(has_text="bob").first  # before, the list may be that for "ann"
    bob.wait_for()
    field.press("ArrowDown")
    page.locator(f"{OPTIONS}[aria-selected=true]").wait_for()
    field.press("Enter")
    assert field.input_value() == "ann, bob, "
    assert page.url.endswith("/compare/"), "the list may go on"


def test_an_answer_that_comes_late_is_not_shown(screen: Screen):
    build_site()
    page = screen.go("/contests/")
    waiting = []
    page.route("**/suggest/?q=ro&**", lambda route: waiting.append(route))
    field = page.get_by_role("combobox", name="Find players, contests and series")
    field.press_sequentially("ro", delay=20)
    page.wait_for_timeout(400)
    assert len(waiting) == 1
    field.fill("ann")
    page.locator(OPTIONS).filter(has_text="ann").first.wait_for()
    before = options_of(field)
    page.wait_for_timeout(300)
    assert options_of(field) == before


@pytest.mark.chromium_only
def test_without_javascript_the_form_searches(open_screen: Callable[..., Screen]):
    build_site()
    page = open_screen(java_script_enabled=False).go("/contests/")
    page.get_by_role("searchbox", name="Find players, contests and series").fill("ann")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search/?q=ann")
    assert page.get_by_role("table").locator("tbody tr").count() >= 1
