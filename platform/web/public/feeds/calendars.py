"""Contests as a calendar (iCalendar, RFC 5545)."""

from __future__ import annotations

from datetime import UTC, timedelta
from typing import TYPE_CHECKING

from icalendar import Calendar, Event, vDuration
from icalendar.prop import vText

from web.public.feeds.entries import days_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from contests.models import Contest
    from web.public.feeds.entries import Entry

#: How often calendars are asked to look again.
REFRESH = timedelta(hours=6)


def calendar_of(entries: Iterable[Entry], *, name: str, host: str, address_of: Callable[[Contest], str]) -> bytes:
    """
    Return the contests as a calendar.

    host
        What makes the ids unique in the world: an event keeps its id whatever happens to its contest.
    address_of
        From a contest to the whole address of its page.
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
    # Without a time of sending, both are the last revision (RFC 5545, section 3.8.7.2).
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
    # Who looks forward to a contest is not busy by that.
    event.add("transp", "TRANSPARENT")
    return event


def _add_times(event: Event, contest: Contest) -> None:
    days = days_of(contest)
    if days is not None:
        event.add("dtstart", days[0].date())
        event.add("dtend", days[1].date() + timedelta(days=1))
        return
    # One without a start ends when it begins (section 3.6.1); an end must be later than its start.
    start = contest.starts_at or contest.ends_at
    event.add("dtstart", start.astimezone(UTC).replace(microsecond=0))
    if contest.ends_at - start >= timedelta(seconds=1):
        event.add("dtend", contest.ends_at.astimezone(UTC).replace(microsecond=0))
