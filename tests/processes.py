"""Real processes for tests: workers, brokers, the site; each can be stopped in order or killed."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from django.db import connection

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
    names |= {"PYTHONPATH": str(ROOT / "platform"), "PYTHONUNBUFFERED": "1", **changes}
    return {name: value for name, value in names.items() if value}


class Process:
    """A program in a session of its own, so that a kill reaches its children too; its output is kept in a file."""

    def __init__(self, command: list[str], env: dict[str, str]) -> None:
        self.log = Path(os.environ["PODIUM_VAR"]) / f"{Path(command[2]).name}-{secrets.token_hex(4)}.log"
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                command,
                env=env,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def said(self, words: str) -> int:
        """Return how often its output has these words."""
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


class Broker:
    """A Redis of one's own, to be stopped, started again, or frozen."""

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
