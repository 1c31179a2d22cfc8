"""Arguments that several commands share: files of contests, rating systems and their parameters."""

from __future__ import annotations

import contextlib
import json
import sys
from argparse import ArgumentTypeError
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError
from tqdm import tqdm

from contests.errors import ContestError
from ratings.backtests.archive import Archive, UnreadableFile, read_archive
from ratings.display.percentages import percent_of, percentage
from ratings.systems import SYSTEMS, get_system

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence

    from ratings.systems import RatingSystem, Scores

#: How many problems of a file are printed; the rest are counted.
SHOWN_PROBLEMS = 50


def add_files(parser: ArgumentParser) -> None:
    """Add the files of contests to a command that reads them without a database."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        type=Path,
        help="any file that import_contests reads; several files form one archive",
    )


def add_min_contests(parser: ArgumentParser) -> None:
    """Add the option for the number of earlier contests that a player needs to be judged."""
    parser.add_argument(
        "--min-contests",
        type=count_of_contests,
        default=5,
        metavar="N",
        help="judge only players with at least N earlier contests (default 5)",
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


def refuse_missing(files: Sequence[Path], consequence: str = "") -> None:
    """Raise CommandError, whose message ends with the consequence, if one of the files does not exist."""
    missing = [str(path) for path in files if not path.exists()]
    if missing:
        raise CommandError(f"No such file: {', '.join(missing)}.{consequence}")


def listed_problems(heading: str, problems: Sequence[object]) -> str:
    """Return a heading and the problems of a file, one per line, up to a limit."""
    lines = [heading, *(f"  {problem}" for problem in problems[:SHOWN_PROBLEMS])]
    if len(problems) > SHOWN_PROBLEMS:
        lines.append(f"  … and {len(problems) - SHOWN_PROBLEMS} more problems")
    return "\n".join(lines)


def archive_of(files: Sequence[Path]) -> Archive:
    """Read the files, with a progress bar on a terminal; CommandError lists what is wrong with them."""
    refuse_missing(files)
    with tqdm(unit="contest", desc="reading", file=sys.stderr, disable=not sys.stderr.isatty(), leave=False) as bar:
        try:
            return read_archive(files, progress=lambda done: bar.update(done - bar.n))
        except UnreadableFile as error:
            raise CommandError(listed_problems(f"{error.path} cannot be used, because", error.problems)) from error
        except ContestError as error:
            raise CommandError(str(error)) from error


def parameters_from(pairs: list[str]) -> dict[str, Any] | None:
    """Read KEY=VALUE pairs; the rating system checks the values."""
    parameters: dict[str, Any] = {}
    for pair in pairs:
        key, _, value = pair.partition("=")
        if not key.strip() or not value.strip():
            raise CommandError(f"--param {pair}: write KEY=VALUE, for example weight_limit=0.3 or curve=gaussian.")
        parameters[key.strip()] = _value(value.strip())
    return parameters or None


def _value(text: str) -> Any:
    """Read a value as people write it on a command line (0.3, yes, gaussian, 0.6,0.8) or as JSON."""
    words = {"yes": True, "no": False}
    if text.casefold() in words:
        return words[text.casefold()]
    for written in (text, f"[{text.rstrip(',')}]"):
        with contextlib.suppress(json.JSONDecodeError, RecursionError):
            return json.loads(written)
    return text


def systems_of(names: Sequence[str], pairs: list[str]) -> list[RatingSystem]:
    """Return the named systems, each with the parameters given for it."""
    try:
        of_systems: dict[str, dict[str, Any]] = {get_system(name).name: {} for name in names}
        for key, value in (parameters_from(pairs) or {}).items():
            for name, parameter in _addressed(key, list(of_systems)):
                of_systems[name][parameter] = value
        return [get_system(name, **parameters) for name, parameters in of_systems.items()]
    except ValueError as error:
        raise CommandError(f"{str(error).rstrip('.')}.") from error


def _addressed(key: str, names: list[str]) -> list[tuple[str, str]]:
    """Return (system, parameter) for KEY, which sets all systems that have it, or SYSTEM.KEY, which sets one."""
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
    """Return a part as a percentage of the whole, such as "75 %"."""
    return percentage(percent_of(part, whole) if part != whole else 100.0, None, space=" ")


def judged_of(scores: Scores) -> str:
    """Return how many of the contests were judged, such as "15 of 20 contests (75 %)"."""
    return f"{scores.contests:,} of {scores.all_contests:,} contests ({share(scores.contests, scores.all_contests)})"
