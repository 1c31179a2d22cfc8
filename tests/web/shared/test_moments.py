"""Days and moments in pages."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from web.shared.moments import is_same_day, moment, time_of_day

_NOON = datetime(2004, 8, 10, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (_NOON.replace(hour=0), True),
        (_NOON.replace(hour=23, minute=59), True),
        (_NOON.replace(day=11), False),
        (None, False),
    ],
)
def test_two_moments_of_one_day_are_one_date(other: datetime | None, same: bool) -> None:
    assert is_same_day(_NOON, other) is same
    assert is_same_day(other, _NOON) is same


def test_midnight_is_a_day_unless_organizers_see_the_moment_of_a_contest() -> None:
    midnight = _NOON.replace(hour=0)
    assert ">10 Aug 2004<" in moment(midnight)
    assert ">10 Aug 2004 00:00 UTC<" in moment(midnight, in_utc=True)
    assert ">10 Aug 2004<" in moment(midnight, in_utc=True, or_day=True)
    assert ">10 Aug 2004 12:00 UTC<" in moment(_NOON, in_utc=True, or_day=True)


def test_the_readers_own_time_is_an_empty_element_beside_the_time_in_utc() -> None:
    midnight = _NOON.replace(hour=0)
    text = moment(_NOON, in_utc=True, or_day=True, and_local=True)
    assert ">10 Aug 2004 12:00 UTC</time> <time " in text
    assert text.endswith('datetime="2004-08-10T12:00:00Z" class="nowrap" data-local="(%s your time)"></time>')
    assert "your time" not in moment(midnight, in_utc=True, or_day=True, and_local=True)


def test_the_time_of_a_day_is_in_utc_and_missing_at_midnight() -> None:
    assert time_of_day(_NOON.replace(minute=5)) == "12:05 UTC"
    assert time_of_day(_NOON.replace(hour=0)) == ""
    assert time_of_day(_NOON.replace(hour=0, minute=30)) == "00:30 UTC"
    assert time_of_day(None) == ""
