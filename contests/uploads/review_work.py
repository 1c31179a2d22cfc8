"""
Review a staged file at once or by a worker.

A worker reviews large files: it writes its progress into the row of the file, and the page shows it.
"""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from celery import current_app
from django.db import DatabaseError, connection
from django.utils import timezone
from django.utils.translation import get_language, gettext, gettext_lazy

from contests.errors import ContestError
from contests.matching.players import takes_long
from contests.uploads.review import Review, review_of
from contests.uploads.reviewing import review_staged
from contests.uploads.staging import (
    find_staged,
    read_choices,
    read_progress,
    write_progress,
)
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contests.uploads.staging import Choices, Staged


logger = logging.getLogger(__name__)

#: A worker reviews files above these sizes; archives and workbooks unpack to several times their size.
READ_AT_ONCE = 2 * 2**20
PACKED_READ_AT_ONCE = 2**18
_BYTES_PER_PACKED_LINE = 20
#: A healthy worker reports more often than this.
PATIENCE_SECONDS = 15
_REPORT_SECONDS = 1.0
#: Where each stage begins on the progress bar, in percent: its share of the time for a large table.
_BEGINS = {"waiting": 0, "reading": 2, "matching": 45, "rating": 75, "done": 100, "failed": 100}
_WORDS = {
    "waiting": gettext_lazy("Waiting for a worker"),
    "reading": gettext_lazy("Reading"),
    "matching": gettext_lazy("Finding the players"),
    "rating": gettext_lazy("Computing projected ratings"),
    "done": gettext_lazy("Done"),
    "failed": gettext_lazy("The review failed"),
}


@dataclass(frozen=True, slots=True)
class Progress:
    """
    The progress of a review by the choices with this `stamp`.

    stage
        `waiting`, `reading`, `matching`, `rating`, and in the end `done` or `failed`.
    rows
        The number done in this stage; `total` is roughly the number of rows, 0 if unknown.
    at
        The time of the worker's last report, or of the request if no worker has started.
    """

    stamp: str
    stage: str
    rows: int = 0
    total: int = 0
    at: str = ""
    error: str = ""

    @property
    def is_over(self) -> bool:
        return self.stage in ("done", "failed")

    @property
    def is_late(self) -> bool:
        """Whether no worker seems to be reviewing the file: none has started, or the one that did has stopped."""
        if self.is_over:
            return False
        silence = timezone.now() - datetime.fromisoformat(self.at)
        return silence.total_seconds() > PATIENCE_SECONDS

    @property
    def percent(self) -> int:
        begins = _BEGINS[self.stage]
        if self.stage == "reading" and self.total:
            begins += int((_BEGINS["matching"] - begins) * min(1.0, self.rows / self.total))
        return begins

    @property
    def words(self) -> str:
        if self.stage == "reading" and self.rows:
            return gettext("Reading: %(number)s rows") % {"number": grouped(self.rows)}
        return str(_WORDS[self.stage])

    def to_dict(self) -> dict[str, object]:
        """Return the values that the page polls."""
        return {
            "stage": self.stage, "words": self.words, "percent": self.percent, "is_over": self.is_over,
            "is_late": self.is_late,
        }  # fmt: skip


def begin_review(staged: Staged) -> None:
    """Review a small file now; ask a worker to review a large one, or to compute a preview that takes long."""
    limit = PACKED_READ_AT_ONCE if staged.is_packed else READ_AT_ONCE
    lines = staged.lines or staged.size // _BYTES_PER_PACKED_LINE
    is_long = staged.size > limit or takes_long(lines, series_id=staged.series_id)
    if is_long or review_staged(staged).lacks_preview:
        ask_worker(staged)


def ask_worker(staged: Staged) -> None:
    """Ask a worker to review the file by its current choices."""
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
    """Return the progress of the review by these choices, None if no worker was asked for it."""
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
        with _Reporter(staged, choices).at_work() as reporter:
            return review_staged(staged, whole=True, tell=reporter.tell)
    except ContestError:
        return None  # the file was discarded in the meantime


class _Reporter:
    """Writes the progress of a review every second while this process lives."""

    def __init__(self, staged: Staged, choices: Choices) -> None:
        self.staged = staged
        self.now = Progress(choices.stamp, "reading", total=staged.lines)
        self._ended = threading.Event()

    def tell(self, stage: str, rows: int) -> None:
        self.now = replace(self.now, stage=stage, rows=rows)

    @contextmanager
    def at_work(self) -> Iterator[_Reporter]:
        _write(self.staged, self.now)
        thread = threading.Thread(target=self._report, daemon=True)
        thread.start()
        end = replace(self.now, stage="failed", error=gettext("The worker stopped before it finished."))
        try:
            yield self
            end = replace(self.now, stage="done")
        except Exception as error:
            end = replace(self.now, stage="failed", error=f"{type(error).__name__}: {error}")
            raise
        finally:
            self._ended.set()
            thread.join()
            _write(self.staged, end)

    def _report(self) -> None:
        try:
            while not self._ended.wait(_REPORT_SECONDS):
                try:
                    _write(self.staged, self.now)
                except DatabaseError as error:  # the next report may succeed
                    logger.warning("staged file %s: progress was not written (%s)", self.staged.token, error)
        finally:
            connection.close()  # this thread's connection


def _write(staged: Staged, progress: Progress) -> None:
    """Keep the progress, unless the file was discarded or its organizer has chosen again: then no one needs it."""
    now = asdict(replace(progress, at=timezone.now().isoformat()))
    write_progress(staged, now, stamp=progress.stamp)
