"""The forms of an upload's review: none discards what was entered in another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.community import PASSWORD, review_address
from tests.factories import make_contest, make_series, make_user

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Dialog, Page

    from tests.browser.watching import Screen

#: The form in which something is entered, and the one that is sent.
FORMS = [("correct", "read"), ("people", "read")]


def review_of(screen: Screen, *, known: str, file: str) -> Page:
    """Open the review of a file as an organizer whose series knows this player and bob."""
    series = make_series("cup", organizer=make_user("olga", password=PASSWORD))
    make_contest(series, standings=[(known, 1), ("bob", 2)])
    address = review_address(make_contest(series, finalized=False), file)
    screen.log_in("olga", PASSWORD)
    return screen.go(address)


@pytest.mark.parametrize(("first", "second"), FORMS)
def test_a_form_asks_before_it_discards_what_was_entered_in_the_other(
    open_screen: Callable[..., Screen], first: str, second: str
):
    page = review_of(open_screen(), known="ann", file="rank,handle\nfirst,stranger\n2,annn\n")
    if first == "correct":
        page.get_by_label("Rank, row 2").fill("1")
    else:
        page.locator("form[action$='/people/'] input[type=radio]:not(:checked)").first.check()
    if not page.locator("#reading details").evaluate("(each) => each.open"):
        page.locator("#reading summary").click()
    button = page.locator(f"form[action$='/{second}/'] button[type=submit]").last
    button.click()
    note = page.locator(f"form[action$='/{second}/']").get_by_text("You have also changed something elsewhere")
    note.wait_for()
    if first == "correct":
        assert page.get_by_label("Rank, row 2").input_value() == "1"
    with page.expect_navigation():
        button.click()
    assert note.count() == 0 or not note.is_visible()


@pytest.mark.parametrize("sent", ["correct", "people"])
def test_corrections_and_choices_of_players_are_sent_together(open_screen: Callable[..., Screen], sent: str):
    page = review_of(open_screen(), known="annika", file="rank,handle\nfirst,bob\n2,annikka\n")
    page.get_by_label("Rank, row 2").fill("1")
    page.locator("form[action$='/people/'] input[value^='player-']").first.check()
    with page.expect_navigation():
        page.locator(f"form[action$='/{sent}/'] button[type=submit]:not([name])").last.click()
    assert page.get_by_role("button", name="Save as draft standings").is_visible()
    assert page.get_by_text("decided", exact=True).is_visible()
    assert page.locator("form[action$='/people/'] input[value^='player-']").first.is_checked()


@pytest.mark.chromium_only
def test_leaving_the_page_asks_before_it_discards_what_was_entered(open_screen: Callable[..., Screen]):
    series = make_series("cup", organizer=make_user("olga", password=PASSWORD))
    address = review_address(make_contest(series, finalized=False), "rank,handle\nfirst,ann\n2,bob\n")
    screen = open_screen()
    screen.log_in("olga", PASSWORD)
    page = screen.go(address)
    page.get_by_label("Rank, row 2").click()
    page.keyboard.type("1")
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.once("dialog", stay)
    page.get_by_role("link", name="Upload another file").click()
    page.wait_for_timeout(500)
    assert asked == ["beforeunload"]
    assert page.get_by_label("Rank, row 2").input_value() == "first1"
    page.get_by_label("Rank, row 2").fill("1")
    with page.expect_navigation():
        page.get_by_role("button", name="Check again").last.click()
    assert asked == ["beforeunload"]


def test_known_players_are_suggested_and_chosen_while_typing(open_screen: Callable[..., Screen]):
    series = make_series("cup", organizer=make_user("olga", password=PASSWORD))
    make_contest(series, standings=[("annika-lee", 1), ("bob", 2)])
    address = review_address(make_contest(series, finalized=False), "rank,handle\n1,stranger\n2,bob\n")
    screen = open_screen()
    screen.log_in("olga", PASSWORD)
    page = screen.go(address)
    field = page.get_by_label("Handle of the known player for stranger")
    field.press_sequentially("ann")
    page.get_by_role("option", name="annika-lee").click()
    assert field.input_value() == "annika-lee"
    assert page.get_by_label("the player", exact=True).is_checked()
    with page.expect_navigation():
        page.locator("form[action$='/people/'] button[type=submit]").last.click()
    assert page.locator("#people .badge-good").inner_text() == "decided"
