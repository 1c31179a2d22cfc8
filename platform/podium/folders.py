"""Permissions of the files on disk: only the site's own user can read and write them, except for static files."""

from __future__ import annotations

import os
import pwd
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: Other users can pass through to `static/`, which a proxy may serve, but cannot list the folder.
PASSAGE = 0o711
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600

#: Below PODIUM_VAR. Files in a private folder are out of reach, whatever their own mode is.
_PRIVATE_FOLDERS = ("files", "broker", "results", "locks", "log")
_PRIVATE_FILES = ("secret-key", "demo-password", "demo.lock", "beat-schedule*", "*.sqlite3", "*.sqlite3-*")
#: Everything that the site or a worker writes to after it has started.
_INNER_FOLDERS = ("files/uploads", "files/staging", "broker/queue", "broker/control")
_WRITTEN = (".", *_PRIVATE_FOLDERS, *_INNER_FOLDERS, *_PRIVATE_FILES)
_FOLDER_NAMES = {name.rpartition("/")[2] for name in (*_PRIVATE_FOLDERS, *_INNER_FOLDERS)}


def make_private(folder: Path) -> Path:
    """Create a folder below PODIUM_VAR that only this user can enter, with private parents."""
    if not folder.exists():
        make_private(folder.parent)
        folder.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
    return folder


def make_var(var: Path) -> Path:
    """Create PODIUM_VAR itself if it is missing, so that a proxy can pass through to the static files."""
    if not var.exists():
        var.mkdir(parents=True, exist_ok=True)
        var.chmod(PASSAGE)
    return var


def make_private_file(path: Path) -> None:
    """
    Create an empty file that only this user can read, if it is missing.

    SQLite gives its journals the mode of the database. If the file can't be created, opening it later reports why.
    """
    with suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE_FILE))
    restrict(path)


def tighten(var: Path) -> None:
    """Restrict files below PODIUM_VAR that earlier versions let others read, if this user may do so."""
    for path in _private(var):
        restrict(path)


def restrict(path: Path) -> None:
    """
    Remove all permissions of group and others from a file or folder, if this user may do so.

    It doesn't follow links: run by root, it must not change a file that another user's link points to.
    """
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            mode = stat.S_IMODE(os.fstat(handle).st_mode)
            if mode & 0o077:
                os.fchmod(handle, mode & 0o700)
        finally:
            os.close(handle)


def readable_by_others(var: Path) -> list[Path]:
    """Return the private paths below PODIUM_VAR that other users of this machine can read."""
    return [path for path in _private(var) if path.stat().st_mode & 0o077]


def unwritable(var: Path) -> list[Path]:
    """Return the paths below PODIUM_VAR that this user cannot write to, so uploads, locks or the database fail."""
    if not var.is_dir():
        return [var]
    return [path for path in _below(var, _WRITTEN) if not _can_be_used(path)]


def describe(path: Path) -> str:
    """Return the reason why a path is unwritable, for people at a terminal."""
    if not path.exists():
        return f"{path} does not exist"
    if path.name in _FOLDER_NAMES and not path.is_dir():
        return f"{path} is a file, but must be a folder"
    return f"the user {_name(os.geteuid())} cannot write to {path}, which belongs to {_name(path.stat().st_uid)}"


def _can_be_used(path: Path) -> bool:
    if path.is_dir():
        return os.access(path, os.R_OK | os.W_OK | os.X_OK)
    return path.name not in _FOLDER_NAMES and os.access(path, os.R_OK | os.W_OK)


def _private(var: Path) -> list[Path]:
    return list(_below(var, (*_PRIVATE_FOLDERS, *_PRIVATE_FILES)))


def _below(var: Path, patterns: tuple[str, ...]) -> Iterator[Path]:
    for pattern in patterns:
        with suppress(PermissionError):
            if "*" in pattern:
                yield from sorted(var.glob(pattern))
            elif (path := var / pattern).exists():
                yield path


def _name(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)
