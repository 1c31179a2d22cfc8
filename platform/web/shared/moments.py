"""
Moments and days as pages write them, in the reader's language.

Days and times of contests are in UTC everywhere, so that pages, graphs and files agree. Other moments, such as the last
update of a page, are in the reader's time zone.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from django.utils.html import format_html
from django.utils.timezone import localtime
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from contests.wording import day_in_words, moment_in_words

if TYPE_CHECKING:
    from django.utils.safestring import SafeString

    from contests.models import Contest

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def moment(
    value: datetime | None, *, in_utc: bool = False, or_day: object = False, and_local: bool = False
) -> SafeString | str:
    """
    Write a moment in UTC; a script converts it to the reader's time zone and keeps UTC in the title.

    Midnight stands for a day without a time in files, so it stays the same day in every time zone.

    in_utc
        Whether every reader sees the moment in UTC, midnight with its time as well.
    or_day
        Whether midnight stands for a day even then, as in games, most of which have only a date.
    and_local
        Whether a script adds the reader's own time to a moment in UTC, if it differs.
    """
    if value is None:
        return "–"
    utc = localtime(value)
    is_midnight = _is_midnight(utc)
    if in_utc and not (or_day and is_midnight):
        written = format_html('<time datetime="{}" class="nowrap">{}</time>', _machine(utc), moment_in_words(utc))
        return written if not and_local else written + _local_time(utc)
    if is_midnight:
        return day(value)
    text = moment_in_words(utc)
    return format_html('<time datetime="{}" title="{}" data-local>{}</time>', _machine(utc), text, text)


def _local_time(utc: datetime) -> SafeString:
    """Return an empty element for the reader's own time; %s stands for it."""
    words = _("(%s your time)")
    return format_html(' <time datetime="{}" class="nowrap" data-local="{}"></time>', _machine(utc), words)


def day(value: datetime | None) -> SafeString | str:
    """Write the day of a moment in UTC, with the time in the title."""
    if value is None:
        return "–"
    utc = localtime(value)
    return format_html(
        '<time datetime="{}" title="{}" class="nowrap">{}</time>',
        _machine(utc),
        moment_in_words(utc),
        day_in_words(utc),
    )


def time_of_day(value: datetime | None) -> str:
    """Return the time of a moment, such as "18:00 UTC"; nothing at midnight, which stands for a day without a time."""
    if value is None or _is_midnight(utc := localtime(value)):
        return ""
    return f"{utc:%H:%M} UTC"


def has_days(contest: Contest) -> bool:
    """Whether start and end of a contest may stand for days: neither has a time."""
    return not time_of_day(contest.starts_at) and not time_of_day(contest.ends_at)


def is_same_day(value: datetime | None, other: datetime | None) -> bool:
    """Whether `day` writes the same day for two moments."""
    return value is not None and other is not None and localtime(value).date() == localtime(other).date()


def _is_midnight(utc: datetime) -> bool:
    return not (utc.hour or utc.minute or utc.second)


def _machine(utc: datetime) -> str:
    return f"{utc:%Y-%m-%dT%H:%M:%SZ}"


def day_of(moment: datetime) -> SafeString | str:
    """Write the day of a moment as `day` does, cached: a leaderboard repeats few different days."""
    return _written(moment, get_language())


@lru_cache(maxsize=2048)
def _written(moment: datetime, _language: str | None) -> SafeString | str:
    written: SafeString | str = day(moment)
    return written


def from_days(days: float) -> datetime:
    """Return the moment that is this many days after the start of 1970."""
    return _EPOCH + timedelta(days=float(days))
