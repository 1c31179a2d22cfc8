"""The records page: tables beside each other, with names longer than their columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import reverse

from ratings.publishing.deriving import derive_series
from tests.factories import make_contest, make_player, make_series, rate

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.watching import Screen

#: A name of many words, and a name of one word; both are longer than the column of a table beside another.
NAMES = ["Evgenia Malinnikova (Union of Soviet Socialist Republics)", "27282967385452642740359951832823"]
#: From just above the width at which two tables fit side by side, up to a large desktop.
WIDTHS = (960, 1024, 1280, 1920)
_TABLES = "[...document.querySelectorAll('main table')].filter((table) => table.checkVisibility())"
#: Tables wider than the column they are in, and cells that cut off what they contain.
_FAULTS = f"""() => {_TABLES}.flatMap((table) => {{
  const beyond = table.getBoundingClientRect().right - table.parentElement.getBoundingClientRect().right;
  const cut = [...table.querySelectorAll("th, td, bdi")].filter((each) => each.clientWidth
    && each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX !== "visible");
  return [...(beyond > 0.5 ? [`${{table.caption.textContent.trim()}}: ${{Math.round(beyond)}} px beyond`] : []),
    ...cut.map((each) => `cut off: ${{each.textContent.trim()}}`)];
}})"""


def test_tables_of_records_stay_within_their_columns_and_show_whole_names(open_screen: Callable[..., Screen]):
    series = make_series()
    for number, (handle, name) in enumerate(zip(("ann", "bob"), NAMES, strict=True)):
        make_player(handle, name=name, country=("RU", "")[number])
    for number in range(6):
        winner, loser = ("ann", "bob") if number < 4 else ("bob", "ann")
        make_contest(series, standings=[(winner, 1), (loser, 2), ("eve", 3), ("fay", 4)], day=365 * number)
    rate(series)
    derive_series(series.pk)
    for locale in ("en-GB", "de-DE"):
        screen = open_screen(locale=locale)
        page = screen.go(reverse("records", args=[series]))
        assert page.evaluate(f"{_TABLES}.length") >= 7
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            assert not page.evaluate(_FAULTS), f"{width} pixels, {locale}"
            assert not screen.flags(), f"{width} pixels, {locale}"
