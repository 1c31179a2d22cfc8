"""The style sheet of an accent colour, adjusted until text in it can be read on both themes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django.http import Http404, HttpResponse
from django.views.decorators.cache import cache_control

from ratings.display.colours import DARK_PAGES, LIGHT_PAGES, mixed, readable

if TYPE_CHECKING:
    from django.http import HttpRequest

_BLACK, _WHITE = "#000000", "#ffffff"
#: The share of black or white in the strong accent, and the share of the accent in a wash.
_STRONGER, _WASH = 0.25, 0.08
_COLOUR = re.compile(r"[0-9a-f]{6}")


@cache_control(public=True, max_age=31_536_000, immutable=True)
def accent_styles(request: HttpRequest, colour: str) -> HttpResponse:
    """Return the style sheet of a colour; it follows from the address alone, so browsers may cache it forever."""
    if not _COLOUR.fullmatch(colour):
        raise Http404
    light, dark = (readable(f"#{colour}", pages, wash=_WASH) for pages in (LIGHT_PAGES, DARK_PAGES))
    values = {
        "accent": (light, dark),
        "accent-strong": (mixed(light, _BLACK, _STRONGER), mixed(dark, _WHITE, _STRONGER)),
        "accent-wash": (mixed(LIGHT_PAGES[0], light, _WASH), mixed(DARK_PAGES[0], dark, _WASH)),
    }
    rules = "".join(f"--{name}:light-dark({first},{second});" for name, (first, second) in values.items())
    return HttpResponse(f":root{{{rules}}}\n", content_type="text/css; charset=utf-8")
