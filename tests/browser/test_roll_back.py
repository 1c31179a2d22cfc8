"""Going back to an earlier run: the preview, the published run, and what happens when results change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.community import PASSWORD
from tests.browser.steps import rating_of, wait_until_published
from tests.factories import make_contest, make_series, make_user, rate

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.watching import Screen

HANDLES = ("ann", "bob", "eve")


def test_an_earlier_run_is_shown_again_until_the_current_results_are_rated(
    open_screen: Callable[..., Screen], workers: Callable[..., object]
):
    series = make_series("harbour-cup", organizer=make_user("olga", password=PASSWORD))
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("eve", 3)], name="Round 1")
    rate(series)
    screen = open_screen()
    first = {handle: rating_of(screen, handle) for handle in HANDLES}
    make_contest(series, standings=[("eve", 1), ("ann", 2), ("bob", 3)], name="Round 2")
    rate(series)
    second = {handle: rating_of(screen, handle) for handle in HANDLES}
    assert first != second

    workers()  # only now: this process has rated the contests above
    screen.log_in("olga", PASSWORD)
    page = screen.go("/organize/c/main/series/harbour-cup/runs/")
    page.get_by_role("link", name="Roll back… to run 1").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Roll back to run 1?")
    assert "Round 2" in page.locator("main").inner_text(), "what no longer counts is named"
    moves = (
        page.locator("section", has=page.get_by_role("heading", name="Players whose rating or rank changes"))
        .locator("tbody")
        .inner_text()
    )
    assert [number for number in (*first.values(), *second.values()) if f"{number:,}" not in moves] == []
    assert screen.overflow() == 0
    page.get_by_role("button", name="Roll back to run 1").first.click()
    expect(page.get_by_role("alert")).to_be_visible()
    assert series.runs.count() == 2, "it is not done without a reason"
    page.get_by_label("Reason").fill("Round 2 is under protest")
    page.get_by_role("button", name="Roll back to run 1").first.click()
    assert wait_until_published(page) == "Published as run 3"
    assert {handle: rating_of(screen, handle) for handle in HANDLES} == first

    page = screen.go("/organize/c/main/series/harbour-cup/runs/")
    assert "Round 2 is under protest" in page.locator("main").inner_text()
    page.get_by_role("button", name="Rate the current results").first.click()
    assert wait_until_published(page) == "Published as run 4"
    assert {handle: rating_of(screen, handle) for handle in HANDLES} == second


def test_a_roll_back_undoes_its_cause_and_the_next_result_does_not_bring_it_back(
    open_screen: Callable[..., Screen], workers: Callable[..., object]
):
    series = make_series("harbour-cup", organizer=make_user("olga", password=PASSWORD))
    make_contest(series, standings=[("ann", 1), ("bob", 2), ("eve", 3)], name="Round 1")
    rate(series)
    screen = open_screen()
    first = {handle: rating_of(screen, handle) for handle in HANDLES}
    make_contest(series, standings=[("eve", 1), ("ann", 2), ("bob", 3)], name="Round 2")
    rate(series)
    draft = make_contest(series, standings=[("joe", 1), ("kim", 2)], name="Round 3", finalized=False)

    workers()
    screen.log_in("olga", PASSWORD)
    page = screen.go("/organize/c/main/series/harbour-cup/runs/")
    page.get_by_role("link", name="Roll back… to run 1").click()
    page.get_by_label("Finalized Round 2").check()
    assert screen.overflow() == 0
    page.get_by_label("Reason").fill("Round 2 is under protest")
    page.get_by_role("button", name="Roll back to run 1").first.click()
    page.get_by_role("button", name="Undo and rate again").first.click()
    assert wait_until_published(page) == "Published as run 3"
    assert {handle: rating_of(screen, handle) for handle in HANDLES} == first

    page = screen.go(f"/organize/contests/{draft.pk}/")
    page.get_by_role("link", name="Finalize…").click()
    page.get_by_role("button", name="Finalize").first.click()
    assert wait_until_published(page) == "Published as run 4"
    assert {handle: rating_of(screen, handle) for handle in HANDLES} == first
