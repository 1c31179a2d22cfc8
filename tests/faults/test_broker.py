"""Without the broker, pages still work, nothing is lost, and the next sweep sends the missing messages."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from podium import celery_app
from ratings.publishing.leases import series_to_rate
from ratings.tasks import sweep_task
from tests.factories import make_user
from tests.faults.watching import draft, finalize, is_stale, published, rated_series, replayed, states
from tests.processes import Visitor, celery, until

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.processes import Broker, Process

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres_only]


@pytest.fixture
def organizer():
    return make_user("olga")


@pytest.fixture
def series(organizer):
    series = rated_series()
    series.organizers.add(organizer)
    return series


@pytest.fixture
def visitor(sites: Callable[..., str], broker: Broker, organizer) -> Visitor:
    visitor = Visitor(sites(**at(broker)))
    visitor.log_in("olga", "correct-horse-battery")
    return visitor


def at(broker: Broker) -> dict[str, str]:
    """The environment of processes that use this Redis for everything: broker, cache and throttle."""
    return {"REDIS_URL": broker.url}


def test_without_a_broker_a_contest_is_finalized_all_the_same_and_rated_when_it_is_back(
    series, visitor, broker, workers: Callable[..., Process]
):
    before, contest = published(series), draft(series)
    broker.stop()
    began = time.monotonic()
    status, text = visitor.make(reverse("organize:finalize", args=[contest.pk]))
    assert status == 302, text
    assert time.monotonic() - began < 5.0
    contest.refresh_from_db()
    assert contest.is_finalized
    assert is_stale(series)
    assert published(series) == before
    broker.start()
    workers(**at(broker))
    celery("call", "ratings.sweep", **at(broker))
    until(lambda: not is_stale(series), what="the worker that the sweep notified publishes")
    assert states(series) == ["published", "published"]
    assert published(series)[1:] == replayed(series)


def test_a_broker_that_hangs_does_not_keep_an_organizer_waiting(series, visitor, broker):
    contest = draft(series)
    broker.send(signal.SIGSTOP)
    began = time.monotonic()
    status, text = visitor.make(reverse("organize:finalize", args=[contest.pk]))
    waited = time.monotonic() - began
    broker.send(signal.SIGCONT)
    assert status == 302, text
    assert waited < 8.0
    assert is_stale(series)


@pytest.mark.parametrize("signal_number", [signal.SIGKILL, signal.SIGSTOP])
def test_pages_and_the_interface_are_read_without_redis(signal_number, series, visitor, broker):
    contest = series.contests.first()
    paths = [
        reverse("home"),
        reverse("series", args=[series]),
        reverse("leaderboard", args=[series]),
        reverse("contest", args=[contest.pk]),
        reverse("player", args=["main", "p0"]),
        reverse("organize:progress", args=[series]),
        f"/api/v1/communities/main/series/{series.slug}/leaderboard/",
        "/api/v1/communities/main/players/p0/",
        "/readyz",
    ]
    broker.send(signal_number)
    began = time.monotonic()
    answers = {path: visitor.get(path)[0] for path in paths}
    assert answers == dict.fromkeys(paths, 200)
    assert time.monotonic() - began < 20


def test_a_worker_whose_broker_becomes_unavailable_takes_up_work_when_it_is_back(series, broker, workers):
    worker = workers(**at(broker))
    broker.stop()
    worker.wait_for("Connection to broker lost")
    finalize(draft(series))
    broker.start()
    until(lambda: rings(series, broker), what="the worker is back and publishes", seconds=40)
    assert states(series) == ["published", "published"]


def rings(series, broker: Broker) -> bool:
    celery("call", "ratings.sweep", **at(broker))
    time.sleep(0.5)
    return not is_stale(series)


def test_the_sweep_is_on_the_schedule_and_ignores_series_that_need_nothing(series):
    entries = [entry["task"] for entry in celery_app.conf.beat_schedule.values()]
    assert entries == [sweep_task.name, "contests.sweep", "podium.clear_sessions", "podium.delete_unverified_accounts"]
    celery_app.loader.import_default_modules()  # as a worker does
    assert set(entries) <= set(celery_app.tasks)
    assert series_to_rate() == []
    finalize(draft(series))
    assert series_to_rate() == [series.pk]
