"""
Statistics of tables after many rows were written.

PostgreSQL chooses how to answer a query by the numbers of rows and values that it last counted. It counts anew by
itself about a minute after many rows have changed. Until then it plans for the tables as they were: after a first
import for empty ones, and a page that takes milliseconds can take minutes.
"""

from __future__ import annotations

import logging

from django.apps import apps
from django.db import connection, transaction

logger = logging.getLogger(__name__)

#: Fewer changed rows change no plan that matters.
LEAST = 1_000
#: From so many changed rows on, or a tenth of the table if that is less, a table is counted anew.
MANY = 50_000


def analyze_after_commit(rows: int) -> None:
    """After this transaction, which writes so many rows, let PostgreSQL count the tables that many rows changed in."""
    if rows >= LEAST and connection.vendor == "postgresql":
        # robust: the rows are stored by then, and PostgreSQL counts them by itself a little later.
        transaction.on_commit(_analyze_grown_tables, robust=True)


def _analyze_grown_tables() -> None:
    tables = [model._meta.db_table for model in apps.get_models()]
    with connection.cursor() as cursor:
        # What this session has changed counts from now on, and not only some seconds later.
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute(
            "SELECT s.relname FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid"
            " WHERE s.schemaname = current_schema() AND s.relname = ANY(%s)"
            " AND s.n_mod_since_analyze >= greatest(%s, least(%s, c.reltuples / 10))",
            [tables, LEAST, MANY],
        )
        grown = [table for (table,) in cursor.fetchall()]
        if grown:
            # A table that another session is counting right now is left to that one.
            cursor.execute(f"ANALYZE (SKIP_LOCKED) {', '.join(map(connection.ops.quote_name, grown))}")
            logger.info("counted anew: %s", ", ".join(sorted(grown)))
