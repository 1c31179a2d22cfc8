"""
Make the pictures in docs/screenshots: every page for visitors, filled with the demonstration's made-up community.

    python scripts/screenshots.py [--all] [--output docs/screenshots]

Without --all, it makes only the few pictures that the documents show; with it, every page at 360, 768 and 1280 px in
light and dark, for a check before a release. Needs Chromium, requirements-dev.txt, and fonts for all scripts in which
names are written, such as Debian's fonts-noto-core and fonts-noto-cjk. The pictures of the tests expect a system
without these fonts; FONTCONFIG_FILE can name a configuration with a folder of its own for them.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from PIL import Image
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[1]
MANAGE = [sys.executable, str(ROOT / "manage.py")]
SERIES = "harbour-cup"
#: The pictures in the documents: page, width, theme.
SHOWN = [
    ("home", 1280, "light"), ("home", 360, "dark"), ("player", 1280, "light"), ("player", 360, "dark"),
    ("leaderboard", 1280, "dark"), ("leaderboard", 360, "light"), ("contest", 1280, "light"), ("why", 1280, "light"),
    ("what-if", 1280, "dark"), ("compare", 1280, "light"), ("distribution", 1280, "dark"), ("how", 1280, "light"),
    ("records", 1280, "light"), ("analysis", 1280, "dark"),
]  # fmt: skip
#: Long pages are cut at this multiple of the width.
TALLEST = {360: 2.6, 768: 2.0, 1280: 1.1}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="every page in all widths and themes, uncut")
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "screenshots")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    with demo_site() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        pages = addresses(address)
        wanted = [(name, width, theme) for name in pages for width in TALLEST for theme in ("light", "dark")]
        for name, width, theme in wanted if arguments.all else SHOWN:
            file = arguments.output / f"{name}-{width}-{theme}.webp"
            picture(browser, address + pages[name], file, width, theme, whole=arguments.all)
        browser.close()


@contextmanager
def demo_site() -> Iterator[str]:
    """Start a temporary site with the demo community; yield its address."""
    with tempfile.TemporaryDirectory() as folder:
        production = ("DATABASE_URL", "REDIS_URL", "CELERY_BROKER_URL", "PODIUM_HTTPS")
        environment = {name: value for name, value in os.environ.items() if name not in production}
        environment |= {"PODIUM_VAR": folder, "PODIUM_DEBUG": "1", "PODIUM_LOG_LEVEL": "ERROR"}
        for command in (["migrate", "--verbosity", "0"], ["demo", "--json"], ["derive", "--json"]):
            subprocess.run([*MANAGE, *command], env=environment, check=True, stdout=subprocess.DEVNULL)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        site = subprocess.Popen(
            [*MANAGE, "runserver", f"127.0.0.1:{port}", "--noreload"], env=environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_for(f"{address}/healthz")
            yield address
        finally:
            site.terminate()
            site.wait()


def addresses(site: str) -> dict[str, str]:
    """Return the path of each page, by name."""
    best = [
        row["player"]["handle"]
        for row in _json(f"{site}/api/v1/communities/main/series/{SERIES}/leaderboard/")["results"][:5]
    ]
    newest = _json(f"{site}/api/v1/contests/?series={SERIES}")["results"][0]["id"]
    player, series = quote(best[1], safe=""), f"/c/main/series/{SERIES}"
    return {
        "home": "/",
        "search": f"/search/?q={player[:2]}",
        "series-list": "/series/",
        "series": f"{series}/",
        "leaderboard": f"{series}/leaderboard/",
        "leagues": f"{series}/leagues/",
        "season": f"{series}/season/",
        "distribution": f"{series}/distribution/?player={player}",
        "records": f"{series}/records/",
        "countries": f"{series}/countries/",
        "affiliations": f"{series}/affiliations/",
        "what-if": f"{series}/what-if/?player={player}",
        "how": f"{series}/how/",
        "compare": f"/compare/?series={SERIES}&players={','.join(quote(one, safe='') for one in best[:4])}",
        "contests": "/contests/",
        "contest": f"/contests/{newest}/",
        "analysis": f"/contests/{newest}/analysis/",
        "why": f"/contests/{newest}/why/{_player_in(site, newest)}/",
        "player": f"/c/main/players/{player}/?series={SERIES}",
        "players": "/players/?q=a",
        "login": "/accounts/login/",
        "unknown-player": "/c/main/players/nobody-of-this-name/",
    }


def picture(browser: Browser, address: str, file: Path, width: int, theme: str, *, whole: bool) -> None:
    """Store a screenshot of a page; of long pages only the top, unless the whole page is requested."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=theme, reduced_motion="reduce", locale="en-GB",  # type: ignore[arg-type]
    )  # fmt: skip
    page = context.new_page()
    answer = page.goto(address, wait_until="networkidle")
    if answer is None or answer.status not in (200, 404):
        sys.exit(f"{address} did not respond with a page")
    # Browsers show the first page of a visit in another font if the site's own font comes late.
    page.reload(wait_until="networkidle")
    height: int = page.evaluate("document.documentElement.scrollHeight")
    # A picture of a whole page in a smaller window sometimes shows graphs squashed.
    page.set_viewport_size({"width": width, "height": height if whole else min(height, round(width * TALLEST[width]))})
    page.wait_for_timeout(300)
    with Image.open(io.BytesIO(page.screenshot())) as shot:
        shot.convert("RGB").save(file, quality=82, method=6)
    context.close()


def _player_in(site: str, contest: int) -> str:
    rows = _json(f"{site}/api/v1/contests/{contest}/rating-changes/")["results"]
    return quote(rows[min(4, len(rows) - 1)]["player"]["handle"], safe="")


def _json(address: str) -> dict:
    with urllib.request.urlopen(address) as answer:
        return json.load(answer)


def _wait_for(address: str) -> None:
    for _ in range(100):
        try:
            with urllib.request.urlopen(address):
                return
        except OSError:
            time.sleep(0.1)
    sys.exit("the site did not start")


if __name__ == "__main__":
    main()
