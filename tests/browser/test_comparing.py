"""The distribution, the comparison and other pages of a series in a browser, with everything computed for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from contests.models import Series
from ratings.publishing.deriving import derive_series
from tests.browser.community import build_site
from tests.browser.test_every_page import faults_of, looks

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.watching import Screen

ADDRESSES = [
    "/c/main/series/harbour-cup/distribution/?player=ann&rating=1500&active=1",
    "/c/main/series/harbour-cup/distribution/?as=shares&rating=x",
    "/c/main/series/night-relay/distribution/?player=nobody",
    "/compare/?players=ann,bob&page=1",
    "/compare/?series=harbour-cup&players=ann,bob,Zoë,李明,أمينة,=cmd(),p1,p2,p3",
]


@looks
def test_everything_computed_for_these_pages_is_readable(open_screen: Callable[..., Screen], theme, width):
    build_site()
    for series in Series.objects.all():
        derive_series(series.pk)
    screen = open_screen(theme=theme, width=width)
    faults = []
    for address in ADDRESSES:
        status = 400 if "rating=x" in address else 404 if "nobody" in address else 200
        screen.go(address, status=status)
        screen.page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        faults += [f"{address}: {fault}" for fault in faults_of(screen)]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
def test_three_players_fit_on_a_phone_and_the_names_of_their_figures_stay_in_view(
    open_screen: Callable[..., Screen], locale
):
    build_site()
    screen = open_screen(width=360, locale=locale)
    for handles in ("ann,bob", "ann,bob,p1"):
        table = screen.go(f"/compare/?series=harbour-cup&players={handles}").locator(".table-scroll").first
        assert table.evaluate("each => each.scrollWidth - each.clientWidth") == 0, handles
    table = screen.go(ADDRESSES[-1]).locator(".table-scroll").first
    assert table.evaluate("each => each.scrollWidth - each.clientWidth") > 0
    assert (
        table.evaluate("""each => { each.scrollLeft = each.scrollWidth;
      return each.querySelector("tbody th").getBoundingClientRect().left }""")
        >= 0
    )


@pytest.mark.parametrize("theme", ["light"])
def test_text_in_the_drawing_keeps_its_size_on_a_phone(open_screen: Callable[..., Screen], theme):
    build_site()
    screen = open_screen(theme=theme, width=360)
    screen.go("/c/main/series/harbour-cup/distribution/?player=ann")
    sizes = screen.page.eval_on_selector_all(
        ".dist-figure text", "all => all.filter(e => e.checkVisibility()).map(e => e.getBoundingClientRect().height)"
    )
    assert min(sizes) >= 12


#: The right ends of the fields of the form above a table, and of the last one, a button; and the right end of the form.
_ENDS = """() => {
  const form = document.querySelector(".filters"), end = (each) => Math.round(each.getBoundingClientRect().right);
  return [[...form.children].filter((each) => each.checkVisibility()).map(end), end(form)];
}"""


def test_fields_end_where_the_line_ends(open_screen: Callable[..., Screen]):
    build_site()
    screen = open_screen(width=360)
    cup = "/c/main/series/harbour-cup"
    for address in (ADDRESSES[3], f"{cup}/what-if/?player=ann", f"{cup}/opponents/?player=ann", "/contests/"):
        screen.go(address)
        ends, whole = screen.page.evaluate(_ENDS)
        assert ends[:2] == [whole, whole], address
    screen.page.set_viewport_size({"width": 1280, "height": 900})
    for address in (ADDRESSES[3], f"{cup}/what-if/?player=ann", f"{cup}/match/?a=ann&b=bob"):
        screen.go(address)
        ends, whole = screen.page.evaluate(_ENDS)
        assert ends[-1] == whole, address


def test_the_table_of_parameters_fits_its_column_in_german(open_screen: Callable[..., Screen]):
    build_site()
    screen = open_screen(locale="de-DE")
    for width in (1280, 1024):
        screen.page.set_viewport_size({"width": width, "height": 900})
        page = screen.go("/c/main/series/harbour-cup/how/")
        page.locator(".how details").evaluate("(each) => { each.open = true; }")
        column, table, *words = page.evaluate(
            """() => ["#system", ".how details table", ".how details th .sub"].flatMap((name) =>
            [...document.querySelectorAll(name)].map((each) => each.getBoundingClientRect().width))"""
        )
        assert table <= column, width
        assert min(words) > 0.3 * column, width


@pytest.mark.chromium_only
def test_a_table_fades_at_its_edge_while_there_is_more_to_scroll_to(open_screen: Callable[..., Screen]):
    build_site()
    screen = open_screen(width=360)
    table = screen.go(ADDRESSES[-1]).locator(".table-scroll").first
    read = "(each) => parseFloat(getComputedStyle(each).getPropertyValue('--table-fade'))"
    assert table.evaluate(read) > 30
    table.evaluate("async (each) => { each.scrollLeft = each.scrollWidth; await new Promise(requestAnimationFrame); }")
    assert table.evaluate(read) == 0
    screen.page.set_viewport_size({"width": 1280, "height": 900})
    assert table.evaluate(read) == 0


@pytest.mark.parametrize("theme", ["light"])
def test_a_tap_or_an_arrow_key_writes_the_numbers_of_a_bar_below_the_histogram(
    open_screen: Callable[..., Screen], theme
):
    build_site()
    screen = open_screen(theme=theme, width=360)
    screen.go("/c/main/series/harbour-cup/distribution/")
    plot, line = screen.page.locator(".dist-plot[role=slider]"), screen.page.locator("[data-bar-numbers]")
    hint = line.inner_text()
    plot.locator(".dist-column").last.locator(".dist-hit").click()
    last = line.inner_text()
    plot.press("Home")
    first = line.inner_text()
    assert plot.get_attribute("aria-valuetext") == first
    plot.press("End")
    assert line.inner_text() == last
    plot.press("Escape")
    assert line.inner_text() == hint
    for text, row in ((first, -1), (last, 0)):
        ends = screen.page.locator(".dist-table").first.locator("tbody th").nth(row).text_content().strip().split("–")
        assert text.startswith(f"{ends[0]} to {ends[-1]}: ")
