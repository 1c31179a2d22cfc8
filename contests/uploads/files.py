"""
Files in the storage: Podium writes each one completely or not at all, and deletes those that nothing refers to.

Killed processes and full disks leave files behind, and so do uploads that no one saves and contests whose file is
replaced.
"""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from django.core.files.storage import FileSystemStorage, default_storage
from django.db import transaction
from django.utils import timezone

from contests.bulk import chunks
from contests.models import Series, Upload
from contests.uploads.staging import FOLDER, KEPT, delete_file, delete_row, is_token, names_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from typing import Any


_UPLOADS = "uploads"
#: The names of temporary folders of Python's multiprocessing.
_PROCESSES = "pymp-*"
#: The suffix of a file that is not completely written yet.
PART = ".part"


class WholeFiles(FileSystemStorage):
    """
    A storage that writes each file under a temporary name first, so files under their own names are always complete.

    If the disk is full, the partial file is deleted immediately. A killed process leaves a file that ends in `.part`;
    the sweep deletes it.
    """

    def _save(self, name: str, content: Any) -> str:
        part = f"{name}.{secrets.token_hex(8)}{PART}"
        try:
            # Two files with the same name have the same content: names are random, or digests of the content.
            super()._save(part, content)  # type: ignore[misc]  # the stubs leave it out
            os.replace(self.path(part), self.path(name))
        except BaseException:
            self.delete(part)
            raise
        return name


def sweep_files(now: datetime | None = None) -> dict[str, int]:
    """
    Delete staged files after two days, and files that nothing refers to; return the numbers by kind.

    Files written within the last two days are kept, because a transaction may still refer to them.
    """
    now = now or timezone.now()
    return {
        "staged": sweep_staged(now),
        "uploads": sweep_uploads(now),
        "without_a_row": sweep_orphans(now),
        "of_processes": sweep_processes(now),
    }


def sweep_staged(now: datetime | None = None) -> int:
    """Delete files staged for more than two days, and old ones without a row; return their number."""
    before = (now or timezone.now()) - KEPT
    count = 0
    for pk, token in list(Upload.objects.staged().filter(touched_at__lt=before).values_list("pk", "token")):
        if delete_row(Upload.objects.staged().filter(pk=pk, touched_at__lt=before)):
            delete_file(token or "")
            count += 1
    for token in filter(is_token, names_in(FOLDER, folders=True)):
        if _newest(token) < before and not Upload.objects.staged().filter(token=token).exists():
            delete_file(token)
            count += 1
    return count


def sweep_uploads(now: datetime | None = None) -> int:
    """Delete uploads that no contest has used for two days; return their number."""
    before: datetime = (now or timezone.now()) - KEPT
    unused = Upload.objects.saved().filter(contests=None, created_at__lt=before).values_list("pk", "series_id")
    return sum(_discard_unused(pk, series_id) for pk, series_id in list(unused))


@transaction.atomic(durable=True)
def _discard_unused(upload_id: int, series_id: int) -> bool:
    # Saving a file locks the series, so no one is about to use this upload.
    Series.objects.select_for_update(no_key=True).get(pk=series_id)
    upload = Upload.objects.saved().filter(pk=upload_id, contests=None).first()
    if upload is None:
        return False
    storage, name = upload.file.storage, upload.file.name or ""
    upload.delete()
    if name and not Upload.objects.filter(file=name).exists():
        transaction.on_commit(lambda: storage.delete(name), robust=True)
    return True


def sweep_orphans(now: datetime) -> int:
    """Delete files below `uploads/` that belong to no upload; return their number."""
    before, count = now - KEPT, 0
    for names in chunks(list(_old_files(before)), 900):
        known = set(Upload.objects.filter(file__in=names).values_list("file", flat=True))
        for name in set(names) - known:
            default_storage.delete(name)
            count += 1
    return count


def sweep_processes(now: datetime) -> int:
    """Delete old temporary folders of killed processes of this user; return their number."""
    before, count = (now - KEPT).timestamp(), 0
    for folder in Path(tempfile.gettempdir()).glob(_PROCESSES):
        try:
            found = folder.lstat()
            is_ours = folder.is_dir() and not folder.is_symlink() and found.st_uid == os.getuid()
            if is_ours and found.st_mtime < before:
                shutil.rmtree(folder)
                count += 1
        except OSError:
            continue  # another sweep has deleted it
    return count


def _old_files(before: datetime) -> Iterator[str]:
    for folder in names_in(_UPLOADS, folders=True):
        for name in names_in(f"{_UPLOADS}/{folder}", folders=False):
            path = f"{_UPLOADS}/{folder}/{name}"
            try:
                if default_storage.get_modified_time(path) < before:
                    yield path
            except FileNotFoundError:
                continue


def _newest(token: str) -> datetime:
    """Return the time of the last change in the folder of a staged file."""
    names = names_in(f"{FOLDER}/{token}", folders=False)
    moments = []
    for path in [f"{FOLDER}/{token}/{name}" for name in names] or [f"{FOLDER}/{token}"]:
        try:
            moments.append(default_storage.get_modified_time(path))
        except FileNotFoundError:
            continue  # deleted in the meantime
    return max(moments, default=timezone.now())
