"""Shares of play and handicaps in tables, workbooks and JSON."""

from __future__ import annotations

import io
import json

import pytest
from openpyxl import Workbook

from contests.formats import ReadingOptions, sketch
from tests.contests.formats.reading import contest_line, errors_of, one_error, read, read_one


def terms(contest):
    return [(row.handle, row.share, row.handicap) for row in contest.standings]


def test_tables_have_shares_and_handicaps():
    contest = read_one(
        "rank,player,played,handicap\n1,ann,0.5,\n2,bob,25 %,+100\n3,eve,1,-50.5\n4,kim,,0\n5,zoe,100%,–\n6,lea,.75,\n"
    )
    assert terms(contest) == [
        ("ann", 0.5, None), ("bob", 0.25, 100.0), ("eve", None, -50.5), ("kim", None, None), ("zoe", None, None),
        ("lea", 0.75, None),
    ]  # fmt: skip
    assert contest.has_shares
    assert contest.has_handicaps
    german = read_one("Platz;Spieler;Anteil;Vorgabe\n1;ann;0,5;1.000,5\n2;bob;33,3 %;-2\n")
    assert terms(german) == [("ann", 0.5, 1000.5), ("bob", pytest.approx(0.333), -2.0)]
    plain = read_one("rank,player,share,handicap\n1,ann,1,0\n2,bob,100 %,\n")
    assert (plain.has_shares, plain.has_handicaps) == (False, False)


def test_a_workbook_has_shares_in_percent():
    book = Workbook()
    book.active.append(["rank", "player", "share", "handicap"])
    book.active.append([1, "ann", 0.5, 120])
    book.active.append([2, "bob", 1, None])
    book.active["C2"].number_format = "0%"
    stream = io.BytesIO()
    book.save(stream)
    assert terms(read_one(stream.getvalue(), "standings.xlsx")) == [("ann", 0.5, 120.0), ("bob", None, None)]


@pytest.mark.parametrize("cell", ["0", "1.5", "-0.5", "101 %", "50", "half", "nan", "0 %", "1/2"])
def test_an_impossible_share_is_an_error_with_its_place(cell):
    error = one_error(f"rank,player,share\n1,ann,0.5\n2,bob,{cell}\n")
    assert (error.row, error.column) == (3, "share")
    assert error.value == f"“{cell}”"
    assert "above 0 and at most 1, such as 0.5 or 50 %" in error.message


@pytest.mark.parametrize("cell", ["2e6", "much", "inf"])
def test_an_impossible_handicap_is_an_error_with_its_place(cell):
    error = one_error(f"rank,player,handicap\n1,ann,{cell}\n2,bob,\n")
    assert (error.row, error.column) == (2, "handicap")


def test_the_members_of_a_team_share_one_handicap():
    table = "rank,player,team,handicap\n1,ann,red,100\n1,bob,red,{}\n2,eve,blue,\n2,kim,blue,\n"
    assert terms(read_one(table.format(100)))[:2] == [("ann", None, 100.0), ("bob", None, 100.0)]
    error = one_error(table.format(""))
    assert (error.row, error.column) == (3, "handicap")
    assert "the members of team “red” have different handicaps" in error.message.casefold()
    # Clubs are not teams: their members have handicaps of their own.
    clubs = read_one("rank,player,team,handicap\n1,ann,red,100\n2,bob,red,\n")
    assert terms(clubs) == [("ann", None, 100.0), ("bob", None, None)]


def test_json_has_them_as_a_fourth_value():
    contest = read_one(
        contest_line(standings=[
            [["ann", "bob"], 1, 9, {"share": [1, 0.25], "handicap": 100}], ["eve", 2, 7, {"share": 0.5}],
            [["kim", "zoe"], 3, 1, {"share": 0.75}], ["lea", 4, 0],
        ]),
        "contest.json",
    )  # fmt: skip
    assert terms(contest) == [
        ("ann", None, 100.0), ("bob", 0.25, 100.0), ("eve", 0.5, None), ("kim", 0.75, None), ("zoe", 0.75, None),
        ("lea", None, None),
    ]  # fmt: skip
    for said, place in (
        ({"share": 0}, "share"),
        ({"share": "half"}, "share"),
        ({"share": True}, "share"),
        ({"share": [0.5, 0.5]}, "share"),
        ({"handicap": "x"}, "handicap"),
        ({"handicap": 1e300}, "handicap"),
        ({"share": 10**400}, "share"),
        ({"part": 0.5}, "fourth value"),
        (0.5, "fourth value"),
    ):
        errors = errors_of(contest_line(standings=[["ann", 1, 9, said], ["bob", 2, 7]]), "contest.json")
        assert [error.column for error in errors] == [f"standing 1, {place}"], json.dumps(str(said))


GAMES = (
    "date;white;black;result;white handicap;handicap_b\n2025-05-01;ann;bob;1-0;{};\n"
    "2025-05-01;eve + kim;zoe + lea;0-1;;{}\n"
)


def games_of(table):
    contests, report = read(table)
    assert report.lines() == []
    return [game for contest in contests for game in [contest, *contest.games] if game.game is not None]


def test_games_have_a_handicap_for_each_side():
    games = games_of(GAMES.format("+100", "50,5"))
    assert [terms(game) for game in games] == [
        [("ann", None, 100.0), ("bob", None, None)],
        [("eve", None, None), ("kim", None, None), ("zoe", None, 50.5), ("lea", None, 50.5)],
    ]
    assert all(game.has_handicaps for game in games)
    even = games_of(GAMES.format("", "0"))
    assert not any(game.has_handicaps for game in even)
    assert [game.key for game in even] == [game.key for game in games], "a game is the same with another handicap"
    error = one_error("white,black,result,handicap_a\nann,bob,1-0,two stones\n")
    assert (error.row, error.column) == (2, "handicap_a")


def test_numbers_of_games_are_not_shares():
    contests, report = read("Team,Played,Points\nx,1,9\ny,3,6\nz,,5\n")
    assert (contests[0].ranks, contests[0].has_shares) == ([1, 2, 3], False)
    remark = report.warnings[-1]
    assert (remark.row, remark.column, remark.message) == (1, "Played", "Unknown column, ignored.")
    fields = [column.field for column in sketch(b"Team,Played,Points\nx,1,9\ny,3,6\n", filename="a.csv").columns]
    assert fields == ["handle", "", "score"]


@pytest.mark.parametrize("cells", [("1", "0.5"), ("3", "0.5"), ("1", "50 %"), ("3", "x")])
def test_a_column_played_with_shares_keeps_its_meaning(cells):
    text = "Team,Played,Points\nx,{},9\ny,{},6\n".format(*cells)
    assert sketch(text.encode(), filename="a.csv").columns[1].field == "share"


def test_a_chosen_column_of_shares_is_not_ignored():
    options = ReadingOptions({0: "handle", 1: "share", 2: "score"})
    errors = errors_of("Team,Played,Points\nx,1,9\ny,3,6\n", options=options)
    assert [(error.row, error.column) for error in errors] == [(3, "Played")]
