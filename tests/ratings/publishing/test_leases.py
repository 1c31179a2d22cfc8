"""Leases: one process holds a lease at a time, and a process that has lost it publishes nothing."""

from __future__ import annotations

import threading
import time
from datetime import timedelta

import pytest
from django.db import DatabaseError, OperationalError, transaction
from django.db.models import F
from django.db.models.functions import Now

from ratings.models import Lease, Run, RunState, StaleMark, Work
from ratings.publishing import refresh
from ratings.publishing.leases import ATTEMPTS, LeaseLost, _take, forgive, is_parked, lease, row_of, series_to_rate
from ratings.publishing.refresh import refresh_series
from ratings.publishing.sweep import end_dead_work
from tests.factories import make_contest, make_series, rate
from tests.processes import in_another_thread

pytestmark = pytest.mark.django_db


@pytest.fixture
def series():
    """A series with one published run and results that wait."""
    series = make_series()
    make_contest(series, players=4)
    rate(series)
    make_contest(series, standings=[("p3", 1), ("p0", 2)])
    return series


def expire(series):
    """Let enough time pass for the lease to expire, and then for the next attempt to be due."""
    Lease.objects.filter(series=series).exclude(expires_at=None).update(expires_at=Now() - timedelta(seconds=1))
    end_dead_work()
    Lease.objects.filter(series=series).exclude(not_before=None).update(not_before=Now() - timedelta(seconds=1))


def die(series):
    """Take the lease like a process that dies before giving it back."""
    assert _take(series.pk, Work.RATE, counted=True)


@pytest.mark.django_db(transaction=True)
def test_a_lease_is_held_by_one_and_free_again_afterwards():
    one, other = make_series(), make_series()

    def is_free():
        with lease(one.pk) as held:
            return held is not None

    with lease(one.pk) as held:
        assert held
        assert in_another_thread(is_free) is False
        with lease(other.pk) as another:
            assert another
    assert in_another_thread(is_free) is True


@pytest.mark.django_db(transaction=True)
def test_a_lease_is_extended_for_as_long_as_its_process_works(settings):
    settings.PODIUM_LEASE_SECONDS = 2
    series = make_series()
    with lease(series.pk) as held:
        time.sleep(3)
        row = row_of(series.pk, "rate")
        assert row.expires_at > row.now
        held.check()
    assert row_of(series.pk, "rate").expires_at is None


def test_a_process_taken_for_dead_has_lost_the_lease(series):
    with lease(series.pk) as held:
        held.check()
        expire(series)
        with pytest.raises(LeaseLost, match="another worker has taken over"):
            held.check()
        with pytest.raises(LeaseLost, match="nothing of this attempt is published"):
            held.confirm()
        with lease(series.pk) as next_one:
            assert next_one.fence > held.fence
    assert row_of(series.pk, "rate").expires_at is None


def test_what_a_process_computed_is_not_published_after_another_has_taken_over(series, monkeypatch):
    original = refresh.publish

    def overtaken(run, *args, **kwargs):
        expire(series)
        original(run, *args, **kwargs)

    with monkeypatch.context() as patched:
        patched.setattr(refresh, "publish", overtaken)
        assert refresh_series(series.pk) is None
    assert Run.objects.current(series.pk).number == 1
    assert StaleMark.objects.filter(series=series).exists()
    assert refresh_series(series.pk).contest_count == 2
    assert list(Run.objects.order_by("number").values_list("state", flat=True)) == ["published", "failed", "published"]


def test_attempts_are_counted_before_they_begin_and_five_deaths_park_a_series(series):
    for attempt in range(1, ATTEMPTS + 1):
        assert series_to_rate() == [series.pk]
        die(series)
        assert row_of(series.pk, "rate").attempts == attempt
        assert series_to_rate() == [], "someone is at work, as far as can be known"
        expire(series)
    assert is_parked(row_of(series.pk, "rate"))
    assert series_to_rate() == []
    assert refresh_series(series.pk) is None
    make_contest(series, standings=[("p2", 1), ("p0", 2)])
    assert series_to_rate() == [], "with other results it could still kill the next worker"
    assert forgive(series.pk)
    assert series_to_rate() == [series.pk]
    assert refresh_series(series.pk).contest_count == 3
    assert row_of(series.pk, "rate").attempts == 0


def test_the_wait_after_a_death_grows(series):
    waits = []
    for _ in range(4):
        die(series)
        Lease.objects.update(expires_at=Now() - timedelta(seconds=1))
        end_dead_work()
        row = row_of(series.pk, "rate")
        waits.append((row.not_before - row.now).total_seconds())
        assert (series_to_rate() == []) == (waits[-1] > 0)
        expire(series)
    assert waits[0] <= 0 < waits[1] < waits[2] < waits[3]


def test_a_lease_can_be_taken_without_counting_as_an_attempt(series):
    with lease(series.pk, counted=False) as held:
        assert held
        assert row_of(series.pk, "rate").attempts == 0


class Terminated(Exception):
    sqlstate = "57P01"


class DiskFull(Exception):
    sqlstate = "53100"


def fails_with(monkeypatch, series, cause):
    def broken(*args, **kwargs):
        raise OperationalError(str(cause)) from cause

    with monkeypatch.context() as patched:
        patched.setattr(refresh, "publish", broken)
        with pytest.raises(DatabaseError):
            refresh_series(series.pk)
    row = row_of(series.pk, "rate")
    return round((row.not_before - row.now).total_seconds(), 1)


def test_after_a_transient_error_attempts_follow_within_seconds_with_growing_waits(series, monkeypatch):
    waits = [fails_with(monkeypatch, series, Terminated("terminating connection")) for _ in range(8)]
    assert waits == sorted(waits)
    assert waits[0] <= 1
    assert waits[-1] <= 60
    assert series_to_rate() == []
    assert refresh_series(series.pk).state == RunState.PUBLISHED
    assert row_of(series.pk, "rate").failures == 0


def test_after_a_lasting_error_the_next_attempt_waits_for_ten_minutes_or_new_results(series, monkeypatch):
    assert fails_with(monkeypatch, series, DiskFull("no space left on device")) == 600
    assert series_to_rate() == []
    make_contest(series, standings=[("p2", 1), ("p0", 2)])
    # In a test, everything in one transaction has the same time.
    Lease.objects.update(taken_at=F("taken_at") - timedelta(seconds=1))
    assert series_to_rate() == [series.pk]


@pytest.mark.django_db(transaction=True)
@pytest.mark.postgres_only
def test_no_one_takes_over_during_the_end_of_a_publication(series):
    """A process that takes over waits for the row until the transaction has ended, and then finds the lease
    extended."""
    with lease(series.pk) as held:
        Lease.objects.update(expires_at=Now() - timedelta(seconds=1))
        began = threading.Event()

        def take_over():
            began.set()
            end_dead_work()
            return row_of(series.pk, "rate").fence

        fences = []
        with transaction.atomic():
            held.confirm()
            thread = threading.Thread(target=lambda: fences.append(in_another_thread(take_over)))
            thread.start()
            began.wait(5)
            time.sleep(0.3)
            assert fences == []
        thread.join(10)
        assert fences == [held.fence]
