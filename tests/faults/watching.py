"""Observing and delaying workers in fault tests."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING
from unittest.mock import patch

import psycopg
from django.contrib.auth import get_user_model
from django.db import connection

from contests.services.contests import finalize_contest
from ratings.models import Rating, RatingChange, Run, StaleMark
from ratings.publishing.refresh import refresh_series
from ratings.tasks import sweep_task
from tests.factories import make_contest, make_series
from tests.processes import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from contests.models import Contest, Series


def rated_series(*, contests: int = 2, players: int = 5) -> Series:
    """A series with one published run, made by this process: a worker that is already listening is not notified."""
    series = make_series()
    with patch("ratings.publishing.queue.notify_worker"):
        for _ in range(contests):
            make_contest(series, players=players)
    refresh_series(series.pk)
    assert not is_stale(series)
    return series


def draft(series: Series, *, players: int = 5, day: float | None = None) -> Contest:
    """A draft with the places of `rated_series` in reverse order."""
    return make_contest(
        series, standings=[(f"p{players - 1 - i}", i + 1) for i in range(players)], day=day, finalized=False
    )


def finalize(contest: Contest) -> None:
    finalize_contest(contest.pk, actor=get_user_model().objects.first())


def is_stale(series: Series) -> bool:
    return StaleMark.objects.filter(series=series).exists()


def published(series: Series) -> list[tuple[object, ...]]:
    """Everything of the current run that people see, to the last bit."""
    run = Run.objects.current(series.pk)
    ratings = Rating.objects.filter(series=series).order_by("player_id")
    changes = RatingChange.objects.current().filter(series=series).order_by("contest_id", "player_id")
    return [
        (run.number, run.player_count, run.contest_count) if run else (),
        *((*row[:-1], bytes(row[-1])) for row in ratings.values_list("player_id", "mu", "sigma", "score", "belief")),
        *changes.values_list("contest_id", "player_id", "mu_before", "mu", "sigma", "performance"),
    ]


def states(series: Series) -> list[str]:
    return list(Run.objects.filter(series=series).order_by("number").values_list("state", flat=True))


def replayed(series: Series) -> list[tuple[object, ...]]:
    """The ratings after everything is computed again, without the run's number."""
    refresh_series(series.pk, full=True)
    return published(series)[1:]


@contextmanager
def another_connection() -> Iterator[psycopg.Connection]:
    """A second session on the test database, for holding locks; it is rolled back at the end."""
    at = connection.settings_dict
    with psycopg.connect(
        host=at["HOST"], port=at["PORT"], user=at["USER"], password=at["PASSWORD"], dbname=at["NAME"]
    ) as other:
        yield other
        other.rollback()


@contextmanager
def publication_held_up(series: Series, *, at: str) -> Iterator[None]:
    """
    Make a publication of the series wait.

    at
        "start": before it writes its first row; "end": when all is written but the marks are not deleted yet.
    """
    with another_connection() as other:
        if at == "start":
            other.execute("SELECT 1 FROM contests_series WHERE id = %s FOR NO KEY UPDATE", [series.pk])
        else:
            other.execute("SELECT 1 FROM ratings_stalemark WHERE series_id = %s FOR UPDATE", [series.pk])
        yield


def waiting_sessions() -> int:
    """How many sessions of the test database wait for a lock that another session holds."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return int(cursor.fetchone()[0])


def sweep_until(condition: Callable[[], object], *, seconds: float = 30, what: str = "") -> None:
    """Sweep twice a second, as beat does three times a minute, until the condition holds."""
    last = 0.0

    def holds() -> object:
        nonlocal last
        if time.monotonic() - last > 0.5:
            sweep_task()
            last = time.monotonic()
        return condition()

    until(holds, seconds=seconds, what=what)
