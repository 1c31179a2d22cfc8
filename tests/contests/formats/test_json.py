"""JSON lines, JSON documents and directories of them."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from contests.formats import Report, iter_contests, read_contests
from tests.contests.formats.reading import contest_line, errors_of, one_error, read, read_one


def read_lines(**fields):
    return read_one(contest_line(**fields), "c.jsonl")


def error_in(**fields):
    return one_error(contest_line(**fields), "c.jsonl")


def test_a_line_gives_every_field():
    contest = read_lines(
        weight=0.5, perf_ceiling=1900, url="https://example.org/c1", start_time="2025-05-01T18:00:00+02:00"
    )
    assert (contest.key, contest.name, contest.url) == ("c1", "One", "https://example.org/c1")
    assert contest.ends_at == datetime(2025, 5, 1, 18, tzinfo=UTC)
    assert contest.starts_at == datetime(2025, 5, 1, 16, tzinfo=UTC)
    assert (contest.weight, contest.perf_ceiling) == (0.5, 1900.0)
    assert [tuple(row)[:9] for row in contest.standings] == [
        (1, "ann", 9.0, "ranked", "", "", "", None, 1),
        (2, "bob", 7.0, "ranked", "", "", "", None, 2),
    ]
    assert contest.ranks == [1, 2]


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2025-05-01", datetime(2025, 5, 1, tzinfo=UTC)),
        ("1950-05-13", datetime(1950, 5, 13, tzinfo=UTC)),
        ("2025-05-01T18:00:00+05:30", datetime(2025, 5, 1, 12, 30, tzinfo=UTC)),
        ("2025-05-01 18:00:00.5Z", datetime(2025, 5, 1, 18, 0, 0, 500_000, tzinfo=UTC)),
        ("2025-05-01 18:00 UTC", datetime(2025, 5, 1, 18, tzinfo=UTC)),
    ],
)
def test_moments_become_utc(text, moment):
    assert read_lines(end_time=text).ends_at == moment


@pytest.mark.parametrize(
    "text", ["2025-05-01T18:00:00", "2025-02-30", "soon", "0001-01-01T00:00:00+05:00", "2999-01-01", 5, True]
)
def test_a_moment_that_has_no_zone_or_makes_no_sense_is_refused(text):
    problem = error_in(end_time=text)
    assert (problem.row, problem.column, problem.contest) == (1, "end_time", "c1")


def test_the_remedy_for_a_missing_zone_is_spelled_out():
    assert '"2025-05-01T18:00:00Z"' in error_in(end_time="2025-05-01T18:00:00").message


def test_a_contest_cannot_end_before_it_starts():
    assert "ends before it starts" in error_in(start_time="2025-05-02").message


@pytest.mark.parametrize(
    ("entry", "column"),
    [
        (["x", 0, 1], "rank"), (["x", -1, 1], "rank"), (["x", True, 1], "rank"), (["x", 1.0, 1], "rank"),
        (["x", "1", 1], "rank"), (["x", 10**400, 1], "rank"), (["x", None, 1], "rank"), (["x", 3, "9"], "score"),
        (["x", 3, float("nan")], "score"), (["x", 3, float("-inf")], "score"), (["x", 3, 10**400], "score"),
        (["x", 3, False], "score"), ([1, 3, 1], "handle"), ([None, 3, 1], "handle"), ([[], 3, 1], "handle"),
        ([["x", 1], 3, 1], "handle"), (["", 3, 1], "handle"), (["\ud800", 3, 1], "handle"), (["ANN", 3, 1], "handle"),
        (["x"], None), (["x", 3, 1, 1], "fourth value"), (["x", 3, 1, {}, 1], None), ("x", None),
        ({}, None), (None, None), (3, None),
    ],
)  # fmt: skip
def test_an_entry_of_the_wrong_kind_is_named(entry, column):
    problem = error_in(standings=[["ann", 1, 9], ["bob", 2, 7], entry])
    assert problem.row == 1
    assert problem.column == ("standing 3" if column is None else f"standing 3, {column}")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("weight", 0), ("weight", -1), ("weight", float("nan")), ("weight", "1"), ("weight", True), ("weight", 1e9),
        ("perf_ceiling", float("inf")), ("perf_ceiling", []), ("perf_ceiling", 10**400), ("id", ["x"]),
        ("id", "x" * 121), ("id", ""), ("id", "a\x07"), ("id", True), ("name", 5), ("name", "\ud800"),
        ("name", "x" * 301), ("url", "javascript:alert(1)"), ("url", 5), ("standings", []), ("standings", {}),
        ("standings", "x"),
        ("standings", None),
    ],
)  # fmt: skip
def test_a_field_of_the_wrong_kind_is_named(field, value):
    assert error_in(**{field: value}).column == field


@pytest.mark.parametrize("others", [[["bob", 2, 7]], [[["bob"], 2, 7]]], ids=["plain", "with a list of handles"])
def test_the_largest_rank_is_a_rank_and_the_next_is_refused_with_the_limit(others):
    assert "1,000,000,000" in error_in(standings=[["ann", 1_000_000_001, 9], *others]).message
    assert "Expected rank 3" in error_in(standings=[["ann", 1_000_000_000, 1], ["al", 1, 9], *others]).message


def test_unexpected_ranks_are_an_error_and_contradicting_scores_a_remark():
    assert error_in(standings=[["a", 1, 1], ["b", 1, 1], ["c", 2, 1]]).column == "standing 3, rank"
    contests, report = read(contest_line(standings=[["a", 1, 5], ["b", 2, 9], ["c", 3, 1]]), "c.jsonl")
    assert contests[0].ranks == [1, 2, 3]
    assert [p.column for p in report.warnings] == ["standing 2, score"]


def test_entries_may_come_in_any_order_and_without_ranks():
    assert read_lines(standings=[["a", 2, 5], ["b", 1, 9], ["c", 2, 5]]).ranks == [2, 1, 2]
    assert read_lines(standings=[["a", None, 5], ["b", None, 9], ["c", None, 5]]).ranks == [2, 1, 2]


def test_a_list_of_handles_is_a_team_whose_members_share_place_and_label():
    contest = read_lines(standings=[[["a", "b"], 1, 3], [["c", "d"], 2, 1]])
    assert contest.has_teams
    assert [(row.handle, row.place, row.team, row.row) for row in contest.standings] == [
        ("a", 1, "team 1", 1), ("b", 1, "team 1", 1), ("c", 2, "team 2", 2), ("d", 2, "team 2", 2),
    ]  # fmt: skip
    assert contest.ranks == [1, 1, 2, 2]


def test_unknown_keys_give_one_warning_per_file():
    contests, report = read(contest_line(colour=1) + contest_line(id="c2", colour=2), "c.jsonl")
    assert len(contests) == 2
    assert [p.value for p in report.warnings] == ["“colour”"]


def test_repeated_keys_and_ids_are_refused():
    assert one_error('{"id":"x","id":"y","standings":[["a",1,1]]}', "c.jsonl").column == "id"
    contests, report = read(contest_line() + contest_line(), "c.jsonl")
    assert [(p.row, p.column) for p in report.errors] == [(2, "id")]
    assert len(contests) == 1


def test_several_contests_need_ids_and_times_and_a_single_one_does_not():
    assert read_lines(id=None, end_time=None).ends_at is None
    _, report = read(contest_line(id=None) + contest_line(id="c2", end_time=None), "c.jsonl")
    assert [(p.row, p.column) for p in report.errors] == [(1, "id"), (2, "end_time")]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"{]", "not valid json"), (b"{} x", "more text after the contest"), (b"[1]", "a contest must be an object"),
        (b"[" * 100_000, "nested too deeply"), (b'{"a":' * 100_000, "nested too deeply"),
        (b'{"id":"c3","end_time":"2025-05-01","standings":[["a",1' + b"0" * 5_000 + b",1]]}", "whole number"),
        (b'{"id":"\xff"}', "0xff"),
        (b'{"id":"\0"}', "null bytes"), (b"5", "a contest must be an object"), (b"null", "a contest must be an object"),
    ],
)  # fmt: skip
def test_a_line_that_is_not_a_contest_is_named_and_the_others_are_read(line, words):
    contests, report = read(contest_line().encode() + line + b"\n" + contest_line(id="c2").encode(), "c.jsonl")
    assert [contest.key for contest in contests] == ["c1", "c2"]
    assert [p.row for p in report.errors] == [2]
    assert words in report.errors[0].message.lower()


@pytest.mark.parametrize("depth", range(880, 1_000, 7))
def test_nesting_just_below_what_python_can_read_is_refused_too(depth):
    line = b'{"id":"x","standings":[["a",' + b"[" * depth + b"]" * depth + b",1]]}"
    assert errors_of(line, "c.jsonl")


def test_the_line_of_an_entry_is_found_in_a_document_of_many_lines():
    contests = [json.loads(contest_line()), json.loads(contest_line(id="c2", standings=[["a", 1, 1], ["A", 2, 0]]))]
    text = json.dumps(contests, indent=2)
    _, report = read(text, "c.json")
    (problem,) = report.errors
    assert text.splitlines()[problem.row - 1].strip() == "["
    assert text.splitlines()[problem.row].strip() == '"A",'


@pytest.mark.parametrize("text", ["[]", "", "  ", "[{}", "[1,]", "{} {", '{"standings": [[1', "nul", "[{}, {}}"])
def test_a_broken_document_gives_errors(text):
    assert errors_of(text, "c.json")


def test_a_document_may_hold_one_contest_a_list_or_lines():
    one = contest_line()
    assert len(read(one, "c.json")[0]) == 1
    assert len(read(f"[{one},{contest_line(id='c2')}]", "c.json")[0]) == 2
    assert len(read(one + contest_line(id="c2"), "c.json")[0]) == 2


def test_a_document_that_is_called_json_lines_gets_a_hint():
    problem = one_error(json.dumps(json.loads(contest_line()), indent=2), "c.jsonl")
    assert ".json" in problem.message


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
@pytest.mark.parametrize("filename", ["c.json", "c.jsonl"])
def test_other_encodings_of_unicode_are_read(encoding, filename):
    assert read_one(contest_line(name="Zoë 日本").encode(encoding), filename).key == "c1"


def reference(number, standings=(("a", 0, 0), ("b", 1, 2), ("c", 1, 2))):
    return json.dumps({"name": f"Round {number}", "time_seconds": 1_600_000_000 + number, "standings": standings})


def test_a_directory_of_numbered_files_is_read_in_the_order_of_numbers(tmp_path):
    for number in (10, 9, 0):
        (tmp_path / f"{number}.json").write_text(reference(number))
    (tmp_path / "notes.txt").write_text("not a contest")
    contests = read_contests(tmp_path, filename=tmp_path.name)
    assert [contest.key for contest in contests] == ["0", "9", "10"]
    assert contests[0].ends_at == datetime(2020, 9, 13, 12, 26, 40, tzinfo=UTC)
    assert [row.place for row in contests[0].standings] == [1, 2, 2]


def test_problems_in_a_directory_name_the_file(tmp_path):
    (tmp_path / "0.json").write_text(reference(0))
    (tmp_path / "1.json").write_text(reference(1, [["a", 0, 1], ["b", 1, 1]]))
    (tmp_path / "2.json").write_text("{")
    (tmp_path / "3.json").write_text("")
    report = Report()
    contests = list(iter_contests(tmp_path, filename=tmp_path.name, report=report))
    assert [contest.key for contest in contests] == ["0"]
    assert [p.contest for p in report.errors] == ["1.json", "2.json", "3.json"]


def test_an_empty_directory_is_an_error(tmp_path):
    report = Report()
    assert list(iter_contests(tmp_path, filename="d", report=report)) == []
    assert "no numbered JSON files" in report.errors[0].message


ROWS = [{"rank": 1, "name": "Ann", "score": 10}, {"rank": 2, "name": "Bo", "score": 9}]


@pytest.mark.parametrize(
    ("document", "line"),
    [
        (json.dumps(ROWS), 1),
        (json.dumps(ROWS, indent=1), 2),
        ("\n".join(map(json.dumps, ROWS)), 1),
        ('[["ann", 1, 300], ["bob", 2, 250]]', 1),
        # The forms of HackerRank and AtCoder.
        (json.dumps({"models": [{"hacker": "ann", "rank": "1", "score": 9.0}], "total": 1}), 1),
        (json.dumps({"Fixed": True, "StandingsData": [{"Rank": 1, "UserScreenName": "ann", "TotalResult": {}}]}), 1),
        (json.dumps([{"IsRated": True, "Place": 1, "OldRating": 9, "UserScreenName": "ann"}]), 1),
        (json.dumps({"id": "c1", "name": "One", "results": ROWS}), 1),
    ],
)
@pytest.mark.parametrize("extension", ["json", "jsonl"])
def test_a_list_of_rows_is_one_error_that_shows_a_contest(document, line, extension):
    if extension == "jsonl" and line > 1:
        return
    problem = one_error(document, f"standings.{extension}")
    assert problem.row == line
    assert problem.message.startswith("This seems to be a list of rows, not a contest. Write the contest as {")
    example = json.loads(problem.message.partition(" as ")[2].partition(", with handle")[0])
    assert read_one(json.dumps(example), "standings.json").standings[1].handle == "bob"
