"""One refresh at a time, and one moment for many queries: the two things that SQL spells differently per database."""

from __future__ import annotations

import fcntl
from contextlib import contextmanager
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import connection, transaction

if TYPE_CHECKING:
    from collections.abc import Iterator

#: First key of the advisory locks, so that they meet no other application's ("podi" in ASCII).
_NAMESPACE = 0x706F6469


@contextmanager
def refresh_lock(series_id: int) -> Iterator[bool]:
    """
    Take the series' refresh lock without waiting; yield whether it was free.

    It ends with the process that holds it, however that process ends, and spans several transactions, so that
    progress can be seen while it is held. It only saves double work: publication is made safe by its own transaction.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [_NAMESPACE, series_id % 2**31])
            free = bool(cursor.fetchone()[0])
        try:
            yield free
        finally:
            if free and connection.connection is not None and not connection.connection.closed:
                with connection.cursor() as cursor:
                    cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [_NAMESPACE, series_id % 2**31])
        return
    settings.PODIUM_LOCKS.mkdir(parents=True, exist_ok=True)
    with (settings.PODIUM_LOCKS / f"series-{series_id}").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


@contextmanager
def snapshot() -> Iterator[None]:
    """
    Let all queries inside see the database as of one moment, and write nothing.

    Pages read a run, its ratings and its changes in several queries; a publication between two of them must not mix
    runs. Inside another transaction (as in most tests) that transaction's view is kept.
    """
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    else:
        # Django's own BEGIN is IMMEDIATE here and would take the write lock; a deferred one reads a WAL snapshot.
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
