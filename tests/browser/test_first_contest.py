"""The first contest of a new community and series: from a workbook with three mistakes in it to published ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from contests.models import Standing
from tests.browser.community import PASSWORD
from tests.browser.steps import (
    create_community,
    create_contest,
    create_series,
    leaders,
    rows_of,
    save_draft,
    see_preview,
    upload,
    wait_until_published,
    workbook,
)
from tests.factories import make_user

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.browser.watching import Screen

HEAD = ["Rank", "Handle", "Score", "Country"]
MISTAKEN = [
    HEAD,
    [1, "ann", 300, "DE"],
    ["second", "bob", 250, "JP"],  # a rank in words
    [3, "Zoë", "a lot", "FR"],  # a score in words
    [4, "ANN", 150, "CN"],  # the player in the first row again
]


@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.firefox_core), 360])
def test_from_a_workbook_with_three_mistakes_to_published_ratings(
    open_screen: Callable[..., Screen], workers: Callable[..., object], tmp_path: Path, width: int
):
    workers()
    make_user("olga", password=PASSWORD)
    screen = open_screen(width=width)
    screen.log_in("olga", PASSWORD)
    page = screen.page
    create_community(page, "Main", "main")
    create_series(page, "Harbour Cup", "harbour-cup")
    create_contest(page, "Round 1", "2025-05-01T18:00")

    upload(page, workbook(tmp_path / "standings.xlsx", MISTAKEN))
    assert page.get_by_role("heading", name="3 errors in standings.xlsx").is_visible()
    for label, place in (("Rank, row 3", "A3"), ("Score, row 4", "C4"), ("Handle, row 5", "B5")):
        field = page.get_by_label(label)
        assert field.get_attribute("aria-invalid") == "true"
        assert place in page.locator(f"#{field.get_attribute('aria-describedby')}").inner_text()
    assert page.get_by_role("button", name="Save as draft standings").count() == 0
    assert not Standing.objects.exists()
    assert screen.overflow() == 0
    with page.expect_download() as download:
        page.get_by_role("link", name="Download file with remarks").click()
    assert download.value.suggested_filename.endswith(".xlsx")

    # The mistakes are corrected in the page, with the keyboard: Enter checks again.
    page.get_by_label("Rank, row 3").fill("2")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="2 errors in standings.xlsx").wait_for()
    page.get_by_label("Score, row 4").fill("200")
    page.get_by_label("Handle, row 5").fill("李明")
    page.get_by_role("button", name="Check again").click()
    page.get_by_role("heading", name="Corrected rows").wait_for()
    assert screen.barriers() == []
    page.get_by_role("button", name="Undo the correction of row 3").click()
    page.get_by_role("heading", name="1 error in standings.xlsx").wait_for()
    assert page.get_by_label("Rank, row 3").input_value() == "second"
    page.get_by_label("Rank, row 3").fill("2")
    page.get_by_role("button", name="Check again").click()
    page.get_by_role("heading", name="Corrected rows").wait_for()
    # A correction that was not checked is not lost by saving.
    page.get_by_label("Handle, row 5").fill("someone else")
    page.get_by_role("button", name="Save as draft standings").click()
    page.get_by_text("You have changed something below without applying it.").wait_for()
    assert not Standing.objects.exists()
    page.get_by_label("Handle, row 5").fill("李明")
    review = rows_of(page, "Standings and projected ratings")
    assert [handle in row for handle, row in zip(["ann", "bob", "Zoë", "李明"], review, strict=True)] == [True] * 4
    assert screen.overflow() == 0
    save_draft(page)
    assert Standing.objects.count() == 4

    page.get_by_role("link", name="Finalize…").click()
    see_preview(page)
    assert page.get_by_text("4 ranked participants will be rated.").is_visible()
    assert screen.overflow() == 0
    page.get_by_role("button", name="Finalize").first.click()
    assert wait_until_published(page) == "Published as run 1"
    assert leaders(screen, "harbour-cup") == ["ann", "bob", "Zoë", "李明"]
