"""Tables of games that list games twice, name undecided opponents, or write their dates in several ways."""

from __future__ import annotations

import pytest

from tests.contests.formats.reading import read


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("Round,Player,Opponent,Result\n1,Uma,Vic,W\n1,Vic,Uma,L\n2,Uma,Vic,W\n", "in the same round in line 2"),
        ("Player,Opponent,Result\nUma,Vic,W\nVic,Uma,L\nUma,Vic,L\n", "in line 2"),
    ],
)
def test_games_that_are_listed_once_for_each_player_are_reported_without_dates(table, words):
    games, report = read(table)
    (warning,) = report.warnings
    assert (len(games), warning.row, warning.column) == (3, 3, "Result")
    assert warning.message == (
        f"The same players have the same result {words}; if the game is listed twice, delete one of the two."
    )
