"""The options of menus of contests."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.utils.translation import override

from contests.models import Contest
from web.shared.contest_options import contest_options


def contest(pk: int, name: str, day: int, hour: int = 12) -> Contest:
    return Contest(pk=pk, name=name, ends_at=datetime(2004, 8, day, hour, 15, tzinfo=UTC))


@pytest.mark.parametrize(
    ("language", "labels"),
    [
        ("en", ["Map 50, 10 Aug 2004 12:15 UTC", "Map 50, 10 Aug 2004 07:15 UTC", "Map 50, 9 Aug 2004", "Map 20"]),
        (
            "de",
            ["Map 50, 10. Aug. 2004, 12:15 UTC", "Map 50, 10. Aug. 2004, 07:15 UTC", "Map 50, 9. Aug. 2004", "Map 20"],
        ),
    ],
)
def test_contests_of_one_name_differ_by_day_or_time(language: str, labels: list[str]) -> None:
    listed = [contest(4, "Map 50", 10), contest(3, "Map 50", 10, 7), contest(2, "Map 50", 9), contest(1, "Map 20", 9)]
    with override(language):
        options = contest_options(listed)
    assert options == list(zip(listed, labels, strict=True))


def test_the_chosen_contest_is_always_an_option() -> None:
    newest, older = contest(2, "Map 50", 10), contest(1, "Map 50", 9)
    assert [one for one, _label in contest_options([newest], older)] == [newest, older]
    assert contest_options([newest], newest) == contest_options([newest]) == [(newest, "Map 50")]
