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

    from playwright.sync_api import Browser


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser/" in item.nodeid:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.django_db(transaction=True))


@pytest.fixture(scope="session")
def chromiums(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Browser]]:
    """A function that returns a Chromium which sees the fonts of one family alone, or those of this machine for ""."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.fail("no Chromium; make test installs it, on Debian or Ubuntu: sudo apt-get install chromium")
    from playwright.sync_api import sync_playwright

    options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]
    running: dict[str, Browser] = {}

    def with_fonts(family: str) -> Browser:
        if family not in running:
            while running:
                running.popitem()[1].close()
            fonts = only_font(family, tmp_path_factory.mktemp("fonts")) if family else {}
            running[family] = playwright.chromium.launch(executable_path=program, args=options, env=os.environ | fonts)
        return running[family]

    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        # Playwright keeps an event loop in this thread, and Django would take the tests' own queries for asynchronous
        # ones.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        yield with_fonts
        for browser in running.values():
            browser.close()


@pytest.fixture
def fonts(request: pytest.FixtureRequest) -> str:
    """The one family of fonts that Chromium sees where a test names one; otherwise it sees those of this machine."""
    return str(getattr(request, "param", ""))


@pytest.fixture
def chromium(chromiums: Callable[[str], Browser], fonts: str) -> Browser:
    """A Chromium, shared by tests: each opens windows with cookies of their own."""
    return chromiums(fonts)


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
