"""
Take the pictures of docs/screenshots from a running demo site (`make demo`).

    .venv/bin/python scripts/screenshots.py [--site http://127.0.0.1:8000]
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from urllib.request import urlopen

from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "screenshots"
PICTURES = {
    "home-light": ("/", 1280, "light"),
    "series-dark": ("/series/harbour-cup/", 1280, "dark"),
    "leaderboard-light": ("/series/harbour-cup/leaderboard/", 1280, "light"),
    "contest-dark": ("/contests/30/", 1280, "dark"),
    "player-light": ("/players/souyang/", 1280, "light"),
    "player-phone-dark": ("/players/souyang/", 360, "dark"),
    "leaderboard-phone-light": ("/series/night-relay/leaderboard/", 360, "light"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--site", default="http://127.0.0.1:8000")
    site = parser.parse_args().site.rstrip("/")
    browser_path = shutil.which("chromium")
    if browser_path is None:
        sys.exit("Chromium is not installed. On Debian or Ubuntu: sudo apt-get install chromium")
    with urlopen(f"{site}/healthz"):
        FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"])
        for name, (path, width, scheme) in PICTURES.items():
            page = browser.new_page(viewport={"width": width, "height": 860}, color_scheme=scheme)
            page.goto(site + path)
            page.wait_for_load_state("networkidle")
            page.screenshot(path=FOLDER / f"{name}.png")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
