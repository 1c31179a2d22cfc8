"""Days and moments in pages."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from web.shared.moments import is_same_day

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
