"""
Previews of changes: computed once, at once if that is quick, else by a worker, and kept in the cache.

The key of a preview is made of the change and of the state of the series that it touches, so a preview is outdated as
soon as anything has happened there. Nothing of it is in the database.
"""

from __future__ import annotations

import hashlib
import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from celery import current_app, states
from celery.result import AsyncResult
from django.core.cache import cache
from django.db.models import Sum

from contests.changes import read_change, token_of
from contests.errors import ContestError
from contests.models import AuditEntry, Contest
from ratings.models import Run, Scheme, StaleMark
from ratings.publishing.planning import estimate_seconds
from ratings.publishing.preview_content import make_preview
from ratings.publishing.preview_plan import plan_preview

if TYPE_CHECKING:
    from collections.abc import Callable

    from contests.changes import Change, Words

logger = logging.getLogger(__name__)

TASK = "ratings.preview_change"
#: Previews that take longer are computed by a worker, while the page shows how far they are.
AT_ONCE_SECONDS = 2.0
#: A worker that is well begins within a second.
PATIENCE_SECONDS = 15
_KEPT_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Preview:
    """
    How far a preview is.

    state
        `ready` (with `content`), `refused` (the change is not possible: `problem` says why), `failed`, `waiting` for a
        worker, or `running`.
    """

    state: str
    content: dict[str, Any] | None = None
    problem: str = ""
    done: int = 0
    total: int = 0
    seconds: int = 0

    @property
    def is_over(self) -> bool:
        return self.state in ("ready", "refused", "failed")

    @property
    def is_late(self) -> bool:
        """Whether no worker seems to be running."""
        return self.state == "waiting" and self.seconds > PATIENCE_SECONDS

    def to_dict(self) -> dict[str, object]:
        """Return what the page asks for again and again."""
        return {
            "state": self.state,
            "is_over": self.is_over,
            "is_late": self.is_late,
            "done": self.done,
            "total": self.total,
            "seconds": self.seconds,
        }


def preview_of(change: Change, words: Words, *, at_once: bool = False) -> Preview:
    """
    Return the preview of a change, or how far it is; begin it if no one has.

    at_once
        Compute it here, however long it takes.
    """
    key = _key(change, words)
    stored = cache.get(key)
    if stored is not None:
        return _told(stored)
    if at_once or _seconds(words) <= AT_ONCE_SECONDS:
        stored = compute_preview(change)
        cache.set(key, stored, _KEPT_SECONDS)
        return _told(stored)
    return _by_worker(key, change)


def compute_preview(change: Change, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
    """Return {"content": …}, or {"refusal": …} in words if the change is not possible."""
    try:
        return {"content": make_preview(plan_preview(change), progress).to_json()}
    except ContestError as error:
        return {"refusal": str(error)}


def _by_worker(key: str, change: Change) -> Preview:
    result = AsyncResult(key)
    now = int(time.time())
    if cache.add(f"{key}:asked", now, _KEPT_SECONDS):
        try:
            current_app.send_task(TASK, (token_of(change),), task_id=key, retry=False, expires=_KEPT_SECONDS)
        except Exception as error:  # whatever a broker's client raises: the page offers to do without a worker
            logger.warning("no worker could be asked for a preview: %s", error)
    seconds = now - int(cache.get(f"{key}:asked") or now)
    try:
        state, meta = result.state, result.info
    except Exception as error:  # likewise the result backend's
        logger.warning("the preview of a worker could not be read: %s", error)
        return Preview("waiting", seconds=max(seconds, PATIENCE_SECONDS + 1))
    if state == states.SUCCESS:
        cache.set(key, meta, _KEPT_SECONDS)
        result.forget()
        return _told(meta)
    if state in states.EXCEPTION_STATES:
        cache.delete(f"{key}:asked")
        result.forget()
        return Preview("failed", problem=f"{type(meta).__name__}: {meta}")
    if state == "PROGRESS" and isinstance(meta, dict):
        return Preview("running", done=meta["done"], total=meta["total"], seconds=seconds)
    return Preview("running" if state == states.STARTED else "waiting", seconds=seconds)


def _told(stored: dict[str, Any]) -> Preview:
    if "refusal" in stored:
        return Preview("refused", problem=stored["refusal"])
    return Preview("ready", content=stored["content"])


def _key(change: Change, words: Words) -> str:
    """Return a name that differs as soon as the change or what it is about differs."""
    series = sorted(one.pk for one in words.series)
    contests = Contest.objects.filter(series__in=series)
    state = [
        repr(change),
        # Nothing that a restored backup could give to something else.
        list(Run.objects.newest_of(series).order_by("pk").values_list("uid", flat=True)),
        list(StaleMark.objects.filter(series__in=series).order_by("pk").values_list("pk", "created_at")),
        list(Scheme.objects.filter(series__in=series).order_by("-pk").values_list("uid", flat=True)[:1]),
        list(AuditEntry.objects.filter(series__in=series).order_by("-pk").values_list("pk", "at")[:1]),
        contests.aggregate(versions=Sum("version"))["versions"],
    ]
    return f"change-preview-{hashlib.sha256(repr(state).encode()).hexdigest()[:40]}"


def _seconds(words: Words) -> float:
    """Estimate how long the preview takes: all results of the series, but for the newest contest only its own."""
    seconds = 0.0
    for series in words.series:
        rated = Contest.objects.rated().filter(series=series)
        results = rated.aggregate(count=Sum("standing_count"))["count"] or 0
        contest = words.contest
        if contest is not None and contest.is_draft and not rated.filter(ends_at__gte=contest.ends_at).exists():
            results = contest.standing_count
        seconds += estimate_seconds(series.pk, results, changes=0)
    return seconds


def read_and_preview(token: str, progress: Callable[[int, int], None]) -> dict[str, Any]:
    """Compute the preview of a signed change in a worker; a token that is too old by then is a refusal."""
    try:
        change = read_change(token)
    except ContestError as error:
        return {"refusal": str(error)}
    return compute_preview(change, progress)
