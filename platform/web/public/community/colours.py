"""The style sheet of an accent colour, adjusted until text in it can be read on both themes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django.http import Http404, HttpResponse
from django.views.decorators.cache import cache_control

from ratings.display import contrast

if TYPE_CHECKING:
    from django.http import HttpRequest

#: Text needs 4.5 : 1 (WCAG 2.2, success criterion 1.4.3).
LEAST_CONTRAST = 4.5
#: The backgrounds of the two themes on which links stand (static/shared/tokens.css), and how washes mix with them.
LIGHT_PAGES, DARK_PAGES = ("#ffffff", "#eef0f3"), ("#14171f", "#1b1f29")
_BLACK, _WHITE = "#000000", "#ffffff"
_STEPS = 20
_STRONGER, _WASH = 0.25, 0.08
_COLOUR = re.compile(r"[0-9a-f]{6}")


@cache_control(public=True, max_age=31_536_000, immutable=True)
def accent_styles(request: HttpRequest, colour: str) -> HttpResponse:
    """Return the style sheet of a colour; it follows from the address alone, so browsers may cache it forever."""
    if not _COLOUR.fullmatch(colour):
        raise Http404
    light, dark = readable(f"#{colour}", LIGHT_PAGES, _BLACK), readable(f"#{colour}", DARK_PAGES, _WHITE)
    values = {
        "accent": (light, dark),
        "accent-strong": (mixed(light, _BLACK, _STRONGER), mixed(dark, _WHITE, _STRONGER)),
        "accent-wash": (mixed(LIGHT_PAGES[0], light, _WASH), mixed(DARK_PAGES[0], dark, _WASH)),
    }
    rules = "".join(f"--{name}:light-dark({first},{second});" for name, (first, second) in values.items())
    return HttpResponse(f":root{{{rules}}}\n", content_type="text/css; charset=utf-8")


def readable(colour: str, pages: tuple[str, ...], toward: str) -> str:
    """Return the colour, mixed with black or white as little as is needed to read it on all pages and on its wash."""
    for step in range(_STEPS):
        candidate = mixed(colour, toward, step / _STEPS)
        if all(contrast(candidate, page) >= LEAST_CONTRAST for page in (*pages, mixed(pages[0], candidate, _WASH))):
            return candidate
    return toward


def mixed(colour: str, other: str, share: float) -> str:
    """Return a mixture of two colours "#rrggbb" with this share, from 0 to 1, of the other one."""
    channels = ((int(colour[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(one + (two - one) * share):02x}" for one, two in channels)
