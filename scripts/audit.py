"""
`make audit`: compare the packages in the lock files with the published vulnerabilities of Python packages.

The exit status is 0 without findings, 1 with findings, and 2 if the advisories could not be read.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
#: The packages of a running site, and those for development, which include the former.
LOCKS = ("requirements.lock", "requirements-dev.lock")


class Problem(Exception):
    """Raised with a message for the terminal if the advisories could not be read."""


def main(program: str, *options: str) -> int:
    """Audit the lock files with this pip-audit, and print the findings."""
    found: dict[str, str] = {}
    try:
        for lock in LOCKS:
            for package in _audited(program, lock, options):
                for vulnerability in package["vulns"]:
                    fixed = ", ".join(vulnerability["fix_versions"]) or "no version yet"
                    text = f"{package['name']} {package['version']}: {vulnerability['id']}, fixed in {fixed}"
                    found.setdefault(text, lock)
    except Problem as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    for text, lock in found.items():
        print(f"{lock}: {text}")
    print(f"{len(found)} known vulnerabilities." if found else "No known vulnerabilities.")
    return 1 if found else 0


def _audited(program: str, lock: str, options: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the packages of a lock file with their vulnerabilities; Problem if any could not be looked up."""
    line = [program, "--disable-pip", "--require-hashes", "--format", "json", "--progress-spinner", "off"]
    done = subprocess.run([*line, *options, "-r", ROOT / lock], capture_output=True, text=True, check=False)
    try:
        packages: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        reason = next(iter(reversed(done.stderr.strip().splitlines())), f"status {done.returncode}")
        raise Problem(
            f"pip-audit could not read the advisories for {lock}. It needs access to https://pypi.org. "
            f"Its last message: {reason}"
        ) from None
    unknown = [package["name"] for package in packages if "skip_reason" in package]
    if unknown:
        raise Problem(
            f"the advisory service does not know {len(unknown)} of {len(packages)} packages of {lock}, such as "
            f"{unknown[0]}. A mirror of PyPI may serve no advisories: run this where https://pypi.org can be reached."
        )
    return packages


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
