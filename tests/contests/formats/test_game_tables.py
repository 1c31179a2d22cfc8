"""Tables of games that list games twice, name undecided opponents, or write their dates in several ways."""

from __future__ import annotations

import pytest

from tests.contests.formats.reading import one_error, read


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


@pytest.mark.parametrize("name", ["TBD", "tba", "?", "N.N.", "N. N.", "NN", "to be determined"])
def test_rows_with_undecided_players_are_left_out(name):
    games, report = read(f"Player 1,Player 2,Result\nAnn,{name},1-0\n{name},Bo,\nAnn,nobody,1-0\n")
    assert [game.name for game in games] == ["Ann – nobody"]
    assert report.lines() == ["warning: 2 rows were left out because they do not name both players yet: rows 2 and 3."]


def test_a_table_of_undecided_players_alone_has_no_finished_games():
    assert one_error("Player 1,Player 2,Result\nTBD,TBD,\n").message == "The table has no finished games."
