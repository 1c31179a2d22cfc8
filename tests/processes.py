"""Real processes and threads for tests: workers, brokers and the site, which can be shut down or killed."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote, urlencode

from django.db import connection, connections
from django.urls import reverse

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[1]


def until(condition: Callable[[], object], *, seconds: float = 30, what: str = "") -> None:
    """Wait until the condition holds; fail the test when it does not."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds:g} seconds: {what or condition}")
        time.sleep(0.02)


def no_other_session_works() -> bool:
    """Return whether no other session of the test database is in a transaction; only for PostgreSQL."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
            "AND backend_type = 'client backend' AND state <> 'idle'"
        )
        return cursor.fetchone() == (0,)


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """Call functions simultaneously in threads with their own connections; return what each returned or raised."""
    start, results = threading.Barrier(len(acts)), [None] * len(acts)

    def run(number: int, act: Callable[[], Any]) -> None:
        try:
            start.wait(10)
            results[number] = act()
        except Exception as error:  # the caller looks at it
            results[number] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return results


def in_another_thread(act: Callable[[], Any]) -> Any:
    """Call a function in a thread with a database connection of its own; return its result."""
    results: list[Any] = []

    def run() -> None:
        try:
            results.append(act())
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(30)
    return results[0]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(**changes: str) -> dict[str, str]:
    """Return this process's environment, pointed at the test database, with changes; an empty value removes a name."""
    names = dict(os.environ)
    if connection.vendor == "postgresql":
        at = connection.settings_dict
        names["DATABASE_URL"] = (
            f"postgres://{at['USER']}:{quote(at['PASSWORD'])}@{at['HOST']}:{at['PORT']}/{at['NAME']}"
        )
    names |= {"PYTHONPATH": f"{ROOT / 'platform'}:{ROOT}", "PYTHONUNBUFFERED": "1", **changes}
    return {name: value for name, value in names.items() if value}


def _end_with_the_tests() -> None:
    """Ask Linux to kill this process when the one that started it ends, even if a test run is killed."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


class Process:
    """A program in a session of its own, so that a kill reaches its children too; its output is kept in a file."""

    def __init__(self, command: list[str], env: dict[str, str], folder: Path = ROOT) -> None:
        self.log = Path(os.environ["PODIUM_VAR"]) / f"{Path(command[2]).name}-{secrets.token_hex(4)}.log"
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                command,
                env=env,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_end_with_the_tests,
            )

    def said(self, words: str) -> int:
        """Return how often these words occur in its output."""
        return self.log.read_text(errors="replace").count(words)

    def wait_for(self, words: str, *, times: int = 1, seconds: float = 30) -> None:
        def spoken() -> bool:
            assert self.process.poll() is None, f"ended with status {self.process.returncode}:\n{self.log.read_text()}"
            return self.said(words) >= times

        try:
            until(spoken, seconds=seconds, what=f"“{words}” {times} times in {self.log.name}")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.log.read_text(errors='replace')[-3000:]}") from None

    def send(self, number: signal.Signals) -> None:
        os.killpg(self.process.pid, number)

    def kill(self) -> None:
        """End it and its children at once, as an out-of-memory killer or a power cut would."""
        with contextlib.suppress(ProcessLookupError):
            self.send(signal.SIGKILL)
        self.process.wait()


def start_worker(**changes: str) -> Process:
    """Start a Celery worker on the test database and wait until it listens."""
    command = [sys.executable, "-m", "celery", "--app", "podium", "worker", "--concurrency", "1", "--loglevel", "INFO"]
    name = f"test-{secrets.token_hex(4)}@localhost"
    worker = Process(
        [*command, "--without-gossip", "--without-mingle", "--hostname", name],
        environment(**{"PODIUM_DEBUG": "0", **changes}),
    )
    try:
        worker.wait_for("ready.")
    except BaseException:
        worker.kill()
        raise
    return worker


def celery(*arguments: str, **changes: str) -> None:
    """Run one of Celery's own commands, such as `call ratings.sweep`, to its end."""
    command = [sys.executable, "-m", "celery", "--app", "podium", *arguments]
    subprocess.run(command, cwd=ROOT, env=environment(**changes), check=True, stdout=subprocess.DEVNULL, timeout=60)


class Broker:
    """A Redis server for one test, which can be stopped, started again, or frozen."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        options = ["--bind", "127.0.0.1", "--port", str(self.port), "--save", "", "--appendonly", "no"]
        self.process = subprocess.Popen(
            ["redis-server", *options, "--dir", str(self.folder)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        until(self._answers, seconds=10, what="Redis answers")

    def _answers(self) -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1) as line:
            line.sendall(b"PING\r\n")
            return line.recv(7) == b"+PONG\r\n"
        return False

    def send(self, number: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


class PgBouncer:
    """A PgBouncer in transaction mode in front of the test database; `url` leads through it."""

    def __init__(self, folder: Path) -> None:
        at, self.port = connection.settings_dict, free_port()
        self.url = f"postgres://{at['USER']}:{quote(at['PASSWORD'])}@127.0.0.1:{self.port}/{at['NAME']}"
        (folder / "users.txt").write_text(f'"{at["USER"]}" "{at["PASSWORD"]}"\n')
        settings = {
            "listen_addr": "127.0.0.1", "listen_port": self.port, "unix_socket_dir": "", "auth_type": "scram-sha-256",
            "auth_file": folder / "users.txt", "pool_mode": "transaction", "default_pool_size": 4,
        }  # fmt: skip
        lines = [f"{name} = {value}" for name, value in settings.items()]
        server = f"* = host={at['HOST']} port={at['PORT']}"
        self.settings, self.log = folder / "pgbouncer.ini", folder / "pgbouncer.log"
        self.settings.write_text("\n".join(["[databases]", server, "[pgbouncer]", *lines, ""]))
        for each in (folder, *folder.iterdir()):
            each.chmod(0o755)  # if root runs the tests, PgBouncer runs as another user

    def __enter__(self) -> Self:
        command = [shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin") or "pgbouncer"]
        if os.geteuid() == 0:
            command += ["--user", "nobody"]
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                [*command, str(self.settings)], stdout=output, stderr=output, preexec_fn=_end_with_the_tests
            )
        until(lambda: answers(self.port), seconds=10, what="PgBouncer answers")
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()


def answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def start_site(**changes: str) -> tuple[Process, str]:
    """Start gunicorn on the test database with collected static files, as in production; return it and its address."""
    port = free_port()
    options = ["--bind", f"127.0.0.1:{port}", "--workers", "1", "--access-logfile", os.devnull]
    site = Process(
        [sys.executable, "-m", "gunicorn", *options, "podium.wsgi"], environment(**{"PODIUM_DEBUG": "0", **changes})
    )
    try:
        site.wait_for("Booting worker")
    except BaseException:
        site.kill()
        raise
    return site, f"http://127.0.0.1:{port}"


def collect_static_files() -> None:
    """Collect the static files where sites that tests start look for them; once for all processes of this test run."""
    folder = Path(os.environ["PODIUM_VAR"]).parent
    with (folder / "static.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (folder / "static.collected").exists():
            return
        subprocess.run(
            [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"],
            cwd=ROOT,
            env=environment(PODIUM_DEBUG="0"),
            check=True,
        )
        (folder / "static.collected").touch()


class Visitor:
    """
    A client with cookies that visits a site over HTTP, without a browser and without following redirects: `location` is
    the target of the last redirect.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self.jar = CookieJar()
        self.location = ""
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar), _StayThere())

    def get(self, path: str) -> tuple[int, str]:
        return self._open(urllib.request.Request(self.address + path))

    def post(self, path: str, **fields: str) -> tuple[int, str]:
        """Send a form; the site must already have set its CSRF cookie."""
        token = next(cookie.value for cookie in self.jar if cookie.name == "csrftoken")
        body = urlencode({"csrfmiddlewaretoken": token or "", **fields}).encode()
        return self._open(urllib.request.Request(self.address + path, data=body))

    def make(self, path: str, **fields: str) -> tuple[int, str]:
        """Send a form that proposes a change, open the page that shows its effect, and confirm it."""
        status, text = self.post(path, **fields)
        assert status == 302, text
        proposal = self.location
        status, text = self.get(proposal)
        assert status == 200, text
        return self.post(proposal)

    def log_in(self, username: str, password: str) -> None:
        path = reverse("login")
        self.get(path)
        status, text = self.post(path, login=username, password=password)
        assert status == 302, text

    def _open(self, request: urllib.request.Request) -> tuple[int, str]:
        try:
            with self.opener.open(request, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                self.location = error.headers.get("Location") or ""
                return error.code, error.read().decode()


class _StayThere(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments: object, **named: object) -> None:
        return None
