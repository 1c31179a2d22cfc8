"""Locks, versions, retries and announcements: the parts of every service that changes results."""

from __future__ import annotations

import logging
import time
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from django.db import OperationalError, connection
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext

from contests.errors import ChangedMeanwhile, ContestError
from contests.models import AuditEntry, Contest, ContestState, by_author
from contests.signals import results_changed

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from django.contrib.auth.models import User
    from django.db.models import QuerySet

    from contests.models.contest import ContestQuerySet

    Parameters = ParamSpec("Parameters")
    Result = TypeVar("Result")


#: The first key of the advisory lock on players ("podp" in ASCII); `ratings` uses another one.
_PLAYERS = 0x706F6470
#: The time that a merge waits for others to write results; only imports of many contests take longer.
PATIENCE_SECONDS = 5.0


def locked_contest(contest_id: int, *, version: int | None = None, among: ContestQuerySet | None = None) -> Contest:
    """
    Return the contest, with its series, locked for the caller's transaction.

    version
        The version that the organizer saw; ChangedMeanwhile if there is a newer one. None accepts any version.
    among
        The contests to search; all except deleted ones if None. ContestError if the contest is not among them.
    """
    contests = Contest.objects.existing() if among is None else among
    locked = contests.select_for_update(no_key=True, of=("self",)).select_related("series")
    contest = locked.filter(pk=contest_id).first()
    if contest is None:
        raise ContestError(gettext("This contest no longer exists, because someone has deleted it."))
    check_version(contest, version)
    return contest


def check_version(contest: Contest, version: int | None) -> None:
    """Raise ChangedMeanwhile if the contest has another version than this one; None accepts any version."""
    if version is not None and contest.version != version:
        raise changed_meanwhile(contest.name, AuditEntry.objects.filter(contest=contest))


def save_change(contest: Contest, *fields: str) -> None:
    """
    Save these fields of a locked contest as its next version; an earlier request to finalize it expires.

    The event of a draft game gets a new version too, so that no one finalizes games that they have not seen.
    """
    contest.version += 1
    if contest.is_draft:
        contest.asked_by, contest.asked_at = None, None
        if contest.event_id is not None:
            event = Contest.objects.filter(pk=contest.event_id, state=ContestState.DRAFT)
            event.update(version=F("version") + 1, asked_by=None, asked_at=None)
    contest.save(update_fields=[*fields, "version", "asked_by", "asked_at"])


def lock_players_shared() -> None:
    """
    Prevent merges and splits until this transaction ends, because it looks up players and then writes their rows.

    Foreign keys would not detect a merge, since the row of a merged player stays. Any number of writers share the lock.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock_shared(%s, 0)", [_PLAYERS])


def lock_players_exclusive() -> None:
    """Prevent writing of results until this transaction ends; ContestError if others keep writing for too long."""
    if connection.vendor != "postgresql":
        return  # SQLite runs one writing transaction at a time
    until = time.monotonic() + PATIENCE_SECONDS
    with connection.cursor() as cursor:
        while True:
            cursor.execute("SELECT pg_try_advisory_xact_lock(%s, 0)", [_PLAYERS])
            if cursor.fetchone()[0]:
                return
            if time.monotonic() > until:
                raise ContestError(
                    gettext(
                        "Someone is importing results, which may affect these players. Try again when the import has "
                        "finished."
                    )
                )
            time.sleep(0.05)


def changed_meanwhile(name: str, entries: QuerySet[AuditEntry]) -> ChangedMeanwhile:
    """Return the error for an object that someone else has changed; the last of the audit entries says who and when."""
    last = entries.select_related("actor").order_by("-id").first()
    kept = gettext(
        "That change is kept, and yours has not been saved. Reload the page, and make your change again if it is still "
        "needed."
    )
    if last is None:
        what = gettext("“%(name)s” was changed from the command line while you were editing it.") % {"name": name}
    else:
        what = gettext("“%(name)s” was changed %(how)s at %(time)s UTC while you were editing it.") % {
            "name": name,
            "how": by_author(last.who),
            "time": f"{timezone.localtime(last.at):%H:%M}",
        }
    return ChangedMeanwhile(f"{what} {kept}")


logger = logging.getLogger(__name__)

_ATTEMPTS = 5
#: PostgreSQL's error codes for deadlocks and serialization failures.
_CONFLICTS = ("40P01", "40001")


def is_conflict(error: OperationalError) -> bool:
    """Whether a transaction failed only because of a concurrent one, so that a retry may succeed."""
    return getattr(error.__cause__, "sqlstate", None) in _CONFLICTS or "database is locked" in str(error)


def retried(service: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """
    Retry a service when its transaction conflicts with another; use it above `transaction.atomic`.

    Inside another transaction there is no retry: the code that started that transaction has to retry it.
    """

    @wraps(service)
    def again(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        for attempt in range(1, _ATTEMPTS):
            try:
                return service(*args, **kwargs)
            except OperationalError as error:
                if connection.in_atomic_block or not is_conflict(error):
                    raise
                logger.info("%s conflicted with another transaction, attempt %d: %s", service.__name__, attempt, error)
        return service(*args, **kwargs)

    return again


def announce(contest: Contest, *, cause: str, actor: User | None, since: datetime | None = None) -> None:
    """
    Send `results_changed` for results from this contest on; do nothing if it is not rated.

    since
        An earlier time from which results have changed; with it, the signal is sent even if the contest is not rated.
    """
    if since is None and not contest.is_rated:
        return
    since = since or contest.ends_at
    results_changed.send(sender=Contest, series_id=contest.series_id, since=since, cause=cause, actor=actor)
