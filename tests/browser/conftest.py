"""A real browser on a real site: gunicorn, hashed static files, the strict content policy."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.browser.fonts import VENDOR, only_font
from tests.browser.watching import PATIENCE, Screen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Playwright


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    left_out: list[pytest.Item] = []
    for item in items:
        if "tests/browser/" in item.nodeid:
            item.add_marker(pytest.mark.browser)
            # Tests that drive the browser itself, not only its pages, use commands that only Chromium has.
            if item.get_closest_marker("chromium_only") and item.config.getoption("firefox"):
                left_out.append(item)
            item.add_marker(pytest.mark.django_db(transaction=True))
    if left_out:
        left_out[0].config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session")
def browsers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., Browser]]:
    """A function that returns a browser limited to the fonts of one family; "" stands for those of this machine."""
    launch = _firefox if request.config.getoption("firefox") else _chromium
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)

    running: dict[tuple[str, str], Browser] = {}

    def with_fonts(family: str, theme: str = "light") -> Browser:
        # Chromium gives each window a theme of its own.
        key = family, theme if launch is _firefox else ""
        if key not in running:
            for other in [key for key in running if key[0] != family]:
                running.pop(other).close()
            fonts = only_font(family, tmp_path_factory.mktemp("fonts")) if family else {}
            running[key] = launch(playwright, theme, os.environ | fonts)
        return running[key]

    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        # Playwright keeps an event loop in this thread, and Django would take the tests' own queries for asynchronous
        # ones.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        yield with_fonts
        for browser in running.values():
            browser.close()


def _chromium(playwright: Playwright, theme: str, environment: dict[str, str]) -> Browser:
    options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]
    return playwright.chromium.launch(
        executable_path=_program("chromium", "google-chrome"), args=options, env=environment
    )


def _firefox(playwright: Playwright, theme: str, environment: dict[str, str]) -> Browser:
    """Debian's own Firefox, driven by WebDriver BiDi."""
    # WebDriver BiDi cannot set either of these for one window.
    settings = {
        "layout.css.prefers-color-scheme.content-override": 0 if theme == "dark" else 1,
        "ui.prefersReducedMotion": 1,
        # As on phones and in headless Chromium, scrollbars take no width from pages.
        "ui.useOverlayScrollbars": 1,
        # Otherwise, its sandbox lets pages read only the fonts of the system.
        "security.sandbox.content.read_path_whitelist": f"{VENDOR}/",
    }
    return playwright.firefox.launch(
        executable_path=_program("firefox-esr", "firefox"),
        channel="moz-firefox",
        firefox_user_prefs=settings,
        env=environment,
    )


def _program(*names: str) -> str:
    """The path of the first of these programs that this machine has."""
    for found in filter(None, map(shutil.which, names)):
        return found
    pytest.fail(f"{names[0]} is missing; on Debian or Ubuntu: sudo apt-get install {names[0]}")


@pytest.fixture
def fonts(request: pytest.FixtureRequest) -> str:
    """The one family of fonts that the browser sees where a test names one; otherwise it sees those of this machine."""
    return str(getattr(request, "param", ""))


@pytest.fixture
def browser(browsers: Callable[..., Browser], fonts: str) -> Browser:
    """A browser, shared by tests: each opens windows with cookies of their own."""
    return browsers(fonts)


@pytest.fixture
def open_screen(browsers: Callable[..., Browser], fonts: str, site: str) -> Iterator[Callable[..., Screen]]:
    """A function that opens a window on the site; anything that unexpectedly goes wrong in it fails the test."""
    screens: list[Screen] = []

    def open_one(*, theme: str = "light", **options: object) -> Screen:
        screens.append(Screen(browsers(fonts, theme), site, theme=theme, **options))
        return screens[-1]

    yield open_one
    for screen in screens:
        screen.close()


@pytest.fixture
def screen(open_screen: Callable[..., Screen]) -> Screen:
    return open_screen()
