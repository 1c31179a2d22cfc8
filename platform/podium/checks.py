"""System checks for `manage.py check --deploy`, run as the user that runs the site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core import checks
from django.db import connection
from django.db.utils import Error as DatabaseError

from contests.matching import known_words
from contests.models import KnownWord
from podium import env, folders, health

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.apps import AppConfig


def check_folders(app_configs: Sequence[AppConfig] | None, **options: Any) -> list[checks.CheckMessage]:
    """Find paths that the site cannot write to, and paths that other users can read."""
    user = "Run manage.py as the user of the site, and make that user the owner: chown --recursive podium"
    messages: list[checks.CheckMessage] = [
        checks.Error(f"{folders.describe(path)}.", hint=f"{user} {env.VAR}", id="podium.E001")
        for path in folders.unwritable(env.VAR)
    ]
    messages += [
        checks.Warning(f"Other users of this machine can read {path}.", hint=f"chmod go= {path}", id="podium.W001")
        for path in folders.readable_by_others(env.VAR)
    ]
    return messages


def check_hosts(app_configs: Sequence[AppConfig] | None, **options: Any) -> list[checks.CheckMessage]:
    """Find a site that accepts any host name: links in feeds and emails could then lead anywhere."""
    if "*" not in env.ALLOWED_HOSTS:
        return []
    hint = "List the host names of the site: PODIUM_ALLOWED_HOSTS=ratings.example.org"
    return [checks.Warning("PODIUM_ALLOWED_HOSTS is *: the site accepts any host name.", hint=hint, id="podium.W002")]


def check_hsts(app_configs: Sequence[AppConfig] | None, **options: Any) -> list[checks.CheckMessage]:
    """Find a preload setting that the preload lists of browsers refuse."""
    if not env.HSTS_PRELOAD or env.HSTS_SUBDOMAINS:
        return []
    hint = "Also set PODIUM_HSTS_SUBDOMAINS=1 if every subdomain has HTTPS; otherwise remove PODIUM_HSTS_PRELOAD."
    return [
        checks.Warning("PODIUM_HSTS_PRELOAD has no effect without PODIUM_HSTS_SUBDOMAINS.", hint=hint, id="podium.W003")
    ]


def check_servers(app_configs: Sequence[AppConfig] | None, **options: Any) -> list[checks.CheckMessage]:
    """Find a Redis or a broker that refuses this site or doesn't answer."""
    found = health.server_findings()
    hint = "Compare REDIS_URL and CELERY_BROKER_URL with the address, user and password of the server."
    return [
        *(checks.Error(f"{text}.", hint=hint, id="podium.E002") for text in found.problems),
        *(checks.Warning(f"{text}.", hint=hint, id="podium.W004") for text in found.warnings),
    ]


def check_search(app_configs: Sequence[AppConfig] | None, **options: Any) -> list[checks.CheckMessage]:
    """Find a database without an index of trigrams, which the search for misspelt names needs."""
    try:
        # A new database has no tables yet; `migrate` creates them and the index.
        is_new = KnownWord._meta.db_table not in connection.introspection.table_names()
        if is_new or known_words.is_available():
            return []
    except DatabaseError:
        return []  # `check_database` reports it.
    hint = "Run manage.py migrate. If your database user may not create the index, see docs/operations.md."
    return [checks.Info("The search does not find misspelt names.", hint=hint, id="podium.I001")]


def check_database(app_configs: Sequence[AppConfig] | None, **options: Any) -> list[checks.CheckMessage]:
    """Find a database that refuses this site; `manage.py migrate` checks its tables."""
    try:
        connection.ensure_connection()
    except DatabaseError as error:
        first_line = str(error).strip().splitlines()[0]
        hint = "Compare DATABASE_URL with the address, user, password and database name of the server."
        return [checks.Error(f"The database cannot be used: {first_line}", hint=hint, id="podium.E003")]
    return []
