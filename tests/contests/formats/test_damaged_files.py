"""Several hundred damaged files: each gives contests or a report, quickly and in little memory."""

from __future__ import annotations

import hashlib
import json
import resource
import time

import pytest

from contests.formats import ParseError, ReadingOptions, Report, annotated, iter_contests, sketch
from tests.contests.formats.damage import damaged_files
from tests.contests.formats.damage_documents import damaged_documents
from tests.contests.formats.damage_tables import damaged_tables
from tests.contests.formats.damage_workbooks import damaged_workbooks

FILES = damaged_files()
SECONDS = 10
MEBIBYTES = 1024


@pytest.fixture
def bounded():
    """Fail the test if it takes ten seconds, or if the process's peak memory grows by a gigabyte."""
    before, started = _peak(), time.process_time()
    yield
    assert time.process_time() - started < SECONDS
    assert _peak() - before < MEBIBYTES


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def assert_readable(report: Report) -> None:
    """Each problem is a sentence that can be shown anywhere."""
    for problem in (*report.errors, *report.warnings):
        text = str(problem)
        assert problem.message[0].isupper() or not problem.message[0].isalpha()
        assert problem.message.rstrip("”)")[-1] in ".?…!"
        assert text.isprintable()
        assert len(text) < 2_000
        assert "Error" not in text
        assert "object at 0x" not in text


@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize(
    ("name", "filename", "content"), FILES, ids=[name[:60].encode("unicode_escape").decode() for name, _, _ in FILES]
)
def test_a_damaged_file_gives_contests_or_a_report_a_sketch_and_remarks(name, filename, content):
    report = Report()
    contests = list(iter_contests(content, filename=filename, report=report))
    assert report.errors or contests
    assert_readable(report)
    assert_annotated_or_refused(content, filename, report)
    assert_sketched_or_refused(content, filename)


def assert_annotated_or_refused(content: bytes, filename: str, report: Report) -> None:
    try:
        back, called = annotated(content, filename=filename, report=report)
    except ParseError as error:
        refusal = error
    else:
        assert back
        assert "-remarks." in called
        return
    assert report.errors  # what was read without errors can be annotated
    assert_readable(refusal.report)


def assert_sketched_or_refused(content: bytes, filename: str) -> None:
    try:
        found = sketch(content, filename=filename)
    except ParseError as error:
        refusal = error
    else:
        for column in found.columns:
            assert all(sample.isprintable() and 0 < len(sample) <= 40 for sample in column.samples)
        assert ReadingOptions.from_json(json.loads(json.dumps(found.options.to_json()))) == found.options
        return
    assert_readable(refusal.report)


def test_there_are_hundreds_of_damaged_files_and_they_are_the_same_each_time():
    assert len(FILES) >= 320
    assert len({name for name, _, _ in FILES}) == len(FILES)
    again = [*damaged_tables(), *damaged_documents(), *damaged_workbooks()]
    assert [hashlib.sha256(content).digest() for _, _, content in again] == [
        hashlib.sha256(content).digest() for _, _, content in FILES
    ]
