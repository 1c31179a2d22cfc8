"""Compute derived numbers now, in this process, as a worker does after each run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand

from contests.management.commands._arguments import add_series, answer, existing_series
from ratings.publishing.deriving import derive_series, rated_series

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    help = (
        "Compute the numbers that follow from the current runs and take too long for a page (leagues, season points, "
        "movement between tiers, measured accuracy), in this process: for sites without a worker. Without --series, "
        "for all series."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_series(parser, use="default: all series")
        parser.add_argument("--json", action="store_true", dest="as_json", help="print the result as JSON")

    def handle(self, *args: Any, series: str | None, as_json: bool, **options: Any) -> None:
        chosen = [existing_series(series).pk] if series else rated_series()
        made = {pk: derive_series(pk) for pk in chosen}
        made = {pk: kinds for pk, kinds in made.items() if kinds or series}
        count = sum(map(len, made.values()))
        words = f"Computed {count} {'set' if count == 1 else 'sets'} of numbers for {len(made)} series."
        answer(self, {"series": len(made), "kinds": sorted({kind for kinds in made.values() for kind in kinds})}, words,
               as_json=as_json)  # fmt: skip
