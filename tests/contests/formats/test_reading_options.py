"""Tables read with chosen columns, header and decimal comma, and the sketch that suggests them."""

from __future__ import annotations

import json

import pytest

from contests.formats import ParseError, ReadingOptions, Report, iter_contests, sketch
from tests.contests.formats.reading import errors_of, one_error, read, read_one
from tests.contests.formats.workbooks import workbook

TABLE = "Final standings;;;\n\nNr.;Wer;Schule;Punkte\n1;ann;ABC;12,5\n2;bob;DEF;7\n"


def rows(contest):
    return [(row.place, row.handle, row.score, row.row) for row in contest.standings]


def test_columns_of_any_name_can_be_chosen_and_left_out():
    options = ReadingOptions(columns={0: "rank", 1: "handle", 2: "", 3: "score"}, header_row=3)
    assert rows(read_one(TABLE, options=options)) == [(1, "ann", 12.5, 4), (2, "bob", 7.0, 5)]


@pytest.mark.parametrize("as_workbook", [False, True])
def test_a_table_without_a_header_is_read_by_the_chosen_columns(as_workbook):
    content = workbook([(1, "ann", "x"), (2, "bob", "y")]) if as_workbook else "1,ann,x\n2,bob,y\n"
    options = ReadingOptions(columns={0: "rank", 1: "handle"}, header_row=0)
    assert rows(read_one(content, options=options)) == [(1, "ann", None, 1), (2, "bob", None, 2)]
    problems = errors_of(content, options=ReadingOptions(columns={0: "rank", 2: "score", 1: "handle"}, header_row=0))
    assert [problem.row for problem in problems] == [1, 2]
    assert all("column 3" in problem.place for problem in problems)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({0: "rank", 1: "handle", 2: "handle"}, "“Wer” and “Schule” are both set to handle"),
        ({0: "rank", 2: "name"}, "choose “handle” for one of these: Nr., Wer, Schule, Punkte"),
        ({1: "handle", 2: "country"}, "choose “rank”, “score” or “penalty” for one of these: Nr., Wer"),
        ({0: "rank", 1: "handle", 9: "score"}, "no column 10, since the table has only 4"),
    ],
)
def test_a_choice_that_cannot_be_read_says_what_to_choose(columns, words):
    assert words in one_error(TABLE, options=ReadingOptions(columns=columns, header_row=3)).message


def test_problems_in_columns_that_are_left_out_do_not_matter():
    table = workbook([("rank", "user", "player", "x"), (1, "ann", '<c t="e"><v>#REF!</v></c>', "<c><f>1</f></c>")])
    assert len(errors_of(table, "a.xlsx")) == 2
    options = ReadingOptions(columns={0: "rank", 1: "handle"})
    assert rows(read_one(table, "a.xlsx", options=options)) == [(1, "ann", None, 2)]


@pytest.mark.parametrize(
    ("cell", "decimal_comma", "score"),
    [
        ("1,234", True, 1.234), ("1,234", False, 1234.0), ("1.234", True, 1234.0), ("1.234", False, 1.234),
        ("1.234,5", True, 1234.5), ("1,234.5", False, 1234.5), ("12,5", True, 12.5), ("1.234.567", True, 1234567.0),
        ("1 234,5", True, 1234.5),
    ],
)  # fmt: skip
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_chosen_meaning_of_commas_counts(cell, decimal_comma, score, delimiter):
    table = f'handle{delimiter}score\na{delimiter}"{cell}"\nb{delimiter}0\n'
    options = ReadingOptions(decimal_comma=decimal_comma)
    assert read_one(table, options=options).standings[0].score == score


def test_a_number_that_contradicts_the_chosen_meaning_of_commas_is_an_error():
    assert one_error('handle,score\na,"12,5"\n', options=ReadingOptions(decimal_comma=False)).row == 2


@pytest.mark.parametrize("cell", ["1.234,5", "7,5"])
def test_decimal_commas_are_understood_in_quoted_cells_between_commas(cell):
    expected = {"1.234,5": 1234.5, "7,5": 7.5}[cell]
    assert read_one(f'handle,score\na,"{cell}"\nb,"1,25"\n').standings[0].score == expected


@pytest.mark.parametrize(
    "cell", ["2025-05-01", "01.05.2025", "5/1/2025", "1-May", "May 1, 2025", "1. Mai 2025", "2025/05/01 18:00"]
)
@pytest.mark.parametrize("column", ["rank", "score"])
def test_a_date_where_a_number_belongs_is_reported_as_a_date(cell, column):
    table = f'handle;{column}\na;1\nb;"{cell}"\n'
    problem = one_error(table)
    assert (problem.row, problem.column, problem.value) == (3, column, f"“{cell}”")
    assert "spreadsheets turn entries" in problem.message


def test_the_names_of_the_columns_are_found_below_titles():
    contests, report = read("Spring Contest 2025\nby the club,,\n\nrank,handle\n1,ann\n")
    assert rows(contests[0]) == [(1, "ann", None, 5)]
    assert [(problem.row, problem.value) for problem in report.warnings] == [(1, "“Spring Contest 2025”")]


def test_titles_do_not_hide_the_delimiter():
    assert rows(read_one("Spring, a contest, by us\nrank;handle\n1;ann, of B\n")) == [(1, "ann, of B", None, 3)]


def test_a_column_of_remarks_and_empty_columns_are_left_out():
    table = "remarks: read this,rank,,handle,REMARKS\nx,1,,ann,y\n"
    assert rows(read_one(table)) == [(1, "ann", None, 2)]


def test_a_sketch_shows_columns_with_samples_and_guesses():
    found = sketch(TABLE.replace("Wer", "nickname").replace("Punkte", "scroe").encode(), filename="a.csv")
    assert (found.kind, found.header_row, found.sheets, found.sheet) == ("table", 3, [], None)
    assert [(column.name, column.field, column.near, column.samples) for column in found.columns] == [
        ("Nr.", "", "", ["1", "2"]), ("nickname", "handle", "", ["ann", "bob"]), ("Schule", "", "", ["ABC", "DEF"]),
        ("scroe", "", "score", ["12,5", "7"]),
    ]  # fmt: skip
    assert found.options == ReadingOptions(columns={0: "", 1: "handle", 2: "", 3: ""}, header_row=3)


def test_the_file_is_read_with_the_options_that_a_sketch_proposes():
    content = "rank,name,shoe size,user,user\n1,Ann,38,ann,x\n".encode("utf-16")
    options = sketch(content, filename="a.csv").options
    assert options.columns == {0: "rank", 1: "name", 2: "", 3: "handle", 4: ""}
    assert rows(read_one(content, options=options)) == [(1, "ann", None, 2)]


def test_names_or_teams_are_suggested_as_handles_if_there_are_none():
    assert sketch(b"rank,name,team\n1,Ann,A\n", filename="a.csv").options.columns == {0: "rank", 1: "handle", 2: "team"}


def test_a_sketch_of_a_table_without_a_header_has_columns_without_names():
    found = sketch(b"1,tourist,7\n2,petr,6\n", filename="a.csv")
    assert found.header_row == 0
    assert [(column.name, column.samples) for column in found.columns] == [
        ("", ["1", "2"]), ("", ["tourist", "petr"]), ("", ["7", "6"]),
    ]  # fmt: skip


def test_a_sketch_of_a_workbook_names_its_sheets():
    found = sketch(workbook([("rank", "handle"), (1, "x" * 90), (2, "\u202eb")]), filename="a.xlsx")
    assert (found.sheets, found.sheet, found.options.sheet) == (["Standings"], "Standings", "Standings")
    assert found.columns[1].samples == ["x" * 39 + "…", "\\u{202e}b"]


def test_a_document_names_its_own_fields():
    found = sketch(b'{"id": "x", "standings": []}', filename="a.json")
    assert (found.kind, found.columns, found.options) == ("document", [], ReadingOptions())


def test_a_sketch_of_what_cannot_be_read_says_why():
    with pytest.raises(ParseError, match="PDF"):
        sketch(b"%PDF-1.7", filename="a.csv")


def test_options_come_back_from_json_as_they_were():
    for options in (ReadingOptions(), ReadingOptions({3: "handle", 0: ""}, "Größe", 0, True)):
        assert ReadingOptions.from_json(json.loads(json.dumps(options.to_json()))) == options


@pytest.mark.parametrize(
    "value",
    [
        None, [], "x", {"colour": 1}, {"columns": []}, {"columns": {"-1": "rank"}}, {"columns": {"x": "rank"}},
        {"sheet": 1},
        {"columns": {"0": "shoes"}}, {"columns": {"0": None}}, {"columns": {"0": []}}, {"columns": {"200": "rank"}},
        {"sheet": ""}, {"sheet": "x" * 300}, {"header_row": -1}, {"header_row": True}, {"header_row": 1.0},
        {"decimal_comma": 1}, {"columns": {str(i): "" for i in range(201)}},
    ],
)  # fmt: skip
def test_options_that_make_no_sense_are_refused_with_an_explanation(value):
    with pytest.raises(ValueError, match=r"^.{20,}$"):
        ReadingOptions.from_json(value)


def test_progress_is_reported_about_every_thousand_rows():
    told: list[int] = []
    table = "rank,handle\n" + "".join(f"{i},p{i}\n" for i in range(1, 3_501))
    list(iter_contests(table.encode(), filename="a.csv", report=Report(), progress=told.append))
    assert told == [1_000, 2_000, 3_000]


def test_an_exception_from_the_progress_function_ends_the_reading():
    def cancel(_: int) -> None:
        raise InterruptedError

    table = "rank,handle\n" + "".join(f"{i},p{i}\n" for i in range(1, 1_501))
    with pytest.raises(InterruptedError):
        list(iter_contests(table.encode(), filename="a.csv", report=Report(), progress=cancel))
