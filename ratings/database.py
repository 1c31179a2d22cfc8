"""Database-specific code: consistent reads, transient errors and lost sessions."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from django.db import InterfaceError, OperationalError, connection, transaction

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def consistent_read() -> Iterator[None]:
    """
    Let all queries inside see one snapshot of the database; they must not write.

    Pages read a run, its ratings and its changes in several queries, and a publication between two of them must not mix
    runs. Inside another transaction (as in most tests), its view of the database is kept.
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


#: PostgreSQL's codes for lost connections, failed transactions to repeat, locks, time-outs, shutdowns and too many
#: connections.
_CODES = {"40001", "40P01", "53300", "55P03", "57014", "57P01", "57P02", "57P03", "57P05", "25P03", "25P04"}
_SQLITE = ("locked", "busy")


def is_transient(error: BaseException | None) -> bool:
    """Return whether the error, or one that caused it, means that the database was unreachable or busy for a moment."""
    while error is not None:
        if isinstance(error, InterfaceError):
            return True
        if isinstance(error, OperationalError):
            code = getattr(error.__cause__, "sqlstate", None)
            if code is not None:
                return code in _CODES or code.startswith("08")
            if type(error.__cause__).__module__.startswith("sqlite3"):
                return any(word in str(error) for word in _SQLITE)
            # psycopg's own error, without a code: the connection broke or could not be opened.
            return True
        error = error.__cause__
    return False


def renew_session() -> None:
    """Close a lost session, so that the next query opens another one; inside a transaction, do nothing."""
    if not connection.in_atomic_block:
        connection.close_if_unusable_or_obsolete()
