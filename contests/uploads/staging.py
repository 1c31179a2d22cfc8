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
from contests.formats.events import event_of
from contests.formats.table.columns import GAME_FIELDS, field_of, is_remarks
from contests.handles import printable
from contests.models import Upload, UploadState
from contests.services.quotas import check_upload

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import BinaryIO

    from django.contrib.auth.models import User
    from django.core.files.base import File
    from django.db.models import QuerySet

    from contests.formats import ParsedContest, Sketch
    from contests.models import Contest


#: Staged files that are not saved within this time are deleted.
KEPT = timedelta(days=2)
#: The games of a file that can be uploaded; the command imports any number.
MOST_GAMES = 200_000
FOLDER = "staging"
_TOKEN = re.compile(r"[0-9a-f]{32}")
#: The first bytes of gzip and zip archives; a workbook is a zip archive, whatever its name.
_PACKED = (b"\x1f\x8b", b"PK\x03\x04")
#: PostgreSQL's JSON accepts neither null characters nor lone surrogates.
_NOT_IN_JSON = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Staged:
    """
    A file under review: the part of its row that never changes.

    lines
        The number of lines; 0 for a packed file, whose lines are not counted.
    is_packed
        Whether the file is an archive, with much more content than its size suggests.
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
    """The organizer's decision about a handle: a known player, or a new one if `player_id` is None."""

    handle: str
    player_id: int | None
    is_alias: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table; `field` is "" if the column is ignored."""

    position: int
    name: str
    field: str
    samples: list[str]


@dataclass(frozen=True, slots=True)
class Columns:
    """The way a table was read; there are no columns for JSON documents and for files that could not be read."""

    sheets: list[str] = field(default_factory=list)
    sheet: str | None = None
    header_row: int = 0
    decimal_comma: bool | None = None
    columns: list[Column] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Choices:
    """
    The organizer's choices about a staged file.

    version
        The version of the contest that the organizer saw.
    options
        The options for reading the file; None to detect them.
    decisions
        Key of a handle -> decision.
    stamp
        Identifies this state of the choices; a review carries the stamp of the choices that it was made by.
    """

    version: int
    options: ReadingOptions | None = None
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    stamp: str = ""

    @property
    def known_players(self) -> dict[str, int]:
        """The handles decided to be known players: key -> player id."""
        return {key: each.player_id for key, each in self.decisions.items() if each.player_id is not None}


def is_token(text: str) -> bool:
    """Whether the text has the form of a token; other texts are never looked up."""
    return _TOKEN.fullmatch(text) is not None


def stage(content: File[bytes], *, filename: str, contest: Contest, actor: User) -> Staged:
    """Store a file for review, for the current version of a draft."""
    check_upload(contest.series.community_id, content.size or 0, actor)
    digest, lines = hashlib.sha256(), 0
    is_packed = content.read(4).startswith(_PACKED)
    for chunk in content.chunks():  # from the beginning
        digest.update(chunk)
        lines += chunk.count(b"\n")
    # Keep the end of a long name, because it contains the extension.
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
        # Leave nothing behind, for example when the disk is full.
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
    """Return the format that the name of a file indicates, such as "csv.gz"."""
    return "".join(Path(filename).suffixes)[-20:].lstrip(".")


def find_staged(token: str) -> Staged | None:
    """Return the staged file of a token, None if there is none (any longer)."""
    if not is_token(token):
        return None
    columns = (
        "token", "series_id", "draft_id", "created_by_id", "filename", "size", "sha256", "lines", "is_packed",
    )  # fmt: skip
    row = Upload.objects.staged().filter(token=token, draft__isnull=False).values_list(*columns).first()
    return None if row is None else Staged(*row)


def open_content(staged: Staged) -> File[bytes]:
    """Open the original file; ContestError if it has just been discarded, or is missing from the storage."""
    try:
        return default_storage.open(_path(staged.token), "rb")
    except FileNotFoundError as error:
        raise ContestError(f"The file “{staged.filename}” is no longer stored. Upload it again.") from error


def read_choices(staged: Staged) -> Choices:
    """Return the current choices."""
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
    """Store the choices, and return them with their stamp."""
    stamp = _new_stamp()
    _row(staged).update(choices=_choices_as_json(choices), stamp=stamp, touched_at=timezone.now())
    return replace(choices, stamp=stamp)


def read_review(staged: Staged) -> dict[str, Any] | None:
    """Return the latest review as it was stored, None if there is none; its choices may be outdated."""
    kept: dict[str, Any] | None = _row(staged).values_list("review", flat=True).first()
    return kept


def write_review(staged: Staged, review: Mapping[str, Any], *, stamp: str) -> bool:
    """Store a review unless its choices (`stamp`) are outdated; return whether it was stored."""
    newest = _row(staged).filter(stamp=stamp)
    return newest.update(review=_storable(review), touched_at=timezone.now()) > 0


def read_progress(staged: Staged) -> dict[str, Any] | None:
    """Return the last progress that a worker reported, None if no worker was asked."""
    kept: dict[str, Any] | None = _row(staged).values_list("progress", flat=True).first()
    return kept


def write_progress(staged: Staged, progress: Mapping[str, Any], *, stamp: str) -> bool:
    """Store the progress of a review unless its choices (`stamp`) are outdated; return whether it was stored."""
    newest = _row(staged).filter(stamp=stamp)
    return newest.update(progress=_storable(progress), touched_at=timezone.now()) > 0


def discard_staged(token: str) -> None:
    """Delete a staged file and its choices; do nothing if it is gone."""
    if not is_token(token):
        return
    # The row first, because a row without a file would be shown. Someone who is saving the file has locked the row.
    Upload.objects.staged().filter(token=token).delete()
    delete_file(token)


def _row(staged: Staged) -> QuerySet[Upload]:
    return Upload.objects.staged().filter(token=staged.token)


def _new_stamp() -> str:
    return secrets.token_hex(12)


def _choices_as_json(choices: Choices) -> dict[str, Any]:
    # A list, because PostgreSQL does not preserve the order of keys.
    decisions = [{"key": key, **asdict(each)} for key, each in choices.decisions.items()]
    options = None if choices.options is None else choices.options.to_json()
    value: dict[str, Any] = _storable({"version": choices.version, "options": options, "decisions": decisions})
    return value


def _storable(value: Any) -> Any:
    """Return a value that both databases store as JSON and return unchanged."""
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
    """Delete the folder of a staged file with everything in it; earlier versions stored more than the content."""
    if not is_token(token):
        return
    for name in names_in(f"{FOLDER}/{token}", folders=False):
        default_storage.delete(f"{FOLDER}/{token}/{name}")
    default_storage.delete(f"{FOLDER}/{token}")


def names_in(path: str, *, folders: bool) -> list[str]:
    """Return the names of the folders or files in a folder of the storage, none if it does not exist."""
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
    Read a staged file with the standings of one contest, or the games of one event; add every problem to `report`.

    Returns the contest (None if there are errors) and the sketch of the file (None if it cannot be read at all).
    Raises ContestError if the file is gone.
    """
    found = _sketched(staged, choices, report)
    if found is None:
        return None, None
    options = _options(found, choices, report)
    contest = _one_contest(staged, options, report, progress)
    return (None if report.errors else contest), found


def read_sound(staged: Staged, choices: Choices, report: Report) -> ParsedContest:
    """Read a staged file as `read_staged` does; raise ParseError if there are errors."""
    parsed, _ = read_staged(staged, choices, report)
    if parsed is None:
        raise ParseError(report)
    return parsed


def options_in_use(staged: Staged, choices: Choices) -> ReadingOptions | None:
    """Return the options by which the file is read, None for the defaults."""
    report = Report()
    found = _sketched(staged, choices, report)
    return None if found is None else _options(found, choices, report)


def columns_of(found: Sketch | None, choices: Choices) -> Columns:
    """Return the way a table was read, for the form in which its organizer changes it."""
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
            stream = cast("BinaryIO", content)  # Django's files have the same methods
            return sketch(
                stream, filename=staged.filename, max_bytes=settings.PODIUM_UPLOAD_LIMIT, options=choices.options
            )
    except ParseError as error:
        for problem in error.report.errors:
            report.add(problem)
        return None


def _options(found: Sketch, choices: Choices, report: Report) -> ReadingOptions | None:
    """
    Return the options for reading the sketched file.

    If the organizer has not chosen the columns, an unknown column is ignored with a warning, because the page
    offers the choice. Everything else that is ambiguous remains an error of the reader.
    """
    if found.kind != "table" or (choices.options is not None and choices.options.columns is not None):
        return choices.options
    named = [column for column in found.columns if column.name and not column.field and not is_remarks(column.name)]
    unknown = [column for column in named if field_of(column.name) is None]
    fields = set((found.options.columns or {}).values())
    if found.header_row == 0 and not fields.isdisjoint(GAME_FIELDS):
        return found.options  # only the content shows that the rows are games
    if not unknown or len(unknown) < len(named) or "handle" not in fields or fields.isdisjoint(("rank", "score")):
        return choices.options
    for column in unknown:
        hint = f"Did you mean {column.near}? Choose" if column.near else "To use this column, choose"
        report.add(
            Problem(
                f"Unknown column, ignored. {hint} its contents under “How the file is read”.",
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
    contests: list[ParsedContest] = []
    with open_content(staged) as content:
        stream = cast("BinaryIO", content)
        for contest in iter_contests(
            stream, filename=staged.filename, report=report, max_bytes=settings.PODIUM_UPLOAD_LIMIT, options=options,
            progress=progress,
        ):  # fmt: skip
            contests.append(contest)
            if contest.game is None and len(contests) > 1:
                report.add(
                    Problem(
                        "The file contains several contests, but a draft holds one. Split the file, or import all of "
                        "it with the command import_contests."
                    )
                )
                break
            if len(contests) > MOST_GAMES:
                report.add(Problem(f"The file has more than {MOST_GAMES:,} games; split it."))
                break
    if not contests and not report.errors:
        report.add(Problem("The file contains no contest. It needs a header line and one line for each participant."))
    if contests and contests[0].game is not None:
        return _one_event(contests, report)
    return contests[0] if contests else None


def _one_event(games: list[ParsedContest], report: Report) -> ParsedContest:
    """Return the event of all games of a file; warn if the file names several."""
    names = {game.game.event for game in games if game.game is not None and game.game.event}
    if len(names) > 1:
        report.add(
            Problem(
                f"The file names {len(names):,} events, but a draft becomes one event with all of their games. To keep "
                "them apart, upload one file for each.",
                "warning",
            )
        )
    return event_of(games)
