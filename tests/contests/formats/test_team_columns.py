"""Columns of teams in tables: teams that share a place, and clubs, whose column is ignored."""

from __future__ import annotations

import pytest

from tests.contests.formats.reading import read, read_one


@pytest.mark.parametrize("ranks", [(1, 1, 2, 2), (1, 1, 3, 3)])
def test_a_team_shares_its_rank_and_counts_once(ranks):
    table = "".join(f"{rank},{handle},{team}\n" for rank, handle, team in zip(ranks, "abcd", "AABB", strict=True))
    contest = read_one(f"rank,handle,team\n{table}")
    assert contest.has_teams
    assert [row.team for row in contest.standings] == ["A", "A", "B", "B"]
    assert contest.ranks == [1, 1, 2, 2]


@pytest.mark.parametrize(
    ("ranks", "clubs", "has_teams"),
    [
        # Two club mates tie in a race: the next rank counts both.
        ("1 2 3 3 5", "A B C C D", False),
        ("1 2 2 4 5", "A B B C ", False),
        # The next rank counts the team once.
        ("1 2 3 3 4", "A B C C D", True),
        # Most teams have several rows.
        ("1 1 3 3 5", "A A B B C", True),
    ],
)
def test_club_mates_who_tie_are_no_team(ranks, clubs, has_teams):
    names = [*clubs.split(" "), ""]
    rows = "".join(f"{rank},p{i},{names[i]}\n" for i, rank in enumerate(ranks.split()))
    contests, report = read(f"rank,handle,team\n{rows}")
    assert contests[0].has_teams == has_teams
    assert [problem.column for problem in report.warnings] == ([] if has_teams else ["team"])
    if not has_teams:
        assert contests[0].ranks == [int(rank) for rank in ranks.split()]


def test_a_team_column_that_names_clubs_is_left_out_with_a_warning():
    contests, report = read("rank,handle,team\n1,a,Ferrari\n2,b,Ferrari\n3,c,Alfa\n")
    assert not contests[0].has_teams
    assert [p.column for p in report.warnings] == ["team"]


def test_teams_with_different_times_are_clubs():
    contests, report = read("Name;Team;Zeit\nAnn;A;1:02:03\nBo;A;58:20\n")
    assert [row.place for row in contests[0].standings] == [2, 1]
    assert not contests[0].has_teams
    assert ["different results" in p.message for p in report.warnings if p.column == "Team"] == [True]


def test_club_mates_with_different_penalties_are_no_team():
    contests, report = read("handle,team,solved,penalty\nann,X,3,200\nbob,X,3,250\ncem,Y,3,220\ndan,Z,1,30\n")
    assert [(row.handle, row.place) for row in contests[0].standings] == [
        ("ann", 1),
        ("bob", 3),
        ("cem", 2),
        ("dan", 4),
    ]
    assert not contests[0].has_teams
    assert ["different results" in p.message for p in report.warnings if p.column == "team"] == [True]


def test_club_mates_with_equal_scores_are_no_team_if_most_teams_have_one_row():
    contests, report = read("handle,team,score\nann,X,10\nbob,Y,9\ncem,Y,9\ndan,Z,8\neve,W,7\n")
    assert contests[0].ranks == [1, 2, 2, 4, 5]
    assert not contests[0].has_teams
    assert ["only one row" in p.message for p in report.warnings if p.column == "team"] == [True]
    contests, _ = read("handle,team,score\nann,X,10\nbob,Y,9\ncem,Y,9\ndan,X,10\n")
    assert contests[0].has_teams
    assert contests[0].ranks == [1, 2, 2, 1]


def test_the_rows_that_differ_are_named():
    table = "team,player,score\nRed,a,12\nRed,b,12\nBlue,c,11\nBlue,d,11\nGold,e,9\nGold,f,8\n"
    _, report = read(table)
    (problem,) = report.warnings
    assert (problem.row, problem.other_row, problem.value) == (7, 6, "“Gold”")
    assert "such as “Gold” here and in line 6" in problem.message
    assert "If they do, give the rows of a team the same result." in problem.message


def test_a_team_has_one_spelling():
    contest = read_one("rank,handle,team\n1,a,Green Team\n1,b,green  team\n2,c,Reds\n2,d,REDS\n3,e,\n")
    assert [row.team for row in contest.standings] == ["Green Team", "Green Team", "Reds", "Reds", ""]
    assert contest.ranks == [1, 1, 2, 2, 3]
