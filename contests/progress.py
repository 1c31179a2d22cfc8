"""
The progress of work that a worker does while a page waits: stored in the database, and polled by the page.

Each kind of work has a row for it. The row also has the stamp of the newest request, so that a worker of an earlier
request writes nothing.
"""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from django.db import DatabaseError, connection
from django.utils import timezone
from django.utils.translation import gettext

from contests.failures import failure_in_words
from contests.wording import grouped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from django.utils.functional import _StrPromise

logger = logging.getLogger(__name__)

#: A healthy worker reports more often than this.
PATIENCE_SECONDS = 15
REPORT_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class WorkProgress:
    """
    The progress of one request, which `stamp` identifies.

    stage
        `waiting`, the stages of the work, and in the end `done` or `failed`.
    rows
        The number done in this stage; `total` is roughly the number of rows, 0 if unknown.
    at
        The time of the worker's last report, or of the request if no worker has started.

    begins
        Where each stage begins on the progress bar, in percent: its share of the time for large work.
    names
        The name of each stage.
    counted
        The stages whose rows move the bar, each with the stage that follows.
    patience
        The stages in which a healthy worker may be silent for longer, in seconds.
    """

    stamp: str
    stage: str
    rows: int = 0
    total: int = 0
    at: str = ""
    error: str = ""

    begins: ClassVar[Mapping[str, int]]
    names: ClassVar[Mapping[str, str | _StrPromise]]
    counted: ClassVar[Mapping[str, str]] = {}
    patience: ClassVar[Mapping[str, int]] = {}

    @property
    def is_over(self) -> bool:
        return self.stage in ("done", "failed")

    @property
    def is_late(self) -> bool:
        """Whether no worker seems to be at work: none has started, or the one that did has stopped."""
        if self.is_over:
            return False
        silence = timezone.now() - datetime.fromisoformat(self.at)
        return silence.total_seconds() > self.patience.get(self.stage, PATIENCE_SECONDS)

    @property
    def is_under_way(self) -> bool:
        """Whether a worker is at work, or about to be: a second request has nothing to start."""
        return not self.is_over and not self.is_late

    @property
    def percent(self) -> int:
        begins = self.begins[self.stage]
        if self.stage in self.counted and self.total:
            ends = self.begins[self.counted[self.stage]]
            begins += int((ends - begins) * min(1.0, self.rows / self.total))
        return begins

    @property
    def words(self) -> str:
        """The stage in words, with the number of rows while a file is read."""
        if self.stage == "reading" and self.rows:
            return gettext("Reading: %(number)s rows") % {"number": grouped(self.rows)}
        return str(self.names[self.stage])

    def to_dict(self) -> dict[str, object]:
        """Return the values that the page polls."""
        return {
            "stage": self.stage, "words": self.words, "percent": self.percent, "is_over": self.is_over,
            "is_late": self.is_late,
        }  # fmt: skip


Kind = TypeVar("Kind", bound=WorkProgress)


class Reporter(Generic[Kind]):
    """
    Writes the progress of work every second while this process lives.

    write
        Stores a progress, unless its request is outdated.
    work
        Names the work in the log.
    """

    def __init__(self, first: Kind, write: Callable[[Kind], object], work: str) -> None:
        self.now = first
        self._work = work
        self._write = write
        self._ended = threading.Event()

    def tell(self, stage: str, rows: int) -> None:
        self.now = replace(self.now, stage=stage, rows=rows)

    @contextmanager
    def at_work(self) -> Iterator[Reporter[Kind]]:
        self._write(self.now)
        thread = threading.Thread(target=self._report, daemon=True)
        thread.start()
        end = replace(
            self.now, stage="failed", error=gettext("The background process stopped before it finished. Try again.")
        )
        try:
            yield self
            end = replace(self.now, stage="done")
        except Exception as error:
            end = replace(self.now, stage="failed", error=failure_in_words(error, self._work))
            raise
        finally:
            self._ended.set()
            thread.join()
            self._write(end)

    def _report(self) -> None:
        try:
            while not self._ended.wait(REPORT_SECONDS):
                try:
                    self._write(self.now)
                except DatabaseError as error:  # the next report may succeed
                    logger.warning("the progress of a worker was not written (%s)", error)
        finally:
            connection.close()  # this thread's connection
