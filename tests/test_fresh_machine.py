"""`make` on a machine where programs are missing: it lists all of them before it installs anything."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import free_port

ROOT = Path(__file__).resolve().parents[1]
#: What every machine has on which `make` is run.
TOOLS = ["bash", "sh", "make", "env", "id", "dirname", "grep", "head", "sort", "find", "rm", "touch", "uname", "cat"]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What make reads, without a virtual environment."""
    folder = tmp_path / "checkout"
    (folder / "scripts").mkdir(parents=True)
    names = ["Makefile", "pyproject.toml", "requirements.txt", "requirements-dev.txt"]
    for name in [*names, "scripts/setup.sh", "scripts/services.sh", "scripts/demo.py"]:
        shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """The environment of a bare machine, with Python as Debian ships it: it cannot make virtual environments."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for tool in TOOLS:
        (programs / tool).symlink_to(str(shutil.which(tool)))
    python = programs / "python3"
    python.write_text(f'#!/bin/sh\ncase "$*" in *ensurepip*) exit 1 ;; esac\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    # Should it try to install after all, it fails at once.
    return {"PATH": str(programs), "HOME": str(tmp_path), "PIP_NO_INDEX": "1"}


def make(checkout: Path, environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["make", "--no-print-directory", *arguments]
    return subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)


def errors(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Return the output without make's own line about the failed recipe."""
    return [line for line in done.stderr.splitlines() if line and not line.startswith("make: ***")]


def test_all_that_the_tests_lack_is_named_in_one_line(checkout: Path, bare: dict[str, str]):
    done = make(checkout, bare, "test")
    assert done.returncode
    (line,) = errors(done)
    packages = line.partition("sudo apt-get install ")[2].split()
    assert {"python3-venv", "redis-server", "chromium", "gettext"} <= set(packages)
    assert not (checkout / ".venv").exists()


def test_what_the_demo_lacks_is_named_in_one_line(checkout: Path, bare: dict[str, str]):
    done = make(checkout, bare, "demo", f"PORT={free_port()}")
    assert done.returncode
    (line,) = errors(done)
    assert line.endswith("sudo apt-get install python3-venv")


def test_a_port_that_is_taken_is_named_before_anything_is_installed(checkout: Path):
    environment = {"PATH": os.environ["PATH"], "HOME": str(checkout), "PIP_NO_INDEX": "1"}
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = make(checkout, environment, "demo", f"PORT={port}")
    assert done.returncode
    (line,) = errors(done)
    assert f"port {port} cannot be used" in line
    assert "make demo PORT=" in line
    assert not (checkout / ".venv").exists()
