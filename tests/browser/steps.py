"""The steps of an organizer in a browser; each step ends on the page that it leads to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from openpyxl import Workbook

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.browser.watching import Screen


def create_community(page: Page, name: str, slug: str) -> None:
    page.get_by_role("link", name=re.compile("New community|Create a community")).first.click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Create community").click()
    page.wait_for_url(f"**/organize/c/{slug}/")


def create_series(page: Page, name: str, slug: str) -> None:
    page.get_by_role("link", name=re.compile(r"New\s+series")).first.click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Create series").click()
    page.wait_for_url(f"**/organize/c/main/series/{slug}/")


def create_contest(page: Page, name: str, ends_at: str) -> None:
    page.get_by_role("link", name=re.compile("[Nn]ew contest|first contest")).first.click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Ends at (UTC)").fill(ends_at)
    page.get_by_role("button", name="Create draft").click()
    page.wait_for_url("**/upload/")


def upload(page: Page, file: Path) -> None:
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_role("button", name="Check and preview").click()
    page.wait_for_url("**/review/**")


def save_draft(page: Page) -> None:
    page.get_by_role("button", name="Save as draft standings").click()
    page.get_by_role("link", name="Finalize…").wait_for()


def see_preview(page: Page) -> None:
    """Wait on the page of a proposed change until its effect on ratings is there."""
    page.wait_for_url("**/organize/change/**")
    page.get_by_role("heading", name="Effect on ratings").wait_for(timeout=60_000)


def wait_until_published(page: Page) -> str:
    """Stay on the progress page, which says by itself when it is done; return its heading."""
    page.wait_for_url("**/progress/**")
    page.get_by_role("heading", level=1, name=re.compile("Published as run")).wait_for(timeout=60_000)
    return page.locator("h1").inner_text()


def rows_of(page: Page, heading: str = "") -> list[str]:
    """The texts of the rows of the first table, or of the first one below a heading."""
    place = page.locator("section", has=page.get_by_role("heading", name=heading)).last if heading else page
    return place.get_by_role("table").first.locator("tbody tr").all_inner_texts()


def rating_of(screen: Screen, handle: str) -> int:
    """The figure at the top of a player's page."""
    text = screen.go(f"/c/main/players/{handle}/").locator(".hero-rating strong").inner_text()
    found = re.search(r"\d[\d,]*", text)
    assert found, text
    return int(found.group().replace(",", ""))


def graph_of(screen: Screen, handle: str) -> int:
    """How many contests the graph of a player has."""
    page = screen.go(f"/c/main/players/{handle}/")
    page.wait_for_selector("[data-chart][data-ready]")
    return int(page.evaluate("Chart.getChart(document.querySelector('canvas')).data.datasets[0].data.length"))


def leaders(screen: Screen, slug: str) -> list[str]:
    """The handles of a leaderboard, best first."""
    page = screen.go(f"/c/main/series/{slug}/leaderboard/")
    return page.get_by_role("table").first.locator("tbody th a").all_inner_texts()


def workbook(path: Path, rows: Sequence[Sequence[object]]) -> Path:
    """Write an Excel workbook with these rows in its first sheet."""
    book = Workbook()
    for row in rows:
        book.active.append(list(row))
    book.save(path)
    return path
