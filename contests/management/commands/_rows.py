"""Write the rows of an export to a file or to standard output."""

from __future__ import annotations

import csv
import json
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from django.core.management.base import CommandError

from contests.formats.table.escape import csv_row

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterable, Iterator, Sequence


def add_format_arguments(parser: ArgumentParser, formats: Sequence[str]) -> None:
    """Add the options about the format and the file of an export."""
    parser.add_argument("--format", choices=formats, default="csv")
    as_json = "json" if "json" in formats else "jsonl"
    parser.add_argument(
        "--json", action="store_const", const=as_json, dest="format", help=f"same as --format {as_json}"
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="default: standard output")


def write_rows(names: Sequence[str], rows: Iterable[Sequence[Any]], *, form: str, output: Path | None) -> int:
    """Write rows as CSV, JSON lines or one JSON list, with numbers in full precision; return how many there were."""
    count = 0
    with _opened(output) as file:
        if form == "csv":
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(names)
            for row in rows:
                writer.writerow(csv_row(row))
                count += 1
            return count
        if form == "json":
            file.write("[\n")
        for row in rows:
            line = json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False)
            file.write(line + "\n" if form == "jsonl" else (",\n" if count else "") + line)
            count += 1
        if form == "json":
            file.write("\n]\n")
    return count


@contextmanager
def _opened(output: Path | None) -> Iterator[TextIO]:
    if output is None:
        yield sys.stdout
        return
    try:
        with output.open("w", encoding="utf-8", newline="") as file:
            yield file
    except OSError as error:
        raise CommandError(f"{output} cannot be written: {error.strerror}.") from error
