"""Scoreboards of the ICPC's Contest API, alone and with teams, organizations and persons."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.contests.formats.answers import board, board_row, text
from tests.contests.formats.reading import errors_of, one_error, read, read_one

FILE = "scoreboard.json"
TEAMS = [
    {"id": "11", "name": "Shanghai Tigers", "organization_id": "inst123"},
    {"id": "123", "name": "CMU1", "display_name": "Carnegie 1", "organization_id": "inst105"},
]
ORGANIZATIONS = [
    {"id": "inst123", "name": "Shanghai Jiao Tong U.", "country": "CHN"},
    {"id": "inst105", "name": "Carnegie Mellon University", "country": "USA"},
]
CONTEST = {
    "id": "wf14",
    "name": "2014 ICPC World Finals",
    "start_time": "2014-06-25T10:00:00+01",
    "duration": "5:00:00",
}
TWO = (board_row(1, "123", 3, 340), board_row(2, "11", 2, 100))

# As the specification shows it in its version 2020-03 (minutes) and from 2026-01 on (durations).
AS_SPECIFIED = """{
  "event_id": "xy1234", "time": "2014-06-25T14:13:07.832+01", "contest_time": "4:13:07.832",
  "state": {"started": "2014-06-25T10:00:00+01", "ended": null, "frozen": "2014-06-25T14:00:00+01", "thawed": null,
            "finalized": null, "end_of_updates": null},
  "rows": [
    {"rank":1,"team_id":"123","score":{"num_solved":3,"total_time":TIME},"problems":[
      {"problem_id":"1","num_judged":3,"num_pending":1,"solved":false},
      {"problem_id":"2","num_judged":1,"num_pending":0,"solved":true,"time":20}]}
  ]
}"""


def read_board(*rows, **parts):
    return read_one(text(board(*rows, **parts)), FILE)


def remarks(*rows, **parts):
    _, report = read(text(board(*rows, **parts)), FILE)
    assert report.errors == []
    return [problem.message for problem in report.warnings]


def error_in(*rows, **parts):
    return one_error(text(board(*rows, **parts)), FILE)


def players(contest):
    rows = zip(contest.standings, contest.ranks, strict=True)
    return [(standing.handle, rank, standing.team) for standing, rank in rows]


@pytest.mark.parametrize("time", ["340", '"5:40:00"', '"5:40:00.000"'])
def test_the_example_of_the_specification_is_read_in_minutes_and_in_durations(time):
    contest = read_one(AS_SPECIFIED.replace("TIME", time), FILE)
    assert [tuple(standing) for standing in contest.standings] == [
        (1, "123", 3.0, "ranked", "", "", "", 340.0, 1, None, None)
    ]
    assert (contest.starts_at, contest.ends_at) == (datetime(2014, 6, 25, 9, tzinfo=UTC), None)


def test_a_scoreboard_alone_calls_players_by_ids_and_says_how_to_give_names():
    (remark,) = remarks(*TWO)
    assert "the handles are team ids" in remark
    assert "/persons" in remark


def test_teams_are_players_with_names_and_countries_where_members_are_not_known():
    contest = read_board(*TWO, contest=CONTEST, teams=TEAMS, organizations=ORGANIZATIONS)
    assert (contest.key, contest.name, contest.has_teams) == ("wf14", "2014 ICPC World Finals", False)
    assert contest.starts_at == datetime(2014, 6, 25, 9, tzinfo=UTC)
    assert contest.ends_at == datetime(2014, 6, 25, 14, tzinfo=UTC)
    assert [tuple(standing) for standing in contest.standings] == [
        (1, "Carnegie 1", 3.0, "ranked", "", "US", "", 340.0, 1, None, None),
        (2, "Shanghai Tigers", 2.0, "ranked", "", "CN", "", 100.0, 2, None, None),
    ]
    assert remarks(*TWO, contest=CONTEST, teams=TEAMS, organizations=ORGANIZATIONS) == []


CONTESTANTS = {
    "2020-03": (
        "team-members",
        [
            {"id": "a", "team_id": "11", "first_name": "Li", "last_name": "Wei", "role": "contestant"},
            {"id": "b", "team_id": "123", "first_name": "John", "last_name": "Smith", "role": "contestant"},
            {"id": "c", "team_id": "11", "first_name": "Östen", "last_name": "Ümlautsen", "role": "coach"},
        ],
    ),
    "2022-07": (
        "persons",
        [
            {"id": "a", "team_id": "11", "name": "Li Wei", "role": "contestant"},
            {"id": "b", "team_id": "123", "name": "John Smith", "role": "contestant"},
            {"id": "c", "team_id": "11", "name": "Östen Ümlautsen", "role": "coach"},
        ],
    ),
    "2023-06": (
        "persons",
        [
            {"id": "a", "team_ids": ["11"], "name": "Li Wei", "role": "contestant"},
            {"id": "b", "team_ids": ["123"], "name": "John Smith", "role": "contestant"},
            {"id": "c", "team_ids": ["11", "123"], "name": "Östen Ümlautsen", "role": "coach"},
        ],
    ),
    "2026-01": (
        "persons",
        [
            {"id": "a", "name": "Li Wei", "roles": [{"type": "contestant", "team_id": "11"}, {"type": "staff"}]},
            {"id": "b", "name": "John Smith", "roles": [{"type": "contestant", "team_id": "123"}]},
            {"id": "c", "name": "Östen Ümlautsen", "roles": [{"type": "coach", "team_id": "11"}]},
        ],
    ),
}


@pytest.mark.parametrize("version", CONTESTANTS)
def test_in_every_version_contestants_are_players_and_coaches_are_not(version):
    part, persons = CONTESTANTS[version]
    contest = read_board(*TWO, teams=TEAMS, organizations=ORGANIZATIONS, **{part: persons})
    assert contest.has_teams
    assert players(contest) == [("John Smith", 1, "Carnegie 1"), ("Li Wei", 2, "Shanghai Tigers")]
    assert [standing.country for standing in contest.standings] == ["US", "CN"]


@pytest.mark.parametrize("version", ["2022-07", "2023-06", "2026-01"])
def test_persons_with_only_the_required_fields_are_read_in_the_same_way(version):
    _, persons = CONTESTANTS[version]
    kept = [{key: one.get(key) for key in ("id", "name", "roles", "role", "team_id", "team_ids")} for one in persons]
    assert read_board(*TWO, teams=TEAMS, persons=kept) == read_board(*TWO, teams=TEAMS, persons=persons)


def test_teams_can_contain_members_and_a_team_without_any_is_a_player():
    teams = [{**TEAMS[0], "members": ["Li Wei", {"name": "Wang Fang"}]}, TEAMS[1]]
    assert players(read_board(*TWO, teams=teams)) == [
        ("Carnegie 1", 1, ""), ("Li Wei", 2, "Shanghai Tigers"), ("Wang Fang", 2, "Shanghai Tigers"),
    ]  # fmt: skip
    assert [
        "team without members in the file counts as one player (1 team)" in remark
        for remark in remarks(*TWO, teams=teams)
    ] == [True]


def test_repeated_names_get_the_team_or_organization():
    teams = [
        {**TEAMS[0], "name": "Team 1", "members": ["J. Smith"]},
        {"id": "123", "name": "Team 2", "members": ["j. smith"]},
    ]
    assert [handle for handle, _, _ in players(read_board(*TWO, teams=teams))] == [
        "j. smith (Team 2)",
        "J. Smith (Team 1)",
    ]
    teams = [{**team, "name": "Team 1", "display_name": None} for team in TEAMS]
    assert [handle for handle, _, _ in players(read_board(*TWO, teams=teams, organizations=ORGANIZATIONS))] == [
        "Team 1 (Carnegie Mellon University)", "Team 1 (Shanghai Jiao Tong U.)",
    ]  # fmt: skip
    (remark,) = remarks(*TWO, teams=teams, organizations=ORGANIZATIONS)
    assert "Team 1 (Carnegie Mellon University)" in remark


def test_hidden_teams_are_left_out_and_counted_and_the_ranks_close_up():
    groups = [{"id": "8", "name": "Staff", "hidden": True}, {"id": "9", "name": "All"}]
    teams = [{"id": "1", "name": "a", "hidden": True}, {"id": "2", "name": "b", "group_ids": ["9"]},
             {"id": "3", "name": "c", "group_ids": ["9", "8"]}, {"id": "4", "name": "d", "hidden": False}]  # fmt: skip
    rows = [board_row(rank, str(rank)) for rank in (1, 2, 3, 4)]
    assert players(read_board(*rows, teams=teams, groups=groups)) == [("b", 1, ""), ("d", 2, "")]
    assert ["2 teams" in remark for remark in remarks(*rows, teams=teams, groups=groups)] == [True]


def test_scores_count_where_the_contest_has_scores():
    rows = [
        board_row(1, "11", score={"score": 87.5, "time": "1:30:30"}),
        board_row(2, "123", score={"score": 3, "time": 7}),
    ]
    contest = read_board(*rows, teams=TEAMS)
    assert [(standing.score, standing.penalty) for standing in contest.standings] == [(87.5, 90.5), (3.0, 7.0)]


def test_scores_and_penalties_determine_the_ranks_where_there_are_none():
    rows = [board_row(None, "1", 2, "1:00:00"), board_row(None, "2", 3, 200), board_row(None, "3", 2, 59)]
    assert read_board(*rows).ranks == [3, 1, 2]


def test_the_state_says_when_the_contest_really_ended_and_whether_it_is_final():
    state = {"started": "2014-06-25T10:05:00+01", "ended": "2014-06-25T15:20:00+01", "finalized": None}
    parts = {"contest": CONTEST, "teams": TEAMS}
    contest = read_board(*TWO, **parts, state=state)
    assert contest.starts_at == datetime(2014, 6, 25, 9, 5, tzinfo=UTC)
    assert contest.ends_at == datetime(2014, 6, 25, 14, 20, tzinfo=UTC)
    assert remarks(*TWO, **parts, state=state) == []
    assert "frozen" in remarks(*TWO, **parts, state={**state, "frozen": "2014-06-25T14:00:00+01", "thawed": None})[0]
    assert "not ended" in remarks(*TWO, **parts, state={**state, "ended": None})[0]


@pytest.mark.parametrize(
    ("entry", "column"),
    [
        (board_row(0, "11"), "rank"), (board_row(-1, "11"), "rank"), (board_row("2", "11"), "rank"),
        (board_row(True, "11"), "rank"), (board_row(2, None), "team_id"), (board_row(2, ["11"]), "team_id"),
        (board_row(2, ""), "team_id"), (board_row(2, "99"), "team_id"), (board_row(2, "123"), "team_id"),
        (board_row(2, "11", "3"), "num_solved"), (board_row(2, "11", float("inf")), "num_solved"),
        (board_row(2, "11", 1, "5h"), "total_time"), (board_row(2, "11", 1, "5:60:00"), "total_time"),
        (board_row(2, "11", 1, float("nan")), "total_time"), (board_row(2, "11", score=[3]), "score"),
        ("11", None), (None, None), ([], None),
    ],
)  # fmt: skip
def test_a_row_of_the_wrong_kind_is_named(entry, column):
    problem = error_in(board_row(1, "123"), entry, teams=TEAMS, contest=CONTEST)
    assert problem.contest == "wf14"
    assert problem.column == ("standing 2" if column is None else f"standing 2, {column}")


@pytest.mark.parametrize(
    ("parts", "column"),
    [
        ({"teams": [*TEAMS, {"id": "7", "name": 5}]}, "team 3, name"),
        ({"teams": [*TEAMS, {"name": "x"}]}, "team 3, id"),
        ({"teams": [*TEAMS, {"id": "11", "name": "x"}]}, "team 3, id"), ({"teams": [*TEAMS, 5]}, "team 3"),
        ({"teams": TEAMS, "persons": [{"role": "contestant", "team_id": "11"}]}, "person 1, name"),
        ({"teams": TEAMS, "organizations": [{"id": "1", "country": 5}]}, "organization 1, country"),
        ({"teams": {}}, "teams"), ({"teams": TEAMS, "contest": "wf14"}, "contest"),
        ({"teams": TEAMS, "contest": {"id": [], "name": "x"}}, "id"),
        ({"teams": TEAMS, "contest": {**CONTEST, "start_time": "2014-06-25T10:00:00"}}, "start_time"),
        ({"teams": TEAMS, "contest": {**CONTEST, "duration": "five"}}, "duration"),
        ({"teams": TEAMS, "state": {"ended": 5}}, "ended"),
    ],
)  # fmt: skip
def test_another_part_of_the_wrong_kind_is_named(parts, column):
    assert error_in(*TWO, **parts).column == column


def test_an_unknown_country_is_left_empty_with_its_place():
    organizations = [{**ORGANIZATIONS[0], "country": "Atlantis"}, ORGANIZATIONS[1]]
    _, report = read(text(board(*TWO, teams=TEAMS, organizations=organizations)), FILE)
    assert [(p.column, p.value) for p in report.warnings] == [("organization 1, country", "“Atlantis”")]


def test_the_line_of_a_problem_is_found_in_a_document_of_many_lines():
    document = text(board(board_row(1, "123"), board_row(1, "11"), board_row(2, "7"), teams=TEAMS), indent=1)
    problem = one_error(document, FILE)
    assert problem.column == "standing 3, team_id"
    assert '"7"' in "".join(document.splitlines()[problem.row - 1 : problem.row + 3])


@pytest.mark.parametrize(
    "document",
    [
        {"contest": CONTEST, "teams": TEAMS}, {"teams": []}, {"contest_time": "1:00:00"}, {"rows": []}, {"rows": 5},
        {"scoreboard": []}, {"scoreboard": {}}, {"scoreboard": None},
        {"scoreboard": {"rows": [board_row(1, "9")]}, "teams": []},
        {"rows": [board_row(1, "1")], "teams": [{"id": "1", "name": "x", "hidden": True}]},
    ],
)  # fmt: skip
def test_a_document_without_standings_is_refused(document):
    assert errors_of(text(document), FILE)


def test_two_scoreboards_in_one_file_are_refused():
    assert one_error(text(board(*TWO)) + "\n" + text(board(*TWO)), FILE).row == 2


def test_repeated_keys_are_refused():
    twice = text(board(*TWO, teams=TEAMS)).replace('"rank": 2', '"rank": 2, "rank": 3')
    assert one_error(twice, FILE).column == "standing 2, rank"
    twice = text(board(*TWO, teams=TEAMS))[:-1] + ', "teams": []}'
    assert "teams" in [problem.column for problem in errors_of(twice, FILE)]


def test_a_repeated_team_is_reported_once_regardless_of_its_members():
    teams = [{**TEAMS[0], "members": ["a", "b", "c"]}, TEAMS[1]]
    problem = error_in(*TWO, board_row(3, "11"), teams=teams)
    assert problem.column == "standing 3, team_id"
    assert "already in row 2 of the scoreboard" in problem.message


def test_a_contest_of_too_many_rows_is_refused():
    assert "2 rows" in one_error(text(board(*TWO)), FILE, max_rows=1).message
    many = text(board(*TWO, teams=[*TEAMS, {"id": "3", "name": "x"}]))
    assert "3 teams" in one_error(many, FILE, max_rows=2).message
    full = text(board(*TWO, teams=[{**team, "members": ["a", "b"]} for team in TEAMS]))
    assert "4 players" in one_error(full, FILE, max_rows=3).message
