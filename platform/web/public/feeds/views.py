"""
Results as an Atom feed and contests as a calendar, of one series, of a community, or of all that the site lists.

Feeds contain public contests only, because feed readers do not sign in. While nothing has changed, the response is 304,
by the hash of its content. No response has a time of its last change: players are renamed without a change of any
contest, and when a series becomes private, the newest change that anyone may know of is an older one. The ids of the
contests are cached, because finding them takes longest. The response is built for each request, so the cache holds
nothing that visitors send.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import UTC, timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.db.models import OuterRef, Subquery
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.utils.timezone import localtime
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _
from icalendar import Calendar, Event, vDuration
from icalendar.prop import vText

from contests.addresses import whole_address
from contests.caching import cached
from contests.models import AuditEntry, Community, Contest, ContestState, Series, Visibility
from contests.queries.event_winners import winners_with_events
from contests.queries.versions import version_of
from contests.wording import day_in_words
from web.shared.names import first_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from django.http import HttpRequest

    from contests.models.contest import ContestQuerySet, SeriesQuerySet
    from contests.queries.winners import Winners
    from web.shared.params import SeriesPath


#: The maximum number of results in a feed, and of past and of announced contests in a calendar.
MOST_RESULTS, MOST_IN_CALENDAR = 50, 120
#: How long the ids of a feed's contests are cached if the audit log does not change.
SECONDS = 300
#: How often calendar programs are asked to refresh.
REFRESH = timedelta(hours=6)
#: Characters that XML 1.0 forbids (section 2.2), control characters (which RFC 5545 forbids), and bidirectional
#: controls. Feeds cannot isolate a name as pages do, so these controls would reverse the text around it.
_UNREADABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
#: The end of a sentence after a name that ends in a full stop, such as "Robert J.".
_ENDED_TWICE = re.compile(r"\.\.\Z")
_BREAKS = re.compile(r"[\t\r\n\u2028\u2029]+")


@dataclass(frozen=True, slots=True)
class Entry:
    """A contest in a feed or calendar; `updated` is the time of its last change."""

    contest: Contest
    winners: Winners | None
    updated: datetime

    @property
    def title(self) -> str:
        return one_line(self.contest.name)

    @property
    def series(self) -> str:
        return one_line(self.contest.series.name)

    def summary(self) -> str:
        """Summarize the results in a few sentences of plain text."""
        contest = self.contest
        if not contest.is_finalized:
            return _("Announced; results are not in yet.")
        people = ngettext("%(count)s participant.", "%(count)s participants.", contest.standing_count)
        sentences = [self._winner(), people % {"count": contest.standing_count}]
        if contest.is_event:
            games = ngettext("%(count)s game.", "%(count)s games.", contest.game_count)
            sentences.append(games % {"count": contest.game_count})
        if not contest.is_rated and not contest.is_event:  # each game of an event is rated, or not
            sentences.append(_("Unrated."))
        if contest.amended_at is not None:
            sentences.append(
                _("Results were amended on %(day)s.") % {"day": day_in_words(localtime(contest.amended_at))}
            )
        return " ".join(part for part in sentences if part)

    def day(self) -> str:
        """Say when the contest took place; feed readers show only when it was published."""
        return _("Date: %(day)s.") % {"day": day_in_words(localtime(self.contest.ends_at))}

    def _winner(self) -> str:
        return _ENDED_TWICE.sub(".", self._winner_in_words())

    def _winner_in_words(self) -> str:
        if self.winners is None:
            return ""
        if self.winners.team:
            return _("Winner: %(name)s.") % {"name": one_line(self.winners.team)}
        if self.winners.tied == 2:
            return _("Draw.")
        if self.winners.tied:
            words = ngettext("%(count)s player tied.", "%(count)s players tied.", self.winners.tied)
            return words % {"count": self.winners.tied}
        names = ", ".join(one_line(first_name(player)) for player in self.winners.players)
        if self.winners.more:
            return _("Winners: %(names)s and %(more)s more.") % {"names": names, "more": self.winners.more}
        if len(self.winners.players) > 1:
            return _("Winners: %(names)s.") % {"names": names}
        return _("Winner: %(name)s.") % {"name": names}


@dataclass(frozen=True, slots=True)
class Scope:
    """
    The contests in a feed.

    key
        Identifies this scope in cache keys.
    name, slug
        Name for titles and slug for file names; the name is empty for the whole site.
    series
        The series whose contests these are; all of them are public.
    address
        The address of the page that lists them.
    """

    key: str
    name: str
    slug: str
    series: SeriesQuerySet
    address: str

    @property
    def contests(self) -> ContestQuerySet:
        """Contests of the scope in every state; events without their games."""
        return Contest.objects.listed_alone().filter(series__in=self.series)


def site_scope() -> Scope:
    """Return the scope of all series that the site lists."""
    return Scope("", "", "contests", Series.objects.listed(), reverse("contests"))


def community_scope(slug: str) -> Scope:
    """Return the scope of the public series of a community; 404 if it is private or does not exist."""
    community = get_object_or_404(Community.objects.exclude(visibility=Visibility.PRIVATE), pk=slug)
    series = Series.objects.public().filter(community=community)
    return Scope(f"c/{slug}", one_line(community.name), slug, series, community.get_absolute_url())


def series_scope(at: SeriesPath) -> Scope:
    """Return the scope of one series; 404 if it is not public."""
    series = get_object_or_404(Series.objects.public(), community=at.community, slug=at.slug)
    address = reverse("contests", query={"series": series.full_slug})
    only = Series.objects.public().filter(pk=series.pk)
    return Scope(str(series.pk), one_line(series.name), series.slug, only, address)


def newest_results(scope: Scope, most: int) -> list[int]:
    """
    Return the ids of the newest finalized contests by date, in one query.

    The home page chooses its latest results in the same order. Imports of old contests come after all newer ones.
    """
    return list(scope.contests.public().newest_first().values_list("pk", flat=True)[:most])


def calendar_contests(scope: Scope, most_past: int) -> list[int]:
    """Return the ids of the contests in a calendar: the announced ones, and the latest finalized ones."""
    announced = scope.contests.filter(state=ContestState.DRAFT, is_announced=True)
    past = scope.contests.public().newest_first().values_list("pk", flat=True)
    return [*announced.order_by("-ends_at", "-id").values_list("pk", flat=True)[:most_past], *past[:most_past]]


def entries_of(contest_ids: list[int]) -> list[Entry]:
    """Return the entries of these contests, in the same order: one query more than `winners_with_events`."""
    changes = AuditEntry.objects.filter(contest=OuterRef("pk")).order_by("-id")
    contests = Contest.objects.select_related("series").annotate(changed_at=Subquery(changes.values("at")[:1]))
    found = contests.in_bulk(contest_ids)
    listed = [found[pk] for pk in contest_ids if pk in found]
    winners = winners_with_events([contest for contest in listed if contest.is_finalized])
    return [Entry(contest, winners.get(contest.pk), _updated(contest)) for contest in listed]


def one_line(text: str) -> str:
    """Return a text as one line, without characters that feed readers reject."""
    return _BREAKS.sub(" ", _UNREADABLE.sub("", text)).strip()


def days_of(contest: Contest) -> tuple[datetime, datetime] | None:
    """
    Return the first and the last day of a contest whose times are days; None for a contest with a time of day.

    Midnight stands for a day without a time, because files that give only a date are read as midnight.
    """
    moments = [moment for moment in (contest.starts_at, contest.ends_at) if moment is not None]
    if any(moment - moment.replace(hour=0, minute=0, second=0, microsecond=0) > timedelta(0) for moment in moments):
        return None
    return moments[0], moments[-1]


def _updated(contest: Contest) -> datetime:
    changed_at: datetime | None = contest.changed_at  # type: ignore[attr-defined]  # annotated by entries_of
    moments = (contest.created_at, contest.finalized_at, contest.amended_at, changed_at)
    return max(moment for moment in moments if moment is not None)


def results(request: HttpRequest, at: SeriesPath | None = None) -> HttpResponse:
    """Return the latest results of a series or of the site as an Atom feed."""
    return _results(request, series_scope(at) if at is not None else site_scope())


def community_results(request: HttpRequest, community: str) -> HttpResponse:
    """Return the latest results of a community as an Atom feed."""
    return _results(request, community_scope(community))


def calendar(request: HttpRequest, at: SeriesPath | None = None) -> HttpResponse:
    """Return announced and past contests of a series or of the site as a calendar."""
    return _calendar_response(request, series_scope(at) if at is not None else site_scope())


def community_calendar(request: HttpRequest, community: str) -> HttpResponse:
    """Return announced and past contests of a community as a calendar."""
    return _calendar_response(request, community_scope(community))


def _results(request: HttpRequest, scope: Scope) -> HttpResponse:
    entries = _entries("results", scope, lambda: newest_results(scope, MOST_RESULTS))
    return _respond(_atom(request, scope, entries), "application/atom+xml; charset=utf-8")


def _calendar_response(request: HttpRequest, scope: Scope) -> HttpResponse:
    entries = _entries("calendar", scope, lambda: calendar_contests(scope, MOST_IN_CALENDAR))
    response = _respond(_calendar(request, scope, entries), "text/calendar; charset=utf-8")
    response["Content-Disposition"] = f'inline; filename="{scope.slug}.ics"'
    return response


def _entries(feed: str, scope: Scope, find: Callable[[], list[int]]) -> list[Entry]:
    """Return the entries of a feed; their ids are found again only after a change."""
    stamp = hashlib.sha256(version_of(scope.series).encode()).hexdigest()[:32]
    return entries_of(cached(f"feed:{feed}:{scope.key}:{stamp}", find, SECONDS))


def _respond(content: bytes, content_type: str) -> HttpResponse:
    """Return the response of a feed; the middleware adds the entity tag and answers 304."""
    response = HttpResponse(content, content_type=content_type)
    response["Cache-Control"] = "public, no-cache"
    patch_vary_headers(response, ["Cookie"])  # a cookie may choose the language
    return response


def _atom(request: HttpRequest, scope: Scope, entries: list[Entry]) -> bytes:
    feed = Atom1Feed(
        title=_("Results of %(series)s") % {"series": scope.name} if scope.name else _("Results of all contests"),
        link=whole_address(request, scope.address),
        description=_("The latest results, with their winners."),
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
            description=escape(f"{entry.summary()} {entry.day()}"),
            unique_id=address,
            pubdate=entry.contest.finalized_at,
            updateddate=entry.updated,
            categories=[entry.series],
        )
    return feed.writeString("utf-8").encode()


def _calendar(request: HttpRequest, scope: Scope, entries: list[Entry]) -> bytes:
    name = _("Contests of %(series)s") % {"series": scope.name} if scope.name else _("Contests")
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
