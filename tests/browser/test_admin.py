"""Django's admin under the strict content policy: its scripts and styles are allowed, and nothing else is requested."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from contests.models import Contest
from tests.browser.community import PASSWORD
from tests.factories import make_contest, make_series, make_user, rate

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.watching import Screen


@pytest.fixture
def site(sites: Callable[..., str]) -> str:
    """A site for this test alone: the admin remembers ids of content types, which change when a database is emptied."""
    return sites()


def test_staff_look_things_up_choose_organizers_and_take_actions(screen: Screen):
    make_user("boss", password=PASSWORD, is_staff=True, is_superuser=True)
    make_user("olga")
    series = make_series("harbour-cup")
    contest = make_contest(series, players=3, name="Round 1")
    rate(series)
    screen.log_in("boss", PASSWORD)
    for path in ("", "contests/contest/", f"contests/contest/{contest.pk}/change/", "ratings/run/", "auth/user/"):
        page = screen.go(f"/admin/{path}")
        assert "Podium administration" in page.title()

    page = screen.go(f"/admin/contests/series/{series.pk}/change/")
    page.locator(".select2-selection").click()
    page.locator(".select2-results__option", has_text="olga").click()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("was changed successfully").wait_for()
    assert [user.username for user in series.organizers.all()] == ["olga"]

    page = screen.go("/admin/contests/contest/")
    page.get_by_role("row", name="Round 1").get_by_role("checkbox").check()
    page.get_by_label("Action:").select_option("delete")
    page.get_by_role("button", name="Go").click()
    expect(page.get_by_text("its 3 results will no longer be shown")).to_be_visible()
    page.get_by_label("Reason:").fill("entered twice")
    page.get_by_role("button", name="Delete").click()
    page.get_by_text("done for 1.").wait_for()
    assert not Contest.objects.existing().exists()
