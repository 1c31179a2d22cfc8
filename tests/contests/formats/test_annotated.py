"""Annotated files: the place of each remark, and reading the file again after corrections."""

from __future__ import annotations

import csv
import gzip
import io
import json

import openpyxl
import pytest

from contests.formats import ParseError, ReadingOptions, Report, annotated, iter_contests
from tests.contests.formats.reading import read_one
from tests.contests.formats.workbooks import workbook

TABLE = 'Spring;;\nrank;handle;country\n1;=cmd();Atlantis\n\n2;"b;c";DE\nx;eve;FR\n'


def report_on(content: bytes, filename: str, options: ReadingOptions | None = None) -> Report:
    report = Report()
    list(iter_contests(content, filename=filename, report=report, options=options))
    return report


def annotate(content: bytes | str, filename: str) -> tuple[bytes, str]:
    content = content.encode() if isinstance(content, str) else content
    return annotated(content, filename=filename, report=report_on(content, filename))


def cells_of(content: bytes, delimiter: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig")), delimiter=delimiter))


def test_a_table_has_its_remarks_in_its_first_column_and_keeps_its_lines_and_delimiter():
    content, name = annotate(TABLE, "spring 2025.csv")
    lines = cells_of(content, ";")
    assert name == "spring 2025-remarks.csv"
    assert content.startswith(b"\xef\xbb\xbf")
    assert [line[1:] for line in lines] == [
        ["Spring", "", ""], ["rank", "handle", "country"], ["1", "'=cmd()", "Atlantis"], [], ["2", "b;c", "DE"],
        ["x", "eve", "FR"],
    ]  # fmt: skip
    assert lines[1][0].startswith("remarks: warning: line 1: The row above")
    assert lines[2][0].startswith("warning: country: Unknown country")
    assert lines[4][0] == ""
    assert lines[5][0].startswith("error: rank: A rank is a whole number")
    assert "(found: “x”)" in lines[5][0]


def test_a_corrected_table_is_read_and_an_unchanged_one_has_the_same_problems():
    content, name = annotate(TABLE, "a.csv")
    before, after = report_on(TABLE.encode(), "a.csv"), report_on(content, name)
    assert [(p.row, p.column, p.message) for p in after.errors] == [(p.row, p.column, p.message) for p in before.errors]
    corrected = read_one(content.replace(b";x;eve", b";3;eve"), name)
    assert [row.handle for row in corrected.standings] == ["=cmd()", "b;c", "eve"]
    assert annotated(content, filename=name, report=after)[0].count(b"remarks") == 1


@pytest.mark.parametrize(
    ("row", "corrected"),
    [('2,"b', '2,"b"'), ('2,"b"c', '2,"b""c"'), ("2", "2,b"), ("2,b,c", '2,"b,c"'), ('"2"x,b', "2,b")],
)
def test_a_row_that_is_malformed_stays_so_until_it_is_corrected(row, corrected):
    content, name = annotate(f"rank,handle\n1,a\n{row}\n3,d\n", "a.csv")
    assert [problem.row for problem in report_on(content, name).errors] == [3]
    assert content.decode("utf-8-sig").splitlines()[2].endswith(f",{row}")
    contest = read_one(content.decode().replace(f",{row}\r\n", f",{corrected}\r\n"), name)
    assert [row.place for row in contest.standings] == [1, 2, 3]


def test_rows_below_a_quote_that_is_not_closed_are_read_too():
    report = report_on(b'rank,handle\n1,"a\n2,b\nx,c\n4,B\n', "a.csv")
    assert [(problem.row, problem.column) for problem in report.errors] == [(2, None), (4, "rank"), (5, "handle")]


def test_a_workbook_has_its_values_in_their_cells_and_remarks_beside_them():
    content = workbook([("Spring",), ("rank", "handle", "score"), (1, "=cmd()", 9), (), ("x", "bob", 7.5)])
    back, name = annotate(content, "a.xlsx")
    book = openpyxl.load_workbook(io.BytesIO(back))
    lines = list(book["Standings"].iter_rows(values_only=True))
    assert name == "a-remarks.xlsx"
    assert book["Standings"]["B3"].data_type == "s"
    assert [line[:3] for line in lines] == [
        ("Spring", None, None), ("rank", "handle", "score"), (1, "'=cmd()", 9), (None, None, None), ("x", "bob", 7.5),
    ]  # fmt: skip
    assert lines[1][3].startswith("remarks: warning: row 1: The row above")
    assert lines[2][3] is None
    assert lines[4][3].startswith("error: rank: A rank is a whole number")
    problems = report_on(back, name).errors
    assert [problem.cell for problem in problems] == ["A5"]


def test_a_workbook_that_was_annotated_before_keeps_one_column_of_remarks():
    content = workbook([("rank", "handle"), ("x", "ann")])
    first, name = annotate(content, "a.xlsx")
    second, _ = annotate(first, name)
    sheets = [
        list(openpyxl.load_workbook(io.BytesIO(back)).active.iter_rows(values_only=True)) for back in (first, second)
    ]
    assert sheets[0] == sheets[1]


def test_a_document_has_an_array_of_remarks_and_keeps_its_layout():
    text = '{"id": "x",\n "standings": [["a", 1, 1.50],\n  ["b", 0, null]]\n}\n'
    content, name = annotate(text, "a.json")
    assert name == "a-remarks.json"
    assert content.decode().startswith(text[:-3] + ', "remarks": ["error: line 3, contest x, standing 2, rank:')
    assert report_on(content, name).lines() == report_on(text.encode(), "a.json").lines()
    again, _ = annotate(content, name)
    assert again == content


def test_each_contest_of_a_file_has_its_own_remarks():
    sound = '{"id": "x", "end_time": "2025-05-01", "standings": [["a", 1, 1]]}'
    lines = sound + '\n{"id": "y", "standings": [["a", 0, 1]]}\n{]\n'
    content, name = annotate(lines, "a.jsonl")
    first, second, third = content.decode().splitlines()
    assert name == "a-remarks.jsonl"
    assert ["line 3" in remark for remark in json.loads(first)["remarks"]] == [True]
    end_time, rank = json.loads(second)["remarks"]
    assert "end_time" in end_time
    assert "rank" in rank
    assert third == "{]"
    listed, _ = annotate(f"[{lines.splitlines()[0]},\n{lines.splitlines()[1]}]", "a.json")
    assert ["remarks" in contest for contest in json.loads(listed)] == [False, True]


def test_a_packed_file_comes_back_unpacked_and_any_encoding_as_utf8():
    content, name = annotate(gzip.compress("rank\thandle\n1\tZoë\n0\tb\n".encode("utf-16")), "../dir\\a.tsv.gz")
    assert name == "a-remarks.tsv"
    assert cells_of(content, "\t")[1] == ["", "1", "Zoë"]


def test_remarks_on_a_table_without_a_header_stand_beside_its_rows():
    options = ReadingOptions(columns={0: "rank", 1: "handle"}, header_row=0)
    table = b"1,a\n0,b\n"
    content, _ = annotated(table, filename="a.csv", report=report_on(table, "a.csv", options), options=options)
    lines = cells_of(content, ",")
    assert [line[1:] for line in lines] == [["1", "a"], ["0", "b"]]
    assert lines[0][0] == ""
    assert lines[1][0].startswith("error: column 1: A rank")


@pytest.mark.parametrize(
    ("content", "filename"), [(b"{", "a.json"), (b"%PDF-1.7", "a.csv"), (b"{]\n", "a.jsonl"), (b"", "a.csv")]
)
def test_a_file_that_cannot_be_annotated_is_refused_with_an_explanation(content, filename):
    with pytest.raises(ParseError, match="can’t write remarks into this file"):
        annotated(content, filename=filename, report=report_on(content, filename))


def test_problems_that_are_not_listed_are_counted_above_the_others():
    for rows, words in ((1_200, "200 more errors are not listed;"), (1_001, "1 more error is not listed;")):
        table = "rank,handle\n" + "".join(f"x,p{i}\n" for i in range(rows))
        assert words in cells_of(annotate(table, "a.csv")[0], ",")[0][0]


#: Handles and names as files have them, with what they are read as.
BEGINNINGS = {
    "=cmd()": "=cmd()", "+1+1": "+1+1", "-x": "-x", "@sum(a1)": "@sum(a1)", "'=other": "=other", "''=x": "'=x",
    "'quoted'": "'quoted'", "-5": "-5", "+7": "+7", "  =spaced": "=spaced", "\t=tabbed": "=tabbed", "\tplain": "plain",
    "-": "-", "＝wide()": "＝wide()", "a=b": "a=b", "'t Hooft": "'t Hooft",
}  # fmt: skip
NUMBERS = ("-1.5", "+2", "-1,234.5", "1e-5", "-1 234")


def runs(cell: str) -> bool:
    """Whether a spreadsheet would take the text of a cell for a formula other than a mere number."""
    return cell[:1] in tuple("=+-@\t\r") and not cell[1:].replace(",", "").replace(" ", "").replace(".", "").isdigit()


def hostile_rows() -> list[tuple[object, ...]]:
    handles = [(i, text, text, "Atlantis", -i) for i, text in enumerate(BEGINNINGS, 1)]
    return [("rank", "handle", "name", "country", "score"), *handles]


@pytest.mark.parametrize("kind", ["csv", "tsv", "xlsx"])
def test_no_cell_that_comes_back_runs_as_a_formula_and_all_are_read_as_before(kind):
    if kind == "xlsx":
        content = workbook(hostile_rows())
    else:
        out = io.StringIO()
        csv.writer(out, delimiter="," if kind == "csv" else "\t").writerows(hostile_rows())
        content = out.getvalue().encode()
    back, name = annotate(content, f"a.{kind}")
    if kind == "xlsx":
        lines = list(openpyxl.load_workbook(io.BytesIO(back)).active.iter_rows())
        assert not [cell for line in lines for cell in line if cell.data_type == "f"]
        cells = [str(cell.value) for line in lines for cell in line if isinstance(cell.value, str)]
        assert [line[4].value for line in lines[1:]] == [-i for i in range(1, len(BEGINNINGS) + 1)]
    else:
        cells = [cell for line in cells_of(back, "," if kind == "csv" else "\t") for cell in line]
    assert [cell for cell in cells if runs(cell) and cell != "-"] == []
    first, again = read_one(content, f"a.{kind}"), read_one(back, name)
    assert [row.handle for row in again.standings] == list(BEGINNINGS.values())
    assert again.standings == first.standings
    twice, _ = annotate(back, name)
    assert read_one(twice, name).standings == first.standings


def test_numbers_stay_numbers_and_codes_stay_codes():
    table = (
        "rank;handle;score\n" + "".join(f"{i};p{i};{text}\n" for i, text in enumerate(NUMBERS, 1)) + "-;eve;-\n=7;z;\n"
    )
    back, _ = annotate(table, "a.csv")
    assert [line[3] for line in cells_of(back, ";")[1:]] == [*NUMBERS, "-", ""]
    assert [line[1] for line in cells_of(back, ";")[-2:]] == ["-", "'=7"]


def test_the_cells_of_a_malformed_row_run_no_formula_either():
    back, _ = annotate('rank,handle,name\n1,a,b\n=cmd(),"@x, -1\n3,"c"x,=cmd()\n', "a.csv")
    lines = back.decode("utf-8-sig").splitlines()
    assert lines[2].endswith(""",'=cmd(),"'@x, -1""")
    assert lines[3].endswith(""",3,"c"x,'=cmd()""")
