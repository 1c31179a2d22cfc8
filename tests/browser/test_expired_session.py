"""An organizer whose session ends while a form is open, in a real browser without scripts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from django.contrib.sessions.models import Session
from django.urls import reverse
from playwright.sync_api import expect

from contests.models import Contest
from tests.browser.community import PASSWORD
from tests.factories import make_series, make_user

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.watching import Screen


@pytest.mark.chromium_only
def test_a_form_is_filled_again_after_signing_in_and_saved_when_it_is_sent(
    open_screen: Callable[..., Screen], transactional_db: None
):
    series = make_series("harbour-cup", organizer=make_user("olga", password=PASSWORD))
    screen = open_screen(java_script_enabled=False)
    screen.log_in("olga", PASSWORD)
    page = screen.go(reverse("organize:contest-create", args=[series]))
    page.get_by_label("Name", exact=True).fill("Fog Round")
    page.get_by_label(re.compile("^End")).first.fill("2026-11-20T18:00")
    Session.objects.all().delete()
    page.get_by_role("button", name="Create draft").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Log in")
    page.get_by_label("Username").fill("olga")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.locator(".messages")).to_contain_text("nothing has been saved yet")
    assert page.get_by_label("Name", exact=True).input_value() == "Fog Round"
    assert not Contest.objects.exists()

    page.get_by_role("button", name="Create draft").click()
    page.wait_for_url("**/upload/")
    assert Contest.objects.get().name == "Fog Round"


def test_a_form_open_in_one_tab_survives_signing_in_in_another(
    open_screen: Callable[..., Screen], transactional_db: None
):
    series = make_series("harbour-cup", organizer=make_user("olga", password=PASSWORD))
    screen = open_screen()
    screen.log_in("olga", PASSWORD)
    form = screen.go(reverse("organize:contest-create", args=[series]))
    form.get_by_label("Name", exact=True).fill("Fog Round")
    other = screen.context.new_page()
    other.goto("/organize/")
    other.get_by_role("button", name="Log out").click()
    other.goto("/accounts/login/")
    other.get_by_label("Username").fill("olga")
    other.get_by_label("Password").fill(PASSWORD)
    other.get_by_role("button", name="Log in").click()
    other.wait_for_url("**/organize/")

    form.get_by_role("button", name="Create draft").click()
    expect(form.locator(".messages")).to_contain_text("nothing has been saved yet")
    assert form.get_by_label("Name", exact=True).input_value() == "Fog Round"


def test_password_attempts_are_limited_and_the_page_says_when_to_try_again(
    open_screen: Callable[..., Screen], transactional_db: None
):
    make_user("olga", password=PASSWORD)
    screen = open_screen(width=360)
    page = screen.go("/accounts/login/")
    for _ in range(21):  # 11 are enough, unless the site starts a new window of 15 minutes in between
        page.get_by_label("Username").fill("olga")
        page.get_by_label("Password").fill("wrong")
        with page.expect_navigation():  # the next attempt would cut this one off
            page.get_by_role("button", name="Log in").click()
        if page.get_by_role("heading", level=1).inner_text() == "Too many attempts":
            break
        page = screen.go("/accounts/login/")
    assert page.get_by_role("heading", level=1).inner_text() == "Too many attempts"
    assert re.search(r"Try again in \d+ minutes?, at ", page.locator("main").inner_text())
    assert screen.overflow() == 0
    assert screen.barriers() == []
