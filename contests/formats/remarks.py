"""What an annotated file says beside each row: the problems of a report, by row, in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from contests.formats.table.columns import REMARKS
from contests.formats.table.escape import csv_safe

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contests.formats.base import Problem, Report

# A cell of a workbook holds 32,767 characters.
_LONGEST = 30_000


@dataclass(slots=True)
class Remarks:
    """
    The problems of one report.

    of_file
        What is about no row, or about a row that the file does not have.
    of_row
        1-based line or row -> what is said of it.
    """

    of_file: list[str] = field(default_factory=list)
    of_row: dict[int, list[str]] = field(default_factory=dict)

    def beside(self, row: int) -> str:
        """Return the remark beside a row, "" if there is nothing to say."""
        return _joined(self.of_row.get(row, ()))

    def above(self, row: int) -> str:
        """Return the header of the column of remarks: its name, and what is said of the file and of this row."""
        said = _joined([*self.of_file, *self.of_row.get(row, ())])
        return f"{REMARKS}: {said}" if said else REMARKS


def remarks_of(report: Report, rows: Iterable[int]) -> Remarks:
    """Sort the problems of a report by the rows that the file has."""
    remarks = Remarks()
    known = set(rows)
    for problem in (*report.errors, *report.warnings):
        if problem.row in known and problem.row is not None:
            remarks.of_row.setdefault(problem.row, []).append(_said(problem, problem.column or ""))
        else:
            remarks.of_file.append(_said(problem, problem.place))
    for count, what in ((report.errors_left_out, "errors"), (report.warnings_left_out, "warnings")):
        if count:
            remarks.of_file.append(f"{count:,} more {what} are not listed; correct the first ones and try again.")
    return remarks


def sentences_of(report: Report) -> list[tuple[int | None, str]]:
    """Return all problems as sentences with their places, each with its row."""
    problems = (*report.errors, *report.warnings)
    return [(problem.row, _said(problem, problem.place)) for problem in problems]


def _said(problem: Problem, where: str) -> str:
    text = f"{where}: {problem.message}" if where else problem.message
    found = "" if problem.value is None else f" (found: {problem.value})"
    return f"{problem.severity}: {text}{found}"


def _joined(sentences: Iterable[str]) -> str:
    text = csv_safe(" ".join("; ".join(sentences).split()))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
