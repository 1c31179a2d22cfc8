"""One migrated database for all processes of a test run: the first process makes it, and each one copies it."""

from __future__ import annotations

import fcntl
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from django.conf import settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from django.db.backends.base.base import BaseDatabaseWrapper

#: The name of the migrated database on PostgreSQL, and of its file for SQLite.
MIGRATED = "podium_migrated"


def copy_migrated(connection: BaseDatabaseWrapper, folder: Path) -> None:
    """
    Create this process's test database as a copy, because applying all migrations takes 15 seconds of processor time.

    folder
        Shared by the processes of this run.
    """
    own = connection.settings_dict["TEST"]["NAME"]
    is_sqlite = connection.vendor == "sqlite"
    migrated = str(folder / MIGRATED) if is_sqlite else MIGRATED
    with _alone(folder / "migrating"):
        if not (folder / "is-migrated").exists():
            _migrate(connection, migrated)
            (folder / "is-migrated").touch()
        if is_sqlite:
            shutil.copyfile(migrated, own)
        else:
            quoted = connection.ops.quote_name(own), connection.ops.quote_name(migrated)
            with connection._nodb_cursor() as cursor:  # type: ignore[attr-defined]
                cursor.execute("CREATE DATABASE {} TEMPLATE {}".format(*quoted))


def _migrate(connection: BaseDatabaseWrapper, name: str) -> None:
    """Create a database of that name and apply all migrations; leave the connection's settings as they were."""
    chosen: list[dict[str, Any]] = [connection.settings_dict, settings.DATABASES[connection.alias]]
    names, own = [each["NAME"] for each in chosen], connection.settings_dict["TEST"]["NAME"]
    connection.settings_dict["TEST"]["NAME"] = name
    try:
        connection.creation.create_test_db(verbosity=0, autoclobber=True)
        # PostgreSQL copies no database that is in use, and SQLite moves its log into the file.
        connection.close()
    finally:
        connection.settings_dict["TEST"]["NAME"] = own
        for each, before in zip(chosen, names, strict=True):
            each["NAME"] = before


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Wait until no other process is in this block; a process that dies leaves it."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
