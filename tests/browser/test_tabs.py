"""Tabs that scroll sideways on phones fade out at the sides where there are more of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import reverse

from tests.factories import make_contest, make_series, rate

if TYPE_CHECKING:
    from tests.browser.watching import Screen

#: Whether the left and the right end of the tabs fade out, measured in the gradient of the mask.
_FADES = """tabs => {
  const style = getComputedStyle(tabs);
  if (style.maskImage === "none") return [false, false];
  const width = (name) => parseFloat(style.getPropertyValue(name)) || 0;
  return [width("--fade-left") > 0, width("--fade-right") > 0];
}"""


def test_tabs_fade_out_at_the_side_with_more(screen: Screen):
    series = make_series()
    make_contest(series, standings=[("ann", 1), ("bob", 2)])
    rate(series)
    page = screen.page
    page.set_viewport_size({"width": 360, "height": 740})
    screen.go(reverse("series", args=[series]))
    tabs = page.locator(".series-tabs")

    def assert_fades(left: bool, right: bool) -> None:
        """Wait for the scroll and resize events, which the browser sends with the next frame."""
        found = f"String(({_FADES})(document.querySelector('.series-tabs')))"
        page.wait_for_function(f"(expected) => {found} === expected", arg=f"{left},{right}".lower())

    assert_fades(left=False, right=True)
    tabs.evaluate("tabs => { tabs.scrollLeft = 60 }")
    assert_fades(left=True, right=True)
    tabs.evaluate("tabs => { tabs.scrollLeft = tabs.scrollWidth }")
    assert_fades(left=True, right=False)
    first = tabs.locator("a").first
    first.focus()
    assert_fades(left=False, right=True)
    page.set_viewport_size({"width": 1280, "height": 740})
    assert_fades(left=False, right=False)
    page.set_viewport_size({"width": 360, "height": 740})
    screen.go(reverse("how", args=[series]))
    assert_fades(left=True, right=False)
