"""Sweeps: they take the same number of queries for any number of series, and send one message for each due series."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from django.db.models import F
from django.utils import timezone

from podium import celery_app
from ratings.models import Derived, Lease, Run, RunState, Scheme, StaleMark, Work
from ratings.publishing import deriving
from ratings.publishing.deriving import derive_in_turn, derive_series, series_to_derive
from ratings.publishing.queue import notify, notify_all, waiting_messages
from ratings.publishing.sweep import _QUEUED, sweep
from tests.factories import make_contest, make_series, rate

if TYPE_CHECKING:
    from contests.models import Series

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _empty_queues():
    celery_app.control.purge()
    yield
    celery_app.control.purge()


def rated(count: int) -> list[Series]:
    """Make series, each with a published run of no contests and with everything derived from it."""
    series = [make_series() for _ in range(count)]
    schemes = Scheme.objects.bulk_create(
        [Scheme(series=one, version=1, system="elo-mmr", display={"mapping": "offset"}) for one in series]
    )
    Run.objects.bulk_create(
        Run(series=one, number=1, scheme=scheme, state=RunState.PUBLISHED, published_at=timezone.now(), cause="made up")
        for one, scheme in zip(series, schemes, strict=True)
    )
    for one in series:
        derive_series(one.pk)
    assert series_to_derive() == []
    return series


def mark(series: list[Series]) -> None:
    StaleMark.objects.bulk_create(StaleMark(series=one, since=timezone.now(), cause="made up") for one in series)


@pytest.mark.parametrize("count", [1, 50])
def test_a_sweep_takes_as_many_queries_for_many_series_as_for_one(count, django_assert_num_queries):
    series = rated(count)
    with django_assert_num_queries(4):  # expired leases, marks, runs at work, what is not derived
        sweep()
    mark(series)
    Lease.objects.update(done_kinds="")
    # also: leases and cancelled runs of marked series; for each kind of work, read and note the messages sent
    with django_assert_num_queries(4 + 2 + 2 * 2):
        sweep()
    assert [waiting_messages(work) for work in Work] == [count, count]
    with django_assert_num_queries(4 + 2 + 2):
        sweep()


def test_due_series_get_one_message_until_a_worker_has_received_it_or_it_is_lost():
    series = rated(3)
    mark(series)
    for _ in range(3):
        sweep()
    assert waiting_messages(Work.RATE) == 3
    celery_app.control.purge()
    sweep()
    assert waiting_messages(Work.RATE) == 0, "a worker may have taken them this moment"
    Lease.objects.update(rung_at=F("rung_at") - timedelta(seconds=31))
    sweep()
    assert waiting_messages(Work.RATE) == 3


def test_many_derivations_wait_in_the_database_and_not_in_the_queue(monkeypatch):
    monkeypatch.setitem(_QUEUED, Work.DERIVE, 2)
    rated(5)
    Lease.objects.update(done_kinds="")
    for _ in range(3):
        sweep()
    assert waiting_messages(Work.DERIVE) == 2
    celery_app.control.purge()
    sweep()
    assert waiting_messages(Work.DERIVE) == 2


def test_derivations_wait_in_a_queue_of_their_own():
    series = rated(1)
    notify(series[0].pk, Work.RATE)
    assert [waiting_messages(work) for work in (Work.RATE, Work.DERIVE)] == [1, 0]
    notify(series[0].pk, Work.DERIVE)
    assert [waiting_messages(work) for work in (Work.RATE, Work.DERIVE)] == [1, 1]


def test_changes_in_quick_succession_send_no_second_message():
    (series,) = rated(1)
    for _ in range(10):
        notify(series.pk, Work.RATE)
    assert waiting_messages(Work.RATE) == 1


def test_deriving_makes_way_when_results_wait_to_be_rated(monkeypatch):
    cup, other = make_series(), make_series()
    make_contest(cup, players=3)
    rate(cup)
    celery_app.control.purge()
    Lease.objects.update(rung_at=None)
    mark([other])
    derive_in_turn(cup.pk)
    assert Derived.objects.filter(series=cup).count() == 1, "one kind, so that there is progress in any case"
    assert waiting_messages(Work.DERIVE) == 1
    StaleMark.objects.all().delete()
    derive_in_turn(cup.pk)
    kinds = [each.stored_kind for each in deriving.derivations()]
    assert 1 < Derived.objects.filter(series=cup).count() <= len(kinds)
    assert series_to_derive() == []


def test_with_an_unavailable_broker_no_message_is_noted_as_sent(monkeypatch):
    def away(*args, **options):
        raise OSError("no broker")

    series = rated(2)
    monkeypatch.setattr("ratings.publishing.queue.current_app.send_task", away)
    assert notify_all([one.pk for one in series], Work.RATE) == 0
    assert not Lease.objects.exclude(rung_at=None).exists()
