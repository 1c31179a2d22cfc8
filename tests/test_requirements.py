"""The lock files agree with the requirements, and `make audit` never says that all is well when it cannot know."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import metadata
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.processes import ROOT

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("requirements", "requirements-dev", "requirements-mutants", "requirements-tools")


def wanted(name: str) -> list[Requirement]:
    """What a requirements file lists, with the files that it includes."""
    found = []
    for line in (ROOT / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        text = line.partition("#")[0].strip()
        if text.startswith("-r "):
            found += wanted(text.removeprefix("-r ").removesuffix(".txt"))
        elif text:
            found.append(Requirement(text))
    return found


def locked(name: str) -> dict[str, tuple[str, int]]:
    """Package -> its version and the number of its hashes, in a lock file."""
    text = (ROOT / f"{name}.lock").read_text(encoding="utf-8").replace("\\\n", " ")
    found = {}
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            requirement = Requirement(re.split(r"\s--hash=", line, maxsplit=1)[0])
            (version,) = requirement.specifier
            assert version.operator == "=="
            package = canonicalize_name(requirement.name)
            found[package] = version.version, len(re.findall(r"--hash=sha256:[0-9a-f]{64}\b", line))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_lock_has_the_version_of_each_requirement_and_hashes_of_all(name):
    """If this fails, run `make lock`."""
    lock = locked(name)
    for requirement in wanted(name):
        (version,) = requirement.specifier
        assert lock[canonicalize_name(requirement.name)][0] == version.version, f"{requirement}: run `make lock`"
    assert [package for package, (_, hashes) in lock.items() if not hashes] == []


@pytest.mark.parametrize("name", ["requirements-dev", "requirements-mutants"])
def test_developers_get_the_versions_that_sites_get(name):
    site, lock = locked("requirements"), locked(name)
    assert {package: lock[package][0] for package in site} == {
        package: version for package, (version, _) in site.items()
    }


@pytest.mark.parametrize("name", ["requirements", "requirements-dev"])
def test_a_lock_has_all_that_its_packages_need(name):
    """According to the metadata of the installed packages."""
    lock = locked(name)
    extras = {"", *(extra for requirement in wanted(name) for extra in requirement.extras)}
    missing = set()
    for package in lock:
        try:
            needs = metadata.requires(package) or []
        except metadata.PackageNotFoundError:
            continue  # for another system or version of Python
        asked = {"", *(extra for one in wanted(name) if canonicalize_name(one.name) == package for extra in one.extras)}
        for need in map(Requirement, needs):
            applies = need.marker is None or any(need.marker.evaluate({"extra": extra}) for extra in asked & extras)
            if applies and canonicalize_name(need.name) not in lock:
                missing.add(f"{package} needs {need}")
    assert missing == set(), "run `make lock`"


def audit(tmp_path: Path, *, said: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    """Run `make audit` with a program that answers like pip-audit."""
    program = tmp_path / "pip-audit"
    (tmp_path / "said").write_text(said)
    program.write_text(f"#!/bin/sh\ncat {tmp_path}/said\necho 'Failed to resolve pypi.org' >&2\nexit {status}\n")
    program.chmod(0o755)
    line = [sys.executable, "scripts/audit.py", program]
    return subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)


def package(name: str, **more: object) -> dict[str, object]:
    return {"name": name, "version": "1.0", "vulns": [], **more}


def test_an_audit_lists_what_it_finds(tmp_path):
    done = audit(tmp_path, said=json.dumps({"dependencies": [package("a")]}))
    assert (done.returncode, done.stdout) == (0, "No known vulnerabilities.\n")
    finding = {"id": "PYSEC-1", "fix_versions": ["1.1", "2.0"]}
    done = audit(tmp_path, said=json.dumps({"dependencies": [package("a"), package("b", vulns=[finding])]}), status=1)
    assert done.returncode == 1
    assert "requirements.lock: b 1.0: PYSEC-1, fixed in 1.1, 2.0" in done.stdout


def test_an_audit_without_the_advisories_is_an_error_with_its_reason(tmp_path):
    done = audit(tmp_path, said="", status=1)
    assert done.returncode == 2
    assert "needs access to https://pypi.org" in done.stderr
    assert "Failed to resolve pypi.org" in done.stderr
    skipped = {"name": "b", "skip_reason": "Dependency not found on PyPI"}
    done = audit(tmp_path, said=json.dumps({"dependencies": [package("a"), skipped]}))
    assert done.returncode == 2
    assert "does not know 1 of 2 packages of requirements.lock, such as b" in done.stderr
    assert "No known" not in done.stdout
