"""
Results as an Atom feed and contests as a calendar, of one series or of all public ones.

What is private stays out of them whoever asks: readers of feeds log in nowhere. They are answered with 304 while
nothing has changed: by the hash of what they hold, or by the moment of the last change.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from django.core.cache import cache
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.utils.http import http_date
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from contests.calendars import calendar_of
from contests.feed_entries import calendar_entries, last_change, newest_results, one_line
from contests.models import Series

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest

    from contests.models import AuditEntry, Contest

#: Results in a feed; contests of the past, and announced ones, in a calendar.
MOST_RESULTS, MOST_IN_CALENDAR = 50, 120
#: How long an answer is kept, while no change is written down.
SECONDS = 300
#: Raised when the same contests are told of in another form.
FORM = 1


def results(request: HttpRequest, slug: str = "") -> HttpResponse:
    """Answer with the newest results as an Atom feed."""
    series = _public_series(slug)
    return _answer(request, "application/atom+xml; charset=utf-8", lambda: _atom(request, series))


def calendar(request: HttpRequest, slug: str = "") -> HttpResponse:
    """Answer with announced contests and results as a calendar."""
    series = _public_series(slug)
    response = _answer(request, "text/calendar; charset=utf-8", lambda: _calendar(request, series))
    response["Content-Disposition"] = f'inline; filename="{slug or "contests"}.ics"'
    return response


def _public_series(slug: str) -> Series | None:
    return get_object_or_404(Series.objects.public(), slug=slug) if slug else None


def _answer(request: HttpRequest, content_type: str, make: Callable[[], bytes]) -> HttpResponse:
    """Answer with what was made a moment ago if nothing has changed since; the middleware adds hash and 304."""
    change = last_change()
    asked = f"{FORM} {request.build_absolute_uri(request.path)} {get_language()} {_stamp(change)}"
    key = f"feed:{sha256(asked.encode()).hexdigest()}"
    content = cache.get(key)
    if content is None:
        content = make()
        cache.set(key, content, SECONDS)
    response = HttpResponse(content, content_type=content_type)
    if change is not None:
        response["Last-Modified"] = http_date(change.at.timestamp())
    response["Cache-Control"] = "public, no-cache"
    patch_vary_headers(response, ["Cookie"])  # the language may be chosen there
    return response


def _stamp(change: AuditEntry | None) -> str:
    return f"{change.pk} {change.at.isoformat()}" if change is not None else ""


def _atom(request: HttpRequest, series: Series | None) -> bytes:
    name = one_line(series.name) if series is not None else ""
    slug = {"series": series.slug} if series is not None else None
    feed = Atom1Feed(
        title=_("Results of %(series)s") % {"series": name} if name else _("Results of all contests"),
        link=request.build_absolute_uri(reverse("contests", query=slug)),
        description=_("The newest results, with their winners."),
        feed_url=request.build_absolute_uri(request.path),
        language=get_language(),
        author_name="Podium",
    )
    for entry in newest_results(series, MOST_RESULTS):
        address = _address(request, entry.contest)
        feed.add_item(
            title=entry.title,
            link=address,
            # What is inside a summary is read as HTML (the generator says so).
            description=escape(entry.summary()),
            unique_id=address,
            pubdate=entry.contest.finalized_at,
            updateddate=entry.updated,
            categories=[entry.series],
        )
    return feed.writeString("utf-8").encode()


def _calendar(request: HttpRequest, series: Series | None) -> bytes:
    name = _("Contests of %(series)s") % {"series": one_line(series.name)} if series is not None else _("Contests")
    entries = calendar_entries(series, MOST_IN_CALENDAR)
    host = request.get_host().rsplit(":", 1)[0]
    return calendar_of(entries, name=name, host=host, address_of=lambda contest: _address(request, contest))


def _address(request: HttpRequest, contest: Contest) -> str:
    return request.build_absolute_uri(contest.get_absolute_url())
