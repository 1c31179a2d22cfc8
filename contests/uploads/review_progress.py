"""How far the review of a large file is: a worker does it, the file's row holds it, the page shows it."""

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

from contests.errors import ContestError
from contests.uploads.reviewing import review_of, review_staged
from contests.uploads.staging import find_staged, read_choices, read_progress, write_progress

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contests.uploads.review import Review
    from contests.uploads.staging import Choices, Staged

logger = logging.getLogger(__name__)

#: Larger files are reviewed by a worker; packed ones, and workbooks, hold several times what they weigh.
READ_AT_ONCE = 2 * 2**20
PACKED_READ_AT_ONCE = 2**18
#: A worker that is well writes down more often than this that it is at work.
PATIENCE_SECONDS = 15
_REPORT_SECONDS = 1.0
#: Where each stage begins on the bar, in percent, by what they take of the time for a large table.
_BEGINS = {"waiting": 0, "reading": 2, "matching": 45, "rating": 75, "done": 100, "failed": 100}
_WORDS = {
    "waiting": "Waiting for a worker",
    "reading": "Reading",
    "matching": "Finding the players",
    "rating": "Computing what it would do to ratings",
    "done": "Done",
    "failed": "The review failed",
}


@dataclass(frozen=True, slots=True)
class Progress:
    """
    How far the review of a file by certain choices (`stamp`) is.

    stage
        `waiting`, `reading`, `matching`, `rating`, and in the end `done` or `failed`.
    rows
        How many are done in this stage; `total` is about how many there are, 0 if that is unknown.
    at
        When the worker last said so; when it was asked, if no worker has begun.
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
        """Whether no one seems to be at work: no worker answers, or the one that did is dead."""
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
            return f"Reading: {self.rows:,} rows"
        return _WORDS[self.stage]

    def to_dict(self) -> dict[str, object]:
        """Return what the page asks for again and again."""
        return {
            "stage": self.stage, "words": self.words, "percent": self.percent, "is_over": self.is_over,
            "is_late": self.is_late,
        }  # fmt: skip


def begin_review(staged: Staged) -> None:
    """Review the file now if that is quick, else ask a worker; what takes long of it is left to a worker, too."""
    limit = PACKED_READ_AT_ONCE if staged.is_packed else READ_AT_ONCE
    if staged.size > limit or review_staged(staged).effects_left_out:
        ask_worker(staged)


def ask_worker(staged: Staged) -> None:
    """Ask a worker to review the file by what was chosen last."""
    _write(staged, Progress(read_choices(staged).stamp, "waiting", total=staged.lines))
    try:
        # By name: the task's module imports this one.
        current_app.send_task("contests.review_upload", (staged.token,), retry=False, ignore_result=True)
    except Exception as error:  # any error of a broker's client: the page says that no worker answers, and what to do
        logger.warning("staged file %s: the worker could not be notified (%s)", staged.token, error)


def progress_of(staged: Staged, choices: Choices) -> Progress | None:
    """Return how far the review by these choices is, None if no worker was asked for it."""
    kept = read_progress(staged)
    if kept is None or kept.get("stamp") != choices.stamp:
        return None
    try:
        return Progress(**kept)
    except TypeError:  # another version of the site wrote it
        return None


def work_on(token: str) -> Review | None:
    """Review a staged file, telling how far it is; None if it is gone, or has been reviewed wholly meanwhile."""
    staged = find_staged(token)
    if staged is None:
        return None
    choices = read_choices(staged)
    known = review_of(staged, choices)
    if known is not None and not known.effects_left_out:
        return None
    try:
        with _Reporter(staged, choices).at_work() as reporter:
            return review_staged(staged, whole=True, tell=reporter.tell)
    except ContestError:
        return None  # the file was discarded meanwhile


class _Reporter:
    """Writes down how far a review is, each second, as long as this process lives."""

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
        end = replace(self.now, stage="failed", error="The worker stopped before it had finished.")
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
                except DatabaseError as error:  # the next second brings another chance
                    logger.warning("staged file %s: progress was not written (%s)", self.staged.token, error)
        finally:
            connection.close()  # that of this thread


def _write(staged: Staged, progress: Progress) -> None:
    """Keep the progress, unless someone has chosen again or discarded the file: then no one waits for this review."""
    now = asdict(replace(progress, at=timezone.now().isoformat()))
    write_progress(staged, now, stamp=progress.stamp)
