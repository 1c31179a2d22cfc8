"""Rating a series from the command line, with a progress bar, and reporting the run."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError
from tqdm import tqdm

from contests.errors import ContestError
from contests.formats.base import counted
from ratings.models import Run, RunState
from ratings.publishing.engine import mark_outdated
from ratings.publishing.leases import resume
from ratings.publishing.queue import is_due
from ratings.publishing.refresh import refresh_series
from ratings.queries.snapshot import wait_state

if TYPE_CHECKING:
    from collections.abc import Callable

#: How often to check whether another process has finished with the series.
POLL_SECONDS = 0.2


def rate_with_bar(series_id: int, *, full: bool = False) -> Run | None:
    """
    Refresh a series with a progress bar on a terminal; return the run that published it, None if nothing was due.

    If another process is rating the series, wait for it: a worker may be notified of the changed results first.
    A cancelled run is resumed, because running the command asks for the series to be rated.
    """
    resume(series_id, actor=None)
    mark_outdated([series_id])
    stale, _ = wait_state(series_id)
    with tqdm(unit="contest", desc="rating", file=sys.stderr, disable=not sys.stderr.isatty(), leave=False) as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        try:
            run = _refreshed(series_id, full, progress)
        except ContestError as error:
            raise CommandError(str(error)) from error
    if run is not None and run.state == RunState.CANCELLED:
        raise CommandError(f"Run {run.number} was cancelled; results that changed wait until they are rated again.")
    return run or (Run.objects.current(series_id) if stale else None)


def _refreshed(series_id: int, full: bool, progress: Callable[[int, int], None]) -> Run | None:
    run = refresh_series(series_id, full=full, progress=progress)
    while run is None and (full or is_due(series_id)):
        time.sleep(POLL_SECONDS)
        run = refresh_series(series_id, full=full, progress=progress)
    return run


def run_as_json(run: Run | None) -> dict[str, Any]:
    """Return the facts about a run that scripts need."""
    if run is None:
        return {"run": None}
    return {
        "run": run.number,
        "kind": run.kind,
        "contests": run.contest_count,
        "players": run.player_count,
        "changes": run.changed_count,
        "seconds": run.seconds,
    }


def describe(run: Run | None) -> str:
    """Return the same facts as a sentence."""
    if run is None:
        return "Nothing to do: the published ratings are up to date."
    return (
        f"Published run {run.number} ({run.kind}): {counted(run.contest_count, 'contest')}, "
        f"{counted(run.player_count, 'player')}, {counted(run.changed_count, 'result')} affected, "
        f"{run.seconds:.1f} s."
    )
