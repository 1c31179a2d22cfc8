"""Pictures of pages: taken, stored, and compared square by square."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageDraw

if TYPE_CHECKING:
    from playwright.sync_api import Route

    from tests.browser.watching import Screen

PICTURES = Path(__file__).parent / "screenshots"
#: Pictures are kept at half their size and compared in squares of 32 by 32 pixels of the page: smoothing of letters
#: differs a little between versions of Chromium, and a changed colour or position differs a lot.
SMALLER = 2
SQUARE = 16
#: The greatest mean difference of a square's channels, of 255.
TOLERANCE = 10.0
#: Stored pictures have this many colours, which makes files smaller; flags lose the most accuracy, 6 of 255.
COLOURS = 256
#: How often a page that differs is loaded, because on a busy machine a picture may be taken between two layouts.
TRIES = 3
#: The height of the window, and how much of a long page is stored at most, from its top, in pixels of the page.
HEIGHT = 900
TALLEST = 8000

#: The webfont has arrived, graphs are drawn, and all pictures are decoded, including those far down the page.
_READY = """async () => {
  await document.fonts.ready;
  const images = [...document.images];
  images.forEach((image) => { image.loading = "eager"; });
  await Promise.all(images.map((image) => image.decode()));
  const graphs = [...document.querySelectorAll("[data-chart], [data-compare]")];
  if (!document.fonts.check("16px Inter") || graphs.some((graph) => graph.dataset.ready === undefined)) return false;
  // What follows from the readiness is painted with the next frame.
  await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
  return true;
}"""


def wait_for_the_font(screen: Screen) -> None:
    """Let pages wait for their font, however slow the machine is."""
    screen.context.route("**/shared/site.*.css", _block_until_loaded)


def _block_until_loaded(route: Route) -> None:
    answer = route.fetch()
    route.fulfill(response=answer, body=answer.text().replace("font-display: optional", "font-display: block"))


def fault_of(screen: Screen, path: str, name: str, now: Path, *, theme: str, width: int, tallest: int = TALLEST) -> str:
    """
    Compare a page with its stored picture; if it differs and RENEW_SCREENSHOTS is set, store the page as it is now.

    now
        The folder for the picture of a page that differs, with a frame around each difference.
    tallest
        How much of the page is compared, in pixels from its top.

    Returns what differs, "" for nothing.
    """
    file = f"{name}-{theme}-{width}.png"
    for _ in range(TRIES):
        picture = _picture(screen, path, theme, width, tallest)
        fault = _difference(picture, PICTURES / file)
        if not fault:
            return ""
    if os.environ.get("RENEW_SCREENSHOTS"):
        picture.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=2, dither=Image.Dither.NONE).save(
            PICTURES / file, optimize=True
        )
        return ""
    _framed(picture, PICTURES / file).save(now / file)
    return f"{file}: {fault}; the page now: {now / file}"


def _picture(screen: Screen, path: str, theme: str, width: int, tallest: int) -> Image.Image:
    screen.page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
    screen.page.set_viewport_size({"width": width, "height": HEIGHT})
    screen.go(path)
    screen.page.wait_for_function(_READY)
    height = min(tallest, int(screen.page.evaluate("document.documentElement.scrollHeight")))
    area = {"x": 0, "y": 0, "width": width, "height": height}
    shot = screen.page.screenshot(full_page=True, clip=area, animations="disabled")  # type: ignore[arg-type]
    return Image.open(io.BytesIO(shot)).convert("RGB").reduce(SMALLER)


def _difference(picture: Image.Image, stored: Path) -> str:
    if not stored.exists():
        return "no stored picture"
    expected = Image.open(stored).convert("RGB")
    if picture.size != expected.size:
        return f"{picture.size} instead of {expected.size}"
    squares = squares_that_differ(picture, expected)
    return f"{len(squares)} squares differ, the first at {squares[0]}" if squares else ""


def _framed(picture: Image.Image, stored: Path) -> Image.Image:
    """Return the picture with a red frame around each square that differs."""
    draw = ImageDraw.Draw(framed := picture.copy())
    expected = Image.open(stored).convert("RGB") if stored.exists() else picture
    for x, y in squares_that_differ(picture, expected):
        draw.rectangle((x, y, x + SQUARE, y + SQUARE), outline="#ff0000")
    return framed


def squares_that_differ(picture: Image.Image, expected: Image.Image) -> list[tuple[int, int]]:
    """Return the corners of the squares, from top to bottom, in which two pictures differ too much."""
    width, height = (min(a, b) // SQUARE for a, b in zip(picture.size, expected.size, strict=True))
    one, other = (
        np.asarray(each, dtype=np.float64)[: height * SQUARE, : width * SQUARE] for each in (picture, expected)
    )
    means = np.abs(one - other).reshape(height, SQUARE, width, SQUARE, 3).mean(axis=(1, 3, 4))
    return [(int(x) * SQUARE, int(y) * SQUARE) for y, x in np.argwhere(means > TOLERANCE)]
