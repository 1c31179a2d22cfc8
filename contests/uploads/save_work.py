"""
Save a reviewed file at once or by a worker.

A worker saves large files. The row of the file has the request, and the page shows its progress. The transaction that
saves the standings ends the review, so a file is saved once, however often its message is delivered.
"""

from __future__ import annotations

import logging
import secrets
from contextlib import suppress
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from celery import current_app
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import get_language, gettext, gettext_lazy

from contests.errors import ContestError
from contests.failures import is_full
from contests.formats.base import ParseError
from contests.models import Contest, Series, Upload
from contests.progress import Reporter, WorkProgress
from contests.uploads.review import review_of
from contests.uploads.review_work import begin_review, progress_of
from contests.uploads.saving import save_staged
from contests.uploads.staging import find_staged, read_choices, read_review, staged_row

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from contests.uploads.staging import Choices, Staged

logger = logging.getLogger(__name__)

TASK = "contests.save_upload"
#: A worker saves files that take longer.
AT_ONCE_SECONDS = 0.5
#: Seconds on a machine with two cores, with SQLite.
PER_ROW, PER_NEW_PLAYER, PER_GAME = 20e-6, 140e-6, 200e-6
#: No progress can be stored during the transaction, which takes half a minute for 200,000 new players.
PATIENCE_SECONDS = 120


class SaveProgress(WorkProgress):
    """The progress of saving a file; its `stamp` identifies the request."""

    __slots__ = ()
    begins = {"waiting": 0, "reading": 2, "saving": 40, "done": 100, "failed": 100}
    names = {
        "waiting": gettext_lazy("Waiting to start"),
        "reading": gettext_lazy("Reading"),
        "saving": gettext_lazy("Saving the standings"),
        "done": gettext_lazy("Done"),
        "failed": gettext_lazy("Nothing was saved"),
    }
    counted = {"reading": "saving"}
    patience = {"saving": PATIENCE_SECONDS}


def takes_long(staged: Staged) -> bool:
    """Whether a worker should save a file because that takes long, by the counts of the newest review."""
    review: dict[str, Any] = read_review(staged) or {}
    counts, games = review.get("counts") or {}, review.get("games") or {}
    rows = max(counts.get("total", 0), staged.lines)
    seconds = PER_ROW * rows + PER_NEW_PLAYER * counts.get("new_players", 0) + PER_GAME * games.get("total", 0)
    return seconds > AT_ONCE_SECONDS


def saving_of(staged: Staged, choices: Choices) -> SaveProgress | None:
    """Return the progress of saving the file, None if no worker was asked; a failure only for the current choices."""
    kept = staged_row(staged).values_list("saving", flat=True).first()
    progress = _progress(kept)
    if kept is None or progress is None or (progress.is_over and kept["choices"] != choices.stamp):
        return None
    return progress


def requested_version(staged: Staged) -> int | None:
    """Return the version of the contest that the organizer saw when asking to save, None if no one has asked."""
    version: int | None = staged_row(staged).values_list("saving__version", flat=True).first()
    return version


def ask_to_save(staged: Staged, *, choices: Choices, version: int, actor: User) -> None:
    """Ask a worker to save the file, unless one is about to; ContestError if the file is gone."""
    stamp = secrets.token_hex(16)
    progress = SaveProgress(stamp, "waiting", total=staged.lines, at=timezone.now().isoformat())
    request = {"choices": choices.stamp, "version": version, "actor": actor.pk, "progress": asdict(progress)}
    with transaction.atomic():
        row = staged_row(staged).select_for_update(no_key=True).first()
        if row is None:
            text = gettext("The file “%(filename)s” is no longer stored. Upload it again.")
            raise ContestError(text % {"filename": staged.filename})
        known = _progress(row.saving)
        if known is not None and known.is_under_way:
            return
        row.saving, row.touched_at = request, timezone.now()
        row.save(update_fields=["saving", "touched_at"])
    try:
        current_app.send_task(
            TASK, (staged.token, stamp, get_language()), argsrepr="(a file)", retry=False, ignore_result=True
        )
    except Exception as error:  # any error of a broker client: the page reports that no worker responds
        logger.warning("staged file %s: no worker could be asked to save it (%s)", staged.token, error)


def saved_as(token: str, contest: Contest) -> Upload | None:
    """Return the saved file that had this token in its review, if the contest has its standings."""
    return Upload.objects.saved().filter(token=token, contests=contest).first()


def work_on(token: str, stamp: str) -> bool:
    """Carry out a request; return False if it is outdated, or if another delivery of its task has begun to."""
    staged = find_staged(token)
    kept = None if staged is None else staged_row(staged).values_list("saving", flat=True).first()
    progress = _progress(kept)
    if staged is None or kept is None or progress is None or (progress.stamp, progress.stage) != (stamp, "waiting"):
        return False
    first = replace(progress, stage="reading", at=timezone.now().isoformat())
    waiting = _requested(staged, stamp).filter(saving__progress__stage="waiting")
    if not waiting.update(saving={**kept, "progress": asdict(first)}):
        return False
    reporter = Reporter(first, lambda now: _write(staged, kept, now), f"contest {staged.contest_id}: saving a file")
    with suppress(ContestError), reporter.at_work():
        _save(staged, kept, reporter)
    choices = read_choices(staged)
    is_reviewed = review_of(staged, choices) is not None or progress_of(staged, choices) is not None
    if find_staged(token) is not None and not is_reviewed:
        begin_review(staged)  # the organizer has decided about players, and no one has reviewed the file since
    return True


def _save(staged: Staged, request: dict[str, Any], reporter: Reporter[SaveProgress]) -> None:
    choices = read_choices(staged)
    # Someone may have lost the right to save while the message was waiting.
    actor = User.objects.filter(pk=request["actor"], is_active=True).first()
    if actor is None or not Series.objects.organized_by(actor).filter(pk=staged.series_id).exists():
        raise ContestError(
            gettext("The person who started the save no longer organizes the series. Check the file and save it again.")
        )
    if choices.stamp != request["choices"]:
        raise ContestError(gettext("Someone changed the review at the same time. Check it, then save again."))

    def tell(stage: str, rows: int) -> None:
        reporter.tell(stage, rows)
        if stage == "saving":
            _write(staged, request, reporter.now, is_last=True)

    try:
        save_staged(staged, choices=choices, version=request["version"], actor=actor, tell=tell)
    except ParseError as error:
        raise ContestError(str(error.problems[0])) from error
    except Exception as error:
        if not is_full(error):
            raise
        logger.exception("staged file %s: no room to save it", staged.token)
        raise ContestError(gettext("The server’s disk is full. Save again when there is space.")) from error


def _write(staged: Staged, request: dict[str, Any], progress: SaveProgress, *, is_last: bool = False) -> None:
    """Store the progress, unless the file is saved, or the request outdated."""
    if progress.stage == "saving" and not is_last:
        return  # the row is locked until the transaction ends
    saving = {**request, "progress": asdict(replace(progress, at=timezone.now().isoformat()))}
    own = _requested(staged, progress.stamp)
    if progress.stage == "failed":  # shown with the choices of this moment
        saving["choices"] = own.values_list("stamp", flat=True).first()
    own.update(saving=saving, touched_at=timezone.now())


def _requested(staged: Staged, stamp: str) -> QuerySet[Upload]:
    return staged_row(staged).filter(saving__progress__stamp=stamp)


def _progress(saving: dict[str, Any] | None) -> SaveProgress | None:
    try:
        return None if saving is None else SaveProgress(**saving["progress"])
    except (TypeError, KeyError):  # another version of the site wrote it
        return None
