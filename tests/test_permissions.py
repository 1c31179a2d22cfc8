"""Other users of the machine can read neither the database nor uploads; a proxy can read the static files."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.core.management import call_command

from tests.processes import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SETTINGS = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT / "platform"), "DJANGO_SETTINGS_MODULE": "podium.settings"}
#: The journal files exist only while a connection is open.
WRITE = (
    "import django; django.setup(); from django.db import connection; "
    "connection.cursor().execute('CREATE TABLE IF NOT EXISTS t (x)'); import os, sys; "
    "print(*(f'{name} {os.stat(os.path.join(sys.argv[1], name)).st_mode & 0o777:o}' "
    "for name in sorted(os.listdir(sys.argv[1])) if 'sqlite' in name), sep=chr(10))"
)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def write_in(folder: Path, **settings: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", WRITE, str(folder)],
        cwd=ROOT,
        env={**SETTINGS, **settings},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


@pytest.fixture
def _usual_mask() -> Iterator[None]:
    """The usual umask of services, which lets others read."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("_usual_mask")
def test_only_the_owner_can_read_a_new_database_and_its_journals(tmp_path):
    names = ("podium.sqlite3", "podium.sqlite3-shm", "podium.sqlite3-wal")
    assert write_in(tmp_path / "var", PODIUM_VAR=str(tmp_path / "var")) == [f"{name} 600" for name in names]
    elsewhere = f"sqlite:///{tmp_path}/elsewhere.sqlite3"
    key = {"PODIUM_SECRET_KEY": "x" * 50, "PODIUM_VAR": str(tmp_path / "var")}
    assert write_in(tmp_path, DATABASE_URL=elsewhere, **key)[0] == "elsewhere.sqlite3 600"
    # A proxy passes through to the static files.
    assert mode(tmp_path / "var") & 0o011 == 0o011
    assert mode(tmp_path / "var" / "broker") == 0o700


@pytest.mark.usefixtures("_usual_mask")
def test_what_earlier_versions_left_readable_is_tightened_at_the_next_start(tmp_path):
    sqlite3.connect(tmp_path / "podium.sqlite3").close()
    for name in ("files", "files/uploads", "static"):
        (tmp_path / name).mkdir(mode=0o755)
    (tmp_path / "beat-schedule").touch()
    (tmp_path / "podium.sqlite3").chmod(0o644)
    write_in(tmp_path, PODIUM_VAR=str(tmp_path))
    found = {name: mode(tmp_path / name) for name in ("podium.sqlite3", "beat-schedule", "files", "static")}
    assert found == {"podium.sqlite3": 0o600, "beat-schedule": 0o600, "files": 0o700, "static": 0o755}


@pytest.mark.usefixtures("_usual_mask")
def test_links_are_left_alone(tmp_path):
    """When root starts the site, tightening must not follow links that the site's user made."""
    other = tmp_path / "other"
    other.mkdir(mode=0o755)
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "log").symlink_to(other)
    write_in(tmp_path / "var", PODIUM_VAR=str(tmp_path / "var"))
    assert mode(other) == 0o755


@pytest.mark.usefixtures("_usual_mask")
def test_only_the_owner_can_read_uploads(settings, tmp_path):
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {**settings.STORAGES["default"], "OPTIONS": {"location": str(tmp_path / "files")}},
    }
    for size in (10, settings.FILE_UPLOAD_MAX_MEMORY_SIZE + 1):
        name = storages["default"].save("uploads/ab/standings.csv", ContentFile(b"x" * size))
        assert mode(tmp_path / "files" / name) == 0o600
    for folder in ("files", "files/uploads", "files/uploads/ab"):
        assert mode(tmp_path / folder) == 0o700


@pytest.mark.usefixtures("_usual_mask")
def test_static_files_stay_readable_for_a_proxy(settings, tmp_path):
    settings.STATIC_ROOT = tmp_path / "static"
    used = ("shared", "vendor/inter")  # style sheets, and the font that they refer to
    settings.STATICFILES_DIRS = [(name, ROOT / "static" / name) for name in used]
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    production = settings.STORAGES["staticfiles"] | {"BACKEND": "podium.static_files.GzippedFiles"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": production}
    call_command("collectstatic", interactive=False, verbosity=0)
    found = list((tmp_path / "static").rglob("*"))
    assert len(found) > 50
    closed = [path for path in found if mode(path) & 0o044 != 0o044 or (path.is_dir() and not mode(path) & 0o001)]
    assert closed == []
