"""The remarks of an annotated file: the problems of a report, by row, in words."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from contests.formats.base import UnreadableError
from contests.formats.table.columns import MOST_COLUMNS, REMARKS
from contests.formats.table.escape import csv_safe

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contests.formats.base import Problem, Report

# A cell of a workbook holds 32,767 characters.
_LONGEST = 30_000
_UNSAFE_IN_NAMES = re.compile(r"[^\w .,()+&@-]+")
_LONGEST_NAME = 100


@dataclass(slots=True)
class Remarks:
    """
    The problems of one report.

    of_file
        What is about no row, or about a row that the file does not have.
    of_row
        1-based line or row -> remarks on it.
    """

    of_file: list[str] = field(default_factory=list)
    of_row: dict[int, list[str]] = field(default_factory=dict)

    def beside(self, row: int) -> str:
        """Return the remark beside a row, "" if there is nothing to say."""
        return _joined(self.of_row.get(row, ()))

    def above(self, row: int) -> str:
        """Return the header of the column of remarks: its name, and the remarks on the file and on this row."""
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


def remark_for(row: int, header_row: int, first_row: int, remarks: Remarks) -> str:
    """Return the cell of the column of remarks in a row; remarks on the file go into the header, else the first row."""
    if row == (header_row or first_row):
        said = remarks.above(row)
        return said if header_row else said.partition(": ")[2]
    return remarks.beside(row) if row > header_row else ""


def no_room() -> UnreadableError:
    return UnreadableError(f"There is no room for a column of remarks: the table has {MOST_COLUMNS} columns already.")


def annotated_name(filename: str, extension: str) -> str:
    """Return what the annotated file is called: the same name with "-remarks", safe in headers and file systems."""
    name = re.split(r"[/\\]", filename)[-1]
    name = name[:-3] if name.lower().endswith(".gz") else name
    stem, dot, own = name.rpartition(".")
    stem = _UNSAFE_IN_NAMES.sub("_", stem if dot and stem and len(own) <= 6 else name).strip(" .")[:_LONGEST_NAME]
    return f"{stem or 'standings'}-remarks{extension}"


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
