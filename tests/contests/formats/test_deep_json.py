"""Harmful JSON, nested, long, repeated or cut off: rejected with a place, quickly and in little memory."""

from __future__ import annotations

import time
import tracemalloc

import pytest

from tests.contests.formats.answers import board, board_row, change, changes, row, standings, text
from tests.contests.formats.reading import contest_line, one_error, read, read_one

#: The place of the hostile value in a document.
HERE = "HERE"
TEAMS = [{"id": "1", "name": "a"}, {"id": "2", "name": "b"}, {"id": "3", "name": "c"}]
DOCUMENTS = {
    "json": (contest_line(standings=[["ann", 1, 9], ["bob", 2, 7], ["cy", 3, HERE]]), "score"),
    "json rank": (contest_line(standings=[["ann", 1, 9], ["bob", 2, 7], ["cy", HERE, 5]]), "rank"),
    "codeforces": (text(standings(row(1, "ann"), row(2, "bob"), row(3, "cy", HERE))), "points"),
    "codeforces rank": (text(standings(row(1, "ann"), row(2, "bob"), row(HERE, "cy"))), "rank"),
    "rating changes": (text(changes(change(1, "ann"), change(2, "bob"), change(HERE, "cy"))), "rank"),
    "clics": (text(board(board_row(1, "1"), board_row(2, "2"), board_row(HERE, "3"), teams=TEAMS)), "rank"),
}
every_document = pytest.mark.parametrize(("document", "field"), DOCUMENTS.values(), ids=DOCUMENTS)
every_filename = pytest.mark.parametrize("filename", ["a.json", "a.jsonl", "a"])


def with_value(document: str, value: str) -> str:
    return document.replace(f'"{HERE}"', value)


@pytest.mark.parametrize(
    ("filename", "depth"),
    [("a.json", 1_000), ("a.json", 100_000), ("a.json", 1_000_000), ("a.jsonl", 1_000), ("a", 1_000)],
)
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}"), ('[{"a":', "}]")])
@every_document
def test_deep_nesting_is_refused_and_its_standing_is_named(document, field, filename, opening, closing, depth):
    value = opening * depth + "1" + closing * depth
    started = time.process_time()
    problem = one_error(with_value(document, value), filename)
    assert time.process_time() - started < 10
    assert "nested too deeply" in problem.message or "more than" in problem.message.lower()
    assert problem.column is None or problem.column.startswith(f"standing 3, {field}, character ")


@pytest.mark.parametrize(
    "opening", ["[", '{"a":', '[{"status":', '{"status":"OK","result":', '{"scoreboard":', '{"standings":[']
)
@pytest.mark.parametrize("depth", [1_000, 300_000, 1_000_000])
@every_filename
def test_a_document_of_nothing_but_brackets_is_refused(opening, depth, filename):
    started = time.process_time()
    problem = one_error(opening * depth, filename)
    assert time.process_time() - started < 10
    assert problem.row == 1


@pytest.mark.parametrize("depth", range(900, 1_000, 9))
@every_document
def test_nesting_around_the_deepest_that_python_reads_is_refused_too(document, field, depth):
    pretty = with_value(document, "[" * depth + "]" * depth).replace(", ", ",\n")
    assert one_error(pretty, "a.json").place


NUMBERS = {
    "NaN": "NaN", "Infinity": "Infinity", "-Infinity": "-Infinity", "1e999": "1e999", "-1e999": "-1e999",
    "400 digits": "9" * 400, "5,000 digits": "9" * 5_000, "a million digits": "-" + "9" * 1_000_000,
    "a million digits and a half": "9" * 1_000_000 + ".5",
}  # fmt: skip


@pytest.mark.parametrize("number", NUMBERS.values(), ids=NUMBERS)
@every_filename
@every_document
def test_an_invalid_or_too_large_number_is_named_by_its_place(document, field, filename, number):
    problem = one_error(with_value(document, number), filename)
    assert problem.column == f"standing 3, {field}"
    assert len(problem.value or "") < 100


def test_a_number_of_too_many_digits_anywhere_does_not_hide_the_rest():
    contests, report = read(contest_line(weight=HERE).replace(f'"{HERE}"', "9" * 5_000), "a.jsonl")
    assert contests == []
    assert [problem.column for problem in report.errors] == ["weight"]
    assert read_one(contest_line(extra=HERE).replace(f'"{HERE}"', "9" * 5_000), "a.jsonl").key == "c1"


@pytest.mark.parametrize(
    ("old", "new", "column"),
    [
        ('"points": 0.0', '"points": 0.0, "points": 1', "standing 1, points"),
        ('"handle": "ann"', '"handle": "ann", "handle": "eve"', "standing 1, handle"),
        ('"ghost": false', '"ghost": true, "ghost": false', "standing 1, ghost"),
        ('"id": 566', '"id": 566, "id": 567', "id"),
    ],
)
def test_a_repeated_key_is_reported_with_its_place(old, new, column):
    document = text(standings(row(1, "ann"))).replace(old, new)
    assert one_error(document, "a.json").column == column


def test_lines_are_found_if_the_list_itself_is_repeated():
    line = contest_line(standings=[["ann", 1, 9], ["bob", 1, 9], ["cy", 2, 5]])
    twice = '{"standings": [["ann", 1, 9]],\n' + line[1:]
    _, report = read(twice, "a.json")
    assert {problem.column for problem in report.errors} == {"standings", "standing 3, rank"}
    assert {problem.row for problem in report.errors} == {1, 2}


@every_document
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_places_are_the_same_in_every_encoding(document, field, encoding):
    problem = one_error(with_value(document, "-3.5e400").encode(encoding), "a.json")
    assert problem.column == f"standing 3, {field}"


@every_document
def test_a_document_that_is_cut_off_anywhere_is_refused_with_a_line(document, field):
    whole = with_value(document, "3").strip()
    for length in range(1, len(whole), 7):
        _, report = read(whole[:length], "a.json")
        assert report.errors
        assert report.errors[0].row == 1


def test_a_syntax_error_is_placed_by_standing_and_character():
    line = contest_line(standings=[["ann", 1, 9], ["bob", 2, HERE]]).replace(f'"{HERE}"', "7..5")
    problem = one_error(line, "a.jsonl")
    assert problem.column == f"standing 2, score, character {line.index('..') + 1}"
    document = text(standings(row(1, "ann"), row(2, "bob", HERE)), indent=1).replace(f'"{HERE}"', "tru")
    problem = one_error(document, "a.json")
    line = document.splitlines()[problem.row - 1]
    assert problem.column == f"standing 2, points, character {line.index('tru') + 1}"


NAMES = {"letters": "x" * 5_000_000, "accents": "a" + "\u0301\u0316" * 500_000, "invisible": "é\u200b" * 500_000}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_name_of_a_million_characters_is_refused_without_looking_into_it(name):
    documents = [
        contest_line(standings=[["ann", 1, 9], [name, 2, 7]]), contest_line(standings=[[["ann", name], 1, 9]]),
        contest_line(name=name), contest_line(id=name), contest_line(url=name), text(standings(row(1, name))),
        text(standings(row(1, "ann"), name=name)), text(changes(change(1, name))),
        text(board(board_row(1, "1"), teams=[{"id": "1", "name": name}])), text(board(board_row(1, name))),
    ]  # fmt: skip
    for document in documents:
        started = time.process_time()
        _, report = read(document, "a.json")
        assert time.process_time() - started < 2
        assert any("characters" in problem.message for problem in report.errors)


def test_a_name_of_a_million_characters_is_cut_in_archives():
    line = contest_line(standings=[["ann", 1, 9], ["x" * 1_000_000, 2, 7]])
    assert len(read_one(line, "a.jsonl", repair=True).standings[1].handle) == 128


def test_the_members_of_teams_count_against_the_rows_allowed():
    line = contest_line(standings=[[[f"p{i}" for i in range(11)], 1, 5]])
    assert "11 players" in one_error(line, "a.jsonl", max_rows=10).message


def test_a_large_answer_takes_memory_for_its_standings_only():
    results = [{"points": 500.0, "rejectedAttemptCount": 0, "type": "FINAL", "bestSubmissionTimeSeconds": 100}] * 20
    rows = [row(rank, f"player{rank}", problemResults=results) for rank in range(1, 5_001)]
    content = text(standings(*rows)).encode()
    assert len(content) > 9_000_000
    tracemalloc.start()
    try:
        contests, report = read(content, "a.json")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert report.lines() == []
    assert len(contests[0].standings) == 5_000
    assert peak < 3 * len(content)
