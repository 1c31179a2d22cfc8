"""Responses of Codeforces: contest.standings and contest.ratingChanges."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from contests.formats import READERS
from contests.formats.json.codeforces import Codeforces
from tests.contests.formats.answers import change, changes, party, row, standings, text
from tests.contests.formats.reading import contest_line, errors_of, one_error, read, read_one
from tests.oracle.shared import SHARED, needs_shared, read_lines

FILE = "contest.standings.json"


def read_answer(answer, filename=FILE, **options):
    return read_one(text(answer), filename, **options)


def warnings_of(answer):
    _, report = read(text(answer), FILE)
    assert report.errors == []
    return [problem.message for problem in report.warnings]


def error_in(answer):
    return one_error(text(answer), FILE)


def places(contest):
    return [
        (standing.handle, rank, standing.status)
        for standing, rank in zip(contest.standings, contest.ranks, strict=True)
    ]


def test_standings_give_every_field():
    contest = read_answer(
        standings(row(1, "ann", 3000.5, penalty=7), row(2, party("Bob", kind="OUT_OF_COMPETITION"), 9))
    )
    assert (contest.key, contest.name, contest.url) == ("566", "VK Cup", "https://codeforces.com/contest/566")
    # 1438273200 is 2015-07-30 16:20 UTC, when that round began; it lasted two hours.
    assert contest.starts_at == datetime(2015, 7, 30, 16, 20, tzinfo=UTC)
    assert contest.ends_at == datetime(2015, 7, 30, 18, 20, tzinfo=UTC)
    assert [tuple(standing) for standing in contest.standings] == [
        (1, "ann", 3000.5, "ranked", "", "", "", 7.0, 1, None, None),
        (2, "Bob", 9.0, "unofficial", "", "", "", 0.0, 2, None, None),
    ]
    assert contest.ranks == [1, None]


def test_a_contest_of_the_gym_may_have_no_start_and_is_linked_as_one():
    contest = read_answer(standings(row(1, "ann"), id=100_001, startTimeSeconds=None))
    assert (contest.starts_at, contest.ends_at) == (None, None)
    assert contest.url == "https://codeforces.com/gym/100001"


def test_virtual_participants_practice_and_managers_are_left_out_and_counted_in_one_remark():
    answer = standings(
        row(1, party("v", kind="VIRTUAL")), row(2, "ann"), row(3, party("w", kind="VIRTUAL")),
        row(4, "bob"), row(4, "cy"), row(0, party("ann", kind="PRACTICE")), row(6, party("boss", kind="MANAGER")),
    )  # fmt: skip
    assert places(read_answer(answer)) == [("ann", 1, "ranked"), ("bob", 2, "ranked"), ("cy", 2, "ranked")]
    (remark,) = warnings_of(answer)
    assert "4 rows" in remark
    assert "2 virtual, 1 practice, 1 manager" in remark


def test_ghosts_are_left_out_with_a_remark_of_their_own():
    ghost = {"members": [], "participantType": "CONTESTANT", "teamName": "SPb SU", "ghost": True}
    answer = standings(row(1, ghost), row(2, "ann"), row(3, "bob"))
    assert [rank for _, rank, _ in places(read_answer(answer))] == [1, 2]
    (remark,) = warnings_of(answer)
    assert "Podium ignored 1 ghost, who took part elsewhere and has no handle here." in remark
    (remark,) = warnings_of(standings(row(1, ghost), row(1, ghost), row(3, "ann"), row(4, "bob")))
    assert "Podium ignored 2 ghosts, who took part elsewhere and have no handle here." in remark


def test_members_of_a_team_are_players_who_share_rank_and_label():
    contest = read_answer(
        standings(
            row(1, party("a", "b", teamId=7, teamName="One"), 5), row(2, party("c", teamId=8, teamName="One"), 4),
            row(3, party("d", "e", teamId=9), 3), row(4, "f", 2),
        )
    )  # fmt: skip
    assert contest.has_teams
    assert [(s.handle, s.team, rank) for s, rank in zip(contest.standings, contest.ranks, strict=True)] == [
        ("a", "One", 1), ("b", "One", 1), ("c", "One (2)", 2), ("d", "team 3", 3), ("e", "team 3", 3), ("f", "", 4),
    ]  # fmt: skip


def test_a_contestant_with_rank_0_is_kept_as_unofficial():
    answer = standings(row(1, "ann"), row(0, "bob"))
    assert places(read_answer(answer)) == [("ann", 1, "ranked"), ("bob", None, "unofficial")]
    assert ["rank 0" in remark for remark in warnings_of(answer)] == [True]


def test_ranks_may_count_the_official_contestants_only():
    answer = standings(row(1, "ann"), row(1, party("x", kind="OUT_OF_COMPETITION")), row(2, "bob"), row(3, "cy"))
    assert places(read_answer(answer)) == [
        ("ann", 1, "ranked"), ("x", None, "unofficial"), ("bob", 2, "ranked"), ("cy", 3, "ranked"),
    ]  # fmt: skip
    assert warnings_of(answer) == []


def test_a_part_of_the_standings_is_ranked_on_its_own_with_a_remark():
    answer = standings(row(101, "ann"), row(340, "bob"), row(340, "cy"), row(900, "dan"))
    assert [rank for _, rank, _ in places(read_answer(answer))] == [1, 2, 2, 4]
    (remark,) = warnings_of(answer)
    assert "gaps" in remark
    assert "without from, count" in remark


def test_impossible_ranks_are_an_error_at_their_line():
    answer = text(standings(row(1, "ann"), row(1, "bob"), row(2, "cy")), indent=1)
    problem = one_error(answer, FILE)
    assert problem.column == "standing 3, rank"
    assert answer.splitlines()[problem.row - 1].strip() == "{"
    assert '"cy"' in "".join(answer.splitlines()[problem.row : problem.row + 6])


@pytest.mark.parametrize(
    ("entry", "column"),
    [
        (row(-1, "x"), "rank"), (row(True, "x"), "rank"), (row(2.0, "x"), "rank"), (row("2", "x"), "rank"),
        (row(10**400, "x"), "rank"), (row(None, "x"), "rank"), (row(2, "x", float("nan")), "points"),
        (row(2, "x", "9"), "points"), (row(2, "x", penalty=float("inf")), "penalty"), (row(2, "ANN"), "handle"),
        (row(2, ""), "handle"), (row(2, "\ud800"), "handle"), (row(2, party()), "members"), (row(2, [1]), "party"),
        (row(2, {"members": [1], "participantType": "CONTESTANT"}), "members"),
        (row(2, {"members": [{}], "participantType": "CONTESTANT"}), "handle"),
        (row(2, party("x", kind="WINNER")), "participantType"), (row(2, party("x", kind=[])), "participantType"),
        (row(2, party("x", teamName=5)), "teamName"), (row(2, party("x", teamName="a\x07")), "teamName"),
        ([], None), (None, None), ("x", None), (5, None),
    ],
)  # fmt: skip
def test_an_entry_of_the_wrong_kind_is_named(entry, column):
    problem = error_in(standings(row(1, "ann"), entry))
    assert problem.contest == "566"
    assert problem.column == ("standing 2" if column is None else f"standing 2, {column}")


@pytest.mark.parametrize(
    ("contest", "column"),
    [
        ({"id": []}, "id"), ({"name": 5}, "name"), ({"startTimeSeconds": "soon"}, "startTimeSeconds"),
        ({"startTimeSeconds": 10**30}, "startTimeSeconds"), ({"durationSeconds": -1}, "durationSeconds"),
        ({"durationSeconds": 10**30}, "durationSeconds"), ({"durationSeconds": 0.5}, "durationSeconds"),
    ],
)  # fmt: skip
def test_a_field_of_the_contest_of_the_wrong_kind_is_named(contest, column):
    assert error_in(standings(row(1, "ann"), **contest)).column == column


def test_repeated_keys_are_refused():
    twice = text(standings(row(1, "ann"), row(2, "bob"))).replace('"rank": 2', '"rank": 2, "rank": 3')
    assert one_error(twice, FILE).column == "standing 2, rank"
    twice = text(standings(row(1, "ann"))).replace('"rows": [', '"rows": [], "rows": [')
    assert one_error(twice, FILE).column == "rows"


def test_a_failure_is_reported_with_the_comment_of_codeforces():
    failure = {"status": "FAILED", "comment": "contestId: Contest with id 9999999 not found"}
    assert "Contest with id 9999999 not found" in error_in(failure).message
    assert error_in({"status": "FAILED", "comment": 5}).message.startswith("Codeforces returned an error")


@pytest.mark.parametrize(
    "answer",
    [
        {"status": "OK"}, {"status": "OK", "result": {}}, {"status": "OK", "result": 5},
        {"status": "OK", "result": None},
        {"status": "OK", "result": [{"handle": "tourist", "rating": 3800}]}, {"status": "OK", "result": ["x"]},
        {"result": {"rows": []}}, {"status": "OK", "result": {"contest": 1, "rows": [], "problems": []}},
    ],
)  # fmt: skip
def test_other_answers_are_refused_and_the_supported_ones_named(answer):
    assert "contest.standings" in error_in(answer).message


@pytest.mark.parametrize(
    ("answer", "contest"),
    [(standings(), "566"), (standings(row(1, party("x", kind="VIRTUAL"))), "566"), (standings(row(0, "x")), "566"),
     (changes(), "1")],
)  # fmt: skip
def test_an_answer_without_ranked_players_is_refused(answer, contest):
    assert error_in(answer).contest == contest


def test_an_unfinished_contest_gets_a_remark():
    assert ["CODING" in remark for remark in warnings_of(standings(row(1, "ann"), phase="CODING"))] == [True]


def test_hacks_problems_and_new_fields_are_ignored_silently():
    problem_results = [{"points": 1.0, "rejectedAttemptCount": 0, "type": "FINAL"}]
    answer = standings(row(1, "ann", successfulHackCount=3, problemResults=problem_results, novelty={"a": [1]}))
    answer["result"]["problems"] = [{"index": "A", "name": "Restaurant", "tags": ["greedy"]}]
    assert warnings_of({**answer, "remarks": ["line 1"]}) == []


def test_the_result_alone_is_read_too():
    assert read_answer(standings(row(1, "ann"))["result"]).key == "566"
    assert read_answer([change(1, "ann")]).key == "566"


def test_a_file_may_have_several_answers_but_not_two_for_one_contest():
    one, other = text(standings(row(1, "ann"))), text(changes(change(1, "bob", contestId=567)))
    assert [contest.key for contest in read(one + "\n" + other, "rounds.jsonl")[0]] == ["566", "567"]
    contests, report = read(one + "\n" + one, "rounds.jsonl")
    assert len(contests) == 1
    assert [(problem.row, problem.column) for problem in report.errors] == [(2, "contest")]


def test_a_contest_of_too_many_rows_is_refused():
    answer = text(standings(*(row(i, f"p{i}") for i in range(1, 12))))
    assert "11 standings" in one_error(answer, FILE, max_rows=10).message
    team = text(standings(row(1, party(*(f"p{i}" for i in range(11))))))
    assert "11 players" in one_error(team, FILE, max_rows=10).message
    assert "2 standings" in one_error(text(changes(change(1, "a"), change(2, "b"))), FILE, max_rows=1).message


def test_rating_changes_give_standings_by_rank():
    contest = read_answer(changes(change(1, "ann"), change(2, "bob"), change(2, "cy"), change(4, "dan")))
    assert (contest.key, contest.name, contest.url) == ("566", "VK Cup", "https://codeforces.com/contest/566")
    # 1438284000 is 2015-07-30 19:20 UTC.
    assert (contest.starts_at, contest.ends_at) == (None, datetime(2015, 7, 30, 19, 20, tzinfo=UTC))
    assert [(standing.handle, standing.place, standing.score) for standing in contest.standings] == [
        ("ann", 1, None), ("bob", 2, None), ("cy", 2, None), ("dan", 4, None),
    ]  # fmt: skip
    assert contest.ranks == [1, 2, 2, 4]


def test_ranks_of_players_disqualified_after_the_rating_are_closed_up_with_a_remark():
    answer = changes(change(1, "ann"), change(3, "cy"))
    assert read_answer(answer).ranks == [1, 2]
    assert ["gaps" in remark for remark in warnings_of(answer)] == [True]


@pytest.mark.parametrize(
    ("entry", "column"),
    [
        (change(0, "x"), "rank"), (change("2", "x"), "rank"), (change(2, 5), "handle"), (change(2, "Ann"), "handle"),
        (change(2, "x", contestId=567), "contestId"), ({"contestId": 566}, None), ("x", None),
        (change(2, "x", ratingUpdateTimeSeconds=None), "ratingUpdateTimeSeconds"),
        (change(2, "x", ratingUpdateTimeSeconds=1e300), "ratingUpdateTimeSeconds"),
    ],
)  # fmt: skip
def test_a_rating_change_of_the_wrong_kind_is_named(entry, column):
    problem = errors_of(text(changes(change(1, "ann"), entry)), FILE)[0]
    assert problem.column.startswith("standing 2" if column is None else f"standing 2, {column}")


def test_the_history_of_one_player_is_not_a_contest():
    history = changes(change(524, "ann"), change(12, "ann", contestId=567))
    assert "user.rating" in error_in(history).message


@pytest.mark.parametrize("filename", [FILE, "a.jsonl", "a.txt", "contest.standings", "pasted", "a.json.gz"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_an_answer_is_known_by_its_content(filename, encoding):
    answer = standings(row(1, party("ann", "bob", teamName="Zoë 日本")))
    assert read_one(json.dumps(answer, ensure_ascii=False).encode(encoding), filename).standings[0].team == "Zoë 日本"


@pytest.mark.parametrize(
    "content", [contest_line(), '{"status": "OK", ' + contest_line()[1:], "[" + contest_line() + "]", '{"status": 5}']
)
def test_our_own_contests_and_others_are_not_taken_for_answers(content):
    codeforces = next(reader for reader in READERS if isinstance(reader, Codeforces))
    assert not codeforces.recognizes(content.encode())


@needs_shared
def test_real_rating_changes_give_the_ranks_that_the_shared_archive_has():
    archive = {line["id"]: line for line in read_lines(SHARED / "data" / "codeforces" / "contests.jsonl.gz")}
    official = read_lines(SHARED / "data" / "codeforces" / "official.jsonl.gz")
    assert len(official) == 3
    for contest in official:
        entries = [
            change(rank, source, contestId=int(contest["id"].removeprefix("cf")), contestName=contest["name"])
            for _, _, _, _, rank, _, _, source in contest["rows"]
        ]
        ranks = dict(archive[contest["id"]]["standings"][i][:2] for i in range(len(entries)))
        parsed = read_answer(changes(*entries))
        found = {standing.handle: rank for standing, rank in zip(parsed.standings, parsed.ranks, strict=True)}
        known = {entry[7]: entry[0] for entry in contest["rows"] if entry[0] is not None}
        assert len(known) > 0.9 * len(entries)
        assert {known[handle]: found[handle] for handle in known} == {
            handle: ranks[handle] for handle in known.values()
        }
