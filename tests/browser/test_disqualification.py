"""A disqualification in an old contest: first the preview of its effect, then the whole series rated again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser.community import PASSWORD
from tests.browser.steps import graph_of, rating_of, rows_of, see_preview, wait_until_published
from tests.factories import make_contest, make_series, make_user, rate

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.browser.watching import Screen


def test_a_disqualification_has_the_effect_that_its_preview_showed(
    screen: Screen, workers: Callable[..., object], transactional_db: None
):
    series = make_series("harbour-cup", organizer=make_user("olga", password=PASSWORD))
    for number, order in enumerate((["eve", "ann", "bob"], ["ann", "eve", "bob"], ["bob", "ann", "eve"]), 1):
        make_contest(series, standings=[(handle, i + 1) for i, handle in enumerate(order)], name=f"Round {number}")
    rate(series)
    before = {handle: rating_of(screen, handle) for handle in ("ann", "bob", "eve")}
    assert graph_of(screen, "eve") == 3

    workers()  # only now: this process has rated the contests above
    screen.log_in("olga", PASSWORD)
    page = screen.go("/organize/c/main/series/harbour-cup/")
    page.get_by_role("link", name="Round 1").first.click()
    page.get_by_role("link", name="Correct… eve’s row").click()
    page.get_by_label("Status").select_option("disqualified")
    page.get_by_label("Reason").fill("Two accounts")
    page.get_by_role("button", name="Preview change").click()
    see_preview(page)
    assert page.get_by_role("heading", level=1).inner_text() == "Disqualify eve in Round 1?"
    assert page.get_by_text("Two accounts").is_visible()
    expected = would_be(page)
    assert {handle: now for handle, (now, _) in expected.items()} == before
    projected = {handle: then for handle, (_, then) in expected.items()}
    assert projected["ann"] > before["ann"], "the second player is first now"
    assert projected["eve"] < before["eve"]
    assert series.runs.count() == 1, "looking changes nothing"

    page.get_by_role("button", name="Disqualify").first.click()
    assert wait_until_published(page) == "Published as run 2"
    assert {handle: rating_of(screen, handle) for handle in before} == projected
    assert graph_of(screen, "eve") == 2
    page = screen.go("/contests/" + str(series.contests.get(name="Round 1").pk) + "/")
    page.get_by_text("What was amended, and why").click()
    assert "Two accounts" in page.locator("main").inner_text()
    assert rows_of(page)[0].split()[1:2] != ["eve"]


def would_be(page: Page) -> dict[str, tuple[int, int]]:
    """Handle -> rating now and afterwards, by the projected leaderboard."""
    table = page.locator("section", has=page.get_by_role("heading", name="Projected leaderboard")).last
    found = {}
    for row in table.locator("tbody tr").all():
        _, _, now, then, _ = row.locator("td").all_inner_texts()
        found[row.locator("bdi").first.inner_text()] = points(now), points(then)
    return found


def points(text: str) -> int:
    return int("".join(letter for letter in text if letter.isdigit()))
