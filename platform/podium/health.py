"""The two health addresses, for load balancers and monitors; answered before hosts and HTTPS are looked at."""

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

#: A probe waits this many seconds at most for each server that it asks.
PATIENCE_SECONDS = 0.5


class Findings(NamedTuple):
    """What is wrong: problems stop this process from doing its work, warnings only part of it."""

    problems: list[str]
    warnings: list[str]


class Health:
    """
    Answer `/healthz` and `/readyz` before any other middleware sees the request.

    Probes ask by address and in plain HTTP, so neither the allowed hosts nor the redirect to HTTPS apply to them.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.answers = {"/healthz": healthz, "/readyz": readyz}
        # At the start: later the disk may hold the migrations of a version that this process does not run.
        needed_migrations()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.answers.get(request.path_info, self.get_response)(request)


def healthz(request: HttpRequest) -> HttpResponse:
    """Say that this process answers."""
    return _never_kept(HttpResponse("ok\n", content_type="text/plain"))


def readyz(request: HttpRequest) -> HttpResponse:
    """Say whether this process can do its work, and what is wrong if it cannot."""
    database, servers = database_findings(), server_findings()
    problems = [*database.problems, *servers.problems, *folder_problems()]
    warnings = [*database.warnings, *servers.warnings]
    if not env.LOCAL and "*" in env.ALLOWED_HOSTS:
        warnings.append("PODIUM_ALLOWED_HOSTS is *: any host name is accepted")
    content = {"ready": not problems, "problems": problems, "warnings": warnings}
    return _never_kept(JsonResponse(content, status=503 if problems else 200))


@cache
def needed_migrations() -> frozenset[tuple[str, str]]:
    """Return application and name of all migrations that the code of this process was written for."""
    return frozenset(MigrationLoader(None, ignore_no_migrations=True).graph.nodes)


def database_findings() -> Findings:
    """Say whether the database answers and has all tables that this process knows; newer ones do no harm."""
    try:
        applied = set(MigrationRecorder(connection).applied_migrations())
    except Exception as error:  # any failure of any database driver means the same here
        logger.warning("the database cannot be used: %s", error)
        return Findings([f"database: {_kind(error)}; the log says more"], [])
    missing = sorted(needed_migrations() - applied)
    if missing:
        first = ".".join(missing[0])
        return Findings([f"database: {len(missing)} migrations to run, the first is {first}: manage.py migrate"], [])
    return Findings([], [])


def server_findings() -> Findings:
    """
    Say whether cache and broker can be used.

    A server that is away is a warning: pages are read without it, and a balancer that took all sites out would turn a
    delay into an outage. A server that answers and refuses this process is a problem of its settings.
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
    """Say what cannot be written to; only `check --deploy` says who owns it."""
    return [
        f"PODIUM_VAR: {'the folder' if path == env.VAR else path.relative_to(env.VAR)} cannot be written to; "
        "manage.py check --deploy says why"
        for path in folders.unwritable(env.VAR)
    ]


def _servers() -> dict[str, Callable[[], object]]:
    """Return how to ask each server that the settings name."""
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


def _never_kept(response: HttpResponse) -> HttpResponse:
    response["Cache-Control"] = "no-store"
    return response
