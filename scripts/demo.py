"""
`make demo`: start a rated site with a real worker, with all data below var/; Ctrl-C stops both.

It only needs the virtual environment: it uses SQLite, and Celery over files. For production, see docs/operations.md.
With --check, it only needs Python and checks whether the demo could start.
"""

from __future__ import annotations

import argparse
import contextlib
import email
import email.policy
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import FrameType

ROOT = Path(__file__).resolve().parents[1]
MANAGE = [sys.executable, str(ROOT / "manage.py")]
#: A demo never uses the database or the broker of a site whose settings are in this shell.
PRODUCTION = ("DATABASE_URL", "REDIS_URL", "CELERY_BROKER_URL", "PODIUM_HTTPS", "PODIUM_DEBUG")
SECONDS_TO_START, SECONDS_TO_STOP = 60, 15


class Problem(Exception):
    """Raised with a message for the terminal if the demo cannot run."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Start the demo site and its worker; Ctrl-C stops both.")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--check", action="store_true", help="only check that the port and the folder are free")
    options = parser.parse_args()
    port = options.port
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    environment = {name: value for name, value in os.environ.items() if name not in PRODUCTION}
    environment |= {"PYTHONUNBUFFERED": "1", "DJANGO_RUNSERVER_HIDE_WARNING": "true"}
    var = Path(environment.get("PODIUM_VAR", ROOT / "var"))
    # For this program, the site and the worker: no other user of the machine can read what they write.
    os.umask(0o077)
    var.mkdir(parents=True, exist_ok=True)
    # Messages appear in this terminal.
    environment.setdefault("EMAIL_URL", f"filemail:///{(var / 'mail').resolve()}")
    try:
        with _only_one(var, port):
            _check_port(port)
            if options.check:
                return 0
            result = _prepare(environment)
            _serve(port, var, environment, result)
    except Problem as problem:
        print(f"\nerror: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped. Your data is in", var)
    return 0


def _stop(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


@contextlib.contextmanager
def _only_one(var: Path, port: int) -> Any:
    """Hold a lock, because two workers on one folder would share its queue and its schedule."""
    with (var / "demo.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise Problem(
                f"a demo is already running on {var}: {lock.read().strip()}. "
                "Stop it, or set PODIUM_VAR to another folder."
            ) from None
        lock.truncate(0)
        lock.write(f"http://127.0.0.1:{port} (process {os.getpid()})\n")
        lock.flush()
        yield


def _check_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except (OSError, OverflowError) as error:
            raise Problem(
                f"port {port} cannot be used ({error}). Free it, or choose another one: make demo PORT=8001"
            ) from None


def _prepare(environment: dict[str, str]) -> dict[str, Any]:
    """Update the database and static files, and generate the demo community the first time."""
    _manage(environment, "migrate", "--verbosity", "0", saying="Preparing the database")
    _manage(environment, "collectstatic", "--noinput", "--verbosity", "0", saying="Collecting static files")
    answer = _manage(
        environment, "demo", "--json", saying="Rating the demo community (the first time takes a few seconds)"
    )
    result: dict[str, Any] = json.loads(answer.splitlines()[-1])
    return result


def _manage(environment: dict[str, str], *arguments: str, saying: str) -> str:
    print(f"{saying} …", flush=True)
    done = subprocess.run(
        [*MANAGE, *arguments], env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        raise Problem(f"`manage.py {arguments[0]}` failed with status {done.returncode}; see its output above.")
    return done.stdout


def _serve(port: int, var: Path, environment: dict[str, str], result: dict[str, Any]) -> None:
    site = [*MANAGE, "runserver", f"127.0.0.1:{port}", "--noreload"]
    # With Celery over files, there are no other workers to talk to.
    options = "--beat --concurrency 1 --loglevel INFO --without-gossip --without-mingle --without-heartbeat"
    worker = [sys.executable, "-m", "celery", "--app", "podium", "worker", *options.split()]
    logs = var / "log"
    logs.mkdir(exist_ok=True)
    children: dict[str, subprocess.Popen[bytes]] = {}
    try:
        for name, command in (("site", site), ("worker", worker)):
            children[name] = _start(command, environment, logs / f"{name}.log")
        _wait_until_up(port, children, logs)
        _announce(port, result, logs)
        _watch(children, logs, var / "mail")
    finally:
        _end(children)


def _start(command: list[str], environment: dict[str, str], log: Path) -> subprocess.Popen[bytes]:
    """Start a process in its own session: Ctrl-C only reaches this program, which then shuts the process down."""
    environment = environment | {"PYTHONPATH": str(ROOT / "platform")}
    with log.open("wb") as output:
        return subprocess.Popen(
            command,
            env=environment,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _wait_until_up(port: int, children: dict[str, subprocess.Popen[bytes]], logs: Path) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        _check_alive(children, logs)
        with contextlib.suppress(urllib.error.URLError, ConnectionError, TimeoutError):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5).close()
            return
        time.sleep(0.2)
    raise Problem(f"the site does not answer after {SECONDS_TO_START} seconds; see {logs / 'site.log'}")


def _announce(port: int, result: dict[str, Any], logs: Path) -> None:
    accounts, password = result["accounts"], Path(result["password_file"]).read_text()
    print(
        f"\n  Podium is on   http://127.0.0.1:{port}/\n"
        f"  Owner          {accounts['owner']}, password {password}   (http://127.0.0.1:{port}/organize/)\n"
        f"  Organizer      {accounts['organizer']}, same password\n"
        f"  Contestant     {accounts['contestant']}, same password\n"
        f"  Logs           {logs}/site.log, {logs}/worker.log\n\n"
        "Ctrl-C stops it.",
        flush=True,
    )


def _watch(children: dict[str, subprocess.Popen[bytes]], logs: Path, mail: Path) -> None:
    """Wait for a signal or the end of a process; if make started the demo, also stop when make is killed. Show mail."""
    parent = os.getppid()
    shown = set(mail.glob("*"))
    while True:
        for message in sorted(set(mail.glob("*")) - shown):
            shown |= _show(message)
        _check_alive(children, logs)
        if "MAKELEVEL" in os.environ and os.getppid() != parent:
            raise Problem("make was killed; the demo stops with it.")
        time.sleep(0.25)


def _show(path: Path) -> set[Path]:
    """Print the text of a message; return its path, or nothing if it is still being written."""
    content, end, _rest = path.read_bytes().partition(b"\n" + b"-" * 79)
    if not end:
        return set()
    message = email.message_from_bytes(content, policy=email.policy.default)
    body = message.get_body(preferencelist=("plain",))
    text = body.get_content() if body is not None else ""
    print(f"\nMail to {message['To']}: {message['Subject']}\n\n{text}", flush=True)
    return {path}


def _check_alive(children: dict[str, subprocess.Popen[bytes]], logs: Path) -> None:
    for name, child in children.items():
        if child.poll() is None:
            continue
        log = logs / f"{name}.log"
        last = "".join(f"  {line}\n" for line in log.read_text(errors="replace").splitlines()[-15:])
        raise Problem(
            f"the {name} ended unexpectedly (status {child.returncode}), so the demo was stopped. "
            f"The last lines of {log}:\n{last}"
        )


def _end(children: dict[str, subprocess.Popen[bytes]]) -> None:
    """Terminate all processes and wait, then kill them: a second Ctrl-C must not leave a process behind."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    print("\nStopping …", flush=True)
    for child in children.values():
        child.terminate()
    deadline = time.monotonic() + SECONDS_TO_STOP
    for child in children.values():
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(max(0.1, deadline - time.monotonic()))
        # The worker's own children are in its group.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


if __name__ == "__main__":
    sys.exit(main())
