"""Colours of text that keep their hue in both themes: one per tier, rising from grey to a brilliant red.

Lightness, chroma and hue are those of OKLCH (Ottosson 2020, "A perceptual color space for image processing";
CSS Color 4, section 9), which `coloraide` computes. Contrast is that of WCAG 2.2, success criterion 1.4.3.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from coloraide import Color

if TYPE_CHECKING:
    from collections.abc import Sequence

LIGHT_PAGES = ("#ffffff", "#f6f7f9", "#eef0f3")
DARK_PAGES = ("#14171f", "#1b1f29", "#0e1117")
"""The backgrounds of the two themes (static/shared/tokens.css): the page, raised and sunken parts."""
LIGHT_PAGE, DARK_PAGE = LIGHT_PAGES[0], DARK_PAGES[0]
MINIMUM_CONTRAST = 4.5
"""For text of ordinary size."""
_HALVINGS = 10
"""The number of bisections, which find a lightness to a thousandth."""


def contrast(first: str, second: str) -> float:
    """Return the contrast of two colours "#rrggbb", from 1 to 21 (WCAG 2.2, "contrast ratio")."""
    darker, brighter = sorted((_relative_luminance(first), _relative_luminance(second)))
    return (brighter + 0.05) / (darker + 0.05)


def for_both_themes(colour: str) -> tuple[str, str]:
    """Return the colours nearest to "#rrggbb" with its hue that can be read as text on light and on dark pages."""
    return readable(colour, LIGHT_PAGES), readable(colour, DARK_PAGES)


@lru_cache(maxsize=2048)
def readable(colour: str, pages: tuple[str, ...], *, wash: float = 0.0) -> str:
    """
    Return a colour with the same hue and the nearest lightness at which text can be read on these pages.

    Keep the chroma as far as sRGB allows.

    wash
        The share, from 0 to 1, of the colour in a tint of the first page behind the text.
    """
    if _is_readable(colour, pages, wash):
        return colour
    start = Color(colour).convert("oklch")
    near, far = start["lightness"], 0.0 if contrast(pages[0], "#ffffff") < contrast(pages[0], "#000000") else 1.0
    for _ in range(_HALVINGS):
        middle = (near + far) / 2
        near, far = (near, middle) if _is_readable(_with_lightness(start, middle), pages, wash) else (middle, far)
    return _with_lightness(start, far)


def mixed(colour: str, other: str, share: float) -> str:
    """Return a mixture of two colours "#rrggbb" with this share, from 0 to 1, of the other one."""
    channels = ((int(colour[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(one + (two - one) * share):02x}" for one, two in channels)


def tier_colours(count: int) -> list[tuple[str, str]]:
    """
    Return a pair of colours per tier, lowest first: for text on light and on dark pages.

    With up to twelve tiers, all differ, and neighbours stay apart for colour-blind readers too. With more, neighbours
    may share a colour, and only their symbols differ.
    """
    last = len(_RISING) - 1
    return [_RISING[round(place * last / max(1, count - 1))] for place in range(count)]


def _with_lightness(colour: Color, lightness: float) -> str:
    changed = colour.clone().set("lightness", lightness).fit("srgb", method="raytrace", pspace="oklch")
    return changed.convert("srgb").to_string(hex=True)


def _is_readable(colour: str, pages: Sequence[str], wash: float) -> bool:
    behind = (*pages, mixed(pages[0], colour, wash)) if wash else pages
    return all(contrast(colour, page) >= MINIMUM_CONTRAST for page in behind)


def _relative_luminance(colour: str) -> float:
    """Return the relative luminance of WCAG 2.2, with the sRGB threshold of IEC 61966-2-1."""
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


_RISING = (
    ("#6b6b6b", "#8c8c8c"),
    ("#4b7143", "#579f47"),
    ("#284435", "#4ab782"),
    ("#005b62", "#4ed4e1"),
    ("#007190", "#4f90aa"),
    ("#01378e", "#7ba1e0"),
    ("#4e00d8", "#827aff"),
    ("#8447e1", "#c0a6ff"),
    ("#690668", "#febffa"),
    ("#b6318d", "#ff55c9"),
    ("#a9005c", "#f68cb2"),
    ("#c7004a", "#fe3a6c"),
)
"""Twelve hues from grey through green, blue and violet to red, each for light and for dark pages.

There is no yellow or orange, because these are brown where they can be read on white. A search over hue, chroma and
lightness kept the CIEDE2000 difference of neighbours above 9 for every choice of `tier_colours`, with normal vision and
with simulated protanopia, deuteranopia and tritanopia, and varied the lightness as little as that allows.
"""
