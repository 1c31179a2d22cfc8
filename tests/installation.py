"""
A stand-in for a separate machine, inside one folder: the commands of a guide run there as written, in a shell.

What only root may do, or what would change this machine, is replaced by small programs at the front of the PATH; the
site's own programs, PostgreSQL, Redis and nginx are real. The guide's paths and ports are replaced by others; a path
that is not found is an error, so that the guide and this file cannot diverge.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tests.processes import ROOT, free_port

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Programs of the guide that change the machine, and what stands in for them here.
STAND_INS = {
    "sudo": 'if [ "$1" = -u ]; then shift 2; fi; exec "$@"',
    "apt-get": "",
    "useradd": "",
    "chown": "",
    "make": "",
    "git": 'if [ "$1" = clone ]; then mkdir -p "$(dirname "$3")"; ln -s {root} "$3"; fi',
    "runuser": 'shift 3; exec "$@"',
    "install": """for word in "$@"; do shift; case $word in --owner=*|--group=*) ;; *) set -- "$@" "$word" ;; esac; done
exec /usr/bin/install "$@\"""",
    "systemctl": """if [ "$*" = "restart redis-server" ]; then exec redis-server {folder}/etc/redis/redis.conf; fi""",
    "nginx": 'exec {nginx} -c {folder}/nginx.conf "$@"',
    "pg_dump": 'exec {postgres}/pg_dump "$@"',
    "pg_restore": 'exec {postgres}/pg_restore "$@"',
    "psql": 'exec {postgres}/psql --dbname postgres "$@"',
    "createdb": 'exec {postgres}/createdb "$@"',
    "dropdb": 'exec {postgres}/dropdb "$@"',
}

NGINX = """
{user} pid {folder}/nginx.pid; error_log {folder}/nginx-error.log; worker_processes 1;
events {{ worker_connections 64; }}
http {{
    include {mime};
    access_log {folder}/nginx-access.log;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    include {folder}/etc/nginx/sites-enabled/*;
}}
"""


class Machine:
    """A folder in which the commands of a guide run as if it were a whole machine."""

    def __init__(self, folder: Path, database_url: str) -> None:
        self.folder = folder
        # Test processes share the database server, and each can have a machine.
        self.name = f"guide_{os.getpid()}"
        self.ports = {name: free_port() for name in ("site", "redis", "http", "https")}
        self.services: list[subprocess.Popen[bytes]] = []
        self.database = urlsplit(database_url)
        for name in ("shims", "etc/redis", "etc/nginx/sites-available", "etc/nginx/sites-enabled", "var/lib", "bin"):
            (folder / name).mkdir(parents=True)
        (folder / "etc/systemd/system").mkdir(parents=True)
        (folder / "etc/redis/redis.conf").write_text(
            f'bind 127.0.0.1\nport {self.ports["redis"]}\ndaemonize yes\nsave ""\ndir {folder}\n'
            f"pidfile {folder}/redis.pid\nlogfile {folder}/redis.log\n"
        )
        self._make_certificate()
        self._make_nginx()
        self._make_stand_ins()

    @property
    def log(self) -> str:
        """What the stand-ins were asked to do, one call per line."""
        return (self.folder / "calls").read_text()

    def run(self, block: str) -> str:
        """Run a block of the guide in a shell that stops at the first error; return what it printed."""
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", self._moved(block)],
            cwd=self.folder, env=self._environment(), capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def start(self, *units: str) -> None:
        """Start services as systemd would: with the command and the settings that their units name."""
        for unit in units:
            text = (self.folder / f"etc/systemd/system/{unit}.service").read_text()
            command = shlex.split(self._moved(re.search(r"^ExecStart=(.*)$", text, flags=re.MULTILINE)[1]))
            if unit == "podium-site":
                command += ["--bind", f"127.0.0.1:{self.ports['site']}", "--workers", "1"]
            settings = (self.folder / "etc/podium.env").read_text().splitlines()
            names = dict(line.split("=", 1) for line in settings) | {"PATH": "/usr/bin:/bin", "PYTHONUNBUFFERED": "1"}
            names["PYTHONPATH"] = str(ROOT / "platform")
            with (self.folder / f"{unit}.log").open("ab") as log:
                self.services.append(
                    subprocess.Popen(command, cwd=ROOT, env=names, stdout=log, stderr=log, start_new_session=True)
                )

    def start_nginx(self) -> None:
        """Start nginx with the configuration that the guide has installed."""
        subprocess.run([_nginx(), "-c", str(self.folder / "nginx.conf")], check=True)

    def said(self, name: str) -> str:
        """Return what a service has written to its log."""
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def stop_services(self) -> None:
        """End the services, as a power cut would."""
        for process in self.services:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.services.clear()

    def stop(self) -> None:
        """End everything that was started, and remove the database with its role."""
        self.stop_services()
        for name in ("redis", "nginx"):
            # `nginx -t` leaves an empty file.
            with contextlib.suppress(FileNotFoundError, ProcessLookupError, ValueError):
                os.kill(int((self.folder / f"{name}.pid").read_text()), signal.SIGTERM)
        self.run(f"dropdb --if-exists --force {self.name}; psql --quiet -c 'DROP ROLE IF EXISTS {self.name}'")

    def move_nginx(self) -> None:
        """Move what the guide has installed for nginx to the ports and folders of this machine."""
        path = self.folder / "etc/nginx/sites-available/podium"
        lines = [line for line in path.read_text().splitlines() if "listen [::]" not in line]
        text = self._moved("\n".join(lines) + "\n")
        for old, new in (("listen 80;", self.ports["http"]), ("listen 443 ", self.ports["https"])):
            assert old in text
            text = text.replace(old, old.replace(old.split()[1].rstrip(";"), f"127.0.0.1:{new}"))
        path.write_text(text)

    def _moved(self, text: str) -> str:
        """Replace paths, ports and the database's names, because other tests use the same database server."""
        for old, new in (
            ("/srv/podium", f"{self.folder}/srv/podium"),
            ("/etc/", f"{self.folder}/etc/"),
            ("/var/lib/podium", f"{self.folder}/var/lib/podium"),
            ("/usr/local/bin", f"{self.folder}/bin"),
            ("127.0.0.1:5432", f"127.0.0.1:{self.database.port}"),
            ("127.0.0.1:6379", f"127.0.0.1:{self.ports['redis']}"),
            ("127.0.0.1:8000", f"127.0.0.1:{self.ports['site']}"),
        ):
            text = text.replace(old, new)
        text = re.sub(r"postgres://podium:(.*)/podium\b", rf"postgres://{self.name}:\1/{self.name}", text)
        names = "ROLE|DATABASE|OWNER|dropdb|createdb|--owner|--dbname|pg_dump --format=custom"
        return re.sub(rf"({names}) podium\b", rf"\1 {self.name}", text)

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": f"{self.folder}/shims:{self.folder}/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "LANG": "C.UTF-8",
            "PGHOST": str(self.database.hostname),
            "PGPORT": str(self.database.port),
            "PGUSER": str(self.database.username),
            "PGPASSWORD": str(self.database.password),
            "PODIUM_SETTINGS": f"{self.folder}/etc/podium.env",
            "PYTHONPATH": str(ROOT / "platform"),
        }

    def _make_stand_ins(self) -> None:
        postgres = subprocess.run(
            [ROOT / "scripts/services.sh", "postgres-folder"], capture_output=True, text=True, check=True
        ).stdout.strip()
        names = {"root": ROOT, "folder": self.folder, "nginx": _nginx(), "postgres": postgres}
        for name, text in STAND_INS.items():
            for key, value in names.items():
                text = text.replace(f"{{{key}}}", str(value))
            path = self.folder / "shims" / name
            path.write_text(f'#!/bin/bash\necho {name} "$@" >>{self.folder}/calls\n{text}\n')
            path.chmod(0o755)

    def _make_certificate(self) -> None:
        folder = self.folder / "etc/letsencrypt/live/ratings.example.org"
        folder.mkdir(parents=True)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
             "-subj", "/CN=ratings.example.org", "-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem"],
            check=True, capture_output=True,
        )  # fmt: skip

    def _make_nginx(self) -> None:
        user = "user root;" if os.geteuid() == 0 else ""
        mime = next(path for path in ("/etc/nginx/mime.types", "/usr/share/nginx/mime.types") if Path(path).exists())
        (self.folder / "nginx.conf").write_text(NGINX.format(user=user, folder=self.folder, mime=mime))


def _nginx() -> str:
    found = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
    assert found, "nginx is not installed. On Debian or Ubuntu: sudo apt-get install nginx-light"
    return found


def blocks(texts: Iterable[str]) -> list[str]:
    """Return the shell commands of a document, block by block."""
    return [block for text in texts for block in re.findall(r"^```sh\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)]
