"""Results of games in one line."""

from __future__ import annotations

import pytest

from contests.score_line import score_line


@pytest.mark.parametrize(
    ("first", "second", "line"),
    [("3", "1", "3–1"), ("½", "½", "½–½"), ("7", "-1", "7\u202f–\u202f−1"), ("-2", "0", "−2\u202f–\u202f0")],
)
def test_a_negative_score_is_set_apart_from_the_dash(first: str, second: str, line: str) -> None:
    assert score_line(first, second) == line
