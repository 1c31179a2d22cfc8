"""
Ten key pages, and the page that shows every component of the design, compared with stored pictures.

After an intended change, update the pictures, look at them, and commit them:

    RENEW_SCREENSHOTS=1 .venv/bin/python -m pytest --sqlite tests/browser/test_screenshots.py
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING
from unittest import mock

import pytest
from PIL import Image, ImageDraw

from tests.browser.community import PASSWORD, build_site
from tests.browser.pictures import fault_of, squares_that_differ, wait_for_the_font
from tests.browser.test_every_page import WIDE
from tests.factories import FIRST_DAY, make_user

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.community import Site
    from tests.browser.watching import Screen

#: The names of the pages in `Site.public` and `Site.organizing`, and of their pictures.
KEY_PAGES = {
    "home": "home",
    "community": "community",
    "series": "series",
    "leaderboard": "leaderboard",
    "player": "player",
    "contest": "contest",
    "why": "why",
    "compare": "compare, of two",
    "forecast": "what-if",
}
#: The series with the longest history.
QUERIES = {"player": "?series=harbour-cup"}
REVIEW = "review, with problems"
#: A phone in the light theme, and a desktop in the dark one.
LOOKS = ((360, "light"), (1280, "dark"))
#: Where pages grow with their data, the top shows each of their components.
TALLEST = 3000


@pytest.mark.chromium_only
@pytest.mark.parametrize("fonts", [WIDE], indirect=True)
def test_key_pages_look_as_in_the_stored_pictures(screen: Screen, fonts: str, tmp_path: Path):
    site = _site_of_one_day()
    wait_for_the_font(screen)
    faults = [
        fault_of(
            screen, site.public[page] + QUERIES.get(name, ""), name, tmp_path, theme=theme, width=width, tallest=TALLEST
        )
        for name, page in KEY_PAGES.items()
        for width, theme in LOOKS
    ]
    screen.log_in("olga", PASSWORD)
    faults += [
        fault_of(screen, site.organizing[REVIEW], "review", tmp_path, theme=theme, width=width, tallest=TALLEST)
        for width, theme in LOOKS
    ]
    assert not any(faults), "\n".join(filter(None, faults))


def _site_of_one_day() -> Site:
    """Return a site where everything happened at one moment, so it shows the same dates whenever the test runs."""
    with mock.patch("django.utils.timezone.now", return_value=FIRST_DAY + timedelta(days=200)):
        return build_site()


@pytest.mark.chromium_only
@pytest.mark.parametrize("fonts", [WIDE], indirect=True)
def test_the_components_look_as_in_the_stored_pictures(screen: Screen, fonts: str, tmp_path: Path):
    make_user("boss", password=PASSWORD, is_staff=True)
    wait_for_the_font(screen)
    screen.log_in("boss", PASSWORD)
    faults = []
    for theme in ("light", "dark"):
        for width in (360, 1280):
            faults.append(fault_of(screen, "/design/", "design", tmp_path, theme=theme, width=width))
            assert screen.overflow() == 0
    assert screen.barriers() == []
    assert not any(faults), "\n".join(filter(None, faults))


def test_a_square_of_another_colour_is_found_and_smoothing_is_not():
    page = Image.new("RGB", (160, 320), "#ffffff")
    softer, other = page.copy(), page.copy()
    ImageDraw.Draw(softer).rectangle((0, 0, 160, 320), outline="#f0f0f0")
    ImageDraw.Draw(other).rectangle((40, 100, 60, 110), fill="#b3360b")
    assert squares_that_differ(softer, page) == []
    assert squares_that_differ(other, page) == [(32, 96), (48, 96)]
