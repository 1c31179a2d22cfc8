"""Compare rating systems by how well they would have predicted past contests."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
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
from ratings.management.commands._matches import (
    course_of,
    course_table,
    groups_of,
    match_report,
    match_tables,
    name_pattern,
    player_of,
)
from ratings.systems import backtest
from ratings.systems.evaluate.metrics import backtest_groups

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
        parser.add_argument(
            "--groups",
            type=name_pattern,
            metavar="PATTERN",
            help="also judge groups of contests separately: those whose names have the same match of this regular "
            "expression, such as 'Div\\. [12]'",
        )
        parser.add_argument(
            "--matches",
            action="store_true",
            help="also print the TrueSkill paper's measures for matches of up to 8 sides: prediction error, challenge "
            "sets, draws by match quality and winning ratios",
        )
        parser.add_argument(
            "--player", metavar="HANDLE", help="also print this player's rating after each contest, to compare systems"
        )
        parser.add_argument("--json", action="store_true", dest="as_json", help="print a list of objects as JSON")

    def handle(
        self, *args: Any, files: list[Path], systems: list[str], as_json: bool, min_contests: int, **options: Any
    ) -> None:
        chosen = systems_of(systems, options["param"])
        archive = archive_of(files)
        player = None if options["player"] is None else player_of(archive, options["player"])
        groups = None if options["groups"] is None else groups_of(archive, options["groups"])
        results = [_result(system, archive, groups, min_contests, options["skip"]) for system in chosen]
        judged = results[0].scores  # the same for all systems
        if not judged.participations:
            raise CommandError(
                f"Nothing to judge: none of the {len(archive.contests):,} contests has two players in different places "
                f"who both have at least {min_contests} earlier contests. Lower --min-contests or "
                "--skip, or give more files."
            )
        matches = match_report(chosen, archive) if options["matches"] else None
        course = None if player is None else course_of(chosen, archive, player)
        if as_json:
            listed = [_as_json(result) for result in results]
            for number, entry in enumerate(listed):
                if matches is not None:
                    entry["matches"] = matches[number].as_json()
                if course is not None:
                    entry["player"] = course[number].as_json()
            self.stdout.write(json.dumps(listed))
        else:
            after = f" after the first {options['skip']:,}" if options["skip"] else ""
            self.stdout.write(
                f"{len(archive.contests):,} contests, {len(archive.handles):,} players. Judged: {judged_of(judged)}"
                f"{after}, with {judged.participations:,} of {judged.all_participations:,} participations "
                f"({share(judged.participations, judged.all_participations)}). Only players with at least "
                f"{min_contests} earlier contests count."
            )
            self.stdout.write(_table([(result.system, result.scores) for result in results]))
            for group in results[0].groups:
                self.stdout.write(_group_table(group, results))
            if matches is not None:
                self.stdout.write(match_tables(matches))
            if course is not None:
                self.stdout.write(course_table(course))
        warning = _warning(judged)
        if warning:
            self.stderr.write(f"Warning: {warning}")


@dataclass(frozen=True, slots=True)
class _Result:
    """The scores of a system: of all contests and of each group."""

    system: RatingSystem
    scores: Scores
    groups: dict[str, Scores]


def _result(system: RatingSystem, archive: Archive, groups: list[str] | None, min_contests: int, skip: int) -> _Result:
    with tqdm(
        archive.for_system(system), unit="contest", desc=system.name, disable=not sys.stderr.isatty(), leave=False
    ) as contests:
        try:
            if groups is None:
                return _Result(system, backtest(system, contests, len(archive.handles), min_contests, skip=skip), {})
            judged = backtest_groups(system, contests, groups, len(archive.handles), min_contests, skip=skip)
            return _Result(system, *judged)
        except ValueError as error:
            raise CommandError(f"{system.name} cannot rate these contests: {str(error).rstrip('.')}.") from error


def _as_json(result: _Result) -> dict[str, Any]:
    system, scores = result.system, result.scores
    entry = {"system": system.name, "parameters": system.parameters(), **asdict(scores), "warning": _warning(scores)}
    if result.groups:
        entry["groups"] = {name: {**asdict(each), "warning": _warning(each)} for name, each in result.groups.items()}
    return entry


def _group_table(group: str, results: list[_Result]) -> str:
    scores = results[0].groups[group]
    heading = f"\n{group or 'other contests'}: {judged_of(scores)}" + (", too few" if scores.are_few else "")
    if not scores.participations:
        return heading
    return f"{heading}\n{_table([(result.system, result.groups[group]) for result in results])}"


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
