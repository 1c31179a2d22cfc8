"""Whole files of contests: everything that is new in them is stored and finalized, or, with any error, nothing is."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from django.core.files import File
from django.db import transaction
from django.utils import timezone

from contests.bulk import analyze_after_commit
from contests.errors import ContestError
from contests.formats import ParseError, Report, iter_contests
from contests.models import Contest, ContestState, Series, Upload
from contests.services.contests import ContestDescription, insert_contest
from contests.services.standings import PlayerRegister, content_hash, write_standings
from contests.services.transactions import lock_players_shared, record, retried
from contests.signals import results_changed

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from django.contrib.auth.models import User

    from contests.formats import ParsedContest, Problem


#: What two contests of the same id are compared by.
_COMPARED = ("slug", "content_hash", "ends_at", "weight", "perf_ceiling")


@dataclass(slots=True)
class ImportResult:
    """What an import did; `skipped` contests were there already with the same content."""

    created: int = 0
    skipped: int = 0
    standings: int = 0
    players_created: int = 0
    warnings: list[Problem] = field(default_factory=list)
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """
    How to read the file.

    repair
        Repair damaged names instead of refusing them (see docs/formats.md); each repaired name is a warning.
    name, ends_at
        For files that hold one contest without saying what it is called and when it ended (tables, workbooks). A
        name also takes the place of one in the file; an end does not.
    """

    repair: bool = False
    name: str = ""
    ends_at: datetime | None = None
    max_bytes: int = 4 * 2**30


@retried
@transaction.atomic(durable=True)
def import_file(
    series_id: int,
    *,
    path: Path,
    options: ImportOptions | None = None,
    actor: User | None = None,
    progress: Callable[[int], None] | None = None,
) -> ImportResult:
    """
    Import a file, or a directory of numbered files, into a series.

    Safe to repeat: a contest that is there with the same content is skipped. One that is there with other content is an
    error, because what was rated is only changed on purpose. ParseError carries all problems; nothing is stored then.
    """
    options = options or ImportOptions()
    lock_players_shared()
    series = Series.objects.get(pk=series_id)
    digest = None if path.is_dir() else _sha256(path)
    result = ImportResult()
    if digest and _imported_before(series, digest, result):
        return result
    report = Report()
    upload = None if digest is None else _new_upload(series, path, digest, actor)
    _Import(series, options, upload, report, result).run(path, progress)
    if report.errors:
        raise ParseError(report)
    result.warnings = list(report.warnings)
    if upload is not None and not result.created:
        upload.delete()
    elif upload is not None:
        _keep_file(upload, path, result)
    record(
        "series.import", subject=f"{path.name} into {series.slug}", series=series, actor=actor,
        after={"created": result.created, "skipped": result.skipped, "standings": result.standings},
    )  # fmt: skip
    if result.since is not None:
        cause = f"Imported {result.created} contest{'s' if result.created != 1 else ''} from {path.name}"
        results_changed.send(sender=Contest, series_id=series.pk, since=result.since, cause=cause, actor=actor)
    analyze_after_commit(result.standings)
    return result


class _Import:
    """One pass over a file; stops storing at the first problem but reads on, so that all problems are known."""

    def __init__(
        self, series: Series, options: ImportOptions, upload: Upload | None, report: Report, result: ImportResult
    ) -> None:
        self.series, self.options, self.upload, self.report, self.result = series, options, upload, report, result
        self.register = PlayerRegister(indexes_later=True)
        self.existing = {contest.slug: contest for contest in series.contests.existing().only(*_COMPARED)}

    def run(self, path: Path, progress: Callable[[int], None] | None) -> None:
        contests = iter_contests(
            path, filename=path.name, report=self.report, repair=self.options.repair, max_bytes=self.options.max_bytes
        )
        for number, parsed in enumerate(contests, start=1):
            if not self.report.errors:
                self._store(parsed)
            if progress is not None:
                progress(number)
        self.register.index()
        self.result.players_created = self.register.created

    def _store(self, parsed: ParsedContest) -> None:
        slug = (parsed.key or self.options.name or Path(self.upload.filename if self.upload else "contest").stem)[:120]
        digest = content_hash(parsed.standings, self.register)
        if slug in self.existing:
            self._compare(self.existing[slug], digest, parsed)
            return
        description = self._description(parsed, slug)
        contest = insert_contest(
            self.series, slug, description, state=ContestState.FINALIZED, finalized_at=timezone.now(),
            upload=self.upload, has_teams=parsed.has_teams, standing_count=len(parsed.standings), content_hash=digest,
        )  # fmt: skip
        write_standings(contest, parsed, self.register)
        self.existing[slug] = contest
        self.result.created += 1
        self.result.standings += len(parsed.standings)
        self.result.since = min(self.result.since or contest.ends_at, contest.ends_at)

    def _compare(self, contest: Contest, digest: str, parsed: ParsedContest) -> None:
        ends_at = parsed.ends_at or self.options.ends_at
        differences = [("other results", contest.content_hash != digest)]
        differences += [("another end", ends_at is not None and contest.ends_at != ends_at)]
        if parsed.key:  # tables say nothing of weights
            differences += [("another weight", contest.weight != parsed.weight)]
            differences += [("another performance ceiling", contest.perf_ceiling != parsed.perf_ceiling)]
        found = [name for name, differs in differences if differs]
        if found:
            raise ContestError(
                f"Contest “{contest.slug}” of series “{self.series.slug}” is stored with {' and '.join(found)} than "
                "this file has. Correct its rows on its page, or delete it there and import the file again. Nothing "
                "was imported."
            )
        self.result.skipped += 1

    def _description(self, parsed: ParsedContest, slug: str) -> ContestDescription:
        ends_at = parsed.ends_at or self.options.ends_at
        if ends_at is None:
            raise ContestError(f"The file does not say when contest “{slug}” ended; give --end 2025-05-01T18:00:00Z.")
        return ContestDescription(
            name=(self.options.name or parsed.name or slug)[:300],
            ends_at=ends_at,
            starts_at=parsed.starts_at,
            url=parsed.url,
            weight=parsed.weight,
            perf_ceiling=parsed.perf_ceiling,
        )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _imported_before(series: Series, digest: str, result: ImportResult) -> bool:
    """Whether this very file is imported, and all its contests are still there as they came."""
    for upload in series.uploads.saved().filter(sha256=digest):
        intact = upload.contests.existing().exclude(content_hash="").count()
        # A file whose contests came partly with other files is read again: those may be gone by now.
        if intact and intact == upload.report.get("created") and upload.report.get("skipped") == 0:
            result.skipped = intact
            return True
    return False


def _new_upload(series: Series, path: Path, digest: str, actor: User | None) -> Upload:
    return Upload.objects.create(
        series=series, sha256=digest, filename=path.name[:255], size=path.stat().st_size,
        format="".join(path.suffixes)[-20:].lstrip("."), created_by=actor,
    )  # fmt: skip


def _keep_file(upload: Upload, path: Path, result: ImportResult) -> None:
    upload.report = {
        "created": result.created,
        "skipped": result.skipped,
        "standings": result.standings,
        "warnings": len(result.warnings),
    }
    with path.open("rb") as file:
        upload.file.save(upload.sha256, File(file), save=False)
    upload.save(update_fields=["report", "file"])
