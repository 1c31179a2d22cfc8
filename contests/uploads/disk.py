"""Files on a disk that may be full: kept whole or not at all, and an error that says so."""

from __future__ import annotations

import errno
import os
import secrets
from typing import TYPE_CHECKING

from django.core.files.storage import FileSystemStorage

if TYPE_CHECKING:
    from typing import Any

#: No space, no quota left, or more than a process may write.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
#: PostgreSQL's code for a full disk; SQLite has words.
_POSTGRESQL_FULL, _SQLITE_FULL = "53100", "database or disk is full"


def is_full(error: BaseException | None) -> bool:
    """Whether an error, or what it comes from, says that there is no room left on a disk."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, OSError) and error.errno in _FULL:
            return True
        if getattr(error, "sqlstate", None) == _POSTGRESQL_FULL or _SQLITE_FULL in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False


class WholeFiles(FileSystemStorage):
    """
    Files below a folder, each written under another name first: a file of the name asked for is always whole.

    What was written of a file for which there is no room is deleted at once. What a killed process leaves ends in
    `.part`, and `contests.uploads.leftovers` deletes it.
    """

    def _save(self, name: str, content: Any) -> str:
        part = f"{name}.{secrets.token_hex(8)}{PART}"
        try:
            # Two files of one name have the same content: names are random, or digests of the content.
            super()._save(part, content)  # type: ignore[misc]  # the stubs leave it out
            os.replace(self.path(part), self.path(name))
        except BaseException:
            self.delete(part)
            raise
        return name


PART = ".part"
