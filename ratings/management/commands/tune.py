"""Find the parameters with which a rating system would have predicted past contests best."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import ExitStack
from dataclasses import asdict
from shlex import quote
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from contests.errors import ContestError
from ratings.backtests.candidates import in_processes, in_this_process, over_workers
from ratings.management.commands._arguments import add_files, add_min_contests, archive_of, judged_of
from ratings.systems import get_system
from ratings.systems.evaluate.tuning import OBJECTIVES, training_size, tune

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from pathlib import Path

    from ratings.backtests.archive import Archive
    from ratings.systems import Scores
    from ratings.systems.evaluate.tuning import Evaluate, Evaluation, Tuning

#: One week: no candidate takes longer, and a much later deadline could not be represented as a date.
LONGEST_TIMEOUT = 604_800


class Command(BaseCommand):
    help = (
        "Search for the parameters of a rating system that predict best. Uses the first tenth of the data in the files "
        "to search, and the rest to compare the best parameters with the defaults; see docs/evaluation.md. Uses no "
        "database. With --celery, the workers evaluate the candidates; they must find the files under the same path."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_files(parser)
        parser.add_argument("--system", required=True, metavar="NAME")
        parser.add_argument(
            "--share",
            type=float,
            default=0.1,
            metavar="X",
            help="share of all participations to search on, counted from the first contest (default 0.1)",
        )
        parser.add_argument(
            "--objective", choices=list(OBJECTIVES), default="pair-inversion", help="default: pair-inversion"
        )
        parser.add_argument(
            "--candidates",
            type=int,
            default=40,
            metavar="N",
            help="number of candidates, including the defaults (default 40)",
        )
        parser.add_argument(
            "--seed", type=int, default=0, metavar="N", help="the same seed gives the same result (default 0)"
        )
        add_min_contests(parser)
        where = parser.add_mutually_exclusive_group()
        where.add_argument("--jobs", type=int, default=1, metavar="N", help="number of processes (default 1)")
        where.add_argument("--celery", action="store_true", help="evaluate in the Celery workers")
        parser.add_argument(
            "--timeout",
            type=float,
            default=600.0,
            metavar="SECONDS",
            help="with --celery: give up if no worker returns a result within this time (default 600)",
        )
        parser.add_argument("--json", action="store_true", dest="as_json", help="print the result as one JSON object")

    def handle(self, *args: Any, files: list[Path], system: str, as_json: bool, **options: Any) -> None:
        began = time.perf_counter()
        _check(system, options)
        archive = archive_of(files)
        try:
            training = training_size(archive.contests, options["share"])
            with ExitStack() as stack:
                tuning = tune(
                    system,
                    _evaluate(stack, files, archive, options),
                    training,
                    objective=options["objective"],
                    n_candidates=options["candidates"],
                    seed=options["seed"],
                    min_contests=options["min_contests"],
                )
        except (ValueError, ContestError) as error:
            raise CommandError(f"{system}: {str(error).rstrip('.')}.") from error
        seconds = time.perf_counter() - began
        warnings = _warnings(tuning)
        if as_json:
            self.stdout.write(json.dumps({**asdict(tuning), "seconds": round(seconds, 2), "warnings": warnings}))
        else:
            self.stdout.write(_in_words(tuning, archive, seconds, options["min_contests"]))
        for warning in warnings:
            self.stderr.write(f"Warning: {warning}")


def _check(system: str, options: dict[str, Any]) -> None:
    """Refuse invalid options before long files are read."""
    try:
        get_system(system)
    except ValueError as error:
        raise CommandError(f"{error}.") from error
    if options["jobs"] < 1:
        raise CommandError(f"--jobs {options['jobs']}: write a whole number, 1 or more.")
    if options["seed"] < 0:
        raise CommandError(f"--seed {options['seed']}: write a whole number, 0 or more.")
    if not 0 < options["timeout"] <= LONGEST_TIMEOUT:
        raise CommandError(
            f"--timeout {options['timeout']:g}: write a number of seconds, more than 0 and at most {LONGEST_TIMEOUT:,}."
        )


def _evaluate(stack: ExitStack, files: list[Path], archive: Archive, options: dict[str, Any]) -> Evaluate:
    # The defaults and the best are evaluated once more, on the rest.
    bar = tqdm(
        total=options["candidates"] + 2, unit="candidate", file=sys.stderr, disable=not sys.stderr.isatty(), leave=False
    )
    stack.enter_context(bar)
    if options["celery"]:
        return over_workers(files, archive, bar.update, patience=options["timeout"])
    if options["jobs"] > 1:
        return stack.enter_context(in_processes(archive, min(options["jobs"], os.cpu_count() or 1), bar.update))
    return in_this_process(archive, bar.update)


def _warnings(tuning: Tuning) -> list[str]:
    """Return a warning for each of the two parts in which too few contests were judged."""
    searched, rest = tuning.best.scores, tuning.best_on_rest
    warnings = []
    if searched.are_few:
        warnings.append(
            f"{searched.contests:,} of the first {searched.all_contests:,} contests could be judged: too few, so the "
            "parameters found may fit them by chance."
        )
    if rest.are_few:
        warnings.append(
            f"{rest.contests:,} of the other {rest.all_contests:,} contests could be judged: too few to say which "
            "parameters are better."
        )
    return warnings


def _in_words(tuning: Tuning, archive: Archive, seconds: float, min_contests: int) -> str:
    rest = len(archive.contests) - tuning.training
    lines = [
        f"{tuning.system}, by {tuning.objective}: {len(tuning.candidates)} candidates on the first {tuning.training:,} "
        f"contests, the best and the defaults on the other {rest:,}; {seconds:.1f} s.",
        f"Judged: {judged_of(tuning.best.scores)} in the search, {judged_of(tuning.best_on_rest)} in the rest. Only "
        f"players with at least {min_contests} earlier contests count.",
        "",
        "candidate  pair inversion  rank deviation  log-loss  parameters",
    ]
    for number, each in enumerate(tuning.candidates, start=1):
        mark = " (best)" if each is tuning.best else ""
        lines.append(_line(str(number), each.scores, _parameters(each) + mark))
    lines += ["", "on the rest  pair inversion  rank deviation  log-loss"]
    lines.append("  " + _line("defaults", tuning.default_on_rest, ""))
    lines.append("  " + _line("best", tuning.best_on_rest, ""))
    given = " ".join(f"--param {quote(f'{key}={json.dumps(value)}')}" for key, value in tuning.best.parameters.items())
    lines += ["", f"Best: --system {tuning.system} {given}".rstrip()]
    return "\n".join(line.rstrip() for line in lines)


def _line(name: str, scores: Scores, words: str) -> str:
    return (
        f"{name:9}  {scores.pair_inversion:12.3f} %  {scores.rank_deviation:12.3f} %  {scores.log_loss:8.4f}  {words}"
    )


def _parameters(evaluation: Evaluation) -> str:
    pairs = (f"{key}={json.dumps(value)}" for key, value in evaluation.parameters.items())
    return " ".join(pairs) or "defaults"
