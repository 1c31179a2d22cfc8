"""Ratings of an older engine are computed again automatically after an update."""

import pytest
from django.core.management import call_command

from ratings.models import Run, StaleMark
from ratings.publishing.engine import mark_outdated
from ratings.publishing.leases import series_to_rate
from ratings.publishing.refresh import refresh_series
from ratings.systems import ENGINE_VERSION
from tests.factories import make_contest, make_series, rate, roll_back

pytestmark = pytest.mark.django_db


def of_version(version, *, days=2):
    """A series whose runs were all published by an engine of that version."""
    series = make_series()
    for day in range(days):
        make_contest(series, players=3, day=day)
        rate(series)
    Run.objects.filter(series=series).update(engine_version=version)
    return series


def test_a_series_of_an_older_engine_is_found_by_the_sweep_and_replayed_without_a_new_contest():
    series, current = of_version("1"), of_version(ENGINE_VERSION)
    assert series_to_rate() == []
    assert mark_outdated() == 1
    assert series_to_rate() == [series.pk]
    run = refresh_series(series.pk)
    assert (run.kind, run.engine_version, run.contest_count) == ("replay", ENGINE_VERSION, 2)
    assert run.cause == "New version of the rating engine"
    assert (mark_outdated(), StaleMark.objects.count()) == (0, 0)
    assert Run.objects.filter(series=current).count() == 2


def test_versions_are_compared_as_numbers_and_ratings_of_a_newer_engine_are_left_alone():
    of_version("10000")
    assert mark_outdated() == 0
    of_version("")
    of_version("0.9-dev")
    assert mark_outdated() == 2


def test_a_series_that_already_waits_gets_no_second_mark():
    series = of_version("1")
    assert (mark_outdated(), mark_outdated()) == (1, 0)
    assert StaleMark.objects.filter(series=series).count() == 1


def test_a_roll_back_stays_until_results_change():
    series = of_version("1")
    roll_back(series.pk, 1, actor=None, reason="the second was a test")
    refresh_series(series.pk)
    assert Run.objects.current(series.pk).restores == 1
    assert mark_outdated() == 0


def test_the_check_can_be_limited_to_one_series():
    series, other = of_version("1"), of_version("1")
    assert mark_outdated([series.pk]) == 1
    assert not StaleMark.objects.filter(series=other).exists()


@pytest.mark.parametrize("count", [1, 4])
def test_the_number_of_queries_does_not_grow_with_the_number_of_series(django_assert_num_queries, count):
    for _ in range(count):
        of_version("1", days=1)
    with django_assert_num_queries(2):
        assert mark_outdated() == count


def test_the_command_rate_brings_a_series_up_to_the_engine(capsys):
    series = of_version("1")
    call_command("rate", series=series.slug)
    assert "replay" in capsys.readouterr().out
    assert Run.objects.current(series.pk).engine_version == ENGINE_VERSION
