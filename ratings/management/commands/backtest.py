"""Compare rating systems by how well they would have predicted past contests."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from ratings.management.commands._arguments import (
    add_files,
    add_min_contests,
    archive_of,
    count_of_contests,
    judged_of,
    share,
    systems_of,
)
from ratings.systems import backtest

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from pathlib import Path

    from ratings.backtests.archive import Archive
    from ratings.systems import RatingSystem, Scores


class Command(BaseCommand):
    help = (
        "Rate the contests in files and measure how well the ratings before each contest predict its result. Prints "
        "a line for each system: pair inversion (% of pairs in the predicted order, higher is better), rank deviation "
        "(%, lower is better) and log-loss (lower is better); see docs/evaluation.md. Uses no database."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_files(parser)
        parser.add_argument(
            "--system", action="append", required=True, dest="systems", metavar="NAME", help="repeat to compare systems"
        )
        parser.add_argument(
            "--param",
            action="append",
            default=[],
            metavar="KEY=VALUE",
            help="a parameter, for every named system that has it; SYSTEM.KEY=VALUE sets it for one; repeat for more",
        )
        add_min_contests(parser)
        parser.add_argument(
            "--skip",
            type=count_of_contests,
            default=0,
            metavar="N",
            help="rate the first N contests without judging them (default 0)",
        )
        parser.add_argument("--json", action="store_true", dest="as_json", help="print a list of objects as JSON")

    def handle(
        self, *args: Any, files: list[Path], systems: list[str], as_json: bool, min_contests: int, **options: Any
    ) -> None:
        chosen = systems_of(systems, options["param"])
        archive = archive_of(files)
        results = [(system, _scores(system, archive, min_contests, options["skip"])) for system in chosen]
        judged = results[0][1]  # the same for all systems
        if not judged.participations:
            raise CommandError(
                f"Nothing to judge: none of the {len(archive.contests):,} contests has two players in different places "
                f"who both have at least {min_contests} earlier contests. Lower --min-contests or "
                "--skip, or give more files."
            )
        if as_json:
            self.stdout.write(json.dumps([_as_json(system, scores) for system, scores in results]))
        else:
            after = f" after the first {options['skip']:,}" if options["skip"] else ""
            self.stdout.write(
                f"{len(archive.contests):,} contests, {len(archive.handles):,} players. Judged: {judged_of(judged)}"
                f"{after}, with {judged.participations:,} of {judged.all_participations:,} participations "
                f"({share(judged.participations, judged.all_participations)}). Only players with at least "
                f"{min_contests} earlier contests count."
            )
            self.stdout.write(_table(results))
        warning = _warning(judged)
        if warning:
            self.stderr.write(f"Warning: {warning}")


def _scores(system: RatingSystem, archive: Archive, min_contests: int, skip: int) -> Scores:
    with tqdm(
        archive.contests, unit="contest", desc=system.name, disable=not sys.stderr.isatty(), leave=False
    ) as contests:
        try:
            return backtest(system, contests, len(archive.handles), min_contests, skip=skip)
        except ValueError as error:
            raise CommandError(f"{system.name} cannot rate these contests: {str(error).rstrip('.')}.") from error


def _as_json(system: RatingSystem, scores: Scores) -> dict[str, Any]:
    return {"system": system.name, "parameters": system.parameters(), **asdict(scores), "warning": _warning(scores)}


def _warning(scores: Scores) -> str | None:
    """Return a warning if too few contests were judged."""
    if not scores.are_few:
        return None
    return (
        f"{scores.contests:,} of {scores.all_contests:,} contests could be judged: too few to tell systems apart. "
        "Lower --min-contests or --skip, or give more files."
    )


def _table(results: list[tuple[RatingSystem, Scores]]) -> str:
    width = max(len("system"), *(len(system.name) for system, _ in results))
    has_draws = any(each.observed for _, scores in results for each in scores.draws)
    lines = [f"{'system':{width}}  pair inversion  rank deviation  log-loss{'  w/d/l loss' * has_draws}  seconds"]
    for system, scores in results:
        draws = f"  {scores.outcome_loss:10.4f}" if has_draws else ""
        lines.append(
            f"{system.name:{width}}  {scores.pair_inversion:12.3f} %  {scores.rank_deviation:12.3f} %  "
            f"{scores.log_loss:8.4f}{draws}  {scores.seconds:7.2f}"
        )
    return "\n".join(lines)
