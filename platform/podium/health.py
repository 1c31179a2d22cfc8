"""The two health addresses, for load balancers and monitors (`podium.middleware.Health` answers them)."""

from __future__ import annotations

import logging
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import redis
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpResponse, JsonResponse
from kombu import Connection
from redis.exceptions import AuthenticationError, RedisError, ResponseError

from podium import env, folders

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest

logger = logging.getLogger(__name__)

#: How many seconds a probe waits for each server.
PATIENCE_SECONDS = 0.5


class Findings(NamedTuple):
    """Problems, which stop this process from working, and warnings, which stop part of its work."""

    problems: list[str]
    warnings: list[str]


def healthz(request: HttpRequest) -> HttpResponse:
    """Confirm that this process answers."""
    return _uncached(HttpResponse("ok\n", content_type="text/plain"))


def readyz(request: HttpRequest) -> HttpResponse:
    """Report whether this process can work, and what is wrong if it can't."""
    database, servers = database_findings(), server_findings()
    problems = [*database.problems, *servers.problems, *folder_problems()]
    warnings = [*database.warnings, *servers.warnings]
    if not env.LOCAL and "*" in env.ALLOWED_HOSTS:
        warnings.append("PODIUM_ALLOWED_HOSTS is *: any host name is accepted")
    content = {"ready": not problems, "problems": problems, "warnings": warnings}
    return _uncached(JsonResponse(content, status=503 if problems else 200))


@cache
def needed_migrations() -> frozenset[tuple[str, str]]:
    """Return (application, name) of each migration that the code of this process needs."""
    return frozenset(MigrationLoader(None, ignore_no_migrations=True).graph.nodes)


def database_findings() -> Findings:
    """Check that the database answers and has all migrations that this process needs; newer ones do no harm."""
    try:
        applied = set(MigrationRecorder(connection).applied_migrations())
    except Exception as error:  # any failure of any database driver has the same meaning here
        logger.warning("the database cannot be used: %s", error)
        return Findings([f"database: {_kind(error)}; the log says more"], [])
    missing = sorted(needed_migrations() - applied)
    if missing:
        first = ".".join(missing[0])
        return Findings([f"database: {len(missing)} migrations to run, the first is {first}: manage.py migrate"], [])
    return Findings([], [])


def server_findings() -> Findings:
    """
    Check that the cache and the broker can be used.

    An unreachable server is a warning: pages work without it, and a load balancer that removed every process would turn
    a delay into an outage. A server that answers but refuses this process is a problem: its settings are wrong.
    """
    problems, warnings = [], []
    for name, ask in _servers().items():
        try:
            ask()
        except (AuthenticationError, ResponseError) as error:
            logger.warning("%s refuses this process: %s", name, error)
            problems.append(f"{name}: refuses the login ({_kind(error)}); check user and password")
        except Exception as error:  # the transports of kombu raise errors of their own
            logger.warning("%s cannot be reached: %s", name, error)
            warnings.append(f"{name}: {_kind(error)}; pages are shown, new results wait")
    return Findings(problems, warnings)


def folder_problems() -> list[str]:
    """Return a problem for each path that cannot be written to; only `check --deploy` names the owner."""
    return [
        f"PODIUM_VAR: {'the folder' if path == env.VAR else path.relative_to(env.VAR)} cannot be written to; "
        "manage.py check --deploy says why"
        for path in folders.unwritable(env.VAR)
    ]


def _servers() -> dict[str, Callable[[], object]]:
    """Return a check for each server that the settings name."""
    servers: dict[str, Callable[[], object]] = {}
    if env.REDIS_URL:
        servers["REDIS_URL"] = _ask_redis
    if not env.BROKER_URL.startswith("filesystem") and env.BROKER_URL != env.REDIS_URL:
        servers["CELERY_BROKER_URL"] = _ask_broker
    return servers


def _ask_redis() -> None:
    with redis.Redis.from_url(
        env.REDIS_URL, socket_connect_timeout=PATIENCE_SECONDS, socket_timeout=PATIENCE_SECONDS
    ) as client:
        client.ping()


def _ask_broker() -> None:
    options = {"socket_connect_timeout": PATIENCE_SECONDS, "socket_timeout": PATIENCE_SECONDS, "max_retries": 0}
    with Connection(env.BROKER_URL, connect_timeout=1, transport_options=options) as broker:
        try:
            broker.connect()
        except Exception as error:
            # Kombu wraps Redis's message.
            raise (error.__cause__ if isinstance(error.__cause__, RedisError) else error) from None


def _kind(error: Exception) -> str:
    return type(error).__name__


def _uncached(response: HttpResponse) -> HttpResponse:
    response["Cache-Control"] = "no-store"
    return response
