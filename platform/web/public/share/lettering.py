"""Texts on pictures: fonts, widths, and what to do about letters that no font here has."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from django.contrib.staticfiles import finders
from PIL import ImageFont, features

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

#: Stands for a letter that the font lacks.
MISSING = "\u25a1"
#: Categories of what is not seen: controls, formats, surrogates, what nobody has assigned, line and paragraph ends.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})
#: Written from right to left: only a text engine can draw them.
_RIGHT_TO_LEFT = frozenset({"R", "AL"})
_LONGEST = 160
#: Marks upon one letter that are drawn; names of piled-up marks would run over everything else.
_MARKS = 3


@lru_cache(maxsize=32)
def font(size: int, *, bold: bool = False) -> FreeTypeFont:
    """Return DejaVu Sans (static/vendor) in a size in pixels."""
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    path = finders.find(f"vendor/dejavu/{name}")
    if not isinstance(path, str):
        raise FileNotFoundError(f"static/vendor/dejavu/{name} is missing; run scripts/vendor.py")
    return ImageFont.truetype(path, size)


def visible(text: str) -> str:
    """Return a text as one line without what shows nothing or turns the text around it: controls, bidi marks, tags."""
    kept: list[str] = []
    marks = 0
    for letter in text[:_LONGEST]:
        category = unicodedata.category(letter)
        marks = marks + 1 if category[0] == "M" else 0
        if category in _UNSEEN or marks > _MARKS:
            kept.append(" " if letter.isspace() else "")
        else:
            kept.append(letter)
    return " ".join("".join(kept).split())


def drawable(text: str, *, bold: bool = False) -> str:
    """Return the visible text with a sign in place of each letter that the font lacks, and without marks it lacks."""
    return "".join(
        c if c.isspace() or _has(c, bold) else "" if unicodedata.category(c)[0] == "M" else MISSING
        for c in visible(text)
    )


def legible(text: str) -> bool:
    """Whether most of a text can be drawn, so that people would recognize it."""
    drawn = drawable(text, bold=True)
    return bool(drawn) and drawn.count(MISSING) * 3 <= len(drawn)


def width_of(text: str, size: int, *, bold: bool = False) -> float:
    """Return the width of a text in pixels; letters that the font lacks are as wide as other fonts have them."""
    known = "".join(c if _has(c, bold) else "" for c in text)
    wide = sum(1.0 if unicodedata.east_asian_width(c) in "WF" else 0.65 for c in text if not _has(c, bold))
    return font(size, bold=bold).getlength(known) + wide * size


def fitted(text: str, width: float, sizes: range, *, bold: bool = False) -> tuple[str, int]:
    """Return the text and the largest of the sizes at which it is no wider than that, cut at the smallest."""
    for size in sizes:
        if width_of(text, size, bold=bold) <= width:
            return text, size
    while text and width_of(f"{text}…", sizes[-1], bold=bold) > width:
        text = text[:-1].rstrip()
    return f"{text}…", sizes[-1]


@lru_cache(maxsize=20_000)
def _has(character: str, bold: bool) -> bool:
    if unicodedata.bidirectional(character) in _RIGHT_TO_LEFT and not features.check("raqm"):
        return False
    probe = font(24, bold=bold)
    return bytes(probe.getmask(character)) != _unknown(bold)


@lru_cache(maxsize=2)
def _unknown(bold: bool) -> bytes:
    """Return how the font draws a code point that never has a letter."""
    return bytes(font(24, bold=bold).getmask("\uffff"))
