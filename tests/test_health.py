"""Responses to load balancers and monitors, for any host name and in any state of the site."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from tests.processes import ROOT, Process, Visitor, environment, free_port, start_site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.django_db(transaction=True)

MIGRATION = """
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("contests", "{before}")]
    operations = []
"""


@pytest.fixture
def started(static_files: None) -> Iterator[Callable[..., str]]:
    """A function that starts a site with changed settings and returns its address; server errors are allowed."""
    running: list[Process] = []

    def start(**changes: str) -> str:
        process, address = start_site(**changes)
        running.append(process)
        return address

    yield start
    for process in running:
        process.kill()


def ready(address: str) -> tuple[int, str]:
    return Visitor(address).get("/readyz")


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_probes_ask_by_address_and_without_https(client, settings, path):
    settings.ALLOWED_HOSTS = ["ratings.example.org"]
    settings.SECURE_SSL_REDIRECT = True
    answer = client.get(path, headers={"host": "10.1.2.3:8000"})
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "no-store"
    assert client.get("/", headers={"host": "10.1.2.3:8000"}).status_code == 400
    assert client.get("/", headers={"host": "ratings.example.org"}).status_code == 301


def test_a_site_whose_tables_are_older_than_its_code_is_not_ready(client):
    newest = MigrationRecorder.Migration.objects.filter(app="ratings").order_by("-name").first()
    newest.delete()
    try:
        answer = client.get("/readyz")
    finally:
        MigrationRecorder(connection).record_applied(newest.app, newest.name)
    assert answer.status_code == 503
    assert answer.json()["ready"] is False
    assert f"ratings.{newest.name}" in answer.json()["problems"][0]
    assert client.get("/readyz").status_code == 200


@pytest.mark.postgres_only
def test_an_old_process_stays_ready_between_pull_and_migrate(tmp_path, static_files):
    """It does not need the migrations of a version that is on the disk but not in its memory."""
    for name in ("platform", "contests", "ratings", "templates", "static", "locale"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    folder = tmp_path / "contests" / "migrations"
    before = max(path.stem for path in folder.glob("0*.py"))
    process, address = copied_site(tmp_path)
    try:
        assert ready(address)[0] == 200
        (folder / "9999_pulled.py").write_text(MIGRATION.format(before=before))
        assert ready(address)[0] == 200
    finally:
        process.kill()
    process, address = copied_site(tmp_path)
    try:
        status, text = ready(address)
        assert (status, "contests.9999_pulled" in text) == (503, True)
        MigrationRecorder(connection).record_applied("contests", "9999_pulled")
        assert ready(address)[0] == 200
    finally:
        process.kill()
        MigrationRecorder(connection).record_unapplied("contests", "9999_pulled")


def copied_site(folder: Path) -> tuple[Process, str]:
    """Start gunicorn on a copy of the project, which a test can change as `git pull` would."""
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "--bind", f"127.0.0.1:{port}", "--workers", "1", "podium.wsgi"]
    # Celery looks for packages in the working folder first, so that has to be the copy as well.
    site = Process(command, environment(PYTHONPATH=f"{folder / 'platform'}:{folder}", PODIUM_DEBUG="0"), folder)
    site.wait_for("Booting worker")
    return site, f"http://127.0.0.1:{port}"


@pytest.mark.postgres_only
def test_a_wrong_password_for_redis_is_a_problem_and_an_unavailable_redis_a_warning(started, broker):
    user, _, place = os.environ["REDIS_URL"].rpartition("@")
    scheme, _, password = user.rpartition(":")
    status, text = ready(started(REDIS_URL=f"{scheme}:not-{password}@{place}"))
    assert status == 503
    assert "REDIS_URL: refuses the login" in text
    assert password not in text
    status, text = ready(started(CELERY_BROKER_URL=f"{scheme}:not-{password}@{place}"))
    assert (status, "CELERY_BROKER_URL: refuses the login" in text) == (503, True)
    address = started(REDIS_URL=broker.url)
    assert '"warnings": []' in ready(address)[1]
    broker.stop()
    status, text = ready(address)
    assert status == 200
    assert "pages are shown, new results wait" in text


@pytest.mark.postgres_only
def test_a_wrong_password_for_the_database_is_a_problem_without_details(started):
    address = environment()["DATABASE_URL"]
    status, text = ready(started(DATABASE_URL=address.replace("podium:", "podium:not-")))
    assert status == 503
    assert "database: OperationalError" in text
    assert "podium" not in text.replace("PODIUM_VAR", "").replace("manage.py", "")


def test_a_folder_that_cannot_be_written_to_is_a_problem(tmp_path):
    (tmp_path / "files").mkdir()
    assert asked_in(tmp_path)[0] == 200
    (tmp_path / "files").chmod(0o500)
    status, text = asked_in(tmp_path)
    assert status == 503
    assert "PODIUM_VAR: files cannot be written to" in text
    assert str(tmp_path) not in text


def asked_in(var: Path) -> tuple[int, str]:
    """Ask a process that has only the rights that file modes give it, even if the tests run as root."""
    code = (
        "import django; django.setup(); from django.test import Client; "
        "answer = Client().get('/readyz'); print(answer.status_code, answer.content.decode())"
    )
    powerless = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    changes = {"DJANGO_SETTINGS_MODULE": "podium.settings", "PODIUM_VAR": str(var)}
    if connection.vendor == "sqlite":
        changes["DATABASE_URL"] = f"sqlite:///{connection.settings_dict['NAME']}"
    done = subprocess.run(
        [*powerless, sys.executable, "-c", code],
        cwd=ROOT,
        env=environment(**changes),
        capture_output=True,
        text=True,
        check=True,
    )
    status, _, text = done.stdout.partition(" ")
    return int(status), text
