"""The favoured side, according to the fifth in which the expected score lies."""

import pytest

from ratings.display.favored import FAVORED, favored

#: Points of a win against a clearly favoured, a favoured, an even ... opponent, as StarCraft II players saw them, with
#: the middle of each range. A win brings 25 (1 - expected score).
POINTS_OF_A_WIN = {"clearly_b": 22.5, "b": 17.5, "even": 12.5, "a": 7.5, "clearly_a": 3.0}


@pytest.mark.parametrize(("words", "points"), POINTS_OF_A_WIN.items())
def test_steps_follow_the_points_of_a_win(words, points):
    assert favored(1 - points / 25) == words


def test_both_sides_see_the_same_match():
    mirrored = dict(zip(FAVORED, reversed(FAVORED), strict=True))
    for percent in range(101):
        assert favored(percent / 100) == mirrored[favored((100 - percent) / 100)]
    assert [favored(p) for p in (0.0, 0.2, 0.4, 0.5, 0.6, 0.8, 1.0)] == [
        "clearly_b", "clearly_b", "b", "even", "a", "clearly_a", "clearly_a",
    ]  # fmt: skip
