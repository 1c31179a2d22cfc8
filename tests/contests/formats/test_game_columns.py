"""Columns of tables of games: which are sides, results, winners and dates."""

from __future__ import annotations

import pytest

from contests.formats import ReadingOptions
from tests.contests.formats.reading import read
from tests.contests.formats.test_games import games, sides


@pytest.mark.parametrize("head", [
    "Home,Away,Result", "Local,Visitante,Marcador", "Casa,Ospite,Risultato", "Domicile,Extérieur,Résultat",
    "Heimmannschaft,Gastmannschaft,Endstand", "Home,Away,Winner",
])  # fmt: skip
def test_letters_beside_home_and_away_name_the_side_that_won(head):
    (home, away, draw), report = read(f"{head}\nAnn,Bo,H\nAnn,Bo,a\nAnn,Bo,D\n")
    assert not report.errors
    assert [sides(game) for game in (home, away, draw)] == [
        [("Ann", 1), ("Bo", 2)], [("Ann", 2), ("Bo", 1)], [("Ann", 1), ("Bo", 1)],
    ]  # fmt: skip


def test_letters_beside_other_sides_name_the_first_and_the_second_one():
    (first, second) = games("A,B,Result\nAnn,Bo,A\nAnn,Bo,B\n")
    assert (sides(first), sides(second)) == ([("Ann", 1), ("Bo", 2)], [("Ann", 2), ("Bo", 1)])


@pytest.mark.parametrize("table", [
    "Runde 1;Ann;Bo;3:1\nRunde 1;Cy;Di;1:0\n", "Ort;Erste;Zweite;Spielstand\nBonn;Ann;Bo;3:1\nKiel;Cy;Di;1:0\n",
])  # fmt: skip
def test_three_columns_of_texts_are_not_taken_for_players(table):
    (*found,), report = read(table)
    assert (found, bool(report.errors)) == ([], True)


@pytest.mark.parametrize(("head", "is_asked"), [
    ("Away,Home,Score", True), ("Black,White,Result", True), ("Home,Away,Score", False), ("Away,Home,Winner", False),
])  # fmt: skip
def test_results_beside_sides_in_reverse_order_get_a_remark(head, is_asked):
    result = "Bo" if "Winner" in head else "3-1"
    (game,), report = read(f"{head}\nAnn,Bo,{result}\n")
    first = head.split(",")[int(is_asked)]
    said = [problem.message for problem in report.warnings if problem.message.startswith("Podium reads results")]
    assert [f"point of view of “{first}”" in message for message in said] == [True] * is_asked
    assert sides(game)[0][0] == ("Bo" if head.startswith(("Away", "Black")) else "Ann")


def test_a_column_of_states_is_no_status():
    (contest,), report = read("place,name,state\n1,Ann,NC\n2,Bo,OK\n", options=ReadingOptions(ignores_unknown=True))
    assert [row.status for row in contest.standings] == ["ranked", "ranked"]
    assert not report.errors


@pytest.mark.parametrize(("table", "places"), [
    ("Home,Away,Home score,Away score,Winner\nAnn,Bo,3,1,\nAnn,Bo,,,Bo\nAnn,Bo,,,draw\n", [(1, 2), (2, 1), (1, 1)]),
    ("White,Black,Result,Winner\nAnn,Bo,1-0,\nAnn,Bo,-,Bo\nAnn,Bo,,Ann\n", [(1, 2), (2, 1), (1, 2)]),
    ("Winner,Loser,Winner score,Loser score\nAnn,Bo,3,1\nBo,Ann,,\n", [(1, 2), (1, 2)]),
])  # fmt: skip
def test_a_winner_without_scores_decides(table, places):
    assert [tuple(rank for _, rank in sides(game)) for game in games(table)] == places


@pytest.mark.parametrize(
    "head", ["Day,Date,Home,Away,Score", "Tag,Datum,Heim,Gast,Ergebnis", "Time,Date,White,Black,Result"]
)
def test_weekdays_and_times_beside_dates_are_no_dates(head):
    first = "18:00" if head.startswith("Time") else "Sat"
    (game,), report = read(f"{head}\n{first},2025-05-03,Ann,Bo,1-0\n", options=ReadingOptions(ignores_unknown=True))
    assert (report.errors, f"{game.ends_at:%Y-%m-%d}") == ([], "2025-05-03")


def test_a_column_named_day_alone_has_dates():
    (game,) = games("Day,Home,Away,Score\n2025-05-03,Ann,Bo,1-0\n")
    assert f"{game.ends_at:%Y-%m-%d}" == "2025-05-03"


@pytest.mark.parametrize("table", [
    "Player,Score,Opponent,Opponent Score\nAnn,1,Bo,1\n", "Player,Opponent,Score,Opponent Score\nAnn,Bo,1,1\n",
])  # fmt: skip
def test_the_score_of_the_opponent_makes_the_other_one_that_of_the_player(table):
    (game,) = games(table)
    assert sides(game) == [("Ann", 1), ("Bo", 1)]
