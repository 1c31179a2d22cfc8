"""Statuses in columns that Podium ignores: the row is ranked, with a remark."""

from __future__ import annotations

import pytest

from contests.formats import ReadingOptions
from tests.contests.formats.reading import read
from tests.contests.formats.workbooks import workbook

IGNORES = ReadingOptions(ignores_unknown=True)
ONE = (
    "This cell looks like a status, but Podium ignores this column and ranks the row. If it is the player’s status, "
    "use the column as “status”, or enter the code instead of the rank or score."
)


def remarks(content, filename="standings.csv", options=IGNORES):
    (contest,), report = read(content, filename, options=options)
    assert contest.standings
    return [problem for problem in report.warnings if problem.message.startswith("This cell ")]


@pytest.mark.parametrize(
    ("column", "text", "is_doubted"),
    [
        ("Notes", "DSQ (cheating)", True), ("Bemerkung", "disqualifiziert", True), ("Result", "DQ", True),
        ("Notes", "Disqualified by the jury", True), ("Notes", " dnf ", True), ("Notes", "Did not finish", True),
        ("Remarques", "Abandon (km 12)", True), ("Notes", "D.N.S.", True), ("Notes", "hors concours", True),
        ("Notes", "DNF1", True), ("Club", "DQSV Berlin", False), ("Club", "NC State", False), ("Class", "AB", False),
        ("Notes", "not disqualified", False), ("remarks", "DSQ", False), ("Laps", "7", False),
    ],
)  # fmt: skip
def test_a_status_in_an_ignored_column_is_remarked_upon(column, text, is_doubted):
    found = remarks(f"Name;Points;{column}\nAnn;50;\nBo;45;{text}\n")
    assert [(p.row, p.column, p.value, p.message) for p in found] == (
        [(3, column, f"“{text.strip()}”", ONE)] if is_doubted else []
    )


def test_several_rows_have_one_remark_and_rows_that_are_not_ranked_have_none():
    table = "rank,name,Notes,Lap 2\n1,Ann,DSQ,\n2,Bo,PB!,\n3,Cy,Disqualified,DNF\nDNF,Di,DNF (engine),DNF\n"
    first, second = remarks(table)
    assert (first.row, first.column, first.value) == (2, "Notes", "“DSQ”")
    assert "This cell and 1 more look like statuses" in first.message
    assert (second.row, second.column, second.message) == (4, "Lap 2", ONE)


def test_a_column_that_is_left_out_on_purpose_and_a_workbook_have_the_remark_too():
    rows = [("Name", "Points", "Notes"), ("Ann", 50, "DQ"), ("Bo", 45, "")]
    (problem,) = remarks(workbook(rows), "a.xlsx", ReadingOptions(columns={0: "handle", 1: "score", 2: ""}))
    assert (problem.row, problem.cell, problem.column) == (2, "C2", "Notes")
