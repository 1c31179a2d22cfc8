"""Moments as files write them, to aware UTC."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST_YEAR, LAST_YEAR = 1800, 2200


def parse_moment(value: object) -> datetime:
    """
    Read an ISO 8601 date (midnight UTC) or a date-time with its zone; ValueError says what is wrong and the remedy.
    """
    if not isinstance(value, str):
        raise ValueError('a moment is text; write it like "2025-05-01T18:00:00Z"')
    text = value.strip().removesuffix(" UTC").removesuffix(" GMT")
    if text != value.strip():
        text += "+00:00"
    try:
        moment = _midnight(text) if len(text) <= 10 else datetime.fromisoformat(text)
    except ValueError:
        raise ValueError('not a date that exists; write it like "2025-05-01T18:00:00Z" or "2025-05-01"') from None
    if moment.tzinfo is None:
        raise ValueError(
            f'the time has no zone; write "{text}Z" if it is UTC, or its offset, like "{text}+02:00", if it is local'
        )
    return _in_range(moment)


def from_epoch(value: object) -> datetime:
    """Return the moment so many seconds after 1970 began; ValueError says what is wrong."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("a number of seconds since 1970-01-01 is expected")
    try:
        return _in_range(_EPOCH + timedelta(seconds=value))
    except (OverflowError, ValueError):
        raise ValueError(f"the moment lies outside the years {FIRST_YEAR} to {LAST_YEAR}") from None


def _midnight(text: str) -> datetime:
    day = date.fromisoformat(text)
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _in_range(moment: datetime) -> datetime:
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise ValueError(f"the year {moment.year} lies outside {FIRST_YEAR} to {LAST_YEAR}; correct it")
    return moment.astimezone(UTC)
