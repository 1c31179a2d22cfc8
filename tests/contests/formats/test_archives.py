"""The shared archives of real contests: each can be read completely."""

from __future__ import annotations

import pytest

from contests.formats import Report, iter_contests
from contests.handles import check_handle, handle_key
from tests.oracle.shared import SHARED, needs_shared

pytestmark = needs_shared

# Contests and participations as each archive's PROVENANCE.md states them.
ARCHIVES = {
    "formula1": (1_188, 26_064),
    "halo2-headtohead": (6_227, 12_454),
    "halo2-largeteam": (1_199, 14_960),
    "imo": (65, 21_707),
    "synthetic-paper": (50, 125_000),
    "synthetic-weighted": (40, 8_000),
    "synthetic-weights": (40, 8_000),
    "synthetic-edge": (20, None),
}


def contests_of(name: str, report: Report, *, repair: bool = False):
    path = SHARED / "data" / name / "contests.jsonl.gz"
    return iter_contests(path, filename=path.name, report=report, repair=repair)


@pytest.mark.parametrize("name", ARCHIVES)
def test_an_archive_is_read_completely(name):
    report = Report()
    contests = list(contests_of(name, report))
    assert report.errors == []
    assert len(contests) == ARCHIVES[name][0]
    assert sum(len(contest.standings) for contest in contests) == (ARCHIVES[name][1] or 303)
    assert all(contest.ends_at and contest.key for contest in contests)


def test_codeforces_rounds_are_read_without_remarks():
    report = Report()
    rounds = zip(range(40), contests_of("codeforces", report), strict=False)
    assert sum(len(contest.standings) for _, contest in rounds) > 10_000
    assert report.lines() == []


def test_the_nasty_names_of_ctftime_are_refused_one_by_one():
    report = Report()
    sound = sum(1 for _ in contests_of("ctftime", report))
    assert 900 < sound < 989
    assert 20 < len(report.errors) < 50
    assert all(problem.row and problem.column and problem.contest for problem in report.errors)


def test_repair_reads_all_of_ctftime_with_a_warning_for_each_repair():
    report = Report()
    contests = list(contests_of("ctftime", report, repair=True))
    assert report.errors == []
    assert sum(len(contest.standings) for contest in contests) == 347_016
    assert 0 < report.warning_count < 100
    handles = {row.handle for contest in contests for row in contest.standings}
    assert all(check_handle(handle) is None for handle in handles)
    # The team whose name is one no-break space is one player in all its contests (the archive's PROVENANCE.md).
    assert sum(row.handle == "unnamed (U+00A0)" for contest in contests for row in contest.standings) > 1
    for contest in contests:
        assert len({handle_key(row.handle) for row in contest.standings}) == len(contest.standings)
