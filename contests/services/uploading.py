"""Standings files on their way into a draft: read, kept as they came, read again, thrown away."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, cast

from django.conf import settings
from django.db import transaction

from contests.errors import ContestError
from contests.formats import ParseError, Problem, Report, iter_contests
from contests.handles import printable
from contests.models import Series, Upload
from contests.services.players import PlayerRegister

if TYPE_CHECKING:
    from typing import BinaryIO

    from django.contrib.auth.models import User
    from django.core.files.base import File

    from contests.formats import ParsedContest

#: Warnings kept with an upload; all are counted.
KEPT_WARNINGS = 200


def read_one_contest(source: File[bytes], *, filename: str) -> tuple[ParsedContest, Report]:
    """
    Read a file that holds the standings of one contest; return it with the report of its warnings.

    ParseError carries all problems, also the one that only known players tell: two rows of one person, by two names.
    """
    report = Report()
    contests = []
    stream = cast("BinaryIO", source)  # Django's files read like any other
    for contest in iter_contests(stream, filename=filename, report=report, max_bytes=settings.PODIUM_UPLOAD_LIMIT):
        contests.append(contest)
        if len(contests) > 1:
            report.add(
                Problem(
                    "The file holds several contests; a draft takes one. Split the file, or give it whole to "
                    "the command import_contests."
                )
            )
            break
    if not contests and not report.errors:
        report.add(Problem("The file holds no contest; it needs a header line and a line for each participant."))
    if not report.errors:
        _check_persons(contests[0], report)
    if report.errors:
        raise ParseError(report)
    return contests[0], report


def read_upload(upload: Upload) -> tuple[ParsedContest, Report]:
    """Read a kept file again; the same bytes give the same contest. ContestError if the file is gone."""
    try:
        with upload.file.open("rb") as file:
            return read_one_contest(file, filename=upload.filename)
    except FileNotFoundError as error:
        raise ContestError(f"The file “{upload.filename}” is no longer stored; upload it again.") from error


@transaction.atomic(durable=True)
def keep_upload(series_id: int, *, content: File, filename: str, report: Report, actor: User | None = None) -> Upload:
    """Keep a file that was read without errors; the same content a second time is the same upload."""
    series = Series.objects.select_for_update(no_key=True).get(pk=series_id)
    content.seek(0)
    digest = hashlib.file_digest(content, "sha256").hexdigest()
    known = series.uploads.filter(sha256=digest).order_by("id").first()
    if known is not None and known.file and known.file.storage.exists(known.file.name or ""):
        return known
    upload = known or Upload(series=series, sha256=digest, created_by=actor)
    upload.filename, upload.size = filename[-255:], content.size
    upload.format = "".join(Path(filename).suffixes)[-20:].lstrip(".")
    upload.report = {
        "warnings": [str(problem) for problem in report.warnings[:KEPT_WARNINGS]],
        "warning_count": report.warning_count,
    }
    content.seek(0)
    upload.file.save(digest, content, save=False)
    upload.save()
    return upload


@transaction.atomic(durable=True)
def discard_upload(upload_id: int) -> None:
    """Forget a file that no contest was made from; one that is in use stays, and so does nothing a second time."""
    upload = Upload.objects.select_for_update(of=("self",)).filter(pk=upload_id, contests=None).first()
    if upload is None:
        return
    storage, name = upload.file.storage, upload.file.name or ""
    upload.delete()
    transaction.on_commit(lambda: storage.delete(name), robust=True)


def _check_persons(contest: ParsedContest, report: Report) -> None:
    """Report rows whose different handles are names of one known player."""
    register = PlayerRegister()
    players = register.find(contest.standings)
    first: dict[int, str] = {}
    for standing in contest.standings:
        player = players.get(register.key(standing.handle))
        if player is None:
            continue
        earlier = first.setdefault(player, standing.handle)
        if earlier != standing.handle:
            report.add(
                Problem(
                    f"This is the same player as “{printable(earlier)}”, under another name; keep one of the two rows.",
                    row=standing.row,
                    value=printable(standing.handle),
                )
            )
