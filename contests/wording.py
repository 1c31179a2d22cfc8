"""Numbers, lists and days in sentences, as the reader's language writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.formats import date_format, number_format
from django.utils.translation import gettext, override, pgettext

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager
    from datetime import date, datetime


def grouped(number: int) -> str:
    """Return a whole number with separators: 12,345 in English and 12.345 in German."""
    return str(number_format(number, force_grouping=True))


def in_a_row(words: Sequence[str]) -> str:
    """Return "a", "a and b", or "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return gettext("%(first)s and %(last)s") % {"first": ", ".join(words[:-1]), "last": words[-1]}


def listed(words: Sequence[str], most: int = 3) -> str:
    """Return words as `in_a_row` does, but only the first few, and the number of the others: "a, b, c and 4 more"."""
    if len(words) <= most:
        return in_a_row(words)
    return gettext("%(first)s and %(number)s more") % {
        "first": ", ".join(words[:most]),
        "number": grouped(len(words) - most),
    }


def stored_language() -> AbstractContextManager[object]:
    """Make texts in one language for everyone, because they are stored, whatever the language of the current user."""
    return override("en")


def quoted(name: str) -> str:
    """Return a name in quotation marks."""
    return gettext("“%(name)s”") % {"name": name}


def day_in_words(value: date) -> str:
    """Return a day, or that of a moment, such as "23 Nov 2026" in English and "23. Nov. 2026" in German."""
    return str(date_format(value, pgettext("how a day is written", "j M Y")))


def moment_in_words(utc: datetime) -> str:
    """Return day and time of a moment in UTC, such as "23 Nov 2026 18:00 UTC" in English."""
    return str(date_format(utc, pgettext("how a day and time are written", "j M Y H:i"))) + " UTC"


def clock(seconds: float) -> str:
    """Write a time to the millisecond as tables contain it, in every language: 1:02:03, 62.5 seconds as 1:02.5."""
    whole, thousandths = divmod(round(abs(seconds) * 1000), 1000)
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    start = f"{hours}:{minutes:02}" if hours else f"{minutes}"
    fraction = f".{thousandths:03}".rstrip("0") if thousandths else ""
    return f"{'-' if seconds < 0 else ''}{start}:{rest:02}{fraction}"
