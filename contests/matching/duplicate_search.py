"""
Search for duplicates among the players of a large series by a worker, and keep the result until the players change.

The row of the series (`DuplicateSearch`) has the newest request. A request during a search starts no other search, a
message that is delivered twice is worked on once, and a worker of an earlier request writes nothing.
"""

from __future__ import annotations

import logging
import secrets
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from celery import current_app
from django.db import transaction
from django.utils import timezone
from django.utils.translation import get_language, gettext, gettext_lazy

from contests.matching.duplicates import Pairs, find_pairs, from_json, pairs_of
from contests.models import AuditEntry, DuplicateSearch, Series
from contests.progress import Reporter, WorkProgress
from contests.wording import grouped

if TYPE_CHECKING:
    from datetime import datetime

logger = logging.getLogger(__name__)

TASK = "contests.search_duplicates"
#: Showing the page starts a new search at most this often.
SEARCHED_EVERY = timedelta(minutes=1)


class Progress(WorkProgress):
    """The progress of a search; `total` is the number of players."""

    __slots__ = ()
    begins = {"waiting": 0, "reading": 2, "comparing": 10, "done": 100, "failed": 100}
    names = {
        "waiting": gettext_lazy("Waiting to start"),
        "reading": gettext_lazy("Reading the names"),
        "comparing": gettext_lazy("Comparing the names"),
        "done": gettext_lazy("Done"),
        "failed": gettext_lazy("The search failed"),
    }
    counted = {"comparing": "done"}

    @property
    def words(self) -> str:
        if self.stage == "comparing" and self.rows:
            numbers = {"done": grouped(self.rows), "total": grouped(self.total)}
            return gettext("%(done)s of %(total)s players compared") % numbers
        return super().words


@dataclass(frozen=True, slots=True)
class Search:
    """
    The newest search of a series.

    pairs
        The pairs that the newest complete search found and that are still possible; None before the first one.
    searched_at
        The end of that search.
    is_outdated
        Whether players have changed since it began.
    """

    progress: Progress
    pairs: Pairs | None
    searched_at: datetime | None
    is_outdated: bool

    @property
    def is_due(self) -> bool:
        """Whether a new search should renew the list that the page shows. A search that failed is not repeated."""
        if self.pairs is None or self.searched_at is None or self.progress.stage != "done":
            return False
        return self.is_outdated and timezone.now() - self.searched_at >= SEARCHED_EVERY


def search_of(series: Series) -> Search | None:
    """Return the newest search, None if no one has asked for one."""
    row = DuplicateSearch.objects.filter(series=series).first()
    if row is None:
        return None
    found = from_json(row.found)
    pairs = None if found is None else pairs_of(found, series.pk, is_stored=True)
    is_outdated = found is not None and row.state != _state_of(series)
    return Search(_progress(row), pairs, row.searched_at, is_outdated)


def progress_of(series: Series) -> Progress | None:
    """Return the progress of the newest search, None if no one has asked for one."""
    row = DuplicateSearch.objects.filter(series=series).only("progress", "stamp").first()
    return None if row is None else _progress(row)


def begin_search(series: Series) -> None:
    """Ask a worker to search, unless a search is under way."""
    stamp = _request(series, "waiting")
    if stamp is None:
        return
    try:
        current_app.send_task(TASK, (series.pk, stamp, get_language()), retry=False, ignore_result=True)
    except Exception as error:  # any error of a broker client: the page reports that no worker responds
        logger.warning("series %s: no worker could be asked for duplicates (%s)", series.pk, error)


def search_here(series: Series) -> None:
    """Search in this process, because no worker does, unless a search is under way."""
    stamp = _request(series, "reading")
    if stamp is not None:
        _search(series, stamp)


def work_on(series_id: int, stamp: str) -> bool:
    """Carry out a request; return False if it is outdated, or if another delivery of its task has begun to."""
    series = Series.objects.filter(pk=series_id).first()
    first = Progress(stamp, "reading", at=timezone.now().isoformat())
    waiting = DuplicateSearch.objects.filter(series=series_id, stamp=stamp, progress__stage="waiting")
    if series is None or not waiting.update(progress=asdict(first)):
        return False
    _search(series, stamp)
    return True


def _request(series: Series, stage: str) -> str | None:
    """Store a new request and return its stamp; None if a search is under way."""
    stamp = secrets.token_hex(16)
    progress = asdict(Progress(stamp, stage, at=timezone.now().isoformat()))
    with transaction.atomic():
        locked = DuplicateSearch.objects.select_for_update(no_key=True)
        row, is_new = locked.get_or_create(series=series, defaults={"stamp": stamp, "progress": progress})
        if is_new:
            return stamp
        if _progress(row).is_under_way:
            return None
        row.stamp, row.progress = stamp, progress
        row.save(update_fields=["stamp", "progress"])
    return stamp


def _search(series: Series, stamp: str) -> None:
    state = _state_of(series)  # before the players are read, so that later changes make the result outdated
    own = DuplicateSearch.objects.filter(series=series, stamp=stamp)

    def write(progress: Progress) -> None:
        own.update(progress=asdict(replace(progress, at=timezone.now().isoformat())))

    work = f"series {series.pk}: the search for duplicates"
    with Reporter(Progress(stamp, "reading"), write, work).at_work() as reporter:

        def tell(done: int, total: int) -> None:
            reporter.now = replace(reporter.now, stage="comparing", rows=done, total=total)

        found = find_pairs(series.pk, tell)
        own.update(found=asdict(found), state=state, searched_at=timezone.now())


def _progress(row: DuplicateSearch) -> Progress:
    try:
        return Progress(**row.progress)
    except TypeError:  # another version of the site wrote it
        return Progress(row.stamp, "failed")


def _state_of(series: Series) -> list[str]:
    """Return a value that changes with the results of the series and with the players of its community."""
    of_series = AuditEntry.objects.filter(series=series)
    of_players = AuditEntry.objects.filter(community=series.community_id, player__isnull=False)
    newest = (entries.order_by("-at", "-id").values_list("pk", "at").first() for entries in (of_series, of_players))
    return [f"{entry[0]} {entry[1].isoformat()}" if entry else "" for entry in newest]
