"""
Previews of changes: planned, computed once, and kept in the cache. A worker computes those that are slow.

The cache key depends on the change, on the language of its texts, and on the state of the series that it affects, so a
preview is outdated as soon as anything has happened there. Previews are not stored in the database.
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
from django.utils.translation import get_language, gettext

from contests.changes.base import read_change, token_of
from contests.errors import ContestError
from contests.failures import failure_in_words
from contests.models import AuditEntry, Contest
from contests.wording import grouped
from ratings.models import Run, Scheme, StaleMark
from ratings.publishing.engine import estimate_seconds
from ratings.publishing.preview_content import make_preview
from ratings.publishing.preview_plans import plan_preview

if TYPE_CHECKING:
    from collections.abc import Callable

    from contests.changes.base import Change, ChangeDescription

logger = logging.getLogger(__name__)

TASK = "ratings.preview_change"
#: A worker computes previews that take longer than this, while the page shows the progress.
AT_ONCE_SECONDS = 1.0
#: Seconds to read one result and its current rating change; a run that only appends does not read these.
PER_RESULT_READ = 15e-6
#: A running worker begins within a second; after this time the page says that none seems to be running.
PATIENCE_SECONDS = 15
_KEPT_SECONDS = 3600
#: The page learns of a failure from its script, and is then loaded again to show it. Later requests try again.
_FAILURE_KEPT_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Preview:
    """
    The state of a preview.

    state
        `ready` (with `content`), `refused` (the change is not possible; `problem` gives the reason), `failed`,
        `waiting` for a worker, or `running`.
    done, total
        Contests rated so far, and all contests to be rated.
    seconds
        Seconds since a worker was asked.
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
        """Return the state as JSON values, for the page that polls it."""
        return {
            "state": self.state,
            "is_over": self.is_over,
            "is_late": self.is_late,
            "done": self.done,
            "total": self.total,
            "seconds": self.seconds,
            "words": self.words,
        }

    @property
    def words(self) -> str:
        """The progress in the page's language."""
        if self.total:
            numbers = {"done": grouped(self.done), "total": grouped(self.total)}
            return gettext("%(done)s of %(total)s rated") % numbers
        return gettext("Waiting to start") if self.state == "waiting" else gettext("Reading results")


def preview_of(change: Change, description: ChangeDescription, *, at_once: bool = False) -> Preview:
    """
    Return the preview of a change, or its progress; start computing it if necessary.

    at_once
        Compute it in this process, however long it takes.
    """
    key = _key(change, description)
    stored = cache.get(key)
    if stored is not None:
        return _from_stored(stored)
    if at_once or _seconds(description) <= AT_ONCE_SECONDS:
        stored = compute_preview(change)
        cache.set(key, stored, _KEPT_SECONDS)
        return _from_stored(stored)
    return _by_worker(key, change)


def compute_preview(change: Change, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
    """Return {"content": …}, or {"refusal": …} with the reason if the change is not possible."""
    try:
        return {"content": make_preview(plan_preview(change), progress).to_json()}
    except ContestError as error:
        return {"refusal": str(error)}


def _by_worker(key: str, change: Change) -> Preview:
    result = AsyncResult(key)
    now = int(time.time())
    if cache.add(f"{key}:asked", now, _KEPT_SECONDS):
        try:
            current_app.send_task(
                TASK, (token_of(change), get_language()), task_id=key, retry=False, expires=_KEPT_SECONDS
            )
        except Exception as error:  # a broker's client may raise anything: the page can compute it without a worker
            logger.warning("no worker could be asked for a preview: %s", error)
    seconds = now - int(cache.get(f"{key}:asked") or now)
    try:
        state, meta = result.state, result.info
    except Exception as error:  # the client of the result backend may raise anything
        logger.warning("the preview of a worker could not be read: %s", error)
        return Preview("waiting", seconds=max(seconds, PATIENCE_SECONDS + 1))
    if state == states.SUCCESS:
        cache.set(key, meta, _KEPT_SECONDS)
        result.forget()
        return _from_stored(meta)
    if state in states.EXCEPTION_STATES:
        cache.delete(f"{key}:asked")
        result.forget()
        stored = {"failure": failure_in_words(meta, f"the task {key}")}
        cache.set(key, stored, _FAILURE_KEPT_SECONDS)
        return _from_stored(stored)
    if state == "PROGRESS" and isinstance(meta, dict):
        return Preview("running", done=meta["done"], total=meta["total"], seconds=seconds)
    return Preview("running" if state == states.STARTED else "waiting", seconds=seconds)


def _from_stored(stored: dict[str, Any]) -> Preview:
    if "failure" in stored:
        return Preview("failed", problem=stored["failure"])
    if "refusal" in stored:
        return Preview("refused", problem=stored["refusal"])
    return Preview("ready", content=stored["content"])


def _key(change: Change, description: ChangeDescription) -> str:
    """Return a cache key that changes whenever the change, the language, or the state of the series changes."""
    series = sorted(one.pk for one in description.series)
    contests = Contest.objects.filter(series__in=series)
    state = [
        repr(change),
        get_language(),
        # Only values that, after a backup has been restored, can't belong to anything else.
        list(Run.objects.newest_of(series).order_by("pk").values_list("uid", flat=True)),
        list(StaleMark.objects.filter(series__in=series).order_by("pk").values_list("pk", "created_at")),
        list(Scheme.objects.filter(series__in=series).order_by("-pk").values_list("uid", flat=True)[:1]),
        list(AuditEntry.objects.filter(series__in=series).order_by("-pk").values_list("pk", "at")[:1]),
        contests.aggregate(versions=Sum("version"))["versions"],
    ]
    return f"change-preview-{hashlib.sha256(repr(state).encode()).hexdigest()[:40]}"


def _seconds(description: ChangeDescription) -> float:
    """Estimate the duration of a preview from all results of the series; for the newest contest, only from its own."""
    seconds = 0.0
    for series in description.series:
        rated = Contest.objects.rated().filter(series=series)
        results = rated.aggregate(count=Sum("standing_count"))["count"] or 0
        contest = description.contest
        if contest is not None and contest.is_draft and not rated.filter(ends_at__gte=contest.ends_at).exists():
            results = 2 * contest.game_count if contest.is_event else contest.standing_count
        seconds += estimate_seconds(series.pk, results, changes=0) + PER_RESULT_READ * results
    return seconds


def read_and_preview(token: str, progress: Callable[[int, int], None]) -> dict[str, Any]:
    """Compute the preview of a signed change in a worker; an expired token is a refusal."""
    try:
        change = read_change(token)
    except ContestError as error:
        return {"refusal": str(error)}
    return compute_preview(change, progress)
