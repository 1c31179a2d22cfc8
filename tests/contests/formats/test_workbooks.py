"""Excel workbooks: cells as displayed, the choice of the sheet, and places such as C17."""

from __future__ import annotations

import datetime
import gzip
import io
from pathlib import Path

import openpyxl
import pytest

from contests.formats import ReadingOptions
from tests.contests.formats.reading import errors_of, one_error, read, read_one
from tests.contests.formats.workbooks import merged, packed, parts, shared, sheet_xml, workbook

HEADER = ("rank", "handle", "score")


def rows(contest):
    return [(row.place, row.handle, row.score) for row in contest.standings]


def saved(*lines, title="Standings"):
    """Return a workbook that openpyxl wrote."""
    book = openpyxl.Workbook()
    book.active.title = title
    for line in lines:
        book.active.append(line)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def read_xlsx(content, **options):
    return read_one(content, "standings.xlsx", **options)


def test_a_workbook_gives_every_field():
    contest = read_xlsx(
        saved(
            ("Rank", "Handle", "Score", "Name", "Country", "Status", "Penalty"),
            (1, "ann", 12.5, "Ann Lee", "Germany", None, datetime.timedelta(hours=30, minutes=2, seconds=3)),
            (2, 2007, 10.0, None, None, "ok", datetime.time(1, 2, 3)),
            ("DSQ", "eve", 3, "Eve", "USA", None, None),
        )
    )
    assert [tuple(row)[:9] for row in contest.standings[:2]] == [
        (1, "ann", 12.5, "ranked", "Ann Lee", "DE", "", 30 * 3600 + 123.0, 2),
        (2, "2007", 10.0, "ranked", "", "", "", 3723.0, 3),
    ]
    assert contest.ranks == [1, 2, None]


@pytest.mark.parametrize(
    ("value", "handle"),
    [
        (7, "7"), (7.0, "7"), (0.1 + 0.2, "0.3"), (1e15, "1e+15"), (True, "TRUE"), ("=cmd()", "=cmd()"),
        ("007", "007"),
        (datetime.date(2025, 5, 1), "2025-05-01"),
        (datetime.datetime.fromisoformat("2025-05-01T18:30"), "2025-05-01 18:30:00"),
        (datetime.time(18, 30), "18:30:00"), (datetime.timedelta(hours=25), "25:00:00"), (" a\u00a0b ", "a\u00a0b"),
    ],
)  # fmt: skip
def test_a_cell_is_read_as_people_see_it(value, handle):
    book = openpyxl.Workbook()
    book.active.append(("rank", "handle"))
    book.active["A2"], book.active["B2"] = 1, value
    if isinstance(value, str):
        book.active["B2"].data_type = "s"
    out = io.BytesIO()
    book.save(out)
    assert read_xlsx(out.getvalue()).standings[0].handle == handle


@pytest.mark.parametrize(
    ("cell", "handle"),
    [
        ('<c s="3"><v>7</v></c>', "007"), ('<c t="str"><f>A1</f><v>x</v></c>', "x"),
        ("<c><f>1+1</f><v>2</v></c>", "2"),
        ('<c t="inlineStr"><is><r><t>a</t></r><r><t>b</t></r></is></c>', "ab"), ('<c t="s"><v>0</v></c>', "_x0041_"),
        ('<c t="s"><v>1</v></c>', "日本"), ('<c t="d"><v>2025-05-01</v></c>', "2025-05-01"),
        ('<c t="b"><v>0</v></c>', "FALSE"),
    ],
)  # fmt: skip
def test_cells_of_every_kind_are_understood(cell, handle):
    strings = shared("_x005F_x0041_", "<r><t>日</t></r><r><t>本</t></r><rPh sb='0' eb='2'><t>にほん</t></rPh>")
    content = packed(parts({"S": sheet_xml([("rank", "handle"), (1, cell)])}, strings=strings))
    assert read_xlsx(content).standings[0].handle == handle


def test_all_problems_are_reported_together_with_their_cells():
    problems = errors_of(
        workbook(
            [
                ("Rank", "Handle", "Score"), (1, "ann", "many"), ('<c t="e"><v>#REF!</v></c>', "bob", 8),
                (3, "<c><f>1+1</f></c>", 7), (4, "ANN", '<c s="1"><v>45778</v></c>'),
            ]
        ),
        "a.xlsx",
    )  # fmt: skip
    assert sorted((problem.cell, problem.place) for problem in problems) == [
        ("A3", "row 3, column “Rank” (A3)"), ("B4", "row 4, column “Handle” (B4)"),
        ("B5", "row 5, column “Handle” (B5)"),
        ("C2", "row 2, column “Score” (C2)"), ("C5", "row 5, column “Score” (C5)"),
    ]  # fmt: skip
    said = {problem.cell: str(problem) for problem in problems}
    assert "#REF!" in said["A3"]
    assert "no stored value" in said["B4"]
    assert "row 2 has" in said["B5"]
    assert "a date" in said["C5"]
    assert "2025-05-01" in said["C5"]


def test_the_sheet_is_the_first_that_people_see_with_a_header_unless_one_is_chosen():
    sheets = {
        "Old": sheet_xml([("rank", "handle"), (1, "old")]),
        "Read me": sheet_xml([("These are the standings",), ("of spring",)]),
        "Div 1": sheet_xml([("rank", "handle"), (1, "ann")]),
        "Div 2": sheet_xml([("rank", "handle"), (1, "bob")]),
    }
    content = packed(parts(sheets, hidden=["Old"]))
    assert read_xlsx(content).standings[0].handle == "ann"
    assert read_xlsx(content, options=ReadingOptions(sheet="Div 2")).standings[0].handle == "bob"
    assert read_xlsx(content, options=ReadingOptions(sheet="Old")).standings[0].handle == "old"
    remarks = [problem.message for problem in read(content, "a.xlsx")[1].warnings]
    assert "Several sheets contain a table. Podium read only “Div 1”, not “Div 2”." in remarks
    chosen = read(content, "a.xlsx", options=ReadingOptions(sheet="Div 2"))[1]
    assert not [problem for problem in chosen.warnings if "Several sheets" in problem.message]
    problem = one_error(content, "a.xlsx", options=ReadingOptions(sheet="Div 3"))
    assert "no sheet “Div 3”; choose one of “Old”, “Read me”, “Div 1”, “Div 2”" in problem.message


def test_titles_empty_rows_and_hidden_rows_are_left_out_and_row_numbers_stay():
    sheet = sheet_xml([("Spring",), (), HEADER, (1, "ann", 9), (), (2, "ghost", 8), (2, "bob", 7), (None, " ", "")])
    sheet = sheet.replace('<row r="6"', '<row r="6" hidden="1"')
    contests, report = read(packed(parts({"S": sheet})), "a.xlsx")
    assert [(row.handle, row.row) for row in contests[0].standings] == [("ann", 4), ("bob", 7)]
    titles, hidden = sorted(report.warnings, key=lambda problem: problem.row)
    assert (titles.row, titles.message) == (1, "The row above the column names was ignored.")
    assert (hidden.row, hidden.message) == (
        6, "A hidden row was ignored; unhide it in the workbook if it belongs to the standings.",
    )  # fmt: skip
    sheet = sheet.replace('<row r="7"', '<row r="7" hidden="1"')
    _, report = read(packed(parts({"S": sheet})), "a.xlsx")
    assert "2 hidden rows were ignored; unhide them in the workbook if they belong to the standings." in [
        problem.message for problem in report.warnings
    ]


def test_a_header_of_two_rows_is_named_by_the_lower_one():
    table = [("Rank", "Player", None, "Score"), (None, "Handle", "Name"), (1, "ann", "Ann Lee", 9)]
    contest = read_xlsx(workbook(table, after=merged("A1:A2", "B1:C1", "D1:D2")))
    assert [(row.place, row.handle, row.name, row.score, row.row) for row in contest.standings] == [
        (1, "ann", "Ann Lee", 9.0, 3)
    ]


def test_a_cell_of_the_header_merged_far_down_does_not_hide_the_header():
    table = [("rank", "handle"), (None, "ann"), (None, "bob"), *((None, f"p{i}") for i in range(9))]
    problems = errors_of(workbook(table, after=merged("A1:A12")), "a.xlsx")
    assert {problem.column for problem in problems} == {"rank"}


def test_a_header_over_two_columns_leaves_one_without_a_name():
    table = [("rank", "player", None, "score"), (1, "ann", "Ann", 5), (2, "bob", "Bob", 4)]
    problem = one_error(workbook(table, after=merged("B1:C1")), "a.xlsx")
    assert (problem.place, problem.value) == ("row 1, cell C1", "“Ann”")
    assert "column 3 has no name" in problem.message.lower()


def test_a_cell_merged_over_rows_counts_for_each_of_them():
    contest = read_xlsx(
        workbook([("rank", "handle"), (1, "a"), (2, "b"), (None, "c"), (4, "d")], after=merged("A3:A4"))
    )
    assert [row.place for row in contest.standings] == [1, 2, 2, 4]


def test_cells_beside_the_table_are_named():
    problem = one_error(workbook([HEADER, (1, "a", 5), (2, "b", 4, None, "late!")]), "a.xlsx")
    assert (problem.cell, problem.value) == ("E3", "“late!”")


@pytest.mark.parametrize("filename", ["a.xlsx", "a.xlsm", "a.csv", "a.json", "a", "A.XLSX.GZ"])
def test_a_workbook_is_known_by_its_content_whatever_it_is_called(filename):
    content = workbook([HEADER, (1, "ann", 5)])
    content = gzip.compress(content) if filename.endswith("GZ") else content
    assert rows(read_one(content, filename)) == [(1, "ann", 5.0)]
    assert rows(read_one(b"rank,handle,score\n1,ann,5\n", "a.xlsx")) == [(1, "ann", 5.0)]


def test_a_wrong_dimension_and_far_away_cells_cost_nothing():
    sheet = sheet_xml([HEADER, (1, "ann", 5)], before='<dimension ref="A1:XFD1048576"/>')
    sheet = sheet.replace("</sheetData>", '<row r="1048576"><c r="A1048576" s="1"/></row></sheetData>')
    assert rows(read_xlsx(packed(parts({"S": sheet})))) == [(1, "ann", 5.0)]


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": "<x/>"}, ".ods"),
        ({"xl/workbook.bin": b"\x83", "[Content_Types].xml": "<x/>"}, ".xlsb"),
        ({"word/document.xml": "<x/>", "[Content_Types].xml": "<x/>"}, "word document"),
        ({"standings.csv": "rank,handle\n1,a\n"}, "of standings.csv"),
    ],
)
def test_the_message_names_other_archives(members, words):
    assert words in one_error(packed(members), "a.xlsx").message.lower()


def test_a_protected_workbook_is_distinguished_from_an_old_one():
    old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(5_000)
    assert "password" in one_error(old + "EncryptedPackage".encode("utf-16-le"), "a.xlsx").message
    assert ".xls" in one_error(old + "Workbook".encode("utf-16-le"), "a.xls").message


def test_the_days_of_a_workbook_from_an_old_mac_are_counted_from_1904():
    made = parts({"S": sheet_xml([("rank", "handle"), (1, '<c s="1"><v>44316</v></c>')])})
    book = made["xl/workbook.xml"]
    assert isinstance(book, str)
    made["xl/workbook.xml"] = book.replace("<sheets>", '<workbookPr date1904="1"/><sheets>')
    assert read_xlsx(packed(made)).standings[0].handle == "2025-05-01"  # 45778 days after 1899-12-30


def test_the_example_workbook_says_the_same_as_the_example_table():
    examples = Path(__file__).resolve().parents[3] / "static" / "examples"
    contests = [read_one((examples / name).read_bytes(), name) for name in ("standings.xlsx", "standings.csv")]
    assert contests[0].standings == contests[1].standings
    assert len(contests[0].standings) == 8


def test_thousands_points_in_text_cells_are_doubted_and_numbers_with_three_decimals_are_not():
    problem = one_error(workbook([("handle", "score"), ("a", "1.300"), ("b", "900")]), "a.xlsx")
    assert "1.300 can mean 1300 or 1.300" in problem.message
    contest = read_xlsx(workbook([("handle", "score"), ("a", 15.125), ("b", 15)]))
    assert [row.score for row in contest.standings] == [15.125, 15.0]


def test_numbers_of_many_digits_as_handles_are_remarked_upon():
    rows = [("handle", "score"), (12345678901234567, 9), (123456789012345, 8), ("12345678901234567", 7)]
    (contest,), report = read(workbook(rows), "a.xlsx")
    assert [row.handle for row in contest.standings][1:] == ["123456789012345", "12345678901234567"]
    (problem,) = report.warnings
    assert (problem.cell, problem.message[:61]) == (
        "A2",
        "A spreadsheet has treated this handle as a number and rounded",
    )
    (contest,), report = read("handle;score\n1,23E+16;9\n4.5E+11;8\n3e+5;7\n1e10;6\n")
    (problem,) = report.warnings
    assert (problem.row, problem.value) == (2, "“1,23E+16”")
    assert "this handle and 1 more as numbers" in problem.message
