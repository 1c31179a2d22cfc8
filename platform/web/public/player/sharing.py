"""What a player's page says of itself to other sites: addresses, a title, and snippets to copy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse
from django.utils.html import escape
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from contests.addresses import whole_address
from web.shared.tags import points as written

if TYPE_CHECKING:
    from django.http import HttpRequest

    from contests.models import Player
    from ratings.queries.snapshot import SeriesSnapshot
    from web.public.player.profile import Figures

#: Size of the frame for the widget, in CSS pixels.
WIDGET_SIZE = (360, 200)


@dataclass(frozen=True, slots=True)
class Snippet:
    """A text to copy, and what it is for."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Sharing:
    """
    Absolute addresses, and snippets that show a player's rating elsewhere.

    alt
        What the badge says, for who does not see it.
    """

    title: str
    description: str
    alt: str
    page: str
    card: str
    badge: str
    widget: str
    snippets: list[Snippet]


def sharing_of(request: HttpRequest, player: Player, snapshot: SeriesSnapshot, numbers: Figures) -> Sharing:
    """Return how a player's rating in a series is shown on other sites."""
    query = {"series": snapshot.series.slug}
    page = _absolute(request, "player", player.handle, query)
    # What others fetch depends on its address alone, so the language is a part of it.
    language = get_language()
    query |= {"lang": language} if language and language != settings.LANGUAGE_CODE else {}
    card, badge, widget = (_absolute(request, name, player.handle, query) for name in ("card", "badge", "widget"))
    names = {"player": player.handle, "series": snapshot.series.name}
    alt = _("Rating of %(player)s in %(series)s") % names
    return Sharing(
        title=_("%(player)s in %(series)s") % names,
        description=description_of(snapshot, numbers),
        alt=alt,
        page=page,
        card=card,
        badge=badge,
        widget=widget,
        snippets=_snippets(page, badge, widget, alt),
    )


def _snippets(page: str, badge: str, widget: str, alt: str) -> list[Snippet]:
    """Return the snippets as texts, which the page escapes once more."""
    width, height = WIDGET_SIZE
    picture = f'<a href="{escape(page)}"><img src="{escape(badge)}" alt="{escape(alt)}" height="20"></a>'
    markdown = f"[![{_plain_markdown(alt)}]({_closed(badge)})]({_closed(page)})"
    frame = (
        f'<iframe src="{escape(widget)}" title="{escape(alt)}" width="{width}" height="{height}" loading="lazy">'
        "</iframe>"
    )
    return [
        Snippet(_("Link"), page),
        Snippet(_("Badge (HTML)"), picture),
        Snippet(_("Badge (Markdown)"), markdown),
        Snippet(_("Embed (HTML)"), frame),
    ]


def description_of(snapshot: SeriesSnapshot, numbers: Figures) -> str:
    """Say in a sentence where a player stands."""
    words = _("Rating %(rating)s (%(tier)s), rank %(rank)s of %(total)s, peak %(peak)s; rated contests: %(contests)s.")
    return words % {
        "rating": written(numbers.points),
        "tier": snapshot.tier(numbers.points).name,
        "rank": written(numbers.rank),
        "total": written(numbers.total),
        "peak": written(numbers.peak),
        "contests": written(numbers.rating.contest_count),
    }


def _absolute(request: HttpRequest, name: str, handle: str, query: dict[str, str]) -> str:
    return whole_address(request, f"{reverse(name, args=[handle])}?{urlencode(query)}")


def _plain_markdown(text: str) -> str:
    """Return a text without anything that Markdown would read as more than letters."""
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>!~|&" else letter for letter in text)


def _closed(address: str) -> str:
    """Return an address whose brackets do not end the link that it stands in."""
    return address.replace("(", "%28").replace(")", "%29")
