"""
Results as an Atom feed and contests as a calendar, of one series or of all public ones.

Feeds contain public contests only, because feed readers do not sign in. While nothing has changed, the response is 304,
by the hash of its content or by the time of the last change. The ids of the contests are cached, because finding them
takes longest. The response is built for each request, so the cache holds nothing that visitors send.
"""

from __future__ import annotations

from datetime import UTC, timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.utils.http import http_date
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from icalendar import Calendar, Event, vDuration
from icalendar.prop import vText

from contests.addresses import whole_address
from contests.caching import cached
from contests.models import Series
from web.public.feeds.entries import calendar_contests, days_of, entries_of, last_change, newest_results, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from django.http import HttpRequest

    from contests.models import AuditEntry, Contest
    from web.public.feeds.entries import Entry

#: The maximum number of results in a feed, and of past and of announced contests in a calendar.
MOST_RESULTS, MOST_IN_CALENDAR = 50, 120
#: How long the ids of a feed's contests are cached if the audit log does not change.
SECONDS = 300
#: How often calendar programs are asked to refresh.
REFRESH = timedelta(hours=6)


def results(request: HttpRequest, slug: str = "") -> HttpResponse:
    """Return the newest results as an Atom feed."""
    series, change = _public_series(slug), last_change()
    entries = _entries("results", series, change, lambda: newest_results(series, MOST_RESULTS))
    return _respond(_atom(request, series, entries), "application/atom+xml; charset=utf-8", change)


def calendar(request: HttpRequest, slug: str = "") -> HttpResponse:
    """Return announced and past contests as a calendar."""
    series, change = _public_series(slug), last_change()
    entries = _entries("calendar", series, change, lambda: calendar_contests(series, MOST_IN_CALENDAR))
    response = _respond(_calendar(request, series, entries), "text/calendar; charset=utf-8", change)
    response["Content-Disposition"] = f'inline; filename="{slug or "contests"}.ics"'
    return response


def _public_series(slug: str) -> Series | None:
    return get_object_or_404(Series.objects.public(), slug=slug) if slug else None


def _entries(feed: str, series: Series | None, change: AuditEntry | None, find: Callable[[], list[int]]) -> list[Entry]:
    """Return the entries of a feed; their ids are found again only after a change."""
    stamp = f"{change.pk}:{change.at.timestamp()}" if change is not None else ""
    key = f"feed:{feed}:{series.pk if series is not None else 0}:{stamp}"
    return entries_of(cached(key, find, SECONDS))


def _respond(content: bytes, content_type: str, change: AuditEntry | None) -> HttpResponse:
    """Return the response of a feed; the middleware adds the entity tag and answers 304."""
    response = HttpResponse(content, content_type=content_type)
    if change is not None:
        response["Last-Modified"] = http_date(change.at.timestamp())
    response["Cache-Control"] = "public, no-cache"
    patch_vary_headers(response, ["Cookie"])  # the language may be chosen there
    return response


def _atom(request: HttpRequest, series: Series | None, entries: list[Entry]) -> bytes:
    name = one_line(series.name) if series is not None else ""
    slug = {"series": series.slug} if series is not None else None
    feed = Atom1Feed(
        title=_("Results of %(series)s") % {"series": name} if name else _("Results of all contests"),
        link=whole_address(request, reverse("contests", query=slug)),
        description=_("The newest results, with their winners."),
        feed_url=whole_address(request, request.path),
        language=get_language(),
        author_name="Podium",
    )
    for entry in entries:
        address = _address(request, entry.contest)
        feed.add_item(
            title=entry.title,
            link=address,
            # Feed readers read the summary as HTML.
            description=escape(entry.summary()),
            unique_id=address,
            pubdate=entry.contest.finalized_at,
            updateddate=entry.updated,
            categories=[entry.series],
        )
    return feed.writeString("utf-8").encode()


def _calendar(request: HttpRequest, series: Series | None, entries: list[Entry]) -> bytes:
    name = _("Contests of %(series)s") % {"series": one_line(series.name)} if series is not None else _("Contests")
    by_date = sorted(entries, key=lambda entry: (entry.contest.ends_at, entry.contest.pk))
    host = urlsplit(whole_address(request, "/")).hostname or "podium"
    return calendar_of(by_date, name=name, host=host, address_of=lambda contest: _address(request, contest))


def _address(request: HttpRequest, contest: Contest) -> str:
    return whole_address(request, contest.get_absolute_url())


def calendar_of(entries: Iterable[Entry], *, name: str, host: str, address_of: Callable[[Contest], str]) -> bytes:
    """
    Return the contests as a calendar.

    host
        The host name of the site, which makes ids globally unique. An event keeps its id when its contest changes.
    address_of
        A function that returns the absolute URL of a contest's page.
    """
    calendar = Calendar()
    calendar.add("prodid", "-//Podium//Contests//EN")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("name", name)
    calendar.add("x-wr-calname", name)
    calendar.add("refresh-interval", vDuration(REFRESH), parameters={"VALUE": "DURATION"})
    for entry in entries:
        calendar.add_component(_event(entry, host, address_of(entry.contest)))
    return calendar.to_ical()


def _event(entry: Entry, host: str, address: str) -> Event:
    contest = entry.contest
    event = Event()
    event.add("uid", f"contest-{contest.pk}@{host}")
    # In a published calendar, both are the time of the last revision (RFC 5545, section 3.8.7.2).
    event.add("dtstamp", entry.updated.astimezone(UTC).replace(microsecond=0))
    event.add("last-modified", entry.updated.astimezone(UTC).replace(microsecond=0))
    event.add("sequence", contest.version)
    event.add("summary", entry.title)
    _add_times(event, contest)
    website = [contest.url] if contest.url else []
    event.add("description", "\n".join([entry.series, entry.summary(), *website, address]))
    event.add("url", address)
    event.add("categories", [vText(entry.series)])
    event.add("status", "CONFIRMED")
    # A contest does not block time in the reader's calendar.
    event.add("transp", "TRANSPARENT")
    return event


def _add_times(event: Event, contest: Contest) -> None:
    days = days_of(contest)
    if days is not None:
        event.add("dtstart", days[0].date())
        event.add("dtend", days[1].date() + timedelta(days=1))
        return
    # An event without an end takes no time (section 3.6.1); an end must be later than the start.
    start = contest.starts_at or contest.ends_at
    event.add("dtstart", start.astimezone(UTC).replace(microsecond=0))
    if contest.ends_at - start >= timedelta(seconds=1):
        event.add("dtend", contest.ends_at.astimezone(UTC).replace(microsecond=0))
