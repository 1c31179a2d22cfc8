"""A temporary site in the empty PostgreSQL database of a benchmark."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def empty_site() -> Iterator[Path]:
    """
    Set the environment of a site in the database that DATABASE_URL names; yield the temporary folder of its files.

    Ends the program with a message if DATABASE_URL names no PostgreSQL database.
    """
    if not os.environ.get("DATABASE_URL", "").startswith("postgres"):
        sys.exit("DATABASE_URL must name an empty PostgreSQL database: run this through scripts/services.sh run.")
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(DJANGO_SETTINGS_MODULE="podium.settings", PODIUM_VAR=folder, PODIUM_HTTPS="0")
        os.environ.setdefault("PODIUM_SECRET_KEY", "only-for-this-benchmark-" + "x" * 40)
        os.environ.setdefault("PODIUM_LOG_LEVEL", "WARNING")
        yield Path(folder)


def set_up() -> None:
    """Load Django, create the tables and collect the static files."""
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
