"""
How numbers, changes, tiers and moments are written on pages: one way each, so that no two pages differ.

Colours come from the scheme by a style sheet (`tier_styles`): the pages' policy allows no inline styles.
"""

from __future__ import annotations

import hashlib
import math
from bisect import bisect_right
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django import template
from django.core.paginator import Paginator
from django.urls import reverse
from django.utils.formats import date_format, get_format
from django.utils.html import format_html, format_html_join
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from ratings.descriptions import description_of, own_values
from ratings.display import conservative_factor
from ratings.queries import filters as filtering
from ratings.queries.rows import newcomer_belief

if TYPE_CHECKING:
    from django.core.paginator import Page
    from django.utils.safestring import SafeString

    from ratings.queries.snapshot import SeriesSnapshot
    from web.shared.contest_pages import ContestPage

register = template.Library()

MINUS = "\u2212"


def localized(number: str) -> str:
    """Write a number given as 1,234.5 in the way of the page's language, with a true minus."""
    thousands, decimal = get_format("THOUSAND_SEPARATOR"), get_format("DECIMAL_SEPARATOR")
    if (thousands, decimal) != (",", "."):
        number = number.translate({ord(","): thousands, ord("."): decimal})
    return number.replace("-", MINUS)


@register.filter
def points(value: int | None) -> str:
    """Write a whole number with thousands separated; a dash for none."""
    return "–" if value is None else localized(f"{value:,}")


@register.filter
def tier_class(snapshot: SeriesSnapshot, rating: int) -> str:
    """Return the CSS classes that give a shown rating its tier's colour."""
    scheme = snapshot.scheme.pk if snapshot.scheme else 0
    return f"tier tier-{scheme}-{_tier_number(snapshot, rating)}"


@register.filter
def tier_name(snapshot: SeriesSnapshot, rating: int) -> str:
    """Return the name of a shown rating's tier."""
    return str(snapshot.tiers[_tier_number(snapshot, rating)].name)


def _tier_number(snapshot: SeriesSnapshot, rating: int) -> int:
    """Return what `SeriesSnapshot.tier_number` does; for one number after the other, arrays cost ten times as much."""
    return bisect_right(snapshot.tiers.thresholds, rating)


@register.filter
def country_name(code: str) -> str:
    """Return the English name of a country code."""
    return filtering.country_name(code)


@register.filter
def score(value: float | None) -> str:
    """Write a contest's score with the digits that it was given with, up to six decimals; a dash for none."""
    return "–" if value is None else exact(value)


def exact(value: float) -> str:
    """Write a number with the digits it has, up to six decimals; very large and very small ones by a power of ten."""
    if value and not 1e-6 <= abs(value) < 1e15:
        return localized(f"{value:.6g}")
    return localized(f"{value + 0.0:,.6f}".rstrip("0").rstrip("."))  # adding 0 takes the minus off -0.0


@register.filter
def tenth(value: float) -> str:
    """Write a number with one decimal."""
    return localized(f"{value:,.1f}")


@register.filter
def share(percent: float) -> str:
    """Write a share in percent with one decimal, never a share above zero as 0.0 %."""
    return "< " + tenth(0.1) + " %" if 0 < percent < 0.05 else tenth(percent) + " %"


@register.filter
def unlocalized(value: float) -> str:
    """Write a number for a drawing, whatever the language of the page."""
    return f"{value:g}"


@register.filter
def belief(value: float) -> str:
    """Write a raw mean or deviation, on whatever scale, with at least three digits that count."""
    decimals = 2 - math.floor(math.log10(abs(value))) if value else 1
    return localized(f"{value:,.{min(6, max(1, decimals))}f}")


@register.filter
def plain(value: float) -> str:
    """Write a number as short as it is exact: 2, 0.5, 2,400."""
    return localized(f"{value:,.6g}")


@register.filter
def said(value: Any) -> str:
    """Write whatever a form can hold, as its before or after: a moment, a number, yes or no, a text."""
    if value is None or value == "":
        return _("none")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, datetime):
        return _in_words(localtime(value))
    return exact(value) if isinstance(value, int | float) else str(value)


@register.filter
def duration(seconds: float) -> str:
    """Write how long something takes, as roughly as it is known."""
    if seconds < 1:
        return _("a second")
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else localized(f"{seconds / 3600:.1f} h")


@register.filter
def host(url: str) -> str:
    """Return the host name of an address: what a link to it says."""
    return urlsplit(url).hostname or url


@register.filter
def system_name(snapshot: SeriesSnapshot) -> str:
    """Return the rating system of a series by the name people write."""
    return description_of(snapshot.system).title


@register.filter
def system_words(snapshot: SeriesSnapshot) -> str:
    """Say what a contest does to ratings under the system of a series."""
    return description_of(snapshot.system).how


@register.filter
def own_parameters(snapshot: SeriesSnapshot) -> list[tuple[str, str, str]]:
    """Return label, value and unit of the parameters that somebody chose."""
    return own_values(snapshot.system, snapshot.scheme.parameters) if snapshot.scheme else []


@register.filter
def deviation_words(snapshot: SeriesSnapshot) -> str:
    """Say what a deviation is called in the series."""
    return _("volatility") if snapshot.sigma_means == "volatility" else _("one standard deviation")


@register.filter
def mapping_words(snapshot: SeriesSnapshot) -> str:
    """Say in a sentence how the shown number follows from the belief."""
    if snapshot.has_positions and snapshot.mapping.step == 1:
        top = points(snapshot.rating_of(-1.0, 1.0))
        return _("The displayed number is %(top)s at the top and one less for each position below.") % {"top": top}
    k = conservative_factor(snapshot.scheme.display) if snapshot.scheme else 0.0
    if snapshot.sigma_means == "nothing":
        sentences = [_("The displayed number is the rating.")]
    elif k:
        sentences = [
            _("The displayed number is the best estimate of the player's strength, lowered by %(k)s times "
              "its uncertainty.") % {"k": plain(k)}
        ]  # fmt: skip
    else:
        sentences = [_("The displayed number is the best estimate of the player's strength.")]
    scale = snapshot.mapping.sentence
    if scale is not None:
        numbers = {name: points(n) if isinstance(n, int) else plain(n) for name, n in scale.numbers.items()}
        sentences.append(_(scale.message) % numbers)
    if snapshot.scheme is not None and not snapshot.mapping.follows_players():
        start = points(snapshot.rating_of(*newcomer_belief(snapshot.scheme)))
        sentences.append(_("New players start at %(start)s.") % {"start": start})
    return " ".join(sentences)


@register.simple_tag
def rating(snapshot: SeriesSnapshot, value: int | None) -> SafeString | str:
    """Write a shown rating: symbol and number in the tier's colour, the tier's name for all who do not see it."""
    if value is None:
        return "–"
    tier = snapshot.tiers[_tier_number(snapshot, value)]
    return format_html(
        '<span class="rating {}" title="{}"><span class="tier-symbol" aria-hidden="true">{}</span>{}'
        '<span class="visually-hidden"> ({})</span></span>',
        tier_class(snapshot, value),
        tier.name,
        tier.symbol,
        points(value),
        tier.name,
    )


@register.simple_tag
def change(value: int | None) -> SafeString | str:
    """Write a difference of two shown ratings with sign and direction, never by colour alone."""
    if value is None:
        return "–"
    if value == 0:
        return format_html(
            '<span class="change change-none"><span class="change-mark" aria-hidden="true">{}</span>0</span>', "＝"
        )
    name, mark, sign = ("up", "▲", "+") if value > 0 else ("down", "▼", MINUS)
    return format_html(
        '<span class="change change-{}"><span class="change-mark" aria-hidden="true">{}</span>{}{}</span>',
        name, mark, sign, points(abs(value)),
    )  # fmt: skip


@register.simple_tag
def moment(value: datetime | None) -> SafeString | str:
    """
    Write a moment in UTC; a script shows it in the reader's own time, the UTC value stays in the title.

    Midnight is how files say a day without a time: it stays that day wherever the reader is.
    """
    if value is None:
        return "–"
    utc = localtime(value)
    if not (utc.hour or utc.minute or utc.second):
        return day(value)
    text = _in_words(utc)
    return format_html('<time datetime="{}" title="{}" data-local>{}</time>', _machine(utc), text, text)


@register.simple_tag
def day(value: datetime | None) -> SafeString | str:
    """Write the day of a moment, in UTC; hour and minute are in the title."""
    if value is None:
        return "–"
    utc = localtime(value)
    text = date_format(utc, pgettext("how a day is written", "j M Y"))
    return format_html('<time datetime="{}" title="{}" class="nowrap">{}</time>', _machine(utc), _in_words(utc), text)


def _in_words(utc: datetime) -> str:
    return date_format(utc, pgettext("how a day and time are written", "j M Y H:i")) + " UTC"


def _machine(utc: datetime) -> str:
    return f"{utc:%Y-%m-%dT%H:%M:%SZ}"


@register.simple_tag
def tier_styles(snapshots: SeriesSnapshot | list[SeriesSnapshot]) -> SafeString | str:
    """Link the style sheet with the tier colours of one or more series."""
    listed = snapshots if isinstance(snapshots, list) else [snapshots]
    schemes = {one.scheme.pk: one.scheme for one in listed if one.scheme is not None}
    if not schemes:
        return ""
    address = reverse("tier-styles", args=[",".join(map(str, sorted(schemes)))])
    # Browsers keep it for ever, and a restored backup gives the ids to other schemes.
    uids = "".join(schemes[pk].uid.hex for pk in sorted(schemes))
    return format_html('<link rel="stylesheet" href="{}?{}">', address, hashlib.sha256(uids.encode()).hexdigest()[:12])


@register.inclusion_tag("shared/_as_of.html")
def as_of(snapshot: SeriesSnapshot, *, waiting: bool = False) -> dict[str, Any]:
    """Say which run the numbers of a page belong to, and whether new results are being rated."""
    return {"run": snapshot.run, "waiting": waiting}


@register.inclusion_tag("shared/_pagination.html", takes_context=True)
def pagination(context: template.Context, page: Page[Any], what: str = "rows") -> dict[str, Any]:
    """Write links to the other pages, keeping the rest of the query."""
    query = context["request"].GET.copy()
    query.pop("page", None)
    numbers = page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1)
    return {
        "page": page,
        "numbers": list(numbers),
        "gap": page.paginator.ELLIPSIS,
        "query": query.urlencode(),
        "what": what,
    }


@register.inclusion_tag("shared/_contest_pagination.html", takes_context=True)
def contest_pagination(context: template.Context, page: ContestPage, what: str) -> dict[str, Any]:
    """Write links to the other pages of a list of contests, by cursors where there are some, keeping the query."""
    query = context["request"].GET.copy()
    for name in ("page", "after", "before"):
        query.pop(name, None)
    kept = query.urlencode()

    def link(place: str) -> str:
        return "?" + "&".join(part for part in (kept, place) if part)

    before, after = link(f"before={page.before}"), link(f"after={page.after}")
    near: dict[str | int, str] = {1: link(""), page.number_of_pages: link("page=last")}
    if page.number is not None:
        near = {page.number - 1: before, page.number + 1: after, **near}
    pages = Paginator(range(page.count), page.size)
    numbers = pages.get_elided_page_range(page.number, on_each_side=1, on_ends=1) if page.number else ()
    listed = [(number, near.get(number, link(f"page={number}"))) for number in numbers]
    return {
        "page": page,
        "before": before if page.before else "",
        "after": after if page.after else "",
        "first": link(""),
        "last": link("page=last"),
        "listed": listed,
        "gap": Paginator.ELLIPSIS,
        "what": what,
    }


@register.simple_tag
def breadcrumbs(*parts: str) -> SafeString:
    """Write the path to a page: text and address in turn, the last text alone is the page itself."""
    pairs = list(zip(parts[::2], parts[1::2], strict=False))
    links = format_html_join(
        "", '<li><a href="{}"><bdi>{}</bdi></a></li>', [(address, text) for text, address in pairs]
    )
    last = format_html('<li aria-current="page"><bdi>{}</bdi></li>', parts[-1]) if len(parts) % 2 else ""
    return format_html('<nav class="breadcrumbs" aria-label="{}"><ol>{}{}</ol></nav>', _("Breadcrumbs"), links, last)
