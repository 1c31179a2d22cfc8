"""Messages about failed work that any organizer may read; the log has the errors."""

from __future__ import annotations

import errno
import logging
import secrets

from django.utils.translation import gettext

from contests.errors import ContestError

logger = logging.getLogger(__name__)

#: The disk is full, the quota is used up, or the file is larger than a process may write.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
#: PostgreSQL's error code for a full disk, and SQLite's message.
_POSTGRESQL_FULL, _SQLITE_FULL = "53100", "database or disk is full"


def failure_in_words(error: BaseException, work: str) -> str:
    """
    Return a message about failed work that any organizer may read, and log the error.

    Only a ContestError is written for people. The text of any other error may name hosts, databases or paths, so the
    message gives a number, and the log has the error under this number.

    work
        Names the work in the log, such as "series 3, run 5".
    """
    if isinstance(error, ContestError):
        return str(error)
    number = secrets.token_hex(4)
    logger.error("%s failed, error %s", work, number, exc_info=error)
    if is_full(error):
        return gettext("The server’s disk is full. Tell the site administrators, and try again when there is space.")
    return gettext(
        "An unexpected error occurred on the server. Site administrators can find it in the server’s log as error "
        "%(number)s."
    ) % {"number": number}


def is_full(error: BaseException | None) -> bool:
    """Whether an error, or one that caused it, means that a disk is full."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, OSError) and error.errno in _FULL:
            return True
        if getattr(error, "sqlstate", None) == _POSTGRESQL_FULL or _SQLITE_FULL in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False
