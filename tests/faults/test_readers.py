"""While runs are published one after another, a reader in a snapshot sees one of them as a whole."""

from __future__ import annotations

import threading

import pytest
from django.db import connections
from django.db.models import Sum

from ratings.database import consistent_read
from ratings.models import Rating, RatingChange, Run
from ratings.publishing.refresh import refresh_series
from tests.factories import make_contest
from tests.faults.watching import rated_series

pytestmark = pytest.mark.django_db(transaction=True)

#: How many runs are published while the reader reads.
RUNS = 12


def what_a_page_reads(series) -> tuple[int, bool]:
    """Read a run and its rows in several queries; return its number and whether all of them belong to it."""
    with consistent_read():
        run = Run.objects.current(series.pk)
        changes = RatingChange.objects.current().filter(series=series)
        counted = Rating.objects.filter(series=series).aggregate(total=Sum("contest_count"))["total"]
        newest = dict(changes.order_by("contest__ends_at", "contest_id").values_list("player_id", "mu"))
        rows = dict(Rating.objects.filter(series=series).values_list("player_id", "mu"))
        whole = (
            changes.count() == counted
            and len(rows) == run.player_count
            and rows == newest
            and changes.values("contest_id").distinct().count() == run.contest_count
            and changes.filter(from_run__gt=run.number).count() == 0
        )
        return run.number, whole


def test_a_reader_never_sees_two_runs_mixed():
    series = rated_series(contests=3, players=30)
    seen: list[tuple[int, bool]] = []
    errors: list[BaseException] = []
    reading, done = threading.Event(), threading.Event()

    def read() -> None:
        try:
            while not done.is_set():
                seen.append(what_a_page_reads(series))
                reading.set()
        except BaseException as error:
            errors.append(error)
        finally:
            reading.set()
            connections.close_all()

    thread = threading.Thread(target=read)
    thread.start()
    reading.wait()
    for number in range(RUNS):
        # Both ways of writing: the newest contest is appended, but an older one means replaying all later ones.
        day = 100 + number if number % 2 else number / RUNS
        make_contest(series, standings=[(f"p{i}", 30 - i) for i in range(number, 30)] + [(f"n{number}", 40)], day=day)
        refresh_series(series.pk)
    done.set()
    thread.join()
    assert errors == []
    assert [number for number, whole in seen if not whole] == []
    numbers = [number for number, _ in seen]
    assert numbers == sorted(numbers)
    assert len(set(numbers)) >= 3, "readers saw too few of the runs to prove anything"
    assert what_a_page_reads(series) == (RUNS + 1, True)


def test_a_page_that_began_before_a_publication_ends_with_the_run_it_began_with():
    series = rated_series(contests=1, players=8)
    with consistent_read():
        before = Run.objects.current(series.pk).number
        thread = threading.Thread(target=_publish_another, args=(series,))
        thread.start()
        thread.join()
        assert Run.objects.current(series.pk).number == before
        assert Rating.objects.filter(series=series).count() == 8
    assert Run.objects.current(series.pk).number == before + 1
    assert Rating.objects.filter(series=series).count() == 9


def _publish_another(series) -> None:
    make_contest(series, standings=[("p0", 2), ("new", 1)])
    refresh_series(series.pk)
    connections.close_all()
