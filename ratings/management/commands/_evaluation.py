"""What backtest and tune have in common: files, systems and their parameters from the command line."""

from __future__ import annotations

import sys
from argparse import ArgumentTypeError
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError
from tqdm import tqdm

from contests.errors import ContestError
from ratings.backtests.archive import Archive, UnreadableFile, read_archive
from ratings.management.commands.import_contests import SHOWN_PROBLEMS, parameters_from
from ratings.systems import SYSTEMS, get_system

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence

    from ratings.systems import RatingSystem, Scores


def add_files(parser: ArgumentParser) -> None:
    parser.add_argument(
        "files", nargs="+", metavar="FILE", type=Path, help="whatever import_contests reads; several are one archive"
    )


def count_of_contests(text: str) -> int:
    """Read a number of contests, zero or more, from an argument."""
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0:
        raise ArgumentTypeError(f"{text!r} is not a number of contests: write a whole number, 0 or more.")
    return number


def archive_of(files: Sequence[Path]) -> Archive:
    """Read the files with a progress bar on a terminal; say what is wrong with them."""
    missing = [str(path) for path in files if not path.exists()]
    if missing:
        raise CommandError(f"No such file: {', '.join(missing)}.")
    with tqdm(unit="contest", desc="reading", file=sys.stderr, disable=not sys.stderr.isatty(), leave=False) as bar:
        try:
            return read_archive(files, progress=lambda done: bar.update(done - bar.n))
        except UnreadableFile as error:
            lines = [
                f"{error.path} cannot be used, because",
                *(f"  {each}" for each in error.problems[:SHOWN_PROBLEMS]),
            ]
            if len(error.problems) > SHOWN_PROBLEMS:
                lines.append(f"  … and {len(error.problems) - SHOWN_PROBLEMS} more problems")
            raise CommandError("\n".join(lines)) from error
        except ContestError as error:
            raise CommandError(str(error)) from error


def systems_of(names: Sequence[str], pairs: list[str]) -> list[RatingSystem]:
    """Return the named systems with the parameters that concern them."""
    try:
        of_systems: dict[str, dict[str, Any]] = {get_system(name).name: {} for name in names}
        for key, value in (parameters_from(pairs) or {}).items():
            for name, parameter in _meant(key, list(of_systems)):
                of_systems[name][parameter] = value
        return [get_system(name, **parameters) for name, parameters in of_systems.items()]
    except ValueError as error:
        raise CommandError(f"{str(error).rstrip('.')}.") from error


def _meant(key: str, names: list[str]) -> list[tuple[str, str]]:
    """Return which systems' parameter is meant by KEY (of all that have it) or SYSTEM.KEY (of one)."""
    system, dot, parameter = key.rpartition(".")
    if dot and system not in names:
        raise CommandError(f"--param {key}: there is no --system {system} here, only {', '.join(names)}.")
    if dot or len(names) == 1:
        return [(system or names[0], parameter)]
    having = [name for name in names if key in {each.name for each in SYSTEMS[name].PARAMETERS}]
    if not having:
        raise CommandError(f"--param {key}: none of {', '.join(names)} has a parameter {key}.")
    return [(name, key) for name in having]


def share(part: int, whole: int) -> str:
    """Write a part in per cent of the whole, as in "15 of 20 contests (75 %)"."""
    if part == whole:
        return "100 %"
    return f"{100 * part / whole:.2g} %" if whole else "0 %"


def judged_of(scores: Scores) -> str:
    """Say how many contests were judged of how many."""
    return f"{scores.contests:,} of {scores.all_contests:,} contests ({share(scores.contests, scores.all_contests)})"
