"""
Key pages over a slow mobile network, 400 kbit/s and 400 ms a request: how soon they show text, and are complete.

    .venv/bin/python scripts/bench/slow_network.py [--var var] [--times 3] [PATH ...]

Needs Chromium and the data of a site on SQLite, such as that of `make demo`. Starts gunicorn on it as in production,
with hashed, bundled and compressed static files, without a proxy. Opens each page with an empty cache, as on a first
visit, then once more, as from another page: scripts, styles and the font are then in the cache. Prints medians in
milliseconds.

Chromium delays each request by the latency and shares the bandwidth among those under way. It speaks HTTP/1.1 here,
with six connections. Behind a proxy with HTTP/2, requests do not wait for each other.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, BrowserContext

ROOT = Path(__file__).resolve().parents[2]
BYTES_A_SECOND = 400_000 / 8
LATENCY = 400
#: A phone.
WINDOW = {"width": 360, "height": 740}

#: When the page first shows text, is complete, and has drawn the graph that reacts to the pointer, in milliseconds.
_TIMES = """async () => {
  const pause = () => new Promise((done) => setTimeout(done, 20));
  const chart = document.querySelector("[data-chart]");
  while (chart && chart.dataset.ready === undefined) await pause();
  const drawn = chart ? performance.now() : 0;
  while (!performance.getEntriesByName("first-contentful-paint").length) await pause();
  const painted = performance.getEntriesByName("first-contentful-paint")[0].startTime;
  const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  return [painted, all[0].loadEventEnd, drawn, all.reduce((sum, each) => sum + each.transferSize, 0),
    all.filter((each) => each.transferSize > 0).length];
}"""


class Visit(NamedTuple):
    """
    The load of a page: times in milliseconds, bytes and requests over the network.

    complete
        The end of the browser's load event. A player's graph is there, as the server drew it.
    drawn
        When the graph reacts to the pointer; 0 for pages without one.
    """

    painted: float
    complete: float
    drawn: float
    size: float
    requests: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--var", type=Path, default=ROOT / "var", help="folder of the site's data")
    parser.add_argument("--times", type=int, default=3, help="visits to each page")
    parser.add_argument("paths", nargs="*", metavar="PATH", help="pages instead of the key pages")
    arguments = parser.parse_args()
    with gunicorn(arguments.var) as address:
        paths = arguments.paths or key_pages()
        measure(address, paths, arguments.times)


def measure(address: str, paths: list[str], times: int) -> None:
    """Print a row for each page."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("google-chrome"), args=["--no-sandbox"]
        )
        print(
            f"{'page':50} {'text':>6} {'all':>6} {'graph':>6} {'kB':>5} {'requests':>8}   then: {'text':>6} {'all':>6}"
        )
        for path in paths:
            first, later = visits(browser, address + path, times)
            print(
                f"{path:50} {first.painted:6.0f} {first.complete:6.0f} {first.drawn:6.0f} {first.size / 1000:5.0f}"
                f" {first.requests:8.0f}         {later.painted:6.0f} {later.complete:6.0f}"
            )
        browser.close()


@contextmanager
def gunicorn(var: Path) -> Iterator[str]:
    """Serve the data in a folder; yield the address."""
    if not (var / "podium.sqlite3").exists():
        sys.exit(f"{var} has no podium.sqlite3; create the data with: make demo")
    os.environ.update(PODIUM_VAR=str(var), PODIUM_HTTPS="0", PODIUM_DEBUG="0", DJANGO_SETTINGS_MODULE="podium.settings")
    os.environ["PYTHONPATH"] = f"{ROOT / 'platform'}:{ROOT}"
    manage = [sys.executable, str(ROOT / "manage.py")]
    subprocess.run([*manage, "migrate", "--verbosity", "0"], check=True)
    subprocess.run([*manage, "collectstatic", "--noinput", "--verbosity", "0"], check=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = "127.0.0.1:{1}".format(*probe.getsockname())
    command = [sys.executable, "-m", "gunicorn", "podium.wsgi", "--bind", address, "--workers", "1"]
    server = subprocess.Popen([*command, "--access-logfile", "/dev/null", "--log-level", "warning"], cwd=ROOT)
    try:
        _wait_for(f"http://{address}/healthz")
        yield f"http://{address}"
    finally:
        server.terminate()
        server.wait()


def _wait_for(url: str) -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(url, timeout=5)
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.1)
        else:
            return
    sys.exit(f"{url} does not answer")


def key_pages() -> list[str]:
    """Return the pages of the largest public series and of its best player."""
    sys.path[:0] = [str(ROOT / "platform"), str(ROOT)]
    import django

    django.setup()
    from django.db.models import Count
    from django.urls import reverse

    from contests.models import Series
    from ratings.models import Rating

    series = Series.objects.filter(is_listed=True).annotate(size=Count("contests")).order_by("-size", "pk")[0]
    best = Rating.objects.filter(series=series).select_related("player").order_by("-mu")[:2]
    one, two = (rating.player for rating in best)
    contest = series.contests.finalized().newest_first()[0]
    return [
        reverse("home"),
        reverse("series", args=[series]),
        reverse("leaderboard", args=[series]),
        reverse("player", args=[one.community_id, one.handle]),
        reverse("contest", args=[contest.pk]),
        f"{reverse('compare')}?series={series.full_slug}&players={one.handle},{two.handle}",
        f"{reverse('what-if', args=[series])}?player={one.handle}",
        reverse("how", args=[series]),
    ]


def visits(browser: Browser, url: str, times: int) -> tuple[Visit, Visit]:
    """Return the medians of first visits, and of visits with everything but the page itself in the cache."""
    urllib.request.urlopen(url, timeout=120).read()  # a server that is running has loaded its code
    first, later = [], []
    for _ in range(times):
        context = browser.new_context(viewport=WINDOW)  # type: ignore[arg-type]
        first.append(_visit(context, url))
        later.append(_visit(context, url))
        context.close()
    return _medians(first), _medians(later)


def _visit(context: BrowserContext, url: str) -> Visit:
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    network = {"latency": LATENCY, "downloadThroughput": BYTES_A_SECOND, "uploadThroughput": BYTES_A_SECOND}
    session.send("Network.emulateNetworkConditions", {"offline": False, **network})
    page.goto(url, wait_until="load", timeout=120_000)
    visit = Visit(*page.evaluate(_TIMES))
    page.close()
    return visit


def _medians(all_visits: list[Visit]) -> Visit:
    return Visit(*(statistics.median(values) for values in zip(*all_visits, strict=True)))


if __name__ == "__main__":
    main()
