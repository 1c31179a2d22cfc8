"""One moment for many queries, which PostgreSQL and SQLite spell differently."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from django.db import connection, transaction

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def consistent_read() -> Iterator[None]:
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
