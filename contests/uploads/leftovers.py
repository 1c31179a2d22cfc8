"""Files that nothing refers to: left by processes that were killed, or by a disk that was full."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from django.core.files.storage import default_storage
from django.utils import timezone

from contests.bulk import chunks
from contests.models import Upload
from contests.uploads.saving import sweep_uploads
from contests.uploads.staging import KEPT, sweep_staged

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

_UPLOADS = "uploads"
#: What Python's multiprocessing calls its temporary folders.
_PROCESSES = "pymp-*"


def sweep_files(now: datetime | None = None) -> dict[str, int]:
    """
    Delete files that have waited for two days, and those that nothing leads to; return how many of which kind.

    What was written within two days stays: it may be in the middle of a transaction.
    """
    now = now or timezone.now()
    return {
        "staged": sweep_staged(now),
        "uploads": sweep_uploads(now),
        "without_a_row": sweep_orphans(now),
        "of_processes": sweep_processes(now),
    }


def sweep_orphans(now: datetime) -> int:
    """Delete files below `uploads/` that no upload has; return how many."""
    before, count = now - KEPT, 0
    for names in chunks(list(_old_files(before)), 900):
        known = set(Upload.objects.filter(file__in=names).values_list("file", flat=True))
        for name in set(names) - known:
            default_storage.delete(name)
            count += 1
    return count


def sweep_processes(now: datetime) -> int:
    """Delete old temporary folders of this user's processes that were killed; return how many."""
    before, count = (now - KEPT).timestamp(), 0
    for folder in Path(tempfile.gettempdir()).glob(_PROCESSES):
        try:
            found = folder.lstat()
            is_ours = folder.is_dir() and not folder.is_symlink() and found.st_uid == os.getuid()
            if is_ours and found.st_mtime < before:
                shutil.rmtree(folder)
                count += 1
        except OSError:
            continue  # another sweep was quicker
    return count


def _old_files(before: datetime) -> Iterator[str]:
    for folder in _listed(_UPLOADS)[0]:
        for name in _listed(f"{_UPLOADS}/{folder}")[1]:
            path = f"{_UPLOADS}/{folder}/{name}"
            try:
                if default_storage.get_modified_time(path) < before:
                    yield path
            except FileNotFoundError:
                continue


def _listed(path: str) -> tuple[list[str], list[str]]:
    try:
        return default_storage.listdir(path)
    except (FileNotFoundError, NotADirectoryError):
        return [], []
