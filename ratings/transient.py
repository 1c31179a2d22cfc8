"""Errors of the database that pass by themselves, so that the same work is worth trying again within seconds."""

from __future__ import annotations

from django.db import InterfaceError, OperationalError, connection

#: PostgreSQL's codes: lost connections, rollbacks to be repeated, locks, time-outs, shutdown, too many connections.
_CODES = {"40001", "40P01", "53300", "55P03", "57014", "57P01", "57P02", "57P03", "57P05", "25P03", "25P04"}
_SQLITE = ("locked", "busy")


def is_transient(error: BaseException | None) -> bool:
    """Whether the error, or one that caused it, came from a database that was away or busy for a moment."""
    while error is not None:
        if isinstance(error, InterfaceError):
            return True
        if isinstance(error, OperationalError):
            code = getattr(error.__cause__, "sqlstate", None)
            if code is not None:
                return code in _CODES or code.startswith("08")
            if type(error.__cause__).__module__.startswith("sqlite3"):
                return any(word in str(error) for word in _SQLITE)
            # psycopg's own, without a code: the connection broke, or none could be made.
            return True
        error = error.__cause__
    return False


def renew_session() -> None:
    """Leave a session that was lost, so that the next query opens another; nothing inside a transaction."""
    if not connection.in_atomic_block:
        connection.close_if_unusable_or_obsolete()
