"""Codes instead of a rank or score (DNF, DSQ, OOC, a dash), which set the status."""

from __future__ import annotations

import io
import json

import openpyxl
import pytest

from contests.formats import ReadingOptions, Report, annotated, iter_contests
from tests.contests.formats.reading import contest_line, errors_of, one_error, read, read_one

UNOFFICIAL = (
    "DNS", "DNF", "WD", "OOC", "dnf", "Dnf", "D.N.F.", "DNF1", "DNF (engine)", "DNF - crash", "did not finish",
    "withdrawn", "W/D", "NC", "RET", "Ret", "DNQ", "OTL", "absent", "hors concours", "AB",
    "Abandon", "Non partant", "ausgeschieden", "abgesagt", "aufg.", "außer Konkurrenz", "NT", "No time",
    "-", "–", "—", "n/a", "N/A",
)  # fmt: skip
DISQUALIFIED = (
    "DSQ",
    "DQ",
    "dsq",
    "D.S.Q.",
    "Disqualified",
    "DSQ (fuel)",
    "disq.",
    "EXC",
    "disqualifiziert",
    "Disqualifié",
    "DESC",
    "descalificada",
)
CODES = [*((code, "unofficial") for code in UNOFFICIAL), *((code, "disqualified") for code in DISQUALIFIED)]

# A stage of a cycling race as organizers publish it: times for those who finished, codes for the others.
CYCLING = """Pos;Rider;Team Code;Time
1;POGAČAR Tadej;UAD;4:02:17
2;VINGEGAARD Jonas;TVL;4:02:17
3;EVENEPOEL Remco;SOQ;4:03:05
OTL;MEEUS Jordi;RBH;4:51:40
DNF;ROGLIČ Primož;RBH;-
DNF;PIDCOCK Thomas;Q36;-
DNS;VAN AERT Wout;TVL;
DSQ;MOSCON Gianni;RBH;
"""
CYCLING_COLUMNS = ReadingOptions({0: "rank", 1: "handle", 3: "penalty"})
# A Formula 1 race: positions count the classified drivers, and points are not given to every place.
FORMULA_1 = """Pos.\tNo.\tDriver\tPoints
1\t4\tLando Norris\t25
2\t1\tMax Verstappen\t18
3\t81\tOscar Piastri\t15
Ret\t16\tCharles Leclerc\t
Ret\t63\tGeorge Russell\t
NC\t18\tLance Stroll\t
DNS\t44\tLewis Hamilton\t
WD\t55\tCarlos Sainz\t
DSQ\t10\tPierre Gasly\t
"""
# An ICPC regional: teams of the host are shown among the others, out of competition.
ICPC = """Rank,Team,Solved,Penalty
1,Null Set,9,1020
OOC,Coaches United,9,1100
2,Byte Me,8,900
-,Alumni,7,700
3,Segfault,7,840
"""


def statuses(contest):
    return {row.handle: row.status for row in contest.standings}


@pytest.mark.parametrize(("code", "status"), CODES)
def test_a_code_in_the_rank_column_sets_the_status(code, status):
    contest = read_one(f"rank,handle,score\n1,a,9\n2,b,8\n{code},c,\n")
    assert [row.status for row in contest.standings] == ["ranked", "ranked", status]
    assert [row.place for row in contest.standings] == [1, 2, None]
    assert contest.ranks == [1, 2, None]


@pytest.mark.parametrize(("code", "status"), CODES)
def test_a_code_in_the_score_column_sets_the_status(code, status):
    contest = read_one(f"handle,score\na,9\nc,{code}\nb,8.5\n")
    assert [row.status for row in contest.standings] == ["ranked", status, "ranked"]
    assert [row.score for row in contest.standings] == [9.0, None, 8.5]
    assert contest.ranks == [1, None, 2]


@pytest.mark.parametrize(("code", "status"), CODES)
def test_a_code_in_a_json_standing_sets_the_status(code, status):
    for third in (["c", code, None], ["c", None, code], ["c", code, code]):
        line = contest_line(standings=[["a", 1, 9], ["b", 2, 8], third])
        contest = read_one(line, "standings.jsonl")
        assert [row.status for row in contest.standings] == ["ranked", "ranked", status]
        assert contest.ranks == [1, 2, None]


@pytest.mark.parametrize(("code", "status"), [("DNF", "unofficial"), ("-", "unofficial"), ("dsq", "disqualified")])
def test_a_workbook_that_mixes_numbers_and_codes_is_read(code, status):
    book = openpyxl.Workbook()
    for cells in (("Rank", "Handle", "Score"), (1, "a", 9.5), ("2", "b", "8"), (code, "c", None), (code, "d", code)):
        book.active.append(cells)
    out = io.BytesIO()
    book.save(out)
    contest = read_one(out.getvalue(), "standings.xlsx")
    assert statuses(contest) == {"a": "ranked", "b": "ranked", "c": status, "d": status}


def test_the_sheet_of_a_cycling_race_is_read_as_it_is():
    contest = read_one(CYCLING, options=CYCLING_COLUMNS)
    assert list(statuses(contest).values()) == ["ranked"] * 3 + ["unofficial"] * 4 + ["disqualified"]
    assert contest.ranks == [1, 2, 3, None, None, None, None, None]
    assert contest.standings[3].penalty == 4 * 3600 + 51 * 60 + 40


def test_a_formula_1_table_is_read_as_it_is():
    contest = read_one(FORMULA_1, "f1.tsv", options=ReadingOptions({0: "rank", 2: "handle", 3: "score"}))
    assert list(statuses(contest).values()) == ["ranked"] * 3 + ["unofficial"] * 5 + ["disqualified"]
    assert contest.ranks == [1, 2, 3, *[None] * 6]


def test_guests_of_an_icpc_contest_take_no_rank():
    contest = read_one(ICPC)
    assert list(statuses(contest).values()) == ["ranked", "unofficial", "ranked", "unofficial", "ranked"]
    assert contest.ranks == [1, None, 2, None, 3]


def test_a_time_that_is_a_code_sets_the_status():
    contest = read_one("rank,handle,time\n1,a,50:10\n2,b,50:12\n,c,DNF\n")
    assert statuses(contest) == {"a": "ranked", "b": "ranked", "c": "unofficial"}


def test_a_code_in_the_status_column_is_a_status():
    contest = read_one("rank,handle,status\n1,a,\n2,b,Finished\n,c,DNF\n,d,WD\n,e,DSQ\n")
    assert list(statuses(contest).values()) == ["ranked", "ranked", "unofficial", "unofficial", "disqualified"]
    contest = read_one("rank,handle,status\n1,a,FIN\n2,b,Finisher\n3,c,Q\n4,d,q\n5,e,Qualified\n")
    assert set(statuses(contest).values()) == {"ranked"}


def test_disqualification_takes_precedence_over_another_code_in_the_row():
    contest = read_one("rank,handle,score,status\n1,a,9,\nDNF,b,DSQ,\nDSQ,c,-,unofficial\nOOC,d,5,disqualified\n")
    assert list(statuses(contest).values()) == ["ranked", *["disqualified"] * 3]


def test_a_dash_for_a_score_says_nothing_where_the_row_has_a_rank():
    contest = read_one("rank,handle,score\n1,a,9\n2,b,-\n3,c,n/a\n")
    assert set(statuses(contest).values()) == {"ranked"}
    contest = read_one(contest_line(standings=[["a", 1, 9], ["b", 2, "-"]]), "standings.jsonl")
    assert set(statuses(contest).values()) == {"ranked"}


def test_dashes_throughout_the_rank_column_leave_the_ranks_to_the_scores():
    contest = read_one("rank,handle,score\n-,a,9\n-,b,7\n-,c,8\n")
    assert set(statuses(contest).values()) == {"ranked"}
    assert contest.ranks == [1, 3, 2]


def test_dashes_in_json_mean_what_they_mean_in_tables():
    contest = read_one(contest_line(standings=[["a", "-", 9], ["b", "-", 7], ["c", "-", "-"]]), "standings.jsonl")
    assert list(statuses(contest).values()) == ["ranked", "ranked", "unofficial"]
    assert contest.ranks == [1, 2, None]


def test_a_row_with_neither_rank_nor_score_but_a_dash_did_not_compete():
    contest = read_one("rank,handle,score\n1,a,9\n,b,-\n")
    assert list(statuses(contest).values()) == ["ranked", "unofficial"]


@pytest.mark.parametrize("cell", ["", " "])
def test_an_empty_rank_is_still_an_error_since_it_may_have_been_forgotten(cell):
    assert (
        "has no rank; enter the rank, or a code such as DNF" in one_error(f"rank,handle\n1,a\n{cell},b\n2,c\n").message
    )


def test_missing_ranks_and_scores_are_reported_together_with_other_errors():
    def errors(table: str) -> list[tuple[int | None, str | None]]:
        return [(problem.row, problem.column) for problem in errors_of(table)]

    assert errors("rank,handle\n1,a\n,b\nfirst,c\n4,d\n4,A\n") == [(4, "rank"), (6, "handle"), (3, "rank")]
    assert errors("rank,handle\n1,a\n,b\n3\n") == [(4, None), (3, "rank")]
    assert errors("rank,handle,status\n1,a,\n,b,odd\n,c,\n") == [(3, "status"), (4, "rank")]
    assert errors("handle,score\na,9\nb,\nc,many\n") == [(4, "score"), (3, "score")]
    line = contest_line(standings=[["a", 1, 9], ["b", None, 8], ["c", "first", 7]])
    assert [problem.column for problem in errors_of(line, "standings.jsonl")] == [
        "standing 3, rank", "standing 2, rank",
    ]  # fmt: skip


@pytest.mark.parametrize("cell", ["first", "x", "DNFFF", "ranked", "ok"])
def test_other_words_in_the_rank_column_are_still_errors(cell):
    assert "a rank is a whole number" in one_error(f"rank,handle\n1,a\n{cell},b\n").message.lower()


def test_one_remark_for_each_code_says_how_many_rows_it_has_and_what_happens_to_them():
    _, report = read(CYCLING, options=CYCLING_COLUMNS)
    said = {problem.value: problem for problem in report.warnings if problem.column == "Pos"}
    assert set(said) == {"“OTL”", "“DNF”", "“DNS”", "“DSQ”"}
    assert said["“DNF”"].row == 6
    assert "this row and 1 more are listed, but neither ranked nor rated" in said["“DNF”"].message
    assert "To rate them, enter their results in place of “DNF” in each column." in said["“DNF”"].message
    assert said["“DSQ”"].message == "Disqualified: this row is listed, but neither ranked nor rated."


def test_the_remark_quotes_a_code_as_the_file_has_it():
    _, report = read("rank,handle\n1,a\nAbandon (km 12),b\nabandon,c\nD.N.F.,d\nDNF1,e\ndsq,f\n")
    assert [(p.row, p.value) for p in report.warnings] == [(3, "“Abandon”"), (5, "“D.N.F.”"), (7, "“dsq”")]
    assert ["and 1 more" in p.message for p in report.warnings] == [True, True, False]


def test_the_annotated_file_has_the_remark_beside_the_row_and_can_be_read_again():
    report = Report()
    list(iter_contests(ICPC.encode(), filename="icpc.csv", report=report))
    content, name = annotated(ICPC.encode(), filename="icpc.csv", report=report)
    lines = content.decode("utf-8-sig").splitlines()
    assert lines[2].startswith('"warning: Rank: Out of competition: this row is listed, but neither ranked nor rated.')
    assert statuses(read_one(content, name)) == statuses(read_one(ICPC))


def test_a_json_rank_that_is_not_a_code_is_an_error_with_its_place():
    problem = one_error(json.dumps({"standings": [["a", 1, 1], ["b", "2nd", 0]]}), "standings.json")
    assert (problem.column, problem.value) == ("standing 2, rank", "“2nd”")
