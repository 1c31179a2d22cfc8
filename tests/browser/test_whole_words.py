"""Words of names stay whole in tables with little room, and words of any length keep the page within its window."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from django.urls import reverse

from ratings.publishing.deriving import derive_series
from tests.factories import make_contest, make_player, make_series, rate

if TYPE_CHECKING:
    from collections.abc import Callable

    from contests.models import Series
    from tests.browser.watching import Screen

NAMES = {
    "ann": "Friederike Langenburg",
    "bob": "Lisa Anastassiades",
    "cid": "Stanisław Krishnamoorthy",
    "dan": "Fernando Castañeda",
    "eve": "a_very_long_handle_that_does_not_fit_on_phones_at_all_1234567890",
}
COUNTRIES = ["BA", "CF", "LI", "NL", "TM"]
#: Broken words in names, other than the long handle: it must break.
_BROKEN = r"""() => [...document.querySelectorAll("main tbody bdi")].flatMap((name) => {
  const text = name.querySelector("a")?.firstChild;
  if (!text || text.data.includes("_") || !name.checkVisibility()) return [];
  return [...text.data.matchAll(/[\p{L}\p{M}]+/gu)].filter(({ 0: word, index }) => {
    const range = document.createRange();
    range.setStart(text, index); range.setEnd(text, index + word.length);
    return new Set([...range.getClientRects()].map((line) => Math.round(line.top))).size > 1;
  }).map(({ 0: word }) => word);
})"""


def _series() -> Series:
    series = make_series("cup")
    for (handle, name), country in zip(NAMES.items(), COUNTRIES, strict=True):
        make_player(handle, name=name, country=country, affiliation="1" * 60 if handle == "eve" else "")
    for day in range(6):
        order = sorted(NAMES, key=lambda handle: (day * 3 + ord(handle[0])) % 5)
        make_contest(series, standings=[(handle, max(place, 2)) for place, handle in enumerate(order, 1)], day=day)
    rate(series)
    derive_series(series.pk)
    return series


@pytest.mark.chromium_only
@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
def test_words_of_players_names_are_whole_on_phones(open_screen: Callable[..., Screen], locale: str):
    _series()
    screen = open_screen(width=360, locale=locale)
    for path, tables in (
        ("/c/main/series/cup/opponents/?player=ann&show=everyone", ".match-opponents"),
        (f"/c/main/series/cup/pairings/?players={quote(chr(10).join(NAMES))}", ".match-boards"),
        ("/c/main/players/ann/", ".rivals"),
    ):
        page = screen.go(path)
        assert page.locator(f"{tables} tbody bdi").count() >= 4, path
        assert not page.evaluate(_BROKEN), path
        assert not screen.flags(), path
        assert screen.overflow() == 0, path


@pytest.mark.chromium_only
@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
def test_words_of_countries_are_whole_at_every_width(open_screen: Callable[..., Screen], locale: str):
    series = _series()
    screen = open_screen(locale=locale)
    for name in ("countries", "affiliations"):
        page = screen.go(f"{reverse(name, args=[series])}?active=ever")
        for width in (1216, 1024, 768, 641, 480, 360):
            page.set_viewport_size({"width": width, "height": 800})
            assert not page.evaluate(_BROKEN.replace("tbody bdi", "tbody th bdi")), width
            assert screen.overflow() == 0, width
