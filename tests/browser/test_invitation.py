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


@pytest.mark.chromium_only
def test_a_link_is_opened_with_and_without_scripts(open_screen: Callable[..., Screen], transactional_db: None):
    olga = make_user("olga")
    series = make_series("harbour-cup", organizer=olga)
    _, secret = invite(series.pk, actor=olga)
    link = f"{reverse('organize:invitation-open')}#{secret}"

    screen = open_screen()
    sent: list[str] = []
    screen.page.on("request", lambda request: sent.extend([request.url, request.headers.get("referer", "")]))
    page = screen.go(link)
    expect(page.get_by_role("heading", level=1)).to_have_text("Organize Harbour Cup")
    assert page.url.endswith(reverse("organize:invitation-accept"))
    page.go_back()
    assert secret not in page.url
    assert sent
    assert not [address for address in sent if secret in address]

    screen = open_screen(java_script_enabled=False)
    page = screen.go(reverse("organize:invitation-open"))
    page.get_by_label("Link").fill(f"https://ratings.example.org{link}")
    page.get_by_role("button", name="Open invitation").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Organize Harbour Cup")
