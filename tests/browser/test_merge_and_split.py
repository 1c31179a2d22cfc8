"""Two players who are one person: merged after a preview, found at the old address, and split again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser.community import PASSWORD
from tests.browser.steps import leaders, rating_of, see_preview, wait_until_published
from tests.factories import make_contest, make_series, make_user, rate

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.watching import Screen


def test_two_players_are_merged_and_split_again(open_screen: Callable[..., Screen], workers: Callable[..., object]):
    series = make_series("harbour-cup", organizer=make_user("olga", password=PASSWORD))
    make_contest(series, standings=[("alexander_k", 1), ("bob", 2), ("eve", 3)], name="Round 1")
    make_contest(series, standings=[("bob", 1), ("alexanderk", 2), ("eve", 3)], name="Round 2")
    rate(series)
    screen = open_screen()
    before = {handle: rating_of(screen, handle) for handle in ("alexander_k", "alexanderk", "bob", "eve")}

    workers()  # only now: this process has rated the contests above
    screen.log_in("olga", PASSWORD)
    page = screen.go("/organize/c/main/series/harbour-cup/people/")
    page.get_by_role("link", name="Compare alexander_k and alexanderk").or_(
        page.get_by_role("link", name="Compare alexanderk and alexander_k")
    ).click()
    page.get_by_label("alexander_k", exact=True).check()
    page.get_by_label("Reason").fill("He says so himself")
    page.get_by_role("button", name="Preview change").click()
    see_preview(page)
    assert page.get_by_role("heading", level=1).inner_text() == "Merge alexanderk into alexander_k?"
    assert "1 result of “alexanderk”" in page.locator("main").inner_text()
    assert series.runs.count() == 1, "looking changes nothing"
    page.get_by_role("button", name="Merge").first.click()
    assert wait_until_published(page) == "Published as run 2"

    screen.go("/c/main/players/alexanderk/")
    assert page.url.split("?")[0].endswith("/c/main/players/alexander_k/"), (
        "the old page leads to the player who was kept"
    )
    assert sorted(leaders(screen, "harbour-cup")) == ["alexander_k", "bob", "eve"]
    merged = rating_of(screen, "alexander_k")
    assert before["alexanderk"] != merged != before["alexander_k"]

    page = screen.go("/organize/c/main/series/harbour-cup/people/?q=alexander")
    page.get_by_role("link", name="alexander_k", exact=True).click()
    page.get_by_role("link", name="Split… alexanderk").click()
    page.get_by_label("Reason").fill("They are brothers")
    page.get_by_role("button", name="Preview change").click()
    see_preview(page)
    page.get_by_role("button", name="Split").first.click()
    assert wait_until_published(page) == "Published as run 3"
    assert {handle: rating_of(screen, handle) for handle in before} == before
    assert page.url.split("?")[0].endswith("/c/main/players/eve/")
    screen.go("/c/main/players/alexanderk/")
    assert page.url.split("?")[0].endswith("/c/main/players/alexanderk/")
