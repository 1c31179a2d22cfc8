"""The main job in a browser: from a standings file with mistakes to published ratings, and a correction."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.browser.community import PASSWORD
from tests.browser.steps import see_effect
from tests.factories import make_user

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.browser.watching import Screen

FIRST = "rank,handle,score,country\n1,ann,300,DE\n2,bob,250,JP\n3,Zoë,200,FR\n4,李明,150,CN\n5,eve,100,BR\n"
MISTAKEN = "rank,handle,score\n1,eve,300\nsecond,ann,250\n3,ANN,200\n"
SECOND = "rank,handle,score\n1,eve,300\n2,ann,250\n3,bob,200\n4,newcomer,100\n"


def test_from_a_file_with_mistakes_to_ratings_and_a_correction(screen: Screen, workers, tmp_path: Path):
    workers()
    make_user("olga", password=PASSWORD)
    screen.log_in("olga", PASSWORD)
    page = screen.page
    create_series(page, "Harbour Cup")
    create_contest(page, "Round 1", "2025-05-01T18:00")
    upload(page, tmp_path, FIRST)
    save_and_finalize(page)
    assert "Published as run 1" in wait_until_published(page)

    page.get_by_role("link", name="Back to the series").click()
    create_contest(page, "Round 2", "2025-05-08T18:00")
    upload(page, tmp_path, MISTAKEN)
    assert page.get_by_role("heading", level=2).first.inner_text().startswith("2 problems in")
    problems = page.get_by_role("table").first.locator("tbody tr").all_inner_texts()
    assert len(problems) == 2
    assert problems[0].startswith("3")
    assert "second" in problems[0]
    assert problems[1].startswith("4")

    upload(page, tmp_path, SECOND)
    preview = page.get_by_role("table").last.locator("tbody tr").all_inner_texts()
    assert len(preview) == 4
    assert "eve" in preview[0]
    assert "+" in preview[0], "the winner, who was last, is going to gain"
    save_and_finalize(page)
    assert "Published as run 2" in wait_until_published(page)

    page.get_by_role("link", name="Round 2").last.click()
    standings = rows_of(page)
    assert [name for name in ("eve", "ann", "bob", "newcomer") if name in standings] == [
        "eve",
        "ann",
        "bob",
        "newcomer",
    ]
    assert "run 2" in page.content()
    graph_of(page, "eve", contests=2)

    before = rating_of(screen, "ann")
    disqualify(screen, "eve")
    assert "Published as run 3" in wait_until_published(page)
    assert rating_of(screen, "ann") > before, "who was second is first now"
    graph_of(page, "eve", contests=1)


def create_series(page: Page, name: str) -> None:
    page.get_by_role("link", name=re.compile("New series|Create your first series")).first.click()
    page.get_by_label("Name", exact=False).first.fill(name)
    page.get_by_role("button", name="Create", exact=False).click()
    page.wait_for_url("**/organize/series/harbour-cup/")


def create_contest(page: Page, name: str, ends_at: str) -> None:
    page.get_by_role("link", name=re.compile("[Nn]ew contest|first contest")).first.click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Ends at (UTC)").fill(ends_at)
    page.get_by_role("button", name="Create draft").click()
    page.wait_for_url("**/upload/")


def upload(page: Page, folder: Path, content: str) -> None:
    file = folder / "standings.csv"
    file.write_text(content, encoding="utf-8")
    another = page.get_by_role("link", name="Send another file")
    if another.count():
        another.click()
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_role("button", name="Check and preview").click()
    page.wait_for_load_state()


def save_and_finalize(page: Page) -> None:
    page.get_by_role("button", name="Save as draft standings").click()
    page.get_by_role("link", name="Finalize…").click()
    see_effect(page)
    page.get_by_role("button", name="Finalize").click()


def wait_until_published(page: Page) -> str:
    """Stay on the progress page, which says by itself when it is done; return its heading."""
    page.wait_for_url("**/progress/**")
    page.get_by_role("heading", level=1, name=re.compile("Published as run")).wait_for(timeout=30_000)
    return page.locator("h1").inner_text()


def rows_of(page: Page) -> str:
    return "\n".join(page.get_by_role("table").first.locator("tbody tr").all_inner_texts())


def graph_of(page: Page, handle: str, *, contests: int) -> None:
    page.goto(f"/players/{handle}/")
    page.wait_for_function("Chart.getChart(document.querySelector('canvas')) !== undefined")
    assert page.evaluate("Chart.getChart(document.querySelector('canvas')).data.datasets[2].data.length") == contests


def rating_of(screen: Screen, handle: str) -> int:
    """The figure at the top of a player's page."""
    text = screen.go(f"/players/{handle}/").locator(".figure-main dd").inner_text()
    found = re.search(r"\d[\d,]*", text)
    assert found, text
    return int(found.group().replace(",", ""))


def disqualify(screen: Screen, handle: str) -> None:
    page = screen.go("/organize/series/harbour-cup/")
    page.get_by_role("link", name="Round 2").first.click()
    page.get_by_role("link", name=f"Correct the row of {handle}").click()
    page.get_by_label("Status").select_option("disqualified")
    page.get_by_label("Reason").fill("Two accounts")
    page.get_by_role("button", name="See what it does").click()
    see_effect(page)
    page.get_by_role("button", name="Disqualify").click()
