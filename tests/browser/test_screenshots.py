"""
The page that shows every component of the design, compared with stored pictures in both themes and two widths.

After a change of the design on purpose, renew the pictures, look at them, and commit them:

    RENEW_SCREENSHOTS=1 .venv/bin/python -m pytest tests/browser/test_screenshots.py
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image, ImageDraw

from tests.browser.community import PASSWORD
from tests.browser.test_every_page import WIDE
from tests.factories import make_user

if TYPE_CHECKING:
    from playwright.sync_api import Route

    from tests.browser.watching import Screen

PICTURES = Path(__file__).parent / "screenshots"
#: Pictures are kept at half their size and compared in squares of 32 by 32 pixels of the page: smoothing of letters
#: differs a little between versions of Chromium, and a colour or a place that changed differs much.
SMALLER = 2
SQUARE = 16
#: The greatest mean difference of a square's channels, of 255.
TOLERANCE = 10.0
#: Stored channels are rounded to multiples of this, which makes files smaller.
ROUNDING = 8


@pytest.mark.parametrize("fonts", [WIDE], indirect=True)
def test_the_components_look_as_in_the_stored_pictures(screen: Screen, fonts: str, tmp_path: Path):
    make_user("boss", password=PASSWORD, is_staff=True)
    # The font of the page has to be there, however slow the machine is.
    screen.context.route("**/shared/fonts.*.css", _wait_for_the_font)
    screen.log_in("boss", PASSWORD)
    faults = []
    for theme in ("light", "dark"):
        for width in (360, 1280):
            name = f"design-{theme}-{width}.png"
            picture = _picture(screen, "/design/", theme, width)
            if os.environ.get("RENEW_SCREENSHOTS"):
                PICTURES.mkdir(exist_ok=True)
                _rounded(picture).save(PICTURES / name, optimize=True)
            elif fault := _difference(picture, PICTURES / name, tmp_path / name):
                faults.append(f"{name}: {fault}; the page now: {tmp_path / name}")
            assert screen.overflow() == 0
    assert screen.barriers() == []
    assert not faults, "\n".join(faults)


def _picture(screen: Screen, path: str, theme: str, width: int) -> Image.Image:
    screen.page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
    screen.page.set_viewport_size({"width": width, "height": 900})
    screen.go(path)
    screen.page.evaluate("document.fonts.ready")
    assert screen.page.evaluate('document.fonts.check("16px Inter")')
    shot = Image.open(io.BytesIO(screen.page.screenshot(full_page=True, animations="disabled")))
    return shot.convert("RGB").reduce(SMALLER)


def _rounded(picture: Image.Image) -> Image.Image:
    return picture.point([channel // ROUNDING * ROUNDING + ROUNDING // 2 for channel in range(256)] * 3)


def _wait_for_the_font(route: Route) -> None:
    answer = route.fetch()
    route.fulfill(response=answer, body=answer.text().replace("font-display: optional", "font-display: block"))


def _difference(picture: Image.Image, stored: Path, now: Path) -> str:
    """Return where a picture differs from the stored one, "" for nowhere; then it is kept with a frame around that."""
    expected = Image.open(stored).convert("RGB")
    squares = squares_that_differ(picture, expected)
    if picture.size == expected.size and not squares:
        return ""
    draw = ImageDraw.Draw(picture)
    for x, y in squares:
        draw.rectangle((x, y, x + SQUARE, y + SQUARE), outline="#ff0000")
    picture.save(now)
    if picture.size != expected.size:
        return f"{picture.size} instead of {expected.size}"
    return f"{len(squares)} squares differ, the first at {squares[0]}"


def squares_that_differ(picture: Image.Image, expected: Image.Image) -> list[tuple[int, int]]:
    """Return the corners of the squares, from top to bottom, in which two pictures differ too much."""
    width, height = (min(a, b) // SQUARE for a, b in zip(picture.size, expected.size, strict=True))
    one, other = (
        np.asarray(each, dtype=np.float64)[: height * SQUARE, : width * SQUARE] for each in (picture, expected)
    )
    means = np.abs(one - other).reshape(height, SQUARE, width, SQUARE, 3).mean(axis=(1, 3, 4))
    return [(int(x) * SQUARE, int(y) * SQUARE) for y, x in np.argwhere(means > TOLERANCE)]


def test_a_square_of_another_colour_is_found_and_smoothing_is_not():
    page = Image.new("RGB", (160, 320), "#ffffff")
    softer, other = page.copy(), page.copy()
    ImageDraw.Draw(softer).rectangle((0, 0, 160, 320), outline="#f0f0f0")
    ImageDraw.Draw(other).rectangle((40, 100, 60, 110), fill="#b3360b")
    assert squares_that_differ(softer, page) == []
    assert squares_that_differ(other, page) == [(32, 96), (48, 96)]
