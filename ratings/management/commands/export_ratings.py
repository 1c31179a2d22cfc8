"""Export where everybody stands, now or as of an earlier run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand

from contests.management.commands._arguments import existing_series
from ratings.database import consistent_read
from ratings.management.commands._export import add_arguments, published_run, write_rows
from ratings.queries.past_ratings import ratings_as_of

if TYPE_CHECKING:
    from argparse import ArgumentParser

COLUMNS = ("rank", "handle", "rating", "mu", "sigma", "contests", "peak", "last_contest")


class Command(BaseCommand):
    help = (
        "Export a series' ratings, one row per player, best first; with --run as they were when that run was published."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_arguments(parser, ("csv", "json", "jsonl"))
        parser.add_argument("--run", type=int, metavar="N", help="default: the current run")

    def handle(self, *args: Any, series: str, run: int | None, **options: Any) -> None:
        with consistent_read():
            found = existing_series(series)
            rows = ratings_as_of(found, published_run(found, run))
            count = write_rows(COLUMNS, rows, form=options["format"], output=options["output"])
        self.stderr.write(f"{count:,} players.")
