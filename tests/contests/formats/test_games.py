"""A table of games: each row becomes a contest of two sides, and every problem has its line, column and remedy."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import openpyxl
import pytest

from contests.formats import ReadingOptions, Report, annotated, sketch
from contests.formats.events import event_of, points_of
from contests.formats.games.results import parse_result
from tests.contests.formats.reading import errors_of, one_error, read

HEAD = "date,player_a,player_b,result\n"
DAY = datetime(2025, 5, 1, tzinfo=UTC)


def games(content: bytes | str, filename: str = "games.csv", **options):
    """Return the games of a file without errors."""
    found, report = read(content, filename, **options)
    assert not report.errors, report.lines()
    return found


def sides(game) -> list[tuple[str, int | None]]:
    return [(row.handle, rank) for row, rank in zip(game.standings, game.ranks, strict=True)]


def test_each_row_is_a_contest_of_two_in_the_order_of_the_file():
    one, two = games(HEAD + "2025-05-02,Ann,Bo,1-0\n2025-05-01,Cy,Di,½-½\n")
    assert (sides(one), sides(two)) == ([("Ann", 1), ("Bo", 2)], [("Cy", 1), ("Di", 1)])
    assert (one.name, one.ends_at, two.ends_at) == ("Ann – Bo", datetime(2025, 5, 2, tzinfo=UTC), DAY)
    assert one.game is not None
    assert (one.game.row, two.key != one.key) == (2, True)


def test_results_are_read_in_the_notations_of_chess_leagues_and_spreadsheets():
    wins = ["1-0", "1 - 0", "1–0", "1:0", "3:1", "21-15", "2.5-1.5", "2½-1½", "5:-1", "-1 : -2", "w", "Win", "1"]
    wins += ["3:2 n.V.", "5-4 (pen)", "2:1 a.e.t.", "4:3 n.E.", "2:1 (1:0)", "6-4 6-3", "7-6(5), 3-6, 6-1", "2:1 OT"]
    draws = [
        "½-½",
        "1/2-1/2",
        "0.5-0.5",
        "0,5-0,5",
        ".5-.5",
        "½",
        "=",
        "draw",
        "D",
        "2-2",
        "0:0",
        "1:1 n.V.",
        "1:1 (0:1)",
    ]
    losses = ["0-1", "1:3", "L", "loss", "0", "4-6 6-7(2)"]
    walkovers = {
        "+:-": 1,
        "+--": 1,
        "-:+": -1,
        "-:-": 0,
        "1-0 w/o": 1,
        "0-1 (forfeit)": -1,
        "1:0 ff": 1,
        "0:3 w.o.": -1,
    }
    for better, texts in ((1, wins), (0, draws), (-1, losses)):
        for text in texts:
            found = parse_result(text)
            assert found is not None
            assert (found.better, found.is_walkover) == (better, False), text
    for text, better in walkovers.items():
        found = parse_result(text)
        assert found is not None
        assert (found.better, found.is_walkover) == (better, True), text
    assert [parse_result(text) for text in ("*", "-", "tbd", "abgesagt")] == [None] * 4
    for text in (
        "",
        "foo",
        "1-0-1",
        "+:+",
        "1-1 (4-3)",
        "6-4 6-6",
        "1/2 1/2",
        "3-1 0-2",
        "2025-03-01",
        "3-Jan",
        "9" * 80,
    ):
        with pytest.raises(ValueError, match=r"\w"):
            parse_result(text)


@pytest.mark.parametrize("word", ["BYE 1", "bye-12", "(Bye)", "Freilos 2", "descansa", "Riposa", "---", "–"])
def test_byes_in_other_words_are_no_players(word):
    (game,) = games(HEAD + f"2025-05-01,Ann,{word},1-0\n")
    assert sides(game) == [("Ann", 1)]
    assert game.game.is_walkover


@pytest.mark.parametrize("name", ["Byers", "Goodbye", "Bye Bye Birdie", "Bo-"])
def test_names_that_only_resemble_byes_are_players(name):
    (game,) = games(HEAD + f"2025-05-01,Ann,{name},1-0\n")
    assert [handle for handle, _ in sides(game)] == ["Ann", name]


@pytest.mark.parametrize(
    ("table", "places"),
    [
        ("Heim;Gast;Ergebnis;Sieger\nAnn;Bo;1:1;Bo\n", [2, 1]),  # after penalties
        ("Heim;Gast;Ergebnis;Sieger\nAnn;Bo;2:1;ann\n", [1, 2]),
        ("Heim;Gast;Ergebnis;Sieger\nAnn;Bo;1:1;\n", [1, 1]),
        ("Home,HG,AG,Away,Winner\nAnn,0,0,Bo,away\n", [2, 1]),
        ("Player 1,Player 2,Winner\nAnn,Bo,Bo\n", [2, 1]),
        ("Player 1,Player 2,Winner\nAnn,Bo,draw\n", [1, 1]),
        ("player,opponent,winner\nAnn,Bo,1\n", [1, 2]),
        ("winner,loser\nAnn,Bo\n", [1, 2]),
        ("Sieger;Verlierer\nAnn;Bo\n", [1, 2]),
        ("winner,opponent\nAnn,Bo\n", [1, 2]),
        ("Winner,Loser,Score\nAnn,Bo,6-4 6-3\n", [1, 2]),
        ("Winner,Loser,Score\nAnn,Bo,2:2\n", [1, 2]),  # after penalties
    ],
)
def test_a_column_of_winners_decides(table, places):
    (game,) = games(table)
    assert [(row.handle, row.place) for row in game.standings] == list(zip(["Ann", "Bo"], places, strict=True))


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("Heim;Gast;Ergebnis;Sieger\nAnn;Bo;2:1;Bo\n", "contradicts the result"),
        ("Heim;Gast;Ergebnis;Sieger\nAnn;Bo;½-½;Bo\n", "contradicts the result"),
        ("Player 1,Player 2,Winner\nAnn,Bo,Cy\n", "neither of the two sides"),
        ("Home,Away\nAnn,Bo\n", "no column says who won"),
        ("Winner,Loser,Score\nAnn,Bo,3-6 2-6\n", "contradicts the result"),
        ("Winner,Loser,Score\nAnn,Bo,L\n", "contradicts the result"),
        ("Winner,Loser,Score\nAnn,Bo,½:½\n", "contradicts the result"),
        ("Winner,Loser,Score\nAnn,Bo,-:-\n", "contradicts the result"),
        ("player,loser,result\nAnn,Bo,0-1\n", "contradicts the result"),
        ("Winner,Loser,Winner Score,Loser Score\nAnn,Bo,1,3\n", "contradicts the result"),
        ("Sieger;Verlierer;Ergebnis\nAnn;Bo;0-1\n", "contradicts the result"),
    ],
)
def test_winners_that_cannot_be_are_errors(table, said):
    assert said in one_error(table).message


def test_games_without_a_winner_yet_are_left_out():
    contests, report = read("Player 1,Player 2,Winner\nAnn,Bo,\nCy,Di,Di\n")
    assert [game.name for game in contests] == ["Cy – Di"]
    assert ["no result yet: row 2" in p.message for p in report.warnings] == [True]


def test_walkovers_and_byes_give_points_but_are_not_rated():
    rows = games(HEAD + "2025-05-01,Ann,Bo,+:-\n2025-05-01,Cy,bye,\n2025-05-01,Ann,Bo,-:-\n2025-05-01,Ann,Cy,0-1\n")
    assert [game.game.is_walkover for game in rows if game.game] == [True, True, True, False]
    assert [points_of(game) for game in rows] == [[1.0, 0.0], [1.0], [0.0, 0.0], [0.0, 1.0]]
    table = event_of(rows)
    assert [(row.handle, row.score, row.place) for row in table.standings] == [
        ("Ann", 1.0, 2), ("Bo", 0.0, 3), ("Cy", 2.0, 1),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["0-0 ff", "0:0 w/o", "0-0 (forfeit)", "0 - 0 kampflos", "0-0f"])
def test_a_forfeit_of_both_sides_gives_no_points(text):
    (game,) = games(HEAD + f"2025-05-01,Ann,Bo,{text}\n")
    assert (points_of(game), game.game.is_walkover) == ([0.0, 0.0], True)


def test_pointless_games_of_chess_players_are_asked_about():
    head = "White,Black,Result\nAnn,Bo,1-0\nBo,Cy,½-½\nAnn,Cy,+:-\nCy,bye,0\nDi,Cy,{}\nAnn,Di,0-0\n"
    rows, report = read(head.format("L"))
    assert points_of(rows[-1]) == [0.5, 0.5]
    assert [(problem.row, problem.column, problem.message) for problem in report.warnings] == [
        (
            7,
            "Result",
            "Podium reads 0-0 as a draw. If both sides lost or did not play, enter -:-; if it was a draw, enter ½-½.",
        )
    ]
    for table in (head.format("3-1"), head.replace("White,Black", "Home,Away").format("1-0")):
        assert read(table)[1].lines() == []


@pytest.mark.parametrize("row", ["Cid,bye,1-0", "bye,Cid,0-1", "BYE,Cid,", ",Cid,bye", "Cid,,bye"])
def test_a_bye_may_be_on_either_side(row):
    (game,) = games(f"{HEAD}2025-05-01,{row}\n")
    assert (sides(game), points_of(game)) == ([("Cid", 1)], [1.0])
    assert game.game is not None
    assert game.game.is_walkover


@pytest.mark.parametrize(
    ("row", "points"),
    [
        ("Cid,bye,½", 0.5),
        ("Cid,bye,0", 0.0),
        ("Cid,bye,0-0", 0.0),
        ("Cid,bye,-:-", 0.0),
        ("bye,Cid,½-½", 0.5),
        ("Cid,bye,+", 1.0),
        ("Cid,bye,1", 1.0),
        ("Cid,bye,3:0", 1.0),
        ("Cid,bye,-", 1.0),
    ],
)
def test_the_result_of_a_bye_gives_its_points(row, points):
    (game,) = games(f"{HEAD}2025-05-01,{row}\n")
    assert (sides(game), points_of(game)) == ([("Cid", 1)], [points])
    assert game.game.is_walkover


@pytest.mark.parametrize(("scores", "points"), [("1,0", 1.0), ("0.5,", 0.5), ("0,0", 0.0), (",", 1.0), ("-,-", 1.0)])
def test_the_scores_of_a_bye_give_its_points(scores, points):
    (game,) = games(f"home,away,home score,away score\nCid,bye,{scores}\n")
    assert points_of(game) == [points]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("White,Black,Result\nBYE,Bo,1-0\n", "A bye cannot win; enter 0-1"),
        ("White,Black,Result\nAnn,bye,foo\n", "This is not a result"),
        ("P1,P2,Score 1,Score 2\nAnn,bye,x,0\n", "This is not a score"),
        ("Winner,Loser,Result\nAnn,bye,0\n", "The winner contradicts the result"),
    ],
)
def test_impossible_results_of_byes_are_errors(table, said):
    problem = one_error(table)
    assert (problem.row, problem.message.startswith(said)) == (2, True)


def test_a_row_with_two_byes_is_an_error():
    _, report = read(f"{HEAD}2025-05-01,Ann,Bo,1-0\n2025-05-01,bye,Freilos,\n", "games.csv")
    assert [(problem.row, problem.message) for problem in report.errors] == [
        (3, "Both sides are byes; enter the player, or delete the row.")
    ]


def test_teams_are_joined_by_plus_signs():
    (game,) = games(HEAD + "2025-05-01,Ann + Bo,C++ + Di,3:1\n")
    assert sides(game) == [("Ann", 1), ("Bo", 1), ("C++", 2), ("Di", 2)]
    assert [row.team for row in game.standings] == ["Ann + Bo", "Ann + Bo", "C++ + Di", "C++ + Di"]
    assert ([row.place for row in game.standings], game.has_teams) == ([1, 1, 3, 3], True)


def test_columns_are_found_by_name_in_any_order_and_say_who_had_which_side():
    for head, kinds in (
        ("Result;Black;White;Datum", ("white", "black")),
        ("Ergebnis;Gast;Heim;Tag", ("home", "away")),
        ("outcome;opponent;player;date", ("", "")),
    ):
        (game,) = games(f"{head}\n0-1;Bo;Ann;1.5.2025\n")
        assert (sides(game), game.ends_at) == ([("Ann", 2), ("Bo", 1)], DAY)
        assert game.game is not None
        assert game.game.sides == kinds
    (game,) = games("winner,loser\nAnn,Bo\n")
    assert sides(game) == [("Ann", 1), ("Bo", 2)]
    (game,) = games("home,away,home score,away score,venue\nAnn,Bo,1,4,Hall\n")
    assert ([row.score for row in game.standings], sides(game)) == ([1.0, 4.0], [("Ann", 2), ("Bo", 1)])


def test_columns_are_found_by_content_if_their_names_say_nothing():
    for text in (
        "2025-05-01,Ann,Bo,1-0\n2025-05-01,Cy,Bo,0-1\n",
        "d,x,y,z\n2025-05-01,Ann,Bo,1-0\n2025-05-01,Cy,Bo,0-1\n",
    ):
        one, two = games(text)
        assert (sides(one), sides(two), one.ends_at) == ([("Ann", 1), ("Bo", 2)], [("Cy", 2), ("Bo", 1)], DAY)
        fields = [column.field for column in sketch(text.encode(), filename="a.csv").columns]
        assert fields == ["date", "player_a", "player_b", "result"]


def test_the_organizer_can_choose_the_columns():
    options = ReadingOptions({0: "player_b", 1: "player_a", 3: "result"})
    (game,) = games("a,b,c,d\nBo,Ann,x,1-0\n", options=options)
    assert sides(game) == [("Ann", 1), ("Bo", 2)]
    assert ReadingOptions.from_json(options.to_json()) == options
    problem = one_error("a,b\nAnn,Bo\n", options=ReadingOptions({0: "player_a", 1: "player_b"}))
    assert problem.message == "No column has the results; choose “result” for one, or “score_a” and “score_b”."


def test_slashes_in_dates_mean_what_the_whole_column_shows():
    rows = games(HEAD + "3/14/2025,Ann,Bo,1-0\n3/2/2025,Ann,Bo,0-1\n")
    assert [f"{game.ends_at:%m-%d}" for game in rows] == ["03-14", "03-02"]
    rows = games(HEAD + "14/3/2025,Ann,Bo,1-0\n3/2/2025,Ann,Bo,0-1\n")
    assert [f"{game.ends_at:%m-%d}" for game in rows] == ["03-14", "02-03"]
    problem = one_error(HEAD + "3/2/2025,Ann,Bo,1-0\n")
    assert problem.message.startswith("3/2/2025 can mean 2025-02-03 or 2025-03-02; write dates like")


def test_dates_that_can_mean_two_days_are_found_without_column_names():
    problems = errors_of("3/2/2025,Ann,Bo,1-0\n4/2/2025,Bo,Ann,1-0\n")
    assert [problem.column for problem in problems] == ["column 1", "column 1"]
    assert problems[0].message.startswith("3/2/2025 can mean 2025-02-03 or 2025-03-02")
    for text in (
        "2025.05.01",
        "2025/05/01",
        "1 May 2025",
        "May 1, 2025",
        "2025-05-01 00:00:00",
        "2025-05-01T02:00:00+02:00",
    ):
        (game,) = games(HEAD + f'"{text}",Ann,Bo,1-0\n')
        assert game.ends_at == DAY, text


def test_every_problem_has_its_line_its_column_and_a_remedy():
    for row, column, words in (
        ("2025-13-01,Ann,Bo,1-0", "date", "This is not a valid date; write it like"),
        (",Ann,Bo,1-0", "date", "The game has no date; add one, and write it like"),
        (
            "2025-05-01,,Bo,1-0",
            "player_a",
            "The handle is empty or has no visible characters; give the player a handle.",
        ),
        (
            "2025-05-01,Ann,ANN,1-0",
            "player_b",
            "A player cannot play on both sides of a game; correct",
        ),
        ("2025-05-01,Ann + Ann,Bo,1-0", "player_a", "A player is in this team twice; delete one of the two names."),
        ("2025-05-01,Ann,Bo,", "result", "The game has no result; enter one, such as 1-0, or delete the row."),
        ("2025-05-01,Ann,Bo,foo", "result", "This is not a result; enter 1-0, ½-½ or 0-1; a score such as 3:1;"),
        (
            "2025-05-01,Ann,Bo,2025-01-03",
            "result",
            "This is a date, not a result; spreadsheets turn entries",
        ),
        ("2025-05-01,Ann,Bo,1-0,x", None, "The row has 5 cells, but the header has 4; put cells"),
    ):
        _, report = read(HEAD + "2025-05-01,Ann,Bo,1-0\n" + row + "\n", "games.csv")
        (problem,) = report.errors
        assert (problem.row, problem.column) == (3, column), row
        assert problem.message.startswith(words), problem.message


def test_repeated_and_unfinished_games_are_reported_but_games_of_different_rounds_differ():
    rows, report = read(HEAD + "2025-05-01,Ann,Bo,1-0\n2025-05-01,Bo,Ann,0-1\n2025-05-01,Ann,Bo,*\n", "games.csv")
    repeated, unfinished = (line.partition(":")[2] for line in report.lines())
    assert repeated.startswith(" line 3, result: The same players have the same result on the same day")
    assert unfinished == " 1 row was left out because the game has no result yet: row 4."
    assert rows[1].key == f"{rows[0].key}-2"
    text = "date,player_a,player_b,result,round\n2025-05-01,Ann,Bo,1-0,1\n2025-05-01,Ann,Bo,1-0,2\n"
    rows, report = read(text, "games.csv")
    assert (len({game.key for game in rows}), report.lines()) == (2, [])


def test_a_remark_names_the_first_rows_without_a_result():
    unfinished = "".join(f"2025-05-02,p{i},q{i},*\n" for i in range(7))
    _, report = read(HEAD + "2025-05-01,Ann,Bo,1-0\n" + unfinished, "games.csv")
    (remark,) = report.warnings
    assert remark.message == (
        "7 rows were left out because their games have no result yet: rows 3, 4, 5, 6, 7 and 2 more."
    )


def test_the_id_of_a_game_depends_on_its_content_only():
    (one,) = games(HEAD + "2025-05-01,Ann,Bo,1-0\n")
    _, other = games("x\nwhite,black,result,date\nCy,Di,1-0,2025-05-01\nBO,ann,0-1,1.5.2025\n")
    assert one.key == other.key


def test_a_workbook_is_read_in_the_same_way_and_names_its_cells():
    book = openpyxl.Workbook()
    for row in (
        ["White", "Black", "Result", "Date"],
        ["Ann", "Bo", "1-0", DAY.replace(tzinfo=None)],
        ["Cy", "Di", "foo", None],
    ):
        book.active.append(row)
    out = io.BytesIO()
    book.save(out)
    rows, report = read(out.getvalue(), "games.xlsx")
    assert (sides(rows[0]), rows[0].ends_at) == ([("Ann", 1), ("Bo", 2)], DAY)
    assert [problem.place for problem in report.errors] == ["row 3, column “Date” (D3)", "row 3, column “Result” (C3)"]


def test_remarks_stand_beside_the_rows_and_are_ignored_afterwards():
    text = HEAD + "2025-05-01,Ann,Bo,foo\n"
    _, report = read(text, "games.csv")
    content, _ = annotated(text.encode(), filename="games.csv", report=report)
    lines = content.decode("utf-8-sig").splitlines()
    assert lines[1].startswith('"error: result: This is not a result;')
    fixed = content.replace(b"foo)", b"").replace(b",foo", b",1-0")
    assert [sides(game) for game in games(fixed)] == [[("Ann", 1), ("Bo", 2)]]
    assert annotated(fixed, filename="games.csv", report=Report())[0].decode("utf-8-sig").startswith("remarks,date")


def test_tables_of_standings_are_still_tables_of_standings():
    for text in ("rank,handle,score\n1,a,3\n2,b,1\n", "place,player,team,points\n1,a,x,3\n2,b,y,1\n"):
        (contest,), _ = read(text)
        assert (contest.game, len(contest.standings)) == (None, 2)


@pytest.mark.parametrize(
    "table",
    [
        "Rank,Team,Solved,Time,A,B,C\n1,Ann,3,100,1,1,1\n2,Bo,2,90,1,1,0\n",
        "#,Name,A,B,C,Score\n1,Ann,1,2,3,6\n2,Bo,1,1,1,3\n",
        "Handle,A,B,Score\nAnn,1,2,3\nBo,1,0,1\n",
        "Rank,Name,P1,P2,Score\n1,Ann,1,2,3\n2,Bo,1,0,1\n",
    ],
)
def test_tasks_named_by_letters_are_no_sides_of_games(table):
    (contest,), report = read(table, options=ReadingOptions(ignores_unknown=True))
    assert (contest.game, contest.ranks, report.errors) == (None, [1, 2], [])
    assert [row.handle for row in contest.standings] == ["Ann", "Bo"]


@pytest.mark.parametrize("head", ["#,A,B,Score", "Round,P1,P2,Result", "Team,A,B,Winner"])
def test_letters_without_a_column_of_players_or_with_one_of_winners_are_sides(head):
    (game,) = games(f"{head}\n1,Ann,Bo,{'Ann' if 'Winner' in head else '1-0'}\n")
    assert sides(game) == [("Ann", 1), ("Bo", 2)]
