"""
Badges as shields.io has made them known: what, and how much, in one line of SVG.

    /badges/<handle>/?series=<slug>&style=flat|square|large

Names are escaped and stripped of what XML does not know. The width of texts is estimated in DejaVu Sans, whose letters
are as wide as those of Verdana, and `textLength` holds browsers to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.html import format_html
from django.utils.translation import gettext as _

from web.public.share.cards import title_of
from web.public.share.lettering import fitted, visible, width_of
from web.shared.tags import points as written

if TYPE_CHECKING:
    from web.public.share.figures import Subject

LABEL, UNKNOWN = "#454a54", "#646d7c"
LONGEST = 180


@dataclass(frozen=True, slots=True)
class Style:
    """Height, size of letters and corners, in pixels; `padding` is what is around each text."""

    height: int
    letters: int
    padding: int
    corners: int
    is_bold: bool = False


STYLES = {
    "flat": Style(20, 11, 7, 4),
    "square": Style(20, 11, 7, 0),
    "large": Style(28, 13, 11, 6, is_bold=True),
}
#: As others call them.
ALIASES = {"flat-square": "square", "for-the-badge": "large", "plastic": "flat"}


def style_of(name: str) -> Style:
    """Return the style of that name; of any other name, the plain one."""
    return STYLES[name if name in STYLES else ALIASES.get(name, "flat")]


def badge(subject: Subject, style: Style) -> str:
    """Return the badge as SVG: the series at the left, the rating in its tier's colour at the right."""
    standing = subject.standing
    label = visible(subject.series.name) if subject.series is not None else _("rating")
    if standing is None:
        value, colour = _absence(subject), UNKNOWN
    else:
        value = f"{visible(standing.tier.symbol)} {written(standing.points)} {visible(standing.tier.name)}".strip()
        colour = standing.tier.colour_light
    return _svg(label or _("rating"), value, colour, title_of(subject), style)


def _absence(subject: Subject) -> str:
    if subject.player is None:
        return _("unknown player")
    return _("unknown series") if subject.is_series_unknown else _("unrated")


def _svg(label: str, value: str, colour: str, title: str, style: Style) -> str:
    size, bold = style.letters, style.is_bold
    label, value = (fitted(text, LONGEST, range(size, size - 1, -1), bold=bold)[0] for text in (label, value))
    widths = [round(width_of(text, size, bold=bold)) for text in (label, value)]
    left, right = (width + 2 * style.padding for width in widths)
    # Names in other scripts come from other fonts there: they are squeezed or stretched to what was reckoned.
    return format_html(
        '<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img" aria-label="{title}">'
        "<title>{title}</title>"
        '<clipPath id="r"><rect width="{width}" height="{height}" rx="{corners}"/></clipPath>'
        '<g clip-path="url(#r)"><rect width="{left}" height="{height}" fill="{label_colour}"/>'
        '<rect x="{left}" width="{right}" height="{height}" fill="{colour}"/></g>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="{size}" font-weight="{weight}" '
        'text-anchor="middle">'
        '<text x="{label_at}" y="{line}" textLength="{label_width}" lengthAdjust="spacingAndGlyphs">{label}</text>'
        '<text x="{value_at}" y="{line}" textLength="{value_width}" lengthAdjust="spacingAndGlyphs">{value}</text>'
        "</g></svg>",
        width=left + right, height=style.height, title=title, corners=style.corners, left=left, right=right,
        label_colour=LABEL, colour=colour, size=size, weight="bold" if bold else "normal", label=label, value=value,
        label_at=left / 2, value_at=left + right / 2, label_width=widths[0], value_width=widths[1],
        line=round(style.height / 2 + size * 0.36),
    )  # fmt: skip
