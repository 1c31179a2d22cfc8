"""The operations guide: its commands run in their order, and the result is a site behind nginx."""

from __future__ import annotations

import http.client
import os
import re
import shutil
import socket
import ssl
import subprocess
from http import HTTPStatus
from typing import TYPE_CHECKING

import pytest

from tests.installation import Machine, blocks
from tests.processes import ROOT, until

if TYPE_CHECKING:
    from collections.abc import Iterator

# Following the guide to its end takes a while: it collects all static files.
pytestmark = pytest.mark.postgres_only

GUIDE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
DEPLOY = ROOT / "scripts" / "deploy"
UNITS = ("podium-site", "podium-worker", "podium-beat")
MEGABYTE = 2**20


def commands(heading: str) -> list[str]:
    """Return the blocks of commands below a heading of the guide."""
    (section,) = re.findall(rf"^## {heading}\n(.*?)(?=^## |\Z)", GUIDE, flags=re.DOTALL | re.MULTILINE)
    return blocks([section])


@pytest.fixture(scope="module")
def machine(tmp_path_factory) -> Iterator[Machine]:
    """A machine on which the guide was followed to its end, with the services running."""
    machine = Machine(tmp_path_factory.mktemp("machine"), os.environ["DATABASE_URL"])
    try:
        # One shell for all blocks, as at a terminal: later ones use what earlier ones have set.
        *before, nginx, ready = commands("Production, step by step")
        machine.run("\n".join(before))
        machine.start(*UNITS)
        names, install, test = before[0], nginx.split("sudo nginx -t")[0], "sudo nginx -t"
        machine.run(names + install)
        machine.move_nginx()
        machine.run(test)
        machine.start_nginx()
        until(lambda: "Booting worker" in machine.said("podium-site"), what="gunicorn has started")
        machine.run(ready)
        yield machine
    finally:
        machine.stop()


class Answer:
    """A visitor's response over HTTPS from nginx, or over HTTP."""

    def __init__(
        self, machine: Machine, path: str, *, scheme: str = "https", body: bytes | None = None, **headers: str
    ):
        port = machine.ports[scheme]
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        headers.setdefault("Host", "ratings.example.org")
        if scheme == "https":
            unchecked = ssl._create_unverified_context()
            connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                "127.0.0.1", port, timeout=60, context=unchecked
            )
        else:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            connection.request("GET" if body is None else "POST", path, body=body, headers=headers)
            response = connection.getresponse()
            self.status, self.headers, self.text = (
                response.status,
                response.headers,
                response.read().decode(errors="replace"),
            )
        finally:
            connection.close()


def test_the_user_exists_before_folders_are_given_to_it(machine):
    calls = machine.log.splitlines()
    made = next(number for number, call in enumerate(calls) if call.startswith("useradd") and call.endswith(" podium"))
    owner = "--owner=podium --group=podium --mode=711"
    given = next(number for number, call in enumerate(calls) if call.startswith("install") and owner in call)
    managed = [number for number, call in enumerate(calls) if call.startswith("sudo podium-manage")]
    assert made < given < min(managed)
    assert not any(call.startswith("sudo") and "manage.py" in call for call in calls)
    assert [name for name in UNITS if f"enable --now {' '.join(UNITS)}" not in machine.log] == []


def test_only_root_and_the_site_read_the_settings(machine):
    assert (machine.folder / "etc/podium.env").stat().st_mode & 0o777 == 0o640
    assert "install --owner=root --group=podium --mode=640" in machine.log


def test_the_site_is_reached_through_nginx_without_a_redirect_loop(machine):
    plain = Answer(machine, "/series/?page=1", scheme="http")
    assert (plain.status, plain.headers["Location"]) == (301, "https://ratings.example.org/series/?page=1")
    page = Answer(machine, "/")
    assert page.status == 200
    assert page.headers["Strict-Transport-Security"] == "max-age=31536000"
    style = re.search(r'href="(/static/shared/site\.[0-9a-f]{12}\.css)"', page.text)[1]
    sheet = Answer(machine, style, Accept_Encoding="gzip;q=0")
    assert (sheet.status, "immutable" in sheet.headers["Cache-Control"]) == (200, True)
    assert Answer(machine, "/favicon.ico").status == 200


def test_the_access_log_has_the_real_address_of_a_client_that_claims_another(machine):
    """The client does not have nginx's own address, and claims a third one in a header."""
    plain = socket.create_connection(("127.0.0.1", machine.ports["https"]), source_address=("127.0.0.77", 0))
    with plain, ssl._create_unverified_context().wrap_socket(plain, server_hostname="ratings.example.org") as line:
        line.sendall(
            b"GET /healthz?who HTTP/1.1\r\nHost: ratings.example.org\r\nX-Forwarded-For: 203.0.113.9\r\n"
            b"Connection: close\r\n\r\n"
        )
        assert b"200 OK" in line.recv(1000)
    until(lambda: "/healthz?who" in machine.said("podium-site"), what="the request is in the log")
    (line,) = [line for line in machine.said("podium-site").splitlines() if "/healthz?who" in line]
    assert line.startswith("127.0.0.77 ")
    assert "203.0.113.9" not in line


def test_a_large_upload_passes_and_one_that_is_too_large_gets_a_clear_page(machine):
    kind = "multipart/form-data; boundary=x"
    start = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
    large = Answer(machine, "/", body=start + b"0" * 60 * MEGABYTE + b"\r\n--x--\r\n", Content_Type=kind)
    # It reaches the site, which refuses it because the token of the form is missing.
    assert (large.status, "The form could not be checked" in large.text) == (HTTPStatus.FORBIDDEN, True)
    too_large = Answer(machine, "/", body=start + b"0" * 70 * MEGABYTE, Content_Type=kind)
    assert too_large.status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    assert "<h1>That file is too large</h1>" in too_large.text
    assert "/static/shared/base.css" in too_large.text
    assert Answer(machine, "/static/shared/base.css", Accept_Encoding="gzip;q=0").status == 200
    # The error page has no address of its own.
    assert Answer(machine, "/static/errors/413.html").status == 404


def test_worker_and_beat_run_with_these_settings(machine):
    until(lambda: "ready." in machine.said("podium-worker"), what="the worker listens")
    until(lambda: "beat: Starting" in machine.said("podium-beat"), what="beat runs")
    assert (machine.folder / "var/lib/podium").is_dir()


def test_a_restored_backup_is_what_was_backed_up(machine):
    machine.run("sudo podium-manage demo --json")
    upload = machine.folder / "var/lib/podium/files/uploads/standings.csv"
    upload.parent.mkdir(parents=True, exist_ok=True)
    upload.write_text("rank,handle\n1,ann\n")
    address = "/api/v1/communities/main/series/harbour-cup/leaderboard/"
    before = Answer(machine, address)
    assert before.status == 200
    take, put_back = commands("Backup")[:2]
    machine.run(take)
    for name in ("podium.dump", "podium-files.tar.gz"):
        assert (machine.folder / name).stat().st_mode & 0o077 == 0
    # Otherwise the worker, which still derives numbers of the demo, and TRUNCATE could wait for each other.
    machine.stop_services()
    machine.run(f"psql --dbname={machine.name} --quiet -c 'TRUNCATE contests_series CASCADE'")
    upload.unlink()
    machine.run(put_back)
    started = machine.said("podium-site").count("Booting worker")
    machine.start(*UNITS)
    until(lambda: machine.said("podium-site").count("Booting worker") > started, what="gunicorn has started again")
    after = Answer(machine, address)
    assert (after.status, after.text) == (200, before.text)
    assert upload.read_text() == "rank,handle\n1,ann\n"


def test_nginx_has_a_page_of_its_own_while_the_site_is_down(machine):
    machine.stop_services()
    down = Answer(machine, "/")
    assert (down.status, "<h1>The site is not running</h1>" in down.text) == (503, True)
    assert int(down.headers["Retry-After"]) > 0
    assert Answer(machine, "/static/shared/base.css", Accept_Encoding="gzip;q=0").status == 200
    started = machine.said("podium-site").count("Booting worker")
    machine.start(*UNITS)
    until(lambda: machine.said("podium-site").count("Booting worker") > started, what="gunicorn has started again")


def test_the_commands_of_an_update_run(machine):
    (update,) = commands("Update")
    # This command takes a long time, and has already run.
    again = "sudo podium-manage collectstatic --noinput\n"
    assert again in "".join(commands("Production, step by step"))
    assert again in update
    machine.run(update.replace(again, ""))
    assert machine.log.splitlines()[-1] == f"systemctl restart {' '.join(UNITS)}"


@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_names_what_the_guide_has_made(unit):
    lines = (DEPLOY / f"{unit}.service").read_text().splitlines()
    for line in (
        "User=podium",
        "WorkingDirectory=/srv/podium",
        "EnvironmentFile=/etc/podium.env",
        "ReadWritePaths=/var/lib/podium",
        "UMask=0077",
    ):
        assert line in lines
    assert f"cp /srv/podium/scripts/deploy/{unit}.service /etc/systemd/system/" in GUIDE


def test_a_worker_has_time_to_finish_its_run_before_it_stops():
    """By default, systemd would send the stop signal to the computing process too."""
    worker = (DEPLOY / "podium-worker.service").read_text().splitlines()
    assert "KillMode=mixed" in worker
    (patience,) = [int(line.partition("=")[2]) for line in worker if line.startswith("TimeoutStopSec=")]
    assert patience >= 120


def test_systemd_understands_the_units(tmp_path):
    """Where systemd is not installed, this checks nothing, but other tests still run the commands in the units."""
    program = shutil.which("systemd-analyze") or "true"
    paths = []
    for unit in UNITS:
        # systemd-analyze complains about programs that do not exist.
        text = re.sub(r"/srv/podium/\.venv/bin/\w+", "/bin/true", (DEPLOY / f"{unit}.service").read_text())
        paths.append(tmp_path / f"{unit}.service")
        paths[-1].write_text(text)
    done = subprocess.run([program, "verify", *paths], capture_output=True, text=True, check=False)
    ours = [line for line in done.stderr.splitlines() if "podium-" in line]
    assert (done.returncode, ours) == (0, [])
