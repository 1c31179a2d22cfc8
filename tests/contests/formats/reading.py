"""Helpers to read standings in tests: content in, contests and problems out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from contests.formats import Report, iter_contests

if TYPE_CHECKING:
    from contests.formats import ParsedContest, Problem


def read(content: bytes | str, filename: str = "standings.csv", **options) -> tuple[list[ParsedContest], Report]:
    """Return the contests of a file and the report on it."""
    report = Report()
    raw = content.encode() if isinstance(content, str) else content
    return list(iter_contests(raw, filename=filename, report=report, **options)), report


def read_one(content: bytes | str, filename: str = "standings.csv", **options) -> ParsedContest:
    """Return the one contest of a file that must be free of errors."""
    contests, report = read(content, filename, **options)
    assert report.lines() == [line for line in report.lines() if line.startswith("warning")]
    assert len(contests) == 1
    return contests[0]


def errors_of(content: bytes | str, filename: str = "standings.csv", **options) -> list[Problem]:
    """Return the errors of a file, which must give no contest."""
    contests, report = read(content, filename, **options)
    assert contests == []
    assert report.errors
    return report.errors


def one_error(content: bytes | str, filename: str = "standings.csv", **options) -> Problem:
    """Return the only error of a file."""
    errors = errors_of(content, filename, **options)
    assert len(errors) == 1, errors
    return errors[0]


def contest_line(**fields) -> str:
    """Return a sound contest as a JSON line, with some fields changed or, if None, left out."""
    contest = {
        "id": "c1",
        "name": "One",
        "end_time": "2025-05-01T18:00:00Z",
        "standings": [["ann", 1, 9], ["bob", 2, 7]],
    }
    contest.update(fields)
    return json.dumps({key: value for key, value in contest.items() if value is not None}) + "\n"
