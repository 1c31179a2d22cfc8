"""
Review a staged file at once or by a worker.

A worker reviews large files: it writes its progress into the row of the file, and the page shows it.
"""

from __future__ import annotations

import logging
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from celery import current_app
from django.utils import timezone
from django.utils.translation import get_language, gettext_lazy

from contests.errors import ContestError
from contests.matching.known_names import takes_long
from contests.progress import Reporter, WorkProgress
from contests.uploads.review import Review, newest_player_of, review_of
from contests.uploads.reviewing import review_staged
from contests.uploads.staging import (
    find_staged,
    read_choices,
    read_progress,
    write_progress,
)

if TYPE_CHECKING:
    from contests.uploads.staging import Choices, Staged


logger = logging.getLogger(__name__)

#: A worker reviews files above these sizes; archives and workbooks unpack to several times their size.
READ_AT_ONCE = 2 * 2**20
PACKED_READ_AT_ONCE = 2**18
_BYTES_PER_PACKED_LINE = 20


class Progress(WorkProgress):
    """The progress of a review with the choices that this `stamp` identifies."""

    __slots__ = ()
    begins = {"waiting": 0, "reading": 2, "matching": 45, "rating": 75, "done": 100, "failed": 100}
    names = {
        "waiting": gettext_lazy("Waiting to start"),
        "reading": gettext_lazy("Reading"),
        "matching": gettext_lazy("Finding the players"),
        "rating": gettext_lazy("Computing projected ratings"),
        "done": gettext_lazy("Done"),
        "failed": gettext_lazy("The review failed"),
    }
    counted = {"reading": "matching"}


def begin_review(staged: Staged) -> None:
    """Review a small file now; ask a worker to review a large one, or to compute a slow preview."""
    if _is_long(staged) or review_staged(staged).lacks_preview:
        ask_worker(staged)


def current_review(staged: Staged, choices: Choices) -> Review | None:
    """
    Return the review made with these choices, in the reader's language; None if there is none yet.

    A review is stored in the language of the person who asked for it, with the players of that moment. For readers of
    another language, and if the community has new players, Podium reviews a small file again; the review of a large one
    stays as it is.
    """
    found = review_of(staged, choices)
    if found is None:
        return None
    has_new_players = found.newest_player < newest_player_of(staged.series_id)
    if (found.language == get_language() and not has_new_players) or _is_long(staged):
        return found
    progress = progress_of(staged, choices)
    if progress is not None and not progress.is_over:
        return found
    try:
        again = review_staged(staged, known=None if has_new_players else found)
    except ContestError:
        return found  # the file is missing
    if again.lacks_preview and not found.lacks_preview:
        ask_worker(staged)
    return again if again.stamp == choices.stamp else found


def _is_long(staged: Staged) -> bool:
    limit = PACKED_READ_AT_ONCE if staged.is_packed else READ_AT_ONCE
    lines = staged.lines or staged.size // _BYTES_PER_PACKED_LINE
    return staged.size > limit or takes_long(lines, series_id=staged.series_id)


def ask_worker(staged: Staged) -> None:
    """Ask a worker to review the file with its current choices."""
    _write(staged, Progress(read_choices(staged).stamp, "waiting", total=staged.lines))
    try:
        # By name, because the module of the task imports this one.
        current_app.send_task(
            "contests.review_upload",
            (staged.token, get_language()),
            argsrepr="(a file)",
            retry=False,
            ignore_result=True,
        )
    except Exception as error:  # any error of a broker client: the page reports that no worker responds
        logger.warning("staged file %s: the worker could not be notified (%s)", staged.token, error)


def progress_of(staged: Staged, choices: Choices) -> Progress | None:
    """Return the progress of the review with these choices, None if no worker was asked for it."""
    kept = read_progress(staged)
    if kept is None or kept.get("stamp") != choices.stamp:
        return None
    try:
        return Progress(**kept)
    except TypeError:  # another version of the site wrote it
        return None


def work_on(token: str) -> Review | None:
    """Review a staged file and report progress; return None if it is gone or already has a complete review."""
    staged = find_staged(token)
    if staged is None:
        return None
    choices = read_choices(staged)
    known = review_of(staged, choices)
    if known is not None and not known.lacks_preview:
        return None
    try:
        first = Progress(choices.stamp, "reading", total=staged.lines)
        work = f"contest {staged.contest_id}: the review of a file"
        with Reporter(first, lambda now: _write(staged, now), work).at_work() as reporter:
            return review_staged(staged, whole=True, tell=reporter.tell)
    except ContestError:
        return None  # the file was discarded in the meantime


def _write(staged: Staged, progress: Progress) -> None:
    """Keep the progress, unless the file was discarded or its organizer has chosen again: then no one needs it."""
    now = asdict(replace(progress, at=timezone.now().isoformat()))
    write_progress(staged, now, stamp=progress.stamp)
