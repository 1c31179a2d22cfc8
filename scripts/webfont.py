"""
Make the pages' font from Inter: the letters and symbols that pages use, and fallback fonts of about the same size.

scripts/vendor.py calls this; it needs fontTools and Brotli (requirements-dev.txt).
"""

from __future__ import annotations

import io
import string
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fontTools.ttLib.tables.otTables import SingleSubst

#: Latin with Vietnamese, Greek, and the symbols of the pages. Other scripts come from the reader's own fonts.
LETTERS = [
    (0x20, 0x7E), (0xA0, 0x17F), (0x192, 0x192), (0x1A0, 0x1A1), (0x1AF, 0x1B0), (0x1CD, 0x1D4), (0x1E6, 0x1E7),
    (0x218, 0x21B), (0x259, 0x259), (0x2BB, 0x2BC), (0x2C6, 0x2DD), (0x300, 0x304), (0x306, 0x30C), (0x31B, 0x31B),
    (0x323, 0x323), (0x326, 0x328), (0x384, 0x3CE), (0x1E62, 0x1E63), (0x1E9E, 0x1E9E), (0x1EA0, 0x1EF9),
    (0x2009, 0x200A), (0x2010, 0x2015), (0x2018, 0x2022), (0x2026, 0x2026), (0x202F, 0x202F), (0x2032, 0x2033),
    (0x2039, 0x203A), (0x2070, 0x2079), (0x2080, 0x2089), (0x20AC, 0x20AC),
]  # fmt: skip
SIGNS = "™←↑→↓↔↗↘√∞−≈≠≤≥⌘■□▲△▶▼▽◀◆◇○●★☆✓✗"
FEATURES = ["kern", "mark", "mkmk", "ccmp", "locl", "tnum"]
#: The pages use 400 to 700.
WEIGHTS = (400, 700)

#: Letter frequencies of English text in % (Lewand, Cryptological Mathematics), with spaces, digits and capitals added.
FREQUENCY = dict(
    zip(
        string.ascii_lowercase,
        (8.2, 1.5, 2.8, 4.3, 12.7, 2.2, 2.0, 6.1, 7.0, 0.15, 0.77, 4.0, 2.4, 6.7, 7.5, 1.9, 0.095, 6.0, 6.3, 9.1, 2.8,
         0.98, 2.4, 0.15, 2.0, 0.074),
        strict=True,
    )
) | {" ": 18.0, **dict.fromkeys("0123456789", 1.5), **dict.fromkeys("ACEHMPRST", 0.5)}  # fmt: skip


@dataclass(frozen=True)
class StandIn:
    """A common system font: its family, the names of its two faces, and files with the same widths."""

    family: str
    regular: tuple[str, ...]
    bold: tuple[str, ...]
    regular_file: bytes
    bold_file: bytes


def subset(source: bytes) -> bytes:
    """Return Inter as woff2 with our letters, weights and features, drawn for the sizes of running text."""
    font = TTFont(io.BytesIO(source), recalcTimestamp=False)
    _keep_tabular(font, {"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"})
    options = Options(layout_features=FEATURES, hinting=False, name_IDs=[0, 1, 2, 3, 4, 5, 6, 13, 14])
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=[code for low, high in LETTERS for code in range(low, high + 1)], text=SIGNS)
    subsetter.subset(font)
    font = instantiateVariableFont(font, {"opsz": 14, "wght": WEIGHTS})
    font.flavor = "woff2"
    packed = io.BytesIO()
    font.save(packed)
    return packed.getvalue()


def _keep_tabular(font: TTFont, names: set[str]) -> None:
    """Give only these glyphs equal widths: Inter also widens hyphens and commas, which leaves gaps in names."""
    for substitution in _tabular(font):
        substitution.mapping = {name: other for name, other in substitution.mapping.items() if name in names}


def _tabular(font: TTFont) -> list[SingleSubst]:
    """Return the lookup that substitutes glyphs of equal widths, if the font has one."""
    if "GSUB" not in font:
        return []
    table = font["GSUB"].table
    records = (record for record in table.FeatureList.FeatureRecord if record.FeatureTag == "tnum")
    numbers = {number for record in records for number in record.Feature.LookupListIndex}
    parts = (part for number in numbers for part in table.LookupList.Lookup[number].SubTable)
    return [getattr(part, "ExtSubTable", part) for part in parts]


def style_sheet(font: bytes, address: str, stand_ins: list[StandIn]) -> str:
    """
    Return static/shared/fonts.css: the font, and adjusted fallback fonts for when it loads too late.

    size-adjust is the mean width of a letter in ours, divided by that in the reader's font, both weighted by how often
    letters occur; the heights above and below the line are ours, divided by that factor, because the browser multiplies
    them by it too (https://developer.mozilla.org/docs/Web/CSS/@font-face/size-adjust).

    A mean is not the width of a particular line. With `font-display: swap` and a font 0.3 s late, a heading wrapped
    differently on six of fifty pages, and what is below it moved. With `optional` a page stays in the font in which it
    was first painted. Pages preload the font, so it is ours except on the first page over a slow connection.
    """
    faces = [
        "/* Written by scripts/vendor.py: Inter, and fallback fonts for when it loads too late, adjusted to its\n"
        "   width and height. scripts/webfont.py explains the figures. */\n"
        '@font-face { font-family: "Inter"; font-style: normal; font-weight: 400 700; font-display: optional; '
        f'src: url("{address}") format("woff2"); }}'
    ]
    for stand_in in stand_ins:
        faces.append(_face(font, stand_in.family, stand_in.regular, stand_in.regular_file, 400))
        faces.append(_face(font, stand_in.family, stand_in.bold, stand_in.bold_file, 650))
    return "\n".join(faces) + "\n"


def _face(font: bytes, family: str, names: tuple[str, ...], other: bytes, weight: int) -> str:
    ours = instantiateVariableFont(TTFont(io.BytesIO(font)), {"wght": weight})
    factor = mean_width(ours) / mean_width(TTFont(io.BytesIO(other)))
    em, heights = ours["head"].unitsPerEm, ours["hhea"]
    above, below, gap = (100 * abs(value) / em / factor for value in (heights.ascent, heights.descent, heights.lineGap))
    places = ", ".join(f'local("{name}")' for name in names)
    reach = "100 550" if weight < 550 else "551 900"
    return (
        f'@font-face {{ font-family: "Inter as {family}"; font-weight: {reach}; src: {places}; '
        f"size-adjust: {100 * factor:.2f}%; ascent-override: {above:.2f}%; descent-override: {below:.2f}%; "
        f"line-gap-override: {gap:.0f}%; }}"
    )


def mean_width(font: TTFont, frequency: Mapping[str, float] = FREQUENCY) -> float:
    """Return the mean width of a letter in ems; digits count with their tabular width, as on pages."""
    glyphs, widths = font.getBestCmap(), font["hmtx"]
    tabular = {name: other for part in _tabular(font) for name, other in part.mapping.items()}
    names = {sign: glyphs[ord(sign)] for sign in frequency}
    total = sum(often * widths[tabular.get(names[sign], names[sign])][0] for sign, often in frequency.items())
    return float(total / sum(frequency.values()) / font["head"].unitsPerEm)
