"""Export rating changes in full precision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from contests.formats.base import counted
from contests.management.commands._arguments import existing_series
from contests.management.commands._rows import write_rows
from ratings.database import consistent_read
from ratings.management.commands._export import add_arguments, published_run
from ratings.models import RatingChange

if TYPE_CHECKING:
    from argparse import ArgumentParser

COLUMNS = {
    "contest": "contest__slug",
    "handle": "player__handle",
    "rank": "rank",
    "mu_before": "mu_before",
    "sigma_before": "sigma_before",
    "mu": "mu",
    "sigma": "sigma",
    "performance": "performance",
}


class Command(BaseCommand):
    help = "Export a series' rating changes, one row per rated participation, in the order of rating."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_arguments(parser, ("csv", "jsonl"))
        parser.add_argument(
            "--since-run", type=int, metavar="N", help="only changes that first appeared in a run after N"
        )

    def handle(self, *args: Any, series: str, since_run: int | None, **options: Any) -> None:
        if since_run is not None and since_run < 0:
            raise CommandError(f"--since-run {since_run}: write the number of a run, 0 or more.")
        with consistent_read():
            found = existing_series(series)
            published_run(found, None)
            changes = RatingChange.objects.current().filter(series=found)
            if since_run is not None:
                changes = changes.filter(from_run__gt=since_run)
            ordered = changes.order_by("contest__ends_at", "contest__sequence", "contest_id", "rank", "player_id")
            rows = ordered.values_list(*COLUMNS.values()).iterator(chunk_size=20_000)
            count = write_rows(list(COLUMNS), rows, form=options["format"], output=options["output"])
        self.stderr.write(f"{counted(count, 'rating change')}.")
