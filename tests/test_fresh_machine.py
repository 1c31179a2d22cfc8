"""`make` on a new machine: it lists all missing programs at once, and installs only files whose hash is known."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

from tests.processes import free_port

ROOT = Path(__file__).resolve().parents[1]
#: Programs that every machine has if `make` runs on it.
TOOLS = ["bash", "sh", "make", "env", "id", "dirname", "grep", "head", "sort", "find", "rm", "touch", "uname", "cat"]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What make reads, without a virtual environment."""
    folder = tmp_path / "checkout"
    (folder / "scripts").mkdir(parents=True)
    names = ["Makefile", "requirements.lock", "requirements-dev.lock"]
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
    # If it tries to install something after all, it fails at once.
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
    assert {"python3-venv", "redis-server", "chromium", "firefox-esr", "gettext"} <= set(packages)
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


def make_wheel(folder: Path) -> str:
    """Write an empty package as an index would deliver it, and return its hash."""
    folder.mkdir()
    wheel = folder / "example_package-1.0-py3-none-any.whl"
    about = "example_package-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("example_package.py", "")
        archive.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: example-package\nVersion: 1.0\n")
        archive.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{about}/RECORD", "")
    return sha256(wheel.read_bytes()).hexdigest()


def test_only_files_whose_hash_is_in_the_lock_are_installed(checkout: Path, tmp_path: Path):
    known = make_wheel(tmp_path / "wheels")
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHON": sys.executable,
        "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path / "wheels"), "PIP_CONFIG_FILE": os.devnull,
    }  # fmt: skip
    lock = checkout / "requirements.lock"
    for text in ("example-package==1.0\n", f"example-package==1.0 --hash=sha256:{'0' * 64}\n"):
        lock.write_text(text)
        done = make(checkout, environment, "install")
        assert done.returncode, text
        assert "hash" in done.stderr.lower()
        assert "pip could not install requirements.lock" in done.stderr
    lock.write_text(f"example-package==1.0 --hash=sha256:{known}\n")
    assert make(checkout, environment, "install").returncode == 0
    # The environment also imports Podium from the checkout.
    (checkout / "platform" / "podium").mkdir(parents=True)
    (checkout / "platform" / "podium" / "__init__.py").touch()
    code = "import example_package, podium, scripts; print(podium.__file__)"
    line = [checkout / ".venv/bin/python", "-c", code]
    found = subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == str(checkout / "platform/podium/__init__.py")
