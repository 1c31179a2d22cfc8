"""
The picture of a player that other sites show beside a link (Open Graph): 1200 x 630 pixels, PNG.

Dark whatever the reader's theme: such pictures stand among others, and tier colours glow on dark. Texts are drawn by
Pillow in DejaVu Sans; a name in letters that it lacks (Chinese, Thai, emoji …) is left to the text that the other site
shows beside the picture.
"""

from __future__ import annotations

import io
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from django.contrib.staticfiles import finders
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from PIL import Image, ImageDraw, ImageFont, features

from web.shared.tags import points as written

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from PIL.ImageDraw import ImageDraw as Canvas
    from PIL.ImageFont import FreeTypeFont

    from web.public.share.figures import Standing, Subject


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


WIDTH, HEIGHT = 1200, 630
PAGE, RAISED, INK, SOFT, FAINT, RULE = "#14171f", "#1b1f29", "#eceef2", "#b3bac6", "#949dac", "#2b313d"
ACCENT = "#ff9466"
SITE = "Podium"
LEFT, RIGHT, TOP = 64, 1136, 56
#: Left, top, right, bottom of the graph.
GRAPH = (520, 262, 1136, 522)
#: Lines are drawn so many times as large and made smaller again, which rounds their steps.
FINER = 2


def card(subject: Subject, times: Sequence[datetime], ratings: Sequence[int]) -> bytes:
    """
    Return the card as a PNG.

    times, ratings
        When the player's contests ended, oldest first, and the shown rating after each.
    """
    image = Image.new("RGB", (WIDTH, HEIGHT), PAGE)
    canvas = ImageDraw.Draw(image)
    _frame(canvas, subject)
    if subject.standing is None:
        canvas.text((LEFT, 330), _without_rating(subject), font=font(44), fill=SOFT, anchor="ls")
    else:
        _figures(canvas, subject.standing)
        if ratings:
            image.paste(_graph(subject.standing, ratings), GRAPH[:2])
            _dates(canvas, times)
    output = io.BytesIO()
    image.save(output, "PNG", compress_level=7)
    return output.getvalue()


def _without_rating(subject: Subject) -> str:
    if subject.player is None:
        return _("There is no player with this name")
    return _("There is no such series") if subject.is_series_unknown else _("Not rated yet")


def _frame(canvas: Canvas, subject: Subject) -> None:
    """Draw what every card has: whose it is, of which series, and the name of the site."""
    for left, top in ((LEFT, 24), (LEFT + 13, 12), (LEFT + 26, 30)):
        canvas.rectangle((left, TOP + top, left + 9, TOP + 42), fill=ACCENT)
    canvas.text((LEFT + 52, TOP + 41), SITE, font=font(34, bold=True), fill=INK, anchor="ls")
    if subject.series is not None and legible(subject.series.name):
        series, size = fitted(drawable(subject.series.name), 720, range(34, 24, -2))
        canvas.text((RIGHT, TOP + 41), series, font=font(size), fill=SOFT, anchor="rs")
    canvas.line((LEFT, TOP + 66, RIGHT, TOP + 66), fill=RULE, width=2)
    name, size = fitted(_headline(subject), RIGHT - LEFT, range(76, 38, -4), bold=True)
    canvas.text((LEFT, 216), name, font=font(size, bold=True), fill=INK, anchor="ls")


def _headline(subject: Subject) -> str:
    """Return the handle if people would recognize it as drawn, else the name, else what the card is about."""
    player = subject.player
    for text in (player.handle, player.name) if player is not None else ():
        if legible(text):
            return drawable(text, bold=True)
    return _("Rating")


def _figures(canvas: Canvas, standing: Standing) -> None:
    """Draw the rating in its tier's colour, and what stands around it."""
    tier = standing.tier
    number = written(standing.points)
    colour = tier.colour_dark
    symbol = drawable(tier.symbol, bold=True) if legible(tier.symbol) else ""
    _text, size = fitted(number, GRAPH[0] - LEFT - 40, range(116, 60, -4), bold=True)
    canvas.text((LEFT, 362), number, font=font(size, bold=True), fill=colour, anchor="ls")
    name = drawable(tier.name, bold=True) if legible(tier.name) else ""
    name, size = fitted(f"{symbol} {name}".strip(), GRAPH[0] - LEFT - 40, range(40, 24, -2), bold=True)
    canvas.text((LEFT, 424), name, font=font(size, bold=True), fill=colour, anchor="ls")
    rank = _("rank %(rank)s of %(total)s") % {"rank": written(standing.rank), "total": written(standing.total)}
    _line(canvas, 484, rank)
    _line(canvas, 526, _("peak %(peak)s") % {"peak": written(standing.peak)})
    contests = _("rated contests: %(contests)s") % {"contests": written(standing.contests)}
    _line(canvas, 568, contests)


def _line(canvas: Canvas, bottom: int, text: str) -> None:
    text, size = fitted(text, GRAPH[0] - LEFT - 40, range(30, 18, -2))
    canvas.text((LEFT, bottom), text, font=font(size), fill=SOFT, anchor="ls")


def _graph(standing: Standing, ratings: Sequence[int]) -> Image.Image:
    """Return the graph: the line of the ratings upon the colours of the tiers it runs through."""
    width, height = (GRAPH[2] - GRAPH[0]) * FINER, (GRAPH[3] - GRAPH[1]) * FINER
    low, high = _ends(standing, ratings)
    image = Image.new("RGB", (width, height), RAISED)
    canvas = ImageDraw.Draw(image)

    def y(rating: float) -> float:
        return height * (high - rating) / (high - low)

    for tier in standing.snapshot.tiers:
        bottom = height if tier.minimum is None else y(tier.minimum)
        if bottom > 0:
            canvas.rectangle((0, 0, width, min(height, bottom)), fill=_mixed(tier.colour_dark, PAGE, 0.2))
    margin = 16 * FINER if len(ratings) > 1 else width / 2
    step = (width - 2 * margin) / max(1, len(ratings) - 1)
    line = [(margin + step * place, y(rating)) for place, rating in enumerate(ratings)]
    if len(line) > 1:
        canvas.line(line, fill=INK, width=4 * FINER if len(line) < 150 else 3 * FINER, joint="curve")
    x, top = line[-1]
    for radius, colour in ((13, PAGE), (9, standing.tier.colour_dark)):
        canvas.ellipse(
            (x - radius * FINER, top - radius * FINER, x + radius * FINER, top + radius * FINER), fill=colour
        )
    return image.reduce(FINER)


def _ends(standing: Standing, ratings: Sequence[int]) -> tuple[float, float]:
    """Return the ratings at the lower and the upper edge; of a single contest, the tiers around it are seen too."""
    heights = [*ratings]
    if len(ratings) == 1:
        limits = [tier.minimum for tier in standing.snapshot.tiers if tier.minimum is not None]
        heights += [limit for limit in limits if limit <= ratings[0]][-1:]
        heights += [limit for limit in limits if limit > ratings[0]][:1]
    room = 0.15 * max(max(heights) - min(heights), 1)
    return min(heights) - room, max(heights) + room


def _dates(canvas: Canvas, times: Sequence[datetime]) -> None:
    """Write the months of the first and the last contest below the graph."""
    form = pgettext("how a month is written", "M Y")
    first, last = date_format(times[0], form), date_format(times[-1], form)
    canvas.text((GRAPH[0], 568), first, font=font(24), fill=FAINT, anchor="ls")
    if first != last and width_of(first + last, 24) < GRAPH[2] - GRAPH[0]:
        canvas.text((GRAPH[2], 568), last, font=font(24), fill=FAINT, anchor="rs")


def _mixed(colour: str, other: str, share: float) -> tuple[int, ...]:
    """Return the colour that a share of one upon another gives."""
    return tuple(
        round(int(colour[at : at + 2], 16) * share + int(other[at : at + 2], 16) * (1 - share)) for at in (1, 3, 5)
    )


def title_of(subject: Subject) -> str:
    """Say in words what the pictures show, for who does not see them."""
    who = visible(subject.player.handle) if subject.player is not None else ""
    if subject.standing is None or subject.series is None:
        return f"{who}: {_without_rating(subject)}" if who else _without_rating(subject)
    return _("%(player)s: %(rating)s (%(tier)s) in %(series)s") % {
        "player": who,
        "rating": written(subject.standing.points),
        "tier": visible(subject.standing.tier.name),
        "series": visible(subject.series.name),
    }


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
