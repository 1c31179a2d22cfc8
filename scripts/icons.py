"""
Draw static/root/favicon.ico from static/icon.svg, in Debian's Chromium: run `python scripts/icons.py` after changing
it.

Browsers that know vector icons take the SVG; feed readers, bookmarks and older programs ask for /favicon.ico.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Page

STATIC = Path(__file__).resolve().parents[1] / "static"
SIZES = (16, 32, 48)


def main() -> None:
    """Draw the icon separately for each size, so that none is a blurred copy of another."""
    drawing = (STATIC / "icon.svg").read_text(encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        pictures = [_draw(browser.new_page(viewport={"width": size, "height": size}), drawing) for size in SIZES]
        browser.close()
    largest = pictures[-1]
    largest.save(STATIC / "root" / "favicon.ico", sizes=[(size, size) for size in SIZES], append_images=pictures[:-1])


def _draw(page: Page, drawing: str) -> Image.Image:
    page.set_content(f"<style>*{{margin:0;display:block;width:100vw;height:100vh}}</style>{drawing}")
    return Image.open(io.BytesIO(page.screenshot(omit_background=True))).convert("RGBA")


if __name__ == "__main__":
    main()
