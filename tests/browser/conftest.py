"""A real Chromium on a real site: gunicorn, hashed static files, the strict content policy."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.browser.fonts import only_font
from tests.browser.watching import Screen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser/" in item.nodeid:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.django_db(transaction=True))


@pytest.fixture
def fonts(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """Chromium sees the fonts of this machine, or of one family alone where a test names one."""
    return only_font(request.param, tmp_path) if hasattr(request, "param") else {}


@pytest.fixture
def chromium(transactional_db: None, monkeypatch: pytest.MonkeyPatch, fonts: dict[str, str]) -> Iterator[Browser]:
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.fail("no Chromium; make test installs it, on Debian or Ubuntu: sudo apt-get install chromium")
    from playwright.sync_api import sync_playwright

    # Playwright keeps an event loop in this thread, and Django would take the tests' own queries for asynchronous ones.
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=options, env=os.environ | fonts)
        yield browser
        browser.close()


@pytest.fixture
def open_screen(chromium: Browser, site: str) -> Iterator[Callable[..., Screen]]:
    """A function that opens a window on the site; what goes wrong in it without being asked for fails the test."""
    screens: list[Screen] = []

    def open_one(**options: object) -> Screen:
        screens.append(Screen(chromium, site, **options))
        return screens[-1]

    yield open_one
    for screen in screens:
        screen.close()


@pytest.fixture
def screen(open_screen: Callable[..., Screen]) -> Screen:
    return open_screen()
