"""Every page, light and dark, on a desktop and on a phone: no barrier, no error, nothing beyond the edge."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from django.urls import get_resolver

from accounts import urls as account_urls
from tests.browser.community import PASSWORD, build_site

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Route

    from tests.browser.community import Site
    from tests.browser.watching import Screen

WIDE = "DejaVu Sans"
PHONE = 360
#: The fonts of a machine, narrow ones and wide ones. Each theme and each width occurs once: colours do not depend on
#: the width, nor the width on colours.
LOOKS = {"Liberation Sans": {"theme": "light", "width": 1280}, WIDE: {"theme": "dark", "width": PHONE}}
#: For tests in other files that look at a few pages.
looks = pytest.mark.parametrize(
    ("theme", "width", "fonts"),
    [(look["theme"], look["width"], fonts) for fonts, look in LOOKS.items()],
    indirect=["fonts"],
)

#: What a page may weigh with all that belongs to it, compressed, and how far it may move while it loads.
MOST_BYTES = 350 * 1000
MOST_SHIFT = 0.05
#: Just above the widths at which layouts change, where they have the least room; `LOOKS` has the other widths.
BETWEEN = (1024, 768, 641)

#: Not needed for the first paint: fonts, and the scripts that do not hold it up.
LATE = re.compile(r"\.woff2$|/static/(?!vendor/|shared/site\.)[\w/-]+\.[\w.]*js$")

#: Addresses that this test does not open: style sheets, forms that only answer to POST, addresses for programs, and
#: redirects. test_accounts.py looks at the pages of accounts.
NO_PAGES = {
    "tier-styles", "player-history", "contest-csv", "healthz", "readyz", "suggest", "card", "badge", "language",
    "feed-results", "feed-calendar", "series-feed-results", "series-feed-calendar", "community-feed-results",
    "community-feed-calendar", "community-logo", "player-picture", "accent-styles", "old-address",
    "communities-in-full", "old-organize-address", "pairings-csv", "teams-csv", "design", "design-tiers",
    "game-report-answer", "player-mail",
    # For players with an account; tested with the pages of organizers.
    "my-games", "game-report", "player-unlink", "own-picture",
    "robots", "security-contact", "sitemap", "sitemap-series", "sitemap-contests", "sitemap-players",
}  # fmt: skip
NO_ORGANIZING_PAGES = {
    "member-role", "member-invitations", "progress-json", "ring", "rate-results", "runs-compare-csv", "run-cancel",
    "invitations", "invitation-withdraw", "series-history-csv", "invitation-accept", "invitation-old", "person-name",
    "person-name-remove", "person-account", "report-decide", "change-progress", "correct-selected", "review-read",
    "review-decide-people", "review-apply-description", "review-add-missing", "review-correct", "review-now",
    "review-save", "review-discard", "review-remarks", "review-progress", "people-duplicates",
    "people-duplicates-progress",
}  # fmt: skip


def faults_of(screen: Screen, language: str = "en") -> list[str]:
    """What is wrong with the page that is shown."""
    page = screen.page
    faults = screen.barriers()
    if screen.weight() > MOST_BYTES:
        faults.append(f"{screen.weight():,} bytes")
    faults += shape_faults_of(screen)
    if page.locator("h1").count() != 1:
        faults.append(f"{page.locator('h1').count()} main headings")
    if not page.title():
        faults.append("no title")
    if page.locator("html").get_attribute("lang") != language:
        faults.append("no language")
    return faults + _faults_between(screen)


def _faults_between(screen: Screen) -> list[str]:
    """What does not fit at the widths between a phone's and a desktop's."""
    size = screen.page.viewport_size
    if size is None or size["width"] < max(BETWEEN):
        return []
    faults = []
    for width in BETWEEN:
        screen.page.set_viewport_size({**size, "width": width})
        if screen.overflow():
            screen.page.wait_for_timeout(500)  # on a busy machine, rules for the new width can come after it
        if overflow := screen.overflow():
            faults.append(f"{overflow} pixels wider than a window of {width}")
    screen.page.set_viewport_size(size)
    return faults


def shape_faults_of(screen: Screen) -> list[str]:
    """What moves on the page that is shown, and what does not fit."""
    faults = []
    if (shift := screen.shift()) > MOST_SHIFT:
        faults.append(f"moved by {shift:.3f} while it loaded")
    if overflow := screen.overflow():
        faults.append(f"{overflow} pixels wider than the window")
    return faults + screen.flags()


@pytest.mark.parametrize("fonts", LOOKS, indirect=True)
def test_every_page(open_screen: Callable[..., Screen], fonts: str):
    """One test for each machine, because building the site takes as long as looking at a dozen pages."""
    site, look = build_site(), LOOKS[fonts]
    faults = _left_out(site)
    # Phones paint long before fonts and scripts are there.
    faults += _faults_for_visitors(site, open_screen(**look), late=look["width"] == PHONE)
    faults += _faults_for_organizers(site, open_screen(**look))
    if look["width"] != PHONE:
        faults += _faults_on_phones_when_what_is_fetched_comes_late(site, open_screen(width=PHONE))
    if fonts == WIDE:
        faults += _faults_in_the_readers_own_font(site, open_screen(width=PHONE))
    assert not faults, "\n".join(faults)


def _faults_for_visitors(site: Site, screen: Screen, *, late: bool) -> list[str]:
    if late:
        screen.delay(LATE)
    faults = []
    for name, path in site.public.items():
        screen.go(path)
        screen.page.evaluate("document.fonts.ready")
        faults += [f"{name}: {fault}" for fault in faults_of(screen)]
    for name, path in {"unknown": "/no/such/page", "unknown player": "/c/main/players/nobody/"}.items():
        screen.go(path, status=404)
        faults += [f"{name}: {fault}" for fault in faults_of(screen)]
    return faults


def _faults_for_organizers(site: Site, screen: Screen) -> list[str]:
    screen.log_in("olga", PASSWORD)
    faults = []
    for name, path in site.organizing.items():
        screen.go(path)
        faults += [f"organizers, {name}: {fault}" for fault in faults_of(screen)]
    return faults


def _faults_on_phones_when_what_is_fetched_comes_late(site: Site, screen: Screen) -> list[str]:
    """How pages move when narrow fonts give way to the site's own."""
    screen.delay(LATE)
    faults = []
    for name, path in site.public.items():
        screen.go(path)
        screen.page.evaluate("document.fonts.ready")
        faults += [f"late, {name}: {fault}" for fault in shape_faults_of(screen)]
    return faults


def _faults_in_the_readers_own_font(site: Site, screen: Screen) -> list[str]:
    """Some readers block web fonts."""
    screen.context.route("**/shared/site.*.css", _leave_fonts_out)
    faults = []
    for name, path in site.public.items():
        screen.go(path)
        faults += [f"own font, {name}: {fault}" for fault in shape_faults_of(screen)]
    # The browser says that the font was fetched in vain.
    screen.troubles[:] = [trouble for trouble in screen.troubles if "was preloaded" not in trouble]
    return faults


def _leave_fonts_out(route: Route) -> None:
    answer = route.fetch()
    route.fulfill(response=answer, body=re.sub(r"@font-face \{[^}]*\}", "", answer.text()))


def _left_out(site: Site) -> list[str]:
    """The names of pages missing from the site's list, and the listed names that belong to no page."""
    named = {str(p.name) for part in get_resolver().url_patterns for p in _leaves(part, "") if p.name}
    accounts = {str(p.name) for part in account_urls.urlpatterns for p in _leaves(part, "")}
    public = (named - NO_PAGES - accounts) ^ ({name for name in site.public if " " not in name} - accounts)
    organizing = next(part for part in get_resolver().url_patterns if getattr(part, "namespace", None) == "organize")
    names = {str(pattern.name) for feature in organizing.url_patterns for pattern in feature.url_patterns}
    organizers = (names - NO_ORGANIZING_PAGES) ^ {name for name in site.organizing if " " not in name}
    return [f"{name}: not listed, or no such page" for name in sorted(public | organizers)]


def _leaves(part, namespace):
    """The addresses that belong to no namespace."""
    if getattr(part, "namespace", None):
        return
    if hasattr(part, "url_patterns"):
        for inner in part.url_patterns:
            yield from _leaves(inner, namespace)
    else:
        yield part
