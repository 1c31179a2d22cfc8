"""
Pictures of a player's rating for other sites: preview cards (PNG) and badges (SVG).

A card is the Open Graph image of links to a player, 1200 x 630 pixels. It is dark in every theme, because tier colours
are more visible on dark. Pillow draws the texts in DejaVu Sans. A card omits a name in letters that the font does not
have (Chinese, Thai, emoji …); sites show the name in the text beside the picture.

A badge is a line of SVG with a label and a value, as on shields.io:

    /badges/<handle>/?series=<slug>&style=flat|square|large

Badges escape names and remove characters that are invalid in XML. Widths of texts are those of DejaVu Sans, whose
letters are as wide as Verdana's, and `textLength` makes browsers keep them.
"""

from __future__ import annotations

import io
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from django.contrib.staticfiles import finders
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from PIL import Image, ImageDraw, ImageFont, features

from web.shared.numbers import points as written

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from PIL.ImageDraw import ImageDraw as Canvas
    from PIL.ImageFont import FreeTypeFont

    from web.public.share.figures import PlayerFigures, Subject


#: Replaces a letter that the font does not have.
MISSING = "\u25a1"
#: Categories of invisible characters: control, format, surrogate, unassigned, private, line and paragraph separators.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})
#: Right-to-left letters, which only a text layout engine can draw.
_RIGHT_TO_LEFT = frozenset({"R", "AL"})
_MOST_LETTERS = 160
#: The maximum number of combining marks on a letter; stacked marks would cover the rest of the picture.
_MARKS = 3


@lru_cache(maxsize=32)
def font(size: int, *, bold: bool = False) -> FreeTypeFont:
    """Return DejaVu Sans (from static/vendor) at a size in pixels."""
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    path = finders.find(f"vendor/dejavu/{name}")
    if not isinstance(path, str):
        raise FileNotFoundError(f"static/vendor/dejavu/{name} is missing; run scripts/vendor.py")
    return ImageFont.truetype(path, size)


def visible(text: str) -> str:
    """Return a text as one line without invisible characters, such as controls, bidirectional marks and tags."""
    kept: list[str] = []
    marks = 0
    for letter in text[:_MOST_LETTERS]:
        category = unicodedata.category(letter)
        marks = marks + 1 if category[0] == "M" else 0
        if category in _UNSEEN or marks > _MARKS:
            kept.append(" " if letter.isspace() else "")
        else:
            kept.append(letter)
    return " ".join("".join(kept).split())


def drawable(text: str, *, bold: bool = False) -> str:
    """Return the visible text with a sign for each letter missing from the font, and without missing marks."""
    return "".join(
        c if c.isspace() or _has(c, bold) else "" if unicodedata.category(c)[0] == "M" else MISSING
        for c in visible(text)
    )


def legible(text: str) -> bool:
    """Return True if the font has at least two thirds of the letters, so that people recognize the text."""
    drawn = drawable(text, bold=True)
    return bool(drawn) and drawn.count(MISSING) * 3 <= len(drawn)


def width_of(text: str, size: int, *, bold: bool = False) -> float:
    """Return the width of a text in pixels; letters that the font does not have get typical widths of other fonts."""
    known = "".join(c if _has(c, bold) else "" for c in text)
    wide = sum(1.0 if unicodedata.east_asian_width(c) in "WF" else 0.65 for c in text if not _has(c, bold))
    return font(size, bold=bold).getlength(known) + wide * size


def fitted(text: str, width: float, sizes: range, *, bold: bool = False) -> tuple[str, int]:
    """Return the text and the largest size at which it fits the width; at the smallest size the text is truncated."""
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
    """Return the picture that the font draws for a code point without a letter."""
    return bytes(font(24, bold=bold).getmask("\uffff"))


WIDTH, HEIGHT = 1200, 630
PAGE, RAISED, INK, SOFT, FAINT, RULE = "#14171f", "#1b1f29", "#eceef2", "#b3bac6", "#949dac", "#2b313d"
ACCENT = "#ff9466"
SITE = "Podium"
LEFT, RIGHT, TOP = 64, 1136, 56
#: Left, top, right, bottom of the graph.
GRAPH = (520, 282, 1136, 528)
#: Width and height of a flag on the sheet of all flags, flags in a row of it, and the gap between name and flag.
FLAG, FLAGS_IN_ROW, FLAG_GAP = (72, 48), 16, 24
#: Width and top of the player's picture, and the gap between picture and name.
PICTURE, PICTURE_TOP, PICTURE_GAP = 120, 138, 28
#: The graph is drawn this many times larger and scaled down, which smooths its lines.
OVERSAMPLING = 2


def card(subject: Subject, times: Sequence[datetime], ratings: Sequence[int], picture: bytes = b"") -> bytes:
    """
    Return the card as a PNG.

    times, ratings
        End times of the player's contests, oldest first, and the displayed rating after each.
    picture
        The file of the player's picture; empty without one.
    """
    image = Image.new("RGB", (WIDTH, HEIGHT), PAGE)
    canvas = ImageDraw.Draw(image)
    _draw_frame(image, canvas, subject, picture)
    if subject.figures is None:
        canvas.text((LEFT, 330), _without_rating(subject), font=font(44), fill=SOFT, anchor="ls")
    else:
        _draw_figures(canvas, subject.figures)
        if ratings:
            image.paste(_graph(subject.figures, ratings), GRAPH[:2])
            _draw_dates(canvas, times)
    output = io.BytesIO()
    image.save(output, "PNG", compress_level=7)
    return output.getvalue()


def _without_rating(subject: Subject) -> str:
    if subject.player is None:
        return _("There is no player with this name")
    return _("There is no such series") if subject.is_series_unknown else _("Not rated yet")


def _draw_frame(image: Image.Image, canvas: Canvas, subject: Subject, picture: bytes) -> None:
    """Draw the parts of every card: the names of the site and the series, and the player with the picture."""
    for left, top in ((LEFT, 24), (LEFT + 13, 12), (LEFT + 26, 30)):
        canvas.rectangle((left, TOP + top, left + 9, TOP + 42), fill=ACCENT)
    canvas.text((LEFT + 52, TOP + 41), SITE, font=font(34, bold=True), fill=INK, anchor="ls")
    if subject.series is not None and legible(subject.series.name):
        series, size = fitted(drawable(subject.series.name), 720, range(34, 24, -2))
        canvas.text((RIGHT, TOP + 41), series, font=font(size), fill=SOFT, anchor="rs")
    canvas.line((LEFT, TOP + 66, RIGHT, TOP + 66), fill=RULE, width=2)
    start = LEFT
    if picture:
        image.paste(*_round(picture, subject.figures))
        start += PICTURE + PICTURE_GAP
    headline, below = _headlines(subject)
    flag = flag_picture(subject.player.country) if subject.player is not None else None
    room = RIGHT - start - (flag.width + FLAG_GAP if flag is not None else 0)
    name, size = fitted(headline, room, range(72, 36, -4), bold=True)
    canvas.text((start, 204), name, font=font(size, bold=True), fill=INK, anchor="ls")
    if flag is not None:
        left = start + round(width_of(name, size, bold=True)) + FLAG_GAP
        image.paste(flag, (left, 204 - round(0.365 * size) - flag.height // 2))
    if below:
        text, size = fitted(below, RIGHT - start, range(28, 20, -2))
        canvas.text((start, 248), text, font=font(size), fill=SOFT, anchor="ls")


def _round(picture: bytes, figures: PlayerFigures | None) -> tuple[Image.Image, tuple[int, int], Image.Image]:
    """Return a picture in a circle with a border in the tier's colour, its place on the card, and its mask."""
    size = PICTURE * OVERSAMPLING
    colour = figures.tier.colour_dark if figures is not None else RULE
    with Image.open(io.BytesIO(picture), formats=("WEBP",)) as opened:
        face = opened.convert("RGBA").resize((size, size), Image.Resampling.LANCZOS)
    drawn = Image.new("RGBA", face.size, RAISED)
    drawn.alpha_composite(face)
    box = (OVERSAMPLING, OVERSAMPLING, size - OVERSAMPLING, size - OVERSAMPLING)
    ImageDraw.Draw(drawn).ellipse(box, outline=colour, width=4 * OVERSAMPLING)
    mask = Image.new("L", face.size)
    ImageDraw.Draw(mask).ellipse(box, fill=255)
    return drawn.reduce(OVERSAMPLING), (LEFT, PICTURE_TOP), mask.reduce(OVERSAMPLING)


def _headlines(subject: Subject) -> tuple[str, str]:
    """Return the first legible one of the player's names, or a general title, and the text below it."""
    if subject.player is None or subject.names is None:
        return _("Rating"), ""
    names = [drawable(name, bold=True) for name in (subject.names.first, subject.names.second) if legible(name)]
    about = [*names[1:], *(drawable(text) for text in (subject.player.affiliation,) if legible(text))]
    return (names or [_("Rating")])[0], " · ".join(about)


@lru_cache(maxsize=64)
def flag_picture(code: str) -> Image.Image | None:
    """Return the flag of a country from the sheet of all flags (static/vendor/flags); None if it has none."""
    sheet = finders.find("vendor/flags/sheet.png")
    if not isinstance(sheet, str):
        raise FileNotFoundError("static/vendor/flags/sheet.png is missing; run scripts/vendor.py")
    codes = sorted(path.stem for path in Path(sheet).parent.glob("??.svg"))
    if code.lower() not in codes:
        return None
    width, height = FLAG
    row, column = divmod(codes.index(code.lower()), FLAGS_IN_ROW)
    with Image.open(sheet) as image:
        box = (column * width, row * height, (column + 1) * width, (row + 1) * height)
        return image.convert("RGB").crop(box)


def _draw_figures(canvas: Canvas, figures: PlayerFigures) -> None:
    """Draw the rating in its tier's colour, and the other figures."""
    tier = figures.tier
    number = written(figures.points)
    colour = tier.colour_dark
    symbol = drawable(tier.symbol, bold=True) if legible(tier.symbol) else ""
    _text, size = fitted(number, GRAPH[0] - LEFT - 40, range(108, 60, -4), bold=True)
    canvas.text((LEFT, 374), number, font=font(size, bold=True), fill=colour, anchor="ls")
    name = drawable(tier.name, bold=True) if legible(tier.name) else ""
    name, size = fitted(f"{symbol} {name}".strip(), GRAPH[0] - LEFT - 40, range(40, 24, -2), bold=True)
    canvas.text((LEFT, 434), name, font=font(size, bold=True), fill=colour, anchor="ls")
    rank = _("rank %(rank)s of %(total)s") % {"rank": written(figures.rank), "total": written(figures.total)}
    _draw_line(canvas, 490, rank)
    _draw_line(canvas, 530, _("peak %(peak)s") % {"peak": written(figures.peak)})
    text = _("rated games: %(contests)s") if figures.of_games else _("rated contests: %(contests)s")
    contests = text % {"contests": written(figures.contests)}
    _draw_line(canvas, 570, contests)


def _draw_line(canvas: Canvas, bottom: int, text: str) -> None:
    text, size = fitted(text, GRAPH[0] - LEFT - 40, range(30, 18, -2))
    canvas.text((LEFT, bottom), text, font=font(size), fill=SOFT, anchor="ls")


def _graph(figures: PlayerFigures, ratings: Sequence[int]) -> Image.Image:
    """Return the graph of the ratings on a background in the colours of the tiers."""
    width, height = (GRAPH[2] - GRAPH[0]) * OVERSAMPLING, (GRAPH[3] - GRAPH[1]) * OVERSAMPLING
    low, high = _ends(figures, ratings)
    image = Image.new("RGB", (width, height), RAISED)
    canvas = ImageDraw.Draw(image)

    def y(rating: float) -> float:
        return height * (high - rating) / (high - low)

    for tier in figures.snapshot.tiers:
        bottom = height if tier.minimum is None else y(tier.minimum)
        if bottom > 0:
            canvas.rectangle((0, 0, width, min(height, bottom)), fill=_mixed(tier.colour_dark, PAGE, 0.2))
    margin = 16 * OVERSAMPLING if len(ratings) > 1 else width / 2
    step = (width - 2 * margin) / max(1, len(ratings) - 1)
    line = [(margin + step * place, y(rating)) for place, rating in enumerate(ratings)]
    if len(line) > 1:
        canvas.line(line, fill=INK, width=4 * OVERSAMPLING if len(line) < 150 else 3 * OVERSAMPLING, joint="curve")
    x, top = line[-1]
    for radius, colour in ((13, PAGE), (9, figures.tier.colour_dark)):
        canvas.ellipse(
            (
                x - radius * OVERSAMPLING,
                top - radius * OVERSAMPLING,
                x + radius * OVERSAMPLING,
                top + radius * OVERSAMPLING,
            ),
            fill=colour,
        )
    return image.reduce(OVERSAMPLING)


def _ends(figures: PlayerFigures, ratings: Sequence[int]) -> tuple[float, float]:
    """Return the ratings at the lower and upper edges; around a single rating, they include its tier's limits."""
    heights = [*ratings]
    if len(ratings) == 1:
        limits = [tier.minimum for tier in figures.snapshot.tiers if tier.minimum is not None]
        heights += [limit for limit in limits if limit <= ratings[0]][-1:]
        heights += [limit for limit in limits if limit > ratings[0]][:1]
    room = 0.15 * max(max(heights) - min(heights), 1)
    return min(heights) - room, max(heights) + room


def _draw_dates(canvas: Canvas, times: Sequence[datetime]) -> None:
    """Write the months of the first and last contests below the graph."""
    form = pgettext("how a month is written", "M Y")
    first, last = date_format(times[0], form), date_format(times[-1], form)
    canvas.text((GRAPH[0], 570), first, font=font(24), fill=FAINT, anchor="ls")
    if first != last and width_of(first + last, 24) < GRAPH[2] - GRAPH[0]:
        canvas.text((GRAPH[2], 570), last, font=font(24), fill=FAINT, anchor="rs")


def _mixed(colour: str, other: str, share: float) -> tuple[int, ...]:
    """Return a mixture of two colours, with this share of the first."""
    return tuple(
        round(int(colour[at : at + 2], 16) * share + int(other[at : at + 2], 16) * (1 - share)) for at in (1, 3, 5)
    )


def title_of(subject: Subject) -> str:
    """Return the alternative text of the pictures."""
    who = visible(subject.names.first) if subject.names is not None else ""
    if subject.figures is None or subject.series is None:
        return f"{who}: {_without_rating(subject)}" if who else _without_rating(subject)
    return _("%(player)s: %(rating)s (%(tier)s) in %(series)s") % {
        "player": who,
        "rating": written(subject.figures.points),
        "tier": visible(subject.figures.tier.name),
        "series": visible(subject.series.name),
    }


LABEL, UNKNOWN = "#454a54", "#646d7c"
#: The maximum width of a text on a badge, in pixels.
MOST_WIDTH = 180


@dataclass(frozen=True, slots=True)
class Style:
    """The height, letter size, padding around each text and corner radius of a badge, in pixels."""

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
#: Names of the same styles at shields.io.
ALIASES = {"flat-square": "square", "for-the-badge": "large", "plastic": "flat"}


def style_of(name: str) -> Style:
    """Return the style with this name, or the flat style for unknown names."""
    return STYLES[name if name in STYLES else ALIASES.get(name, "flat")]


def badge(subject: Subject, style: Style) -> str:
    """Return the badge as SVG: the series on the left, the rating in its tier's colour on the right."""
    figures = subject.figures
    label = visible(subject.series.name) if subject.series is not None else _("rating")
    if figures is None:
        value, colour = _missing_value(subject), UNKNOWN
    else:
        value = f"{visible(figures.tier.symbol)} {written(figures.points)} {visible(figures.tier.name)}".strip()
        colour = figures.tier.colour_light
    return _svg(label or _("rating"), value, colour, title_of(subject), style)


def _missing_value(subject: Subject) -> str:
    if subject.player is None:
        return _("unknown player")
    return _("unknown series") if subject.is_series_unknown else _("unrated")


def _svg(label: str, value: str, colour: str, title: str, style: Style) -> str:
    size, bold = style.letters, style.is_bold
    label, value = (fitted(text, MOST_WIDTH, range(size, size - 1, -1), bold=bold)[0] for text in (label, value))
    widths = [round(width_of(text, size, bold=bold)) for text in (label, value)]
    left, right = (width + 2 * style.padding for width in widths)
    # Browsers draw other scripts in other fonts, so textLength fits these texts to the estimated width.
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
