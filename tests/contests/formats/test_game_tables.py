"""Tables of games that list games twice, name undecided opponents, or write their dates in several ways."""

from __future__ import annotations

import pytest

from tests.contests.formats.reading import errors_of, one_error, read


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


def test_dates_in_different_orders_are_errors_that_name_one_of_each():
    problems = errors_of("Date,P1,P2,Result\n4/25/2025,A,B,1-0\n25/4/2025,A,C,1-0\n3/4/2025,B,C,1-0\n")
    assert [(problem.row, problem.column) for problem in problems] == [(2, "Date"), (3, "Date"), (4, "Date")]
    assert {problem.message for problem in problems} == {
        "The dates in this column are not all in the same order: 25/4/2025 begins with the day, but 4/25/2025 with "
        "the month; write all dates like 2025-05-01."
    }


def test_a_date_with_two_numbers_above_twelve_is_no_day_and_shows_no_order():
    first, second = errors_of("Date,P1,P2,Result\n13/13/2025,A,B,1-0\n3/4/2025,A,B,1-0\n")
    assert first.message.startswith("There is no such day; correct the date")
    assert second.message.startswith("3/4/2025 can mean 2025-04-03 or 2025-03-04")


@pytest.mark.parametrize(
    ("text", "month"),
    [
        ("9. Januar 2025", 1), ("9. Jänner 2025", 1), ("9. Februar 2025", 2), ("9. März 2025", 3), ("9 MÄRZ 2025", 3),
        ("9. Ma\u0308rz 2025", 3), ("9. Mrz. 2025", 3), ("9.Mai 2025", 5), ("9. Juni 2025", 6), ("9. Juli 2025", 7),
        ("9. Sept. 2025", 9), ("9. Okt 2025", 10), ("9. Oktober 2025", 10), ("9 Dez. 2025", 12), ("9-Dez-2025", 12),
    ],
)  # fmt: skip
def test_dates_can_have_german_months(text, month):
    (game,) = read(f"Datum;Heim;Gast;Ergebnis\n{text};A;B;1-0\n")[0]
    assert (game.ends_at.month, game.ends_at.day) == (month, 9)
