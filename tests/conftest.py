"""Fixtures for all tests; tests/services.py decides which servers they use."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import django_ratelimit.core
import pytest
from django.conf import settings as site_settings
from django.core.cache import cache
from django.utils import translation
from hypothesis import HealthCheck, settings

from podium import celery_app
from podium.caching import TolerantClient
from ratings import derived
from ratings.queries import boards, snapshot
from tests.databases import copy_migrated
from tests.oracle.shared import SHARED
from tests.processes import (
    Broker,
    Process,
    collect_static_files,
    no_other_session_works,
    start_site,
    start_worker,
    until,
)
from tests.services import FOLDER, on_postgresql

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_django.fixtures import SettingsWrapper

# How long an example takes depends on who else uses the machine; a test that hangs is ended by pytest-timeout.
# `make mutants` runs the same tests many times in one process, each time on a new instance of their class.
settings.register_profile(
    "podium", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.differing_executors]
)
settings.register_profile("thorough", settings.get_profile("podium"), max_examples=1000)
settings.load_profile("podium")

# Otherwise each test client would scan all static files as soon as a browser test has collected them.
site_settings.WHITENOISE_AUTOREFRESH = True


@pytest.fixture(scope="session")
def django_db_modify_db_settings(request: pytest.FixtureRequest, django_test_environment: None) -> None:
    """
    Name the test database of this process; if several run, also create it, as a copy of one that is migrated.

    On SQLite, it is the database file of a default site, so that workers find it without being told.
    """
    from django.db import connection

    if on_postgresql():
        request.getfixturevalue("django_db_modify_db_settings_parallel_suffix")
    else:
        connection.settings_dict["TEST"]["NAME"] = connection.settings_dict["NAME"]
    if "PYTEST_XDIST_WORKER" in os.environ:
        with request.getfixturevalue("django_db_blocker").unblock():
            copy_migrated(connection, Path(os.environ[FOLDER]))


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """Keep the databases: the whole server is deleted at the end, and dropping them would wait for killed processes."""
    return True


@pytest.fixture(autouse=True)
def _nothing_remembered() -> None:
    """Clear caches, because their keys contain ids that later tests reuse, and reset the language of this thread."""
    translation.deactivate()
    snapshot._kept.cache_clear()
    boards._kept.cache_clear()
    derived._content.cache_clear()
    cache.clear()


@pytest.fixture(autouse=True)
def _limits_last_the_whole_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start the time windows of all limits on attempts with the test; otherwise one could end while the test counts."""
    start = int(time.time())
    monkeypatch.setattr(django_ratelimit.core, "_get_window", lambda _value, period: start + period)


@pytest.fixture
def unreachable_cache(settings: SettingsWrapper, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the site's cache to a Redis that doesn't answer."""
    monkeypatch.setattr(TolerantClient, "unreachable_until", 0.0)  # for this test only
    patience = {"socket_connect_timeout": 0.5, "socket_timeout": 0.5}
    settings.CACHES = {
        "default": {
            "BACKEND": "podium.caching.TolerantRedisCache",
            "LOCATION": "redis://127.0.0.1:9/0",
            "OPTIONS": patience,
        }
    }


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real contests and reference numbers that lives beside the project."""
    return SHARED


@pytest.fixture
def workers(transactional_db: None) -> Iterator[Callable[..., Process]]:
    """A function that starts a real worker on the test database; all are killed before the database is emptied."""
    started: list[Process] = []
    celery_app.control.purge()

    def start(**changes: str) -> Process:
        started.append(start_worker(**changes))
        return started[-1]

    yield start
    for worker in started:
        worker.kill()


@pytest.fixture
def worker(workers: Callable[..., Process]) -> Process:
    """A real worker process, listening."""
    return workers()


@pytest.fixture(scope="session")
def static_files() -> None:
    """Static files with hashed names, as sites that tests start need them."""
    collect_static_files()


@pytest.fixture
def sites(transactional_db: None, static_files: None) -> Iterator[Callable[..., str]]:
    """A function that starts a site on the test database and returns its address; server errors fail the test."""
    started: list[Process] = []

    def start(**changes: str) -> str:
        process, address = start_site(**changes)
        started.append(process)
        return address

    yield start
    for process in started:
        process.kill()
    assert [process.log.read_text() for process in started if process.said("Internal Server Error")] == []


@pytest.fixture(scope="session")
def common_site(django_db_setup: None, static_files: None) -> Iterator[tuple[Process, str]]:
    """A real site on the test database and its address, running until the last test of this process."""
    process, address = start_site()
    yield process, address
    process.kill()


@pytest.fixture
def site(transactional_db: None, request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a real, running site; a server error fails the test."""
    if not on_postgresql():
        yield request.getfixturevalue(
            "sites"
        )()  # it counts login attempts in its own memory, which no test could reset
        return
    process, address = request.getfixturevalue("common_site")
    before = process.said("Internal Server Error")
    yield address
    until(no_other_session_works, what="the site has answered all requests, so that emptying its tables need not wait")
    assert process.said("Internal Server Error") == before, process.log.read_text()


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    """A Redis of this test alone, running."""
    server = Broker(tmp_path)
    server.start()
    yield server
    server.stop()
