"""Locks, versions, retries and audit entries: what every service needs to change results in one transaction."""

from __future__ import annotations

import logging
import time
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from django.db import OperationalError, connection
from django.utils import timezone

from contests.errors import ChangedMeanwhile, ContestError
from contests.models import AuditEntry, Contest

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.contrib.auth.models import User

    from contests.models import Player, Series
    from contests.models.contest import ContestQuerySet

    Parameters = ParamSpec("Parameters")
    Result = TypeVar("Result")


#: First key of the advisory lock ("podp" in ASCII); ratings use another one.
_PLAYERS = 0x706F6470
#: How long a merge waits for someone who writes results: longer only for imports of many contests.
PATIENCE_SECONDS = 5.0


def locked_contest(contest_id: int, *, version: int | None = None, among: ContestQuerySet | None = None) -> Contest:
    """
    Return the contest, with its series, locked for the caller's transaction.

    version
        The one that its organizer looked at; ChangedMeanwhile if there is a newer one. None: whatever it is.
    among
        Where to look for it; all but deleted ones if None. ContestError if it is not there.
    """
    contests = Contest.objects.existing() if among is None else among
    locked = contests.select_for_update(no_key=True, of=("self",)).select_related("series")
    contest = locked.filter(pk=contest_id).first()
    if contest is None:
        raise ContestError("This contest is not there any more: somebody has deleted it meanwhile.")
    if version is not None and contest.version != version:
        raise ChangedMeanwhile(_who_was_quicker(contest))
    return contest


def save_change(contest: Contest, *fields: str) -> None:
    """Save these fields of a locked contest as its next version; what was asked for before is no longer asked for."""
    contest.version += 1
    if contest.is_draft:
        contest.asked_by, contest.asked_at = None, None
    contest.save(update_fields=[*fields, "version", "asked_by", "asked_at"])


def lock_players_shared() -> None:
    """
    Let nobody merge or split players until this transaction ends: it has looked players up, and writes their rows.

    Foreign keys would not see it, as the row of a merged player stays. Any number of writers share this.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock_shared(%s, 0)", [_PLAYERS])


def lock_players_exclusive() -> None:
    """Let nobody write results until this transaction ends; ContestError if somebody is at it for longer."""
    if connection.vendor != "postgresql":
        return  # one transaction writes after the other anyway
    until = time.monotonic() + PATIENCE_SECONDS
    with connection.cursor() as cursor:
        while True:
            cursor.execute("SELECT pg_try_advisory_xact_lock(%s, 0)", [_PLAYERS])
            if cursor.fetchone()[0]:
                return
            if time.monotonic() > until:
                raise ContestError(
                    "Results are being imported at this moment, perhaps those of these players. Try again when that is "
                    "done."
                )
            time.sleep(0.05)


def _who_was_quicker(contest: Contest) -> str:
    last = AuditEntry.objects.filter(contest=contest).select_related("actor").order_by("-id").first()
    who = last.who if last is not None else "a command"
    when = f" at {timezone.localtime(last.at):%H:%M} UTC" if last is not None else ""
    return (
        f"“{contest.name}” was changed by {who}{when}, while you were at it. Nothing of yours has been saved, and "
        "nothing of theirs is lost: look at the contest as it is now, and make your change again if it is still needed."
    )


logger = logging.getLogger(__name__)

_ATTEMPTS = 5
#: PostgreSQL's codes for a deadlock and for a transaction that cannot be put in order with the others.
_LOST_A_RACE = ("40P01", "40001")


def lost_a_race(error: OperationalError) -> bool:
    """Whether the transaction was sound, and only met another one: doing it again may well succeed."""
    return getattr(error.__cause__, "sqlstate", None) in _LOST_A_RACE or "database is locked" in str(error)


def retried(service: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """
    Do the whole service again when its transaction lost a race; the decorator above `transaction.atomic`.

    Inside another transaction, nothing can be repeated here: the code that began it has to.
    """

    @wraps(service)
    def again(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        for attempt in range(1, _ATTEMPTS):
            try:
                return service(*args, **kwargs)
            except OperationalError as error:
                if connection.in_atomic_block or not lost_a_race(error):
                    raise
                logger.info("%s met another transaction, attempt %d: %s", service.__name__, attempt, error)
        return service(*args, **kwargs)

    return again


def record(
    action: str,
    *,
    subject: str,
    actor: User | None,
    series: Series | None = None,
    contest: Contest | None = None,
    player: Player | None = None,
    reason: str = "",
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> AuditEntry:
    """Write down who did what; call it inside the transaction of the change."""
    return AuditEntry.objects.create(
        action=action,
        subject=subject[:400],
        actor=actor,
        actor_name=actor.get_username() if actor is not None else "",
        series=series or (contest.series if contest else None),
        contest=contest,
        player=player,
        reason=reason,
        before=before or {},
        after=after or {},
    )
