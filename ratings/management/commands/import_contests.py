"""Import files of contests, finalize and rate them."""

from __future__ import annotations

import gc
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.utils.dateparse import parse_datetime
from tqdm import tqdm

from contests.errors import ContestError
from contests.formats import ParseError, listed_formats
from contests.formats.base import counted
from contests.handles import clean_handle
from contests.management.commands._arguments import answer
from contests.models import Community, Series
from contests.models.community import LONGEST_SLUG
from contests.queries.visibility import split_name
from contests.services.communities import create_community, discard_empty_community, name_of_slug
from contests.services.series import create_series, discard_empty_series
from contests.uploads.importing import ImportOptions, ImportResult, import_file
from ratings.management.commands._arguments import SHOWN_PROBLEMS, listed_problems, parameters_from, refuse_missing
from ratings.management.commands._rating import describe, rate_with_bar, run_as_json
from ratings.publishing.schemes import check_choice, choose_scheme
from ratings.systems import SYSTEMS

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator


class Command(BaseCommand):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.help = (
            f"Import contests from files ({listed_formats()}; each also .gz) or directories of numbered JSON files, "
            "finalize and rate them. A file with any error is not imported at all; importing a file again changes "
            "nothing."
        )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", type=Path)
        parser.add_argument(
            "--series",
            required=True,
            metavar="[COMMUNITY/]SLUG",
            help="created with its community if it does not exist (default community: PODIUM_COMMUNITY)",
        )
        parser.add_argument(
            "--series-name",
            metavar="NAME",
            help="the name of a new series, such as “Harbour Cup” (default: made from its SLUG)",
        )
        parser.add_argument(
            "--system",
            metavar="NAME",
            help=f"rating system: {', '.join(SYSTEMS)} (default: the series’ own; elo-mmr for a new series)",
        )
        parser.add_argument(
            "--param",
            action="append",
            default=[],
            metavar="KEY=VALUE",
            help="a parameter of the system, such as weight_limit=0.3, curve=gaussian, split_ties=yes or "
            "noob_delay=0.6,0.8; repeat for more (docs/rating-systems.md lists all parameters)",
        )
        parser.add_argument("--no-rate", action="store_true", help="leave the rating to the worker")
        parser.add_argument(
            "--name",
            default="",
            help="contest name (default: the name in the file, else its id there or the file name)",
        )
        parser.add_argument(
            "--end",
            metavar="TIME",
            help="end of the contest, for files without a time (tables and workbooks), such as 2025-05-01T18:00:00Z",
        )
        parser.add_argument(
            "--strict", action="store_true", help="refuse damaged names instead of repairing them (docs/formats.md)"
        )
        parser.add_argument("--json", action="store_true", dest="as_json", help="print the result as JSON")

    def handle(self, *args: Any, files: list[Path], series: str, as_json: bool, **options: Any) -> None:
        name = _series_name(options["series_name"])
        started = time.perf_counter()
        refuse_missing(files, " Nothing was imported.")
        chosen = {"system": options["system"], "parameters": parameters_from(options["param"])}
        import_options = ImportOptions(
            repair=not options["strict"], name=options["name"], ends_at=_moment(options["end"])
        )
        try:
            with self._series(series, name) as (pool, is_new):
                check_choice(pool.pk, **chosen)
                if is_new:
                    choose_scheme(pool.pk, **chosen)
                results = [self._import(pool, path, import_options) for path in files]
                # An existing series gets the new rules only after all files were read without errors.
                choose_scheme(pool.pk, **chosen)
        except ContestError as error:
            raise CommandError(str(error)) from error
        run = None if options["no_rate"] else rate_with_bar(pool.pk)
        seconds = time.perf_counter() - started
        self._answer(results, run, seconds, as_json=as_json, rated=not options["no_rate"])

    @contextmanager
    def _series(self, full_slug: str, name: str | None) -> Iterator[tuple[Series, bool]]:
        """
        Yield the series, and whether it is new; an existing one keeps its name.

        What was created for an import that fails is deleted again, unless one of its files has been imported.
        """
        community, slug = split_name(full_slug)
        _check_names(community, slug)
        series = Series.objects.filter(community=community, slug=slug).first()
        if series is not None:
            if name is not None and name != series.name:
                self.stderr.write(
                    f"warning: the series “{series.full_slug}” exists and keeps its name “{series.name}”. To rename "
                    "it, open it under /organize/ and choose “Edit series”."
                )
            yield series, False
            return
        is_new_community = False
        try:
            if not Community.objects.filter(pk=community).exists():
                create_community(community, name=name_of_slug(community))
                is_new_community = True
            series = create_series(slug, community=community, name=name or name_of_slug(slug))
            yield series, True
        except BaseException:
            if series is not None:
                discard_empty_series(series.pk)
            if is_new_community:
                discard_empty_community(community)
            raise
        if is_new_community:
            self.stderr.write(f"Created the community “{community}”, which anyone can see.")
        if name is None:
            self.stderr.write(f"The new series is called “{series.name}”; to choose another name, use --series-name.")

    def _import(self, series: Series, path: Path, options: ImportOptions) -> ImportResult:
        bar = tqdm(unit="contest", desc=path.name, file=sys.stderr, disable=not sys.stderr.isatty(), leave=False)
        with bar, _no_garbage_collection():
            try:
                result = import_file(
                    series.pk, path=path, options=options, progress=lambda done: bar.update(done - bar.n)
                )
            except ParseError as error:
                raise CommandError(listed_problems(f"{path}: nothing was imported, because", error.problems)) from error
        for warning in result.warnings[:SHOWN_PROBLEMS]:
            self.stderr.write(f"{path.name}: warning: {warning}")
        if len(result.warnings) > SHOWN_PROBLEMS:
            self.stderr.write(f"{path.name}: … and {len(result.warnings) - SHOWN_PROBLEMS} more warnings")
        return result

    def _answer(self, results: list[ImportResult], run: Any, seconds: float, *, as_json: bool, rated: bool) -> None:
        names = ("created", "skipped", "standings", "players_created")
        counts = {name: sum(getattr(result, name) for result in results) for name in names}
        words = (
            f"Imported {counted(counts['created'], 'contest')} with {counted(counts['standings'], 'standing')} and "
            f"{counted(counts['players_created'], 'new player')}; {counts['skipped']:,} existed already. "
        )
        words += f"{describe(run)} " if rated else "Not rated yet. "
        result = {**counts, **run_as_json(run), "total_seconds": round(seconds, 2)}
        answer(self, result, f"{words}{seconds:.1f} s in total.", as_json=as_json)


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Turn off the search for reference cycles: an import makes next to none, and the search takes time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _check_names(community: str, slug: str) -> None:
    """Raise CommandError unless a community and a series can have these short names."""
    try:
        Community._meta.get_field("slug").clean(community, None)
    except ValidationError as error:
        raise CommandError(
            f"“{community}” is not a valid short name of a community: use 1 to {LONGEST_SLUG} lower-case letters, "
            "digits and single hyphens between them."
        ) from error
    field = Series._meta.get_field("slug")
    try:
        field.clean(slug, None)
    except ValidationError as error:
        raise CommandError(
            f"“{slug}” is not a valid short name: use 1 to {field.max_length} letters, digits, hyphens and underscores."
        ) from error


def _series_name(text: str | None) -> str | None:
    """Return the requested name, cleaned; CommandError if it is not a valid name of a series."""
    if text is None:
        return None
    cleaned, most = clean_handle(text), Series._meta.get_field("name").max_length or 0
    if cleaned.faults or not 1 <= len(cleaned.handle) <= most:
        raise CommandError(f"--series-name {text[:40]!r}: write a name of 1 to {most} printable characters.")
    return cleaned.handle


def _moment(text: str | None) -> Any:
    if not text:
        return None
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise CommandError(f"--end {text}: write a date, a time and a zone, for example 2025-05-01T18:00:00Z.")
    return moment
