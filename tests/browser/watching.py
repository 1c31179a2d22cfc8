"""A browser window that remembers everything that went wrong in it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe

if TYPE_CHECKING:
    import re

    from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Response, Route

#: The rules of WCAG 2.2, levels A and AA, and what axe's authors add as good practice. A page meets most of the rules,
#: and listing where would take longer than checking them.
RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}
AXE = Axe().axe_script
#: How long a page may take for anything that a test waits for, in milliseconds: other tests use the machine, too.
PATIENCE = 15_000

_WEIGHT = """() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .reduce((sum, entry) => sum + entry.encodedBodySize, 0)"""
#: The greatest sum of shifts less than a second apart, within five seconds; 0 where nothing measures it (Firefox).
_SHIFT = """() => new Promise((done) => {
  if (!PerformanceObserver.supportedEntryTypes.includes("layout-shift")) return done(0);
  let [worst, sum, first, last] = [0, 0, 0, 0];
  new PerformanceObserver((list) => {
    for (const { value, startTime, hadRecentInput } of list.getEntries()) {
      if (hadRecentInput) continue;
      if (startTime - last > 1000 || startTime - first > 5000) [sum, first] = [0, startTime];
      sum += value; last = startTime; worst = Math.max(worst, sum);
    }
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(worst), 100);
})"""
_BARRIERS = """async (rules) => {
  const { violations } = await axe.run(document, rules);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) =>
    [id, html, (failureSummary || "").split("\\n").pop().trim()]));
}"""

#: Flags that cover the name beside them, or stand on a line of their own above it.
_FLAGS = """() => [...document.querySelectorAll("main img.flag")].flatMap((flag) => {
  const name = flag.nextElementSibling, box = flag.getBoundingClientRect();
  if (!name || !box.width || !flag.checkVisibility()) return [];
  const range = document.createRange();
  range.selectNodeContents(name);
  const lines = [...range.getClientRects()].filter((line) => line.width && line.height), faults = [];
  if (lines.some((line) => line.left < box.right - 1 && line.right > box.left + 1
    && line.top < box.bottom - 1 && line.bottom > box.top + 1)) faults.push("under its flag");
  if (lines.length && lines[0].top > box.bottom - 2) faults.push("below its flag");
  return faults.map((fault) => `${name.textContent.trim()}: ${fault}`);
})"""


class Screen:
    """One window, with its own cookies."""

    def __init__(
        self, browser: Browser, address: str, *, width: int = 1280, height: int = 900, theme: str = "light",
        locale: str = "en-GB", **more: Any,
    ) -> None:  # fmt: skip
        self.address = address
        self.context = browser.new_context(
            base_url=address,
            viewport={"width": width, "height": height},
            color_scheme=theme,  # type: ignore[arg-type]
            reduced_motion="reduce",
            locale=locale,
            timezone_id="Europe/Berlin",
            **more,
        )
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.troubles: list[str] = []
        #: When delayed responses may arrive; None before the first one of a page.
        self._late_until: float | None = None
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.troubles.append(f"script: {error}"))
        self.page.on("request", self._request)
        self.page.on("response", self._response)

    def _console(self, message: ConsoleMessage) -> None:
        # Chromium also writes a line for each answer of 400 and above; those are looked at in `_response`.
        if message.type in ("error", "warning") and not message.text.startswith("Failed to load resource"):
            self.troubles.append(f"console: {message.text}")

    def _request(self, request: Request) -> None:
        if urlsplit(request.url).scheme in ("http", "https") and not request.url.startswith(self.address):
            self.troubles.append(f"request to another site: {request.url}")

    def _response(self, response: Response) -> None:
        if response.status >= 400 and not response.request.is_navigation_request():
            self.troubles.append(f"{response.status}: {response.url}")

    def go(self, path: str, *, status: int = 200) -> Page:
        """Open a page with everything that belongs to it."""
        self._late_until = None
        answer = self.page.goto(path, wait_until="load")
        assert answer is not None
        # If Firefox asks whether its cached page is still current, it reports the status of that response.
        expected = (200, 304) if status == 200 else (status,)
        assert answer.status in expected, f"{path}: {answer.status}"
        return self.page

    def delay(self, addresses: re.Pattern[str], *, seconds: float = 0.3) -> None:
        """Delay the responses of these addresses until so long after the first of them that the page requests."""

        def wait(route: Route) -> None:
            if self._late_until is None:
                self._late_until = time.monotonic() + seconds
            self.page.wait_for_timeout(max(0.0, self._late_until - time.monotonic()) * 1000)
            route.continue_()

        self.context.route(addresses, wait)

    def log_in(self, username: str, password: str) -> None:
        page = self.go("/accounts/login/")
        page.get_by_label("Username").fill(username)
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url("**/organize/")

    def barriers(self) -> list[str]:
        """The accessibility problems that axe finds on the page that is shown."""
        self.page.evaluate(AXE)
        return [f"{rule}: {html[:120]} {what[:120]}" for rule, html, what in self.page.evaluate(_BARRIERS, RULES)]

    def overflow(self) -> int:
        """By how many pixels the page is wider than the window."""
        return int(
            self.page.evaluate(
                "Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)"
            )
        )

    def flags(self) -> list[str]:
        """Flags that are not beside their names."""
        found: list[str] = self.page.evaluate(_FLAGS)
        return found

    def weight(self) -> int:
        """Bytes of the page with all that belongs to it, as they are sent: compressed."""
        return int(self.page.evaluate(_WEIGHT))

    def shift(self) -> float:
        """The cumulative layout shift since the page began to load, except just after input (web.dev/cls)."""
        return float(self.page.evaluate(_SHIFT))

    def close(self) -> None:
        self.context.close()
        assert not self.troubles, "\n".join(self.troubles)
