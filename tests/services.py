"""
A pytest plugin, loaded by pyproject.toml: where the suite runs.

Django reads its settings once, from the environment, so the environment is made here before anything of Django is
imported: a private PostgreSQL and a private Redis (scripts/services.sh), or with --sqlite the default of a fresh
checkout, SQLite and Celery over files. Databases, brokers and settings of the shell are never used, because tests empty
their databases.
"""

from __future__ import annotations

import atexit
import gc
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.ordering import long_first

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "scripts" / "services.sh"
FOLDER = "PODIUM_TEST_FOLDER"  # set in worker processes of pytest-xdist: the services are already running
#: Nothing here runs on a second database; each of several processes would take seconds to import and collect it.
ONE_DATABASE = (
    "tests/attacks/", "tests/browser/", "tests/contests/formats/test_damaged_files.py", "tests/oracle/",
    "tests/properties/", "tests/ratings/display/", "tests/ratings/systems/", "tests/api/test_schema_requests.py",
)  # fmt: skip


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("podium")
    group.addoption("--sqlite", action="store_true", help="run on SQLite and files instead of PostgreSQL and Redis")
    group.addoption("--database-only", action="store_true", help="tests that use a database; of pages, one case each")
    group.addoption("--firefox", action="store_true", help="browser tests use Firefox instead of Chromium")
    group.addoption("--no-skips", action="store_true", help="a test that is skipped counts as failed")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Iterator[Any]:
    # A wrapper, because pytest-django imports the settings in the same hook.
    if FOLDER not in os.environ:
        _start(early_config.known_args_namespace)
    _separate(os.environ.get("PYTEST_XDIST_WORKER", ""))
    return (yield)


def _start(options: Namespace) -> None:
    for name in [n for n in os.environ if n.startswith("PODIUM_") and n not in ("PODIUM_SHARED", "PODIUM_TEST_DB")]:
        del os.environ[name]
    for name in ("DATABASE_URL", "REDIS_URL", "CELERY_BROKER_URL"):
        os.environ.pop(name, None)
    # Tests start about a hundred processes: without stored bytecode, each would compile all modules again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    folder = Path(tempfile.mkdtemp(prefix="podium-tests-"))
    folder.chmod(0o711)  # if root runs the tests, PostgreSQL runs as another user, who must get through here
    os.environ |= {
        FOLDER: str(folder),
        "PODIUM_SECRET_KEY": secrets.token_urlsafe(50),
        "PODIUM_DEBUG": "1",  # static files straight from their sources; pytest-django turns Django's DEBUG off
        "PODIUM_HTTPS": "0",
        "PODIUM_SITE": "tests",  # the names of databases differ between this process and the ones it starts
        "PODIUM_LEASE_SECONDS": "6",  # so that tests soon see that a worker has died
    }
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    if options.sqlite or os.environ.get("PODIUM_TEST_DB") == "sqlite":
        return
    started = subprocess.run(
        [SCRIPT, "start", folder / "services", str(os.getpid())], capture_output=True, text=True, check=False
    )
    if started.returncode == 0:
        atexit.register(subprocess.run, [SCRIPT, "stop", folder / "services"], check=False)
        os.environ |= dict(line.split("=", 1) for line in started.stdout.splitlines())
    elif options.no_skips:
        raise pytest.UsageError(f"the services did not start:\n{started.stderr}")
    else:
        os.environ["PODIUM_TEST_FALLBACK"] = started.stderr.strip().splitlines()[-1]


def _separate(worker: str) -> None:
    """Give each process of pytest-xdist its own folder and Redis database; pytest-django does so for PostgreSQL."""
    var = Path(os.environ[FOLDER]) / f"var-{worker or 'main'}"
    # WhiteNoise warns without a folder of static files, and warnings are errors. All processes share what one collects.
    static = Path(os.environ[FOLDER]) / "static"
    static.mkdir(exist_ok=True)
    var.mkdir(exist_ok=True)
    if not (var / "static").is_symlink():
        (var / "static").symlink_to(static)
    os.environ["PODIUM_VAR"] = str(var)
    if worker and "REDIS_URL" in os.environ:
        os.environ["REDIS_URL"] = os.environ["REDIS_URL"].rsplit("/", 1)[0] + f"/{worker.removeprefix('gw')}"


def on_postgresql() -> bool:
    return "DATABASE_URL" in os.environ


def pytest_report_header() -> str:
    if on_postgresql():
        return "podium: on a private PostgreSQL and Redis"
    return "podium: on SQLite and files " + os.environ.get("PODIUM_TEST_FALLBACK", "").removeprefix("error: ")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    left_out = {ROOT / name for name in ONE_DATABASE}
    return True if config.option.database_only and collection_path in left_out else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        is_left_out = item.nodeid.startswith(ONE_DATABASE) and not item.nodeid.startswith("tests/browser/")
        if is_left_out and _uses_database(item) and not item.get_closest_marker("one_database"):
            raise pytest.UsageError(f"{item.nodeid} uses a database: mark it one_database, or move it")
    elsewhere = "sqlite_only" if on_postgresql() else "postgres_only"
    kept = [item for item in items if item.get_closest_marker(elsewhere) is None and _has_its_files(item)]
    if config.option.database_only:
        kept = [item for item in kept if _uses_database(item) and not item.get_closest_marker("one_database")]
        kept = _one_case_of_pages(kept)
    dropped = set(items) - set(kept)
    if dropped:
        config.hook.pytest_deselected(items=list(dropped))
        items[:] = kept


@pytest.hookimpl(specname="pytest_collection_modifyitems", trylast=True)
def order_for_processes(items: list[pytest.Item]) -> None:
    """Order the tests after pytest-randomly has shuffled them, and identically in all processes."""
    if processes := int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "0")):
        items[:] = long_first(items, processes)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """
    Exclude what lives until the end from garbage collection: imported modules and ten thousand tests.

    Collect rarely: pages make many objects without cycles, and the default thresholds cost 7 % of the time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)


def _has_its_files(item: pytest.Item) -> bool:
    """Return whether the folder of real contests is there, for tests that need it; with --no-skips, it must be."""
    from tests.oracle.shared import SHARED  # imports the project, so only once the settings are known

    is_needed = item.get_closest_marker("needs_shared") or "shared" in getattr(item, "fixturenames", ())
    if not is_needed or SHARED.is_dir():
        return True
    if item.config.option.no_skips:
        raise pytest.UsageError(f"{item.nodeid} needs the folder {SHARED}; PODIUM_SHARED can name another one")
    return False


def _uses_database(item: pytest.Item) -> bool:
    from django.test import TransactionTestCase  # importable only once the settings are known

    fixtures = set(getattr(item, "fixturenames", ()))
    case = getattr(item, "cls", None)
    return (
        item.get_closest_marker("django_db") is not None
        or bool(fixtures & {"db", "transactional_db", "live_server", "admin_user"})
        or (isinstance(case, type) and issubclass(case, TransactionTestCase))
    )


def _one_case_of_pages(items: list[pytest.Item]) -> list[pytest.Item]:
    """
    Keep only one case of each test of a page or of the REST API.

    Usually the cases differ only in how the page shows its rows, so one case is enough to send its queries to the
    database. Tests of searches keep all cases, because each case sends other queries.
    """
    seen: set[str] = set()
    kept = []
    for item in items:
        name = item.nodeid.partition("[")[0]
        if name not in seen or not name.startswith(("tests/web/", "tests/api/")) or "search" in name:
            kept.append(item)
        seen.add(name)
    return kept


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[Any]:
    report = yield
    if report.skipped and item.config.option.no_skips and not hasattr(report, "wasxfail"):
        report.outcome, report.longrepr = "failed", f"skipped, which --no-skips forbids: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[Any]:
    report = yield
    if report.skipped and collector.config.option.no_skips:
        report.outcome, report.longrepr = "failed", f"skipped, which --no-skips forbids: {report.longrepr}"
    return report
