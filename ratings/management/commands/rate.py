"""Rate what is unrated, in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand

from contests.management.commands._arguments import add_series, answer, existing_series
from ratings.management.commands._rating import describe, rate_with_bar, run_as_json

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = "Rate the unrated contests of a series now, in this process, and publish a run. --full replays everything."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_series(parser, required=True)
        parser.add_argument("--full", action="store_true", help="replay all contests, not only those that changed")
        parser.add_argument("--json", action="store_true", dest="as_json", help="print the run as JSON")

    def handle(self, *args: Any, series: str, full: bool, as_json: bool, **options: Any) -> None:
        run = rate_with_bar(existing_series(series).pk, full=full)
        answer(self, run_as_json(run), describe(run), as_json=as_json)
