"""Rate what is unrated, in this process."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from contests.errors import ContestError
from contests.management.commands._arguments import answer, existing_series
from ratings.models import Run, RunState
from ratings.publishing.queue import is_due, resume
from ratings.publishing.refresh import refresh_series
from ratings.publishing.sweep import mark_outdated
from ratings.queries.snapshot import wait_state

if TYPE_CHECKING:
    from argparse import ArgumentParser

#: How often to look whether another process has finished with the series.
POLL_SECONDS = 0.2


class Command(BaseCommand):
    help = "Rate what is unrated in a series now, in this process, and publish it as a run. --full replays everything."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--series", required=True, metavar="SLUG")
        parser.add_argument("--full", action="store_true", help="replay all contests, not only what has changed")
        parser.add_argument("--json", action="store_true", dest="as_json", help="print the run as JSON")

    def handle(self, *args: Any, series: str, full: bool, as_json: bool, **options: Any) -> None:
        run = rate_with_bar(existing_series(series).pk, full=full)
        answer(self, run_as_json(run), describe(run), as_json=as_json)


def rate_with_bar(series_id: int, *, full: bool = False) -> Run | None:
    """
    Refresh a series with a progress bar on a terminal; return the run that published it, None if there was no need.

    When another process is at it, wait for that one: a worker hears of changed results as soon as a command does. What
    somebody has cancelled is taken up again, as a command is somebody's wish too.
    """
    resume(series_id, actor=None)
    mark_outdated([series_id])
    stale, _ = wait_state(series_id)
    with tqdm(unit="contest", desc="rating", file=sys.stderr, disable=not sys.stderr.isatty(), leave=False) as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        try:
            run = refresh_series(series_id, full=full, progress=progress)
            while run is None and (full or is_due(series_id)):
                time.sleep(POLL_SECONDS)
                run = refresh_series(series_id, full=full, progress=progress)
        except ContestError as error:
            raise CommandError(str(error)) from error
    if run is not None and run.state == RunState.CANCELLED:
        raise CommandError(f"Run {run.number} was cancelled; results that changed wait until they are rated again.")
    return run or (Run.objects.current(series_id) if stale else None)


def run_as_json(run: Run | None) -> dict[str, Any]:
    """Return what a script wants to know of a run."""
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
    """Say the same in words."""
    if run is None:
        return "Nothing to do: the published ratings follow from the results."
    return (
        f"Published run {run.number} ({run.kind}): {run.contest_count:,} contests, {run.player_count:,} players, "
        f"{run.changed_count:,} rating changes written, {run.seconds:.1f} s."
    )
