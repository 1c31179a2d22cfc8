"""`make demo`: it starts a rated site and its worker in a new folder, and leaves no process when it stops."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.processes import Visitor, free_port, until

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
DEMO = [sys.executable, "scripts/demo.py", "--port"]


def environment(folder: Path) -> dict[str, str]:
    """The environment of a shell that is set up for a production site, which the demo must not touch."""
    return {
        "PATH": os.environ["PATH"],
        "PODIUM_VAR": str(folder),
        "DATABASE_URL": "postgres://no:body@127.0.0.1:9/none",
    }


class Demo:
    """A running demo and its output."""

    def __init__(self, folder: Path) -> None:
        self.port, self.folder = free_port(), folder
        self.output = folder / "said"
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [*DEMO, str(self.port)], cwd=ROOT, env=environment(folder), stdout=output, stderr=subprocess.STDOUT
            )
        until(lambda: "Ctrl-C stops it" in self.said() or self.process.poll() is not None, seconds=120)
        assert self.process.poll() is None, self.said()

    def said(self) -> str:
        return self.output.read_text(encoding="utf-8")

    def processes(self) -> list[int]:
        """Site, worker, and the worker's own children: all that have this demo's folder in their environment."""
        found = []
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                if entry.name.isdigit() and f"PODIUM_VAR={self.folder}\0".encode() in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
        return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that is new for the first demo; later ones find its data there, as if restarted."""
    return tmp_path_factory.mktemp("demo")


@pytest.fixture
def demo(folder: Path) -> Iterator[Demo]:
    running = Demo(folder)
    yield running
    running.process.send_signal(signal.SIGTERM)
    running.process.wait(30)


def test_a_demo_shows_a_rated_site_rates_new_results_and_leaves_nothing_running(demo: Demo):
    visitor = Visitor(f"http://127.0.0.1:{demo.port}")
    pages = [
        "/",
        "/series/",
        "/c/main/series/harbour-cup/leaderboard/",
        "/contests/",
        "/api/v1/series/",
        "/healthz",
        "/readyz",
    ]
    assert {path: visitor.get(path)[0] for path in pages} == dict.fromkeys(pages, 200)
    home = visitor.get("/")[1]
    style = re.search(r'href="(/static/shared/site\.[0-9a-f]+\.css)"', home)
    assert style, "static files have no hashed names"
    assert visitor.get(style[1])[0] == 200

    name, password = re.search(r"Owner +(\S+), password (\S+)", demo.said()).groups()
    visitor.log_in(name, password)
    contest = newest_contest(demo.port)
    visitor.get(f"/organize/contests/{contest}/delete/")
    assert visitor.make(f"/organize/contests/{contest}/delete/", reason="Only to see it rated again")[0] == 302
    until(lambda: "Published as run 2" in visitor.get("/organize/c/main/series/harbour-cup/progress/")[1], seconds=30)

    # Files that others can read; those in a private folder are out of their reach.
    others = [
        path.relative_to(demo.folder).as_posix()
        for path in demo.folder.rglob("*")
        if path != demo.output and demo.folder / "static" not in (path, *path.parents) and others_may_use(path)
    ]
    assert others == []

    refused = subprocess.run(
        [*DEMO, str(free_port())], cwd=ROOT, env=environment(demo.folder), capture_output=True, text=True, check=False
    )
    assert refused.returncode == 1
    assert f"is already running on {demo.folder}: http://127.0.0.1:{demo.port}" in refused.stderr

    assert len(demo.processes()) >= 3
    demo.process.send_signal(signal.SIGINT)
    assert demo.process.wait(30) == 0
    assert "Stopped. Your data is in" in demo.said()
    until(lambda: demo.processes() == [], seconds=5, what="no process is left")


def others_may_use(path: Path) -> bool:
    """Whether other users of the computer have any right on the file; no if a process has just deleted it."""
    with suppress(FileNotFoundError):
        return bool(path.stat().st_mode & 0o077)
    return False


def newest_contest(port: int) -> int:
    """The id of the newest contest of the first series, as the site's own pages name it."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/series/harbour-cup/") as answer:
        return int(re.search(r"/contests/(\d+)/", answer.read().decode())[1])


def test_when_the_worker_dies_the_site_is_stopped_and_the_reason_given(demo: Demo):
    worker = next(pid for pid in demo.processes() if b"celery" in Path(f"/proc/{pid}/cmdline").read_bytes())
    os.killpg(os.getpgid(worker), signal.SIGKILL)
    assert demo.process.wait(30) == 1
    assert "the worker ended unexpectedly (status -9)" in demo.said()
    until(lambda: demo.processes() == [], seconds=5, what="no process is left")


def test_a_port_that_is_taken_is_named(tmp_path: Path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = subprocess.run(
            [*DEMO, str(port)], cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True, check=False
        )
    assert done.returncode == 1
    assert f"port {port} cannot be used" in done.stderr
    assert "make demo PORT=" in done.stderr
    assert "Traceback" not in done.stderr
