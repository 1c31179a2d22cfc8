"""An invitation in a real browser: its secret is in no request's address, and not in the history."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from contests.services.organizers import invite
from tests.factories import make_series, make_user

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.watching import Screen


@pytest.fixture
def link(transactional_db: None) -> str:
    olga = make_user("olga")
    series = make_series("harbour-cup", organizer=olga)
    _, secret = invite(series.pk, actor=olga)
    return f"{reverse('organize:invitation-open')}#{secret}"


def test_a_link_is_opened_and_keeps_its_secret(screen: Screen, link: str):
    secret = link.partition("#")[2]
    sent: list[str] = []
    screen.page.on("request", lambda request: sent.extend([request.url, request.headers.get("referer", "")]))
    page = screen.go(link)
    expect(page.get_by_role("heading", level=1)).to_have_text("Organize Harbour Cup")
    assert page.url.endswith(reverse("organize:invitation-accept"))
    page.go_back()
    assert secret not in page.url
    assert sent
    assert not [address for address in sent if secret in address]


@pytest.mark.chromium_only
def test_without_scripts_the_link_is_pasted(open_screen: Callable[..., Screen], link: str):
    screen = open_screen(java_script_enabled=False)
    page = screen.go(reverse("organize:invitation-open"))
    page.get_by_label("Link").fill(f"https://ratings.example.org{link}")
    page.get_by_role("button", name="Open invitation").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Organize Harbour Cup")
