"""The five main tasks done with the keyboard alone: at each step, the focus is visible."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from contests.models import Contest, ContestState, Player, Standing
from tests.browser.community import PASSWORD, Site, build_site
from tests.browser.walking import Walk
from tests.factories import make_contest

if TYPE_CHECKING:
    from playwright.sync_api import FileChooser, Page

    from tests.browser.watching import Screen

OPTION = "[role=option]"
TABLE = b"rank,handle\nfirst,ann\n2,bob\n"


@pytest.mark.firefox_core
def test_the_main_tasks_need_no_mouse(screen: Screen):
    """One test, because building the site takes longer than all the steps."""
    site, walk = build_site(), Walk(screen)
    _find_a_player_and_read_the_graph(screen, walk)
    _compare_two_players(screen, walk)
    screen.log_in("olga", PASSWORD)
    _upload_correct_and_save(screen, walk, site)
    _finalize(screen, walk, site)
    _merge(screen, walk, site)
    assert not walk.faults, "\n".join(walk.faults)


def _find_a_player_and_read_the_graph(screen: Screen, walk: Walk) -> None:
    page = screen.go("/")
    walk.press("Tab")
    walk.stands_on(page.get_by_role("link", name="Skip to content"))
    walk.press("Enter")
    walk.tab_to(page.get_by_role("combobox").first)
    walk.write("ann")
    page.locator(OPTION).first.wait_for()
    walk.press("ArrowDown")
    assert "ann" in page.locator(f"{OPTION}[aria-selected=true]").inner_text()
    walk.press("Enter")
    page.wait_for_url("**/c/main/players/ann/**")
    page.wait_for_selector("[data-chart][data-ready]")

    walk.tab_to(canvas := page.locator("[data-chart] canvas"))
    walk.press("ArrowLeft")
    expect(page.locator("[data-chart-status]")).to_contain_text(re.compile(r"^\d+ of \d+: .*rating"))
    walk.tab_to(share := page.locator("summary", has_text="Share"))
    walk.press("Enter")
    walk.tab_to(page.locator(".menu-panel").get_by_role("button").first)
    walk.press("Escape")
    expect(page.locator(".menu-panel")).to_be_hidden()
    walk.stands_on(share)
    walk.press("Enter")
    walk.tab_to(page.get_by_role("link", name="Forecast", exact=True))
    expect(page.locator(".menu-panel")).to_be_hidden()
    walk.tab_to(canvas, by="Shift+Tab")
    walk.press("End", "Enter")
    page.wait_for_url(re.compile(r"#contest-\d+$"))
    assert page.locator("tr:target").evaluate("(row) => row === document.activeElement")


def _compare_two_players(screen: Screen, walk: Walk) -> None:
    page = screen.go("/")
    walk.tab_to(page.get_by_role("link", name="Compare", exact=True))
    walk.press("Enter")
    page.wait_for_url("**/compare/**")
    walk.tab_to(page.get_by_role("combobox", name="Players", exact=True))
    walk.write("ann,bo")
    page.locator(OPTION).first.wait_for()
    walk.press("ArrowDown")
    # Newer suggestions take the selection away, and Enter without one sends the form.
    page.locator(f"{OPTION}[aria-selected=true]").wait_for()
    walk.press("Enter")
    walk.tab_to(page.get_by_role("button", name="Compare", exact=True))
    walk.press("Enter")
    page.wait_for_url("**players=ann**")
    page.wait_for_selector("[data-compare][data-ready]")
    walk.tab_to(page.locator("[data-compare] canvas"))
    walk.press("ArrowLeft")
    expect(page.locator("[data-chart-status]")).not_to_be_empty()


def _upload_correct_and_save(screen: Screen, walk: Walk, site: Site) -> None:
    empty = make_contest(site.series, day=300, finalized=False, name="Round 10")
    page = screen.go(f"/organize/contests/{empty.pk}/")
    walk.tab_to(page.get_by_role("link", name="Upload standings"))
    walk.press("Enter")
    page.wait_for_url("**/upload/")
    _choose_file(page, walk)
    walk.tab_to(page.get_by_role("button", name="Check and preview"))
    walk.press("Enter")
    page.wait_for_url("**/review/**")
    walk.tab_to(page.get_by_label("Rank, row 2"))
    walk.press("Control+A")
    walk.write("1")
    walk.press("Enter")
    page.get_by_role("heading", name="Corrected rows").wait_for()
    # The page is open at the corrected rows. Beyond its end, Firefox would go on to its own toolbars.
    walk.tab_to(page.get_by_role("button", name="Save as draft standings"), by="Shift+Tab")
    walk.press("Enter")
    page.get_by_role("link", name="Finalize…").wait_for()
    assert Standing.objects.filter(contest=empty).count() == 2


def _choose_file(page: Page, walk: Walk) -> None:
    """Open the browser's dialog with Space, and choose the table in it.

    Playwright starts to intercept dialogs well before the key is pressed. Browsers open none if a busy machine lets
    seconds pass between the key's press and its release. A person would try again, so the test may do so once.
    """
    dialogs: list[FileChooser] = []

    def note(dialog: FileChooser) -> None:
        dialogs.append(dialog)

    page.on("filechooser", note)
    walk.tab_to(page.get_by_label("File", exact=True))
    for _ in range(2):
        walk.press("Space")
        for _ in range(50):
            if dialogs:
                dialogs[0].set_files({"name": "round.csv", "mimeType": "text/csv", "buffer": TABLE})
                page.remove_listener("filechooser", note)
                return
            page.wait_for_timeout(100)
    raise AssertionError("Space on the file field opens no dialog")


def _finalize(screen: Screen, walk: Walk, site: Site) -> None:
    page = screen.go(f"/organize/contests/{site.draft.pk}/")
    walk.tab_to(page.get_by_role("link", name="Finalize…"))
    walk.press("Enter")
    page.wait_for_url("**/organize/change/**")
    walk.tab_to(page.get_by_role("button", name="Finalize").first)
    walk.press("Enter")
    page.wait_for_url("**/progress/**")
    assert Contest.objects.get(pk=site.draft.pk).state == ContestState.FINALIZED


def _merge(screen: Screen, walk: Walk, site: Site) -> None:
    one = Player.objects.get(handle="newcomer")
    make_contest(site.series, standings=[("new-comer", 1)], day=310, finalized=False, name="Round 11")
    page = screen.go(f"/organize/people/{one.pk}/")
    walk.tab_to(page.get_by_role("link", name=re.compile("^Merge")))
    walk.press("Enter")
    page.wait_for_url("**/merge/**")
    walk.tab_to(page.get_by_label("Handle of the other player"))
    walk.write("new-comer")
    walk.press("Enter")
    page.wait_for_url("**with=new-comer")
    walk.tab_to(page.get_by_role("radio").first)
    walk.press("Space")
    walk.tab_to(page.get_by_label("Reason"))
    walk.write("The same person")
    walk.tab_to(page.get_by_role("button", name="Preview change"))
    walk.press("Enter")
    page.wait_for_url("**/organize/change/**")
    walk.tab_to(page.get_by_role("button", name="Merge").first)
    walk.press("Enter")
    page.wait_for_url("**/progress/**")
    assert Player.objects.get(handle="new-comer").merged_into == one
