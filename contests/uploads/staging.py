"""
Staged files: stored until their organizer saves or discards them, and read by the organizer's choices.

Each is a row of `Upload` in the state "staged", and a file below `staging/` of the storage. The row holds what changes
during the review: choices, review and progress. Each is written by one UPDATE, which locks the row. A review or
progress is written only while the choices it belongs to are the newest.
"""

from __future__ import annotations

import hashlib
import math
import re
import secrets
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from django.conf import settings
from django.core.files.storage import default_storage
from django.utils import timezone

from contests.errors import ContestError
from contests.formats import ParseError, Problem, ReadingOptions, Report, iter_contests, sketch
from contests.formats.table.columns import field_of, is_remarks
from contests.handles import printable
from contests.models import Upload, UploadState

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import BinaryIO

    from django.contrib.auth.models import User
    from django.core.files.base import File
    from django.db.models import QuerySet

    from contests.formats import ParsedContest, Sketch
    from contests.models import Contest


#: What is not saved by then is deleted.
KEPT = timedelta(days=2)
FOLDER = "staging"
_TOKEN = re.compile(r"[0-9a-f]{32}")
#: How gzip and zip archives begin; a workbook is one of these, whatever it is called.
_PACKED = (b"\x1f\x8b", b"PK\x03\x04")
#: PostgreSQL's JSON takes neither.
_NOT_IN_JSON = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Staged:
    """
    A file that waits for its organizer: the part of its row that never changes.

    lines
        0 where it is packed and they were not counted.
    is_packed
        Whether what is in it is much more than its size.
    """

    token: str
    series_id: int
    contest_id: int
    user_id: int | None
    filename: str
    size: int
    sha256: str
    lines: int = 0
    is_packed: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """Who is meant by a handle: a known player, or a new one if `player_id` is None."""

    handle: str
    player_id: int | None
    is_alias: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table; `field` is "" for one that is left out."""

    position: int
    name: str
    field: str
    samples: list[str]


@dataclass(frozen=True, slots=True)
class Columns:
    """How a table was read; without columns it is a document that says itself what it holds, or could not be read."""

    sheets: list[str] = field(default_factory=list)
    sheet: str | None = None
    header_row: int = 0
    decimal_comma: bool | None = None
    columns: list[Column] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Choices:
    """
    What the organizer has said of a staged file.

    version
        Of the contest that the organizer looked at.
    options
        How to read it; None: as guessed.
    decisions
        Key of a handle -> who is meant.
    stamp
        Names this state of the choices; a review says by it what it is a review of.
    """

    version: int
    options: ReadingOptions | None = None
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    stamp: str = ""

    @property
    def known_players(self) -> dict[str, int]:
        """Key of a handle -> player, of those that are meant to be known players."""
        return {key: each.player_id for key, each in self.decisions.items() if each.player_id is not None}


def is_token(text: str) -> bool:
    """Whether the text could name a staged file; nothing else is ever looked up."""
    return _TOKEN.fullmatch(text) is not None


def stage(content: File[bytes], *, filename: str, contest: Contest, actor: User) -> Staged:
    """Keep a file for its organizer to look at, for a draft as it is now."""
    digest, lines = hashlib.sha256(), 0
    is_packed = content.read(4).startswith(_PACKED)
    for chunk in content.chunks():  # from the beginning
        digest.update(chunk)
        lines += chunk.count(b"\n")
    # The end of a long name says what kind of file it is.
    name = printable(filename[-120:], 120)
    staged = Staged(
        secrets.token_hex(16), contest.series_id, contest.pk, actor.pk, name, content.size or 0, digest.hexdigest(),
        0 if is_packed else lines, is_packed,
    )  # fmt: skip
    content.seek(0)
    try:
        default_storage.save(_path(staged.token), content)
        _insert(staged, Choices(contest.version))
    except BaseException:
        # Of a file for which there is no room nothing stays.
        delete_file(staged.token)
        raise
    return staged


def _insert(staged: Staged, choices: Choices) -> None:
    Upload.objects.create(
        series_id=staged.series_id, draft_id=staged.contest_id, created_by_id=staged.user_id, token=staged.token,
        state=UploadState.STAGED, sha256=staged.sha256, filename=staged.filename, size=staged.size,
        format=format_of(staged.filename), file=_path(staged.token), lines=staged.lines, is_packed=staged.is_packed,
        choices=_choices_as_json(choices), stamp=_new_stamp(),
    )  # fmt: skip


def format_of(filename: str) -> str:
    """Return what the name of a file says of its format."""
    return "".join(Path(filename).suffixes)[-20:].lstrip(".")


def find_staged(token: str) -> Staged | None:
    """Return the staged file of a token; None if there is none, or none any longer."""
    if not is_token(token):
        return None
    columns = (
        "token", "series_id", "draft_id", "created_by_id", "filename", "size", "sha256", "lines", "is_packed",
    )  # fmt: skip
    row = Upload.objects.staged().filter(token=token, draft__isnull=False).values_list(*columns).first()
    return None if row is None else Staged(*row)


def open_content(staged: Staged) -> File[bytes]:
    """Open the file as it came; FileNotFoundError if it was discarded this moment."""
    return default_storage.open(_path(staged.token), "rb")


def read_choices(staged: Staged) -> Choices:
    """Return what was chosen last."""
    stamp, said = _row(staged).values_list("stamp", "choices").first() or ("", None)
    if said is None:
        return Choices(-1)
    options = said["options"]
    return Choices(
        said["version"],
        None if options is None else ReadingOptions.from_json(options),
        {each["key"]: Decision(each["handle"], each["player_id"], each["is_alias"]) for each in said["decisions"]},
        stamp,
    )


def write_choices(staged: Staged, choices: Choices) -> Choices:
    """Keep the choices; return them with their stamp."""
    stamp = _new_stamp()
    _row(staged).update(choices=_choices_as_json(choices), stamp=stamp, touched_at=timezone.now())
    return replace(choices, stamp=stamp)


def read_review(staged: Staged) -> dict[str, Any] | None:
    """Return the newest review as it was written, None if there is none; its choices may be older than the newest."""
    kept: dict[str, Any] | None = _row(staged).values_list("review", flat=True).first()
    return kept


def write_review(staged: Staged, review: Mapping[str, Any], *, stamp: str) -> bool:
    """Keep a review if the choices that it was made by (`stamp`) are the newest; return whether they are."""
    newest = _row(staged).filter(stamp=stamp)
    return newest.update(review=_storable(review), touched_at=timezone.now()) > 0


def read_progress(staged: Staged) -> dict[str, Any] | None:
    """Return the last news of a worker, None if none was asked."""
    kept: dict[str, Any] | None = _row(staged).values_list("progress", flat=True).first()
    return kept


def write_progress(staged: Staged, progress: Mapping[str, Any], *, stamp: str) -> bool:
    """Keep how far a review by some choices (`stamp`) is if these are the newest; return whether they are."""
    newest = _row(staged).filter(stamp=stamp)
    return newest.update(progress=_storable(progress), touched_at=timezone.now()) > 0


def discard_staged(token: str) -> None:
    """Forget a staged file and all that was chosen for it; nothing happens a second time."""
    if not is_token(token):
        return
    # First the row: a row without a file would be shown. Who saves the file at this moment has locked the row.
    Upload.objects.staged().filter(token=token).delete()
    delete_file(token)


def _row(staged: Staged) -> QuerySet[Upload]:
    return Upload.objects.staged().filter(token=staged.token)


def _new_stamp() -> str:
    return secrets.token_hex(12)


def _choices_as_json(choices: Choices) -> dict[str, Any]:
    # A list, because PostgreSQL does not keep the order of keys.
    decisions = [{"key": key, **asdict(each)} for key, each in choices.decisions.items()]
    options = None if choices.options is None else choices.options.to_json()
    value: dict[str, Any] = _storable({"version": choices.version, "options": options, "decisions": decisions})
    return value


def _storable(value: Any) -> Any:
    """Return a value that both databases take as JSON, and give back the same."""
    if isinstance(value, str):
        return _NOT_IN_JSON.sub("\ufffd", value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {_storable(key): _storable(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_storable(each) for each in value]
    return value


def delete_file(token: str) -> None:
    """Delete the folder of a staged file with all that is in it; earlier versions kept more than the content there."""
    if not is_token(token):
        return
    for name in names_in(f"{FOLDER}/{token}", folders=False):
        default_storage.delete(f"{FOLDER}/{token}/{name}")
    default_storage.delete(f"{FOLDER}/{token}")


def names_in(path: str, *, folders: bool) -> list[str]:
    try:
        return default_storage.listdir(path)[0 if folders else 1]
    except (FileNotFoundError, NotADirectoryError):
        return []


def _path(token: str) -> str:
    return f"{FOLDER}/{token}/content"


def read_staged(
    staged: Staged, choices: Choices, report: Report, *, progress: Callable[[int], None] | None = None
) -> tuple[ParsedContest | None, Sketch | None]:
    """
    Read a staged file that should hold the standings of one contest; every problem goes to `report`.

    Returns the contest, None if there are errors, and what the file seems to be, None if it cannot be read at all.
    ContestError if the file is gone.
    """
    try:
        found = _sketched(staged, choices, report)
        if found is None:
            return None, None
        options = _options(found, choices, report)
        contest = _one_contest(staged, options, report, progress)
    except FileNotFoundError as error:
        raise ContestError(f"The file “{staged.filename}” is no longer kept; send it again.") from error
    return (None if report.errors else contest), found


def read_sound(staged: Staged, choices: Choices, report: Report) -> ParsedContest:
    """Read a staged file as `read_staged` does; ParseError if there is anything wrong with it."""
    parsed, _ = read_staged(staged, choices, report)
    if parsed is None:
        raise ParseError(report)
    return parsed


def options_in_use(staged: Staged, choices: Choices) -> ReadingOptions | None:
    """Return how the file is read, None where nothing had to be said."""
    report = Report()
    found = _sketched(staged, choices, report)
    return None if found is None else _options(found, choices, report)


def columns_of(found: Sketch | None, choices: Choices) -> Columns:
    """Return how a table was read, for its organizer to look at and to change."""
    if found is None or found.kind != "table":
        return Columns()
    chosen = choices.options.columns if choices.options is not None else None
    fields = found.options.columns or {} if chosen is None else chosen
    columns = [Column(each.position, each.name, fields.get(each.position, ""), each.samples) for each in found.columns]
    comma = choices.options.decimal_comma if choices.options is not None else None
    return Columns(list(found.sheets), found.sheet, found.header_row, comma, columns)


def _sketched(staged: Staged, choices: Choices, report: Report) -> Sketch | None:
    try:
        with open_content(staged) as content:
            stream = cast("BinaryIO", content)  # Django's files read like any other
            return sketch(
                stream, filename=staged.filename, max_bytes=settings.PODIUM_UPLOAD_LIMIT, options=choices.options
            )
    except ParseError as error:
        for problem in error.report.errors:
            report.add(problem)
        return None


def _options(found: Sketch, choices: Choices, report: Report) -> ReadingOptions | None:
    """
    Return how to read what was found.

    Where nothing was chosen, an unknown column is left out with a warning, since another choice is only a
    tap away on the page; whatever else is in doubt stays an error of the reader.
    """
    if found.kind != "table" or (choices.options is not None and choices.options.columns is not None):
        return choices.options
    named = [column for column in found.columns if column.name and not column.field and not is_remarks(column.name)]
    unknown = [column for column in named if field_of(column.name) is None]
    fields = set((found.options.columns or {}).values())
    if not unknown or len(unknown) < len(named) or "handle" not in fields or fields.isdisjoint(("rank", "score")):
        return choices.options
    for column in unknown:
        hint = f"Did you mean {column.near}? Choose" if column.near else "If it is needed, choose"
        report.add(
            Problem(
                f"Unknown column, ignored. {hint} what it holds under “How the file is read”.",
                "warning",
                row=found.header_row or None,
                column=column.name,
            )
        )
    if choices.options is None:
        return replace(found.options, decimal_comma=None)
    return replace(choices.options, columns=found.options.columns)


def _one_contest(
    staged: Staged, options: ReadingOptions | None, report: Report, progress: Callable[[int], None] | None
) -> ParsedContest | None:
    contests = []
    with open_content(staged) as content:
        stream = cast("BinaryIO", content)
        for contest in iter_contests(
            stream, filename=staged.filename, report=report, max_bytes=settings.PODIUM_UPLOAD_LIMIT, options=options,
            progress=progress,
        ):  # fmt: skip
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
    return contests[0] if contests else None
