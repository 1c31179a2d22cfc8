"""Estimates of the duration of the next run, from the last ones."""

from __future__ import annotations

import pytest

from ratings.models import Run, RunState
from ratings.publishing.engine import PER_CHANGE, PER_RESULT, PER_RUN, estimate_seconds
from ratings.publishing.schemes import scheme_of
from tests.factories import FIRST_DAY, make_contest, make_series, rate

pytestmark = pytest.mark.django_db


@pytest.fixture
def series():
    return make_series()


def ran(series, *, seconds, results, changes, state=RunState.PUBLISHED, kind="replay"):
    number = Run.objects.filter(series=series).count() + 1
    Run.objects.create(
        series=series, number=number, scheme=scheme_of(series.pk), state=state, kind=kind, seconds=seconds,
        result_count=results, changed_count=changes, published_at=FIRST_DAY,
    )  # fmt: skip


def by_constants(results, changes):
    return PER_RUN + PER_RESULT * results + PER_CHANGE * changes


def test_without_runs_the_estimate_is_that_of_the_benchmark_machine(series):
    assert estimate_seconds(series.pk, 1_000_000) == pytest.approx(by_constants(1_000_000, 1_000_000))
    assert estimate_seconds(series.pk, 1_000_000, changes=0) == pytest.approx(by_constants(1_000_000, 0))


def test_on_a_machine_that_took_three_times_as_long_the_estimate_is_three_times_as_long(series):
    ran(series, seconds=3 * by_constants(2_000, 500), results=2_000, changes=500)
    assert estimate_seconds(series.pk, 40_000, changes=7) == pytest.approx(3 * by_constants(40_000, 7))


def test_large_runs_count_more_than_small_ones(series):
    ran(series, seconds=2 * by_constants(1_000_000, 0), results=1_000_000, changes=0)
    for _ in range(5):
        ran(series, seconds=9 * by_constants(2, 2), results=2, changes=2)
    assert 2.0 < estimate_seconds(series.pk, 1_000, changes=0) / by_constants(1_000, 0) < 2.5


def test_runs_that_computed_nothing_or_did_not_end_are_ignored(series):
    ran(series, seconds=1_000.0, results=0, changes=10, kind="rollback")
    ran(series, seconds=1_000.0, results=10, changes=10, state=RunState.CANCELLED)
    ran(make_series("other-cup"), seconds=1_000.0, results=10, changes=10)
    assert estimate_seconds(series.pk, 10, changes=10) == pytest.approx(by_constants(10, 10))


def test_a_run_counts_the_results_that_it_computed(series):
    make_contest(series, players=5)
    make_contest(series, standings=[("p0", 1), ("p1", 2), ("p2", 3)])
    assert rate(series).result_count == 8
    make_contest(series, standings=[("p0", 1), ("p1", 2)])
    run = rate(series)
    assert (run.kind, run.result_count) == ("append", 2)
    make_contest(series, standings=[("p0", 1), ("p1", 1)])
    assert rate(series).result_count == 2, "a draw is rated like any other result"
    make_contest(series, standings=[("p0", 1)])
    assert rate(series).result_count == 0, "one player alone: nothing is rated"
    run = rate(series, full=True)
    assert (run.kind, run.result_count, run.changed_count) == ("replay", 12, 0)
