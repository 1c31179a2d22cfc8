"""Tables of games in forms that Podium does not read, or reads in a way that should be checked: what it says."""

from __future__ import annotations

import pytest

from contests.formats import ReadingOptions
from tests.contests.formats.reading import errors_of, one_error, read
from tests.contests.formats.test_games import games, sides

JOIN = "The table has several columns for the players of one side; join them in one cell with “+”, as in “Ann + Bo”."
SPLIT = "This column has both players of each game; split it into two columns, “player a” and “player b”."


@pytest.mark.parametrize("head", [
    "Date,Player 1,Player 2,Player 3,Player 4,Result", "Date,Player 1,Partner 1,Player 2,Partner 2,Result",
    "Date,Team A Player 1,Team A Player 2,Team B Player 1,Team B Player 2,Result", "Date,A1,A2,B1,B2,Result",
    "Date,Winner 1,Winner 2,Loser 1,Loser 2,Score", "Date,Spieler 1,Spieler 2,Spieler 3,Spieler 4,Ergebnis",
])  # fmt: skip
def test_columns_of_more_than_two_players_are_an_error_with_the_way_to_enter_teams(head):
    problem = one_error(f"{head}\n2025-05-01,Ann,Bo,Cy,Di,1-0\n")
    assert (problem.message, problem.row) == (JOIN, 1)


@pytest.mark.parametrize(("head", "row"), [
    ("Home,Away,P1,P2,P3,Result", "Ann,Bo,1,0,2,3-0"),  # periods
    ("Team 1,Team 2,Score,PD", "Ann,Bo,3-0,3"),  # the difference in points
    ("Player 1,Player 2,Result,PC", "Ann,Bo,3-0,7"),
    ("Team 1,Team 2,Team 3,Result", "Ann,Bo,,3-0"),
])  # fmt: skip
def test_columns_of_other_things_are_no_further_players(head, row):
    (game,) = games(f"{head}\n{row}\n")
    assert sides(game) == [("Ann", 1), ("Bo", 2)]


def test_tasks_that_are_called_like_team_members_stay_tasks():
    (contest,), _ = read(
        "Rank,Name,A1,A2,B1,B2\n1,Ann,1,1,1,1\n2,Bo,1,0,0,0\n", options=ReadingOptions(ignores_unknown=True)
    )
    assert [row.handle for row in contest.standings] == ["Ann", "Bo"]


@pytest.mark.parametrize(("head", "cell"), [
    ("Match,Score", "Ann vs Bo"), ("Date,Game,Result", "Ann - Bo"), ("Begegnung;Ergebnis", "Ann gegen Bo"),
    ("Fixture,Score", "Ann v. Bo"), ("Spiel;Ergebnis", "Ann – Bo"),
])  # fmt: skip
def test_both_players_in_one_column_are_an_error_that_asks_for_two_columns(head, cell):
    mark = ";" if ";" in head else ","
    first = ["2025-05-01"] if head.startswith("Date") else []
    rows = [mark.join([*first, each, "3:1"]) for each in (cell, cell.replace("Ann", "Cy"))]
    problem = one_error("\n".join([head, *rows, ""]))
    assert (problem.message, problem.row, problem.value) == (SPLIT, 2, f"“{cell}”")
    assert problem.column == head.split(mark)[len(first)]


def test_the_first_row_with_both_players_is_named():
    problem = one_error("Match,Score\n,\n,3-1\nAnn vs Bo,3-1\n")
    assert (problem.message, problem.row, problem.value) == (SPLIT, 4, "“Ann vs Bo”")


def test_teams_of_two_with_a_dash_in_their_names_stay_teams():
    (contest,), report = read("Rank,Team\n1,Ann - Bo\n2,Cy - Di\n")
    assert ([row.handle for row in contest.standings], report.errors) == (["Ann - Bo", "Cy - Di"], [])


def test_blocks_of_columns_beside_each_other_are_an_error():
    head = "White,Black,Result"
    (problem,) = errors_of(f"{head},{head}\nAnn,Bo,1-0,Cy,Di,0-1\n")
    assert problem.message == (
        "The table has several blocks of columns side by side; put the rows of the other blocks below those of "
        "the first one."
    )
    assert (problem.row, problem.column) == (1, "White")


def doubts(rows, head="White,Black,Result"):
    (*found,), report = read("\n".join([head, *rows, ""]))
    assert found
    assert not report.errors
    return [(problem.row, problem.message, problem.value) for problem in report.warnings]


@pytest.mark.parametrize("name", ["Nadal [2]", "Nadal (12)", "Ann (WC)", "Carlsen (2839)", "Bo[Q]"])
def test_seeds_and_ratings_behind_names_are_doubted_once(name):
    ((row, said, value),) = doubts(["Ann,Bo,1-0", f"{name},Bo,1-0", f"{name},Cy,0-1"])
    assert (row, value) == (3, f"“{name}”")
    assert said == (
        "This name ends with a seed, a rating or a note in brackets. Delete the brackets and their contents; "
        "otherwise, they will become part of the player’s handle."
    )
    ((row, said, _),) = doubts([f"{name},Bo,1-0", "Cy [3],Bo,1-0", "Di (1),Bo,1-0"])
    assert (row, said[:51]) == (2, "This name and 2 more end with a seed, a rating or a")


@pytest.mark.parametrize("name", ["Ann (Bo)", "[clan] Ann", "Ann 2", "(2)", "Ann [Berlin]", "x" * 90 + " (Berlin)"])
def test_other_brackets_are_parts_of_names(name):
    assert doubts([f"{name},Bo,1-0"]) == []


@pytest.mark.parametrize("team", ["Ann/Bo", "Ann / Bo", "Ann & Bo", "Ann and Bo", "Ann und Bo", "Ann et Bo"])
def test_names_of_two_players_in_most_cells_are_doubted(team):
    ((row, said, value),) = doubts([f"{team},Cy/Di,1-0"])
    assert (row, value) == (2, f"“{team}”")
    assert said == (
        "Podium treats each name like this one as a single player. If these are teams of several players, join their "
        "members with “+”, as in “Ann + Bo”."
    )
    assert doubts([f"{team},Ed,1-0", "Ed,Flo,1-0", "Flo,Gus,1-0"]) == [], "a club such as Bodø/Glimt"


@pytest.mark.parametrize(("head", "row"), [
    ("Spieler;Gegner;Ergebnis", "Ann;Bo;3:1"), ("Entrant 1,Entrant 2,Score", "Ann,Bo,3-1"),
    ("winner_name,loser_name,score", "Ann,Bo,6-4 6-3"), ("Visitor,G,Home,G", "Bo,1,Ann,3"),
    ("Visitor/Neutral,PTS,Home/Neutral,PTS", "Bo,1,Ann,3"), ("Winner,Winning legs,Loser,Losing legs", "Ann,3,Bo,1"),
    ("Player 1,Player 2,Player 1 score,Player 2 score", "Ann,Bo,3,1"), ("Joueur,Adversaire,Résultat", "Ann,Bo,3-1"),
    ("Challenger,Defender,Winner", "Ann,Bo,Challenger"), ("Team 1;Team 2;Tore;Tore", "Ann;Bo;3;1"),
])  # fmt: skip
def test_column_names_of_games_as_programs_write_them(head, row):
    (game,) = games(f"{head}\n{row}\n")
    assert sorted(sides(game)) == [("Ann", 1), ("Bo", 2)]


@pytest.mark.parametrize(("result", "places"), [
    ("W+3.5", (1, 2)), ("b+R", (2, 1)), ("B+Resign", (2, 1)), ("W+", (1, 2)), ("Jigo", (1, 1)), ("0", (2, 1)),
])  # fmt: skip
def test_results_of_go_beside_colours(result, places):
    (game,) = games(f"White,Black,Result\nAnn,Bo,{result}\n")
    assert tuple(place for _, place in sides(game)) == places
    assert one_error("P1,P2,Result\nAnn,Bo,W+3.5\n").message.startswith("This is not a result")


def test_three_numbers_as_a_result_are_an_error_because_their_order_is_unknown():
    problem = one_error("P1,P2,Result\nAnn,Bo,2-1-0\n")
    assert problem.message == (
        "Three numbers can mean wins, losses and draws, or wins, draws and losses; enter only the games that each side "
        "won, such as 2-1."
    )


@pytest.mark.parametrize("score", ["6-4 2-1 RET", "6-4, 2-1 ret.", "6-4 2-6 1-0 (ret)", "2:1 Aufgabe", "RET", "DSQ"])
def test_a_game_that_one_side_gave_up_counts_for_the_named_winner(score):
    (first,) = games(f"Winner;Loser;Score\nAnn;Bo;{score}\n")
    (second,) = games(f"P1;P2;Result;Winner\nAnn;Bo;{score};Bo\n")
    assert (sides(first), sides(second)) == ([("Ann", 1), ("Bo", 2)], [("Ann", 2), ("Bo", 1)])
    problem = one_error(f"P1;P2;Result\nAnn;Bo;{score}\n")
    assert problem.message == (
        "One side gave up, and the row does not say which one; enter 1-0 or 0-1, or add a column “winner”."
    )


@pytest.mark.parametrize("word", ["w/o", "WO", "w.o.", "kampflos", "forfeit", "Walkover", "no-show"])
def test_a_walkover_counts_for_the_named_winner(word):
    (first,) = games(f"Winner;Loser;Score\nAnn;Bo;{word}\n")
    (second,) = games(f"P1;P2;Result;Winner\nAnn;Bo;{word};Bo\n")
    assert (sides(first), sides(second)) == ([("Ann", 1), ("Bo", 2)], [("Ann", 2), ("Bo", 1)])
    assert first.game.is_walkover
    assert second.game.is_walkover
    (bye,) = games(f"P1;P2;Result\nbye;Bo;{word}\n")
    assert (sides(bye), bye.game.is_walkover) == ([("Bo", 1)], True)
    (scored,) = games(f"P1;P2;Score1;Score2;Result\nAnn;Bo;0;3;{word}\n")
    assert (sides(scored), scored.game.is_walkover) == ([("Ann", 2), ("Bo", 1)], True)
    assert one_error(f"P1;P2;Result;Winner\nAnn;Bo;{word};draw\n").column == "Result"
    problem = one_error(f"P1;P2;Result\nAnn;Bo;{word}\n")
    assert problem.message == (
        "The game was a walkover, but the row does not say who won; enter +:- or -:+, or -:- if both sides lost."
    )


@pytest.mark.parametrize(("text", "day"), [
    ("2025-05-01 18:00", "2025-05-01"), ("14/05/2025 20:00", "2025-05-14"), ("1.5.2025 20:15 Uhr", "2025-05-01"),
    ("Sat 10 May 2025, 7:30 pm", "2025-05-10"), ("2025-05-01T20:00:00", "2025-05-01"),
    ("Donnerstag, 1.5.2025", "2025-05-01"), ("Tue Oct 24 2023", "2023-10-24"), ("Mar 5 2025", "2025-03-05"),
    ("Mai 5 2025", "2025-05-05"), ("1 Mai 2025", "2025-05-01"), ("5 marzo 2025", "2025-03-05"),
    ("mar. 5 2025", "2025-03-05"), ("jeudi 1 mai 2025", "2025-05-01"),
])  # fmt: skip
def test_weekdays_and_times_without_a_zone_are_left_out_of_dates(text, day):
    (game,), report = read(f'Date;White;Black;Result\n"{text}";Ann;Bo;1-0\n')
    assert f"{game.ends_at:%Y-%m-%d %H:%M}" == f"{day} 00:00"
    said = [problem.message for problem in report.warnings]
    assert said == [
        "The times have no time zone, so Podium uses only the days. Games on the same day are rated in the order in "
        "which they appear in the file."
    ] * (":" in text)


@pytest.mark.parametrize("text", ["20:00", "Mo 20:00", "2025-05 20:00", "25:00 1.5.2025", "Sat"])
def test_times_alone_are_no_dates(text):
    assert one_error(f"Date;White;Black;Result\n{text};Ann;Bo;1-0\n").column == "Date"
