"""
Staged files: stored until their organizer saves or discards them, with the organizer's choices.

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
from typing import TYPE_CHECKING, Any

from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from contests.errors import ChangedMeanwhile, ContestError
from contests.formats.table.corrections import corrections_as_json, corrections_from_json
from contests.formats.table.options import ReadingOptions
from contests.handles import printable
from contests.models import Upload, UploadState
from contests.services.quotas import check_upload

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.contrib.auth.models import User
    from django.core.files.base import File
    from django.db.models import QuerySet

    from contests.formats.table.corrections import Correction
    from contests.models import Contest


#: Staged files that are not saved within this time are deleted.
KEPT = timedelta(days=2)
FOLDER = "staging"
#: The file name of a pasted table.
PASTED = "pasted table"
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
    corrections
        1-based row of the file -> correction.
    stamp
        Identifies this state of the choices; a review has the stamp of the choices that it was made with.
    """

    version: int
    options: ReadingOptions | None = None
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    stamp: str = ""
    corrections: Mapping[int, Correction] = field(default_factory=dict)

    @property
    def reading(self) -> ReadingOptions | None:
        """The options with the corrections; None if the organizer chose and corrected nothing."""
        if not self.corrections:
            return self.options
        return replace(self.options or ReadingOptions(), corrections=self.corrections)

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
    """Return the staged file of a token; None if there never was one or it is gone."""
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
        raise ContestError(
            gettext("The file “%(filename)s” is no longer stored. Upload it again.") % {"filename": staged.filename}
        ) from error


def read_choices(staged: Staged) -> Choices:
    """Return the current choices."""
    stamp, said = staged_row(staged).values_list("stamp", "choices").first() or ("", None)
    if said is None:
        return Choices(-1)
    options = said["options"]
    return Choices(
        said["version"],
        None if options is None else ReadingOptions.from_json(options),
        {each["key"]: Decision(each["handle"], each["player_id"], each["is_alias"]) for each in said["decisions"]},
        stamp,
        corrections_from_json(said.get("corrections")),
    )


def write_choices(staged: Staged, choices: Choices) -> Choices:
    """
    Store changed choices, and return them with their new stamp.

    Raises ChangedMeanwhile if someone else has changed the stored choices since these were read.
    """
    stamp, unchanged = _new_stamp(), staged_row(staged).filter(stamp=choices.stamp)
    stored = unchanged.update(choices=_choices_as_json(choices), stamp=stamp, touched_at=timezone.now())
    if not stored and staged_row(staged).exists():
        raise ChangedMeanwhile(
            gettext("Someone else changed the review of “%(filename)s” at the same time. Check it, then try again.")
            % {"filename": staged.filename}
        )
    return replace(choices, stamp=stamp)


def read_review(staged: Staged) -> dict[str, Any] | None:
    """Return the latest review as it was stored, None if there is none; its choices may be outdated."""
    kept: dict[str, Any] | None = staged_row(staged).values_list("review", flat=True).first()
    return kept


def write_review(staged: Staged, review: Mapping[str, Any], *, stamp: str) -> bool:
    """Store a review unless its choices (`stamp`) are outdated; return whether it was stored."""
    newest = staged_row(staged).filter(stamp=stamp)
    return newest.update(review=_storable(review), touched_at=timezone.now()) > 0


def read_progress(staged: Staged) -> dict[str, Any] | None:
    """Return the last progress that a worker reported, None if no worker was asked."""
    kept: dict[str, Any] | None = staged_row(staged).values_list("progress", flat=True).first()
    return kept


def write_progress(staged: Staged, progress: Mapping[str, Any], *, stamp: str) -> bool:
    """Store the progress of a review unless its choices (`stamp`) are outdated; return whether it was stored."""
    newest = staged_row(staged).filter(stamp=stamp)
    return newest.update(progress=_storable(progress), touched_at=timezone.now()) > 0


def discard_staged(token: str) -> bool:
    """Delete a staged file and its choices; return whether there was one, so False if someone has just saved it."""
    if not is_token(token):
        return False
    # The row first, because a row without a file would be shown.
    is_found = delete_row(Upload.objects.staged().filter(token=token))
    delete_file(token)
    return is_found


@transaction.atomic
def delete_row(rows: QuerySet[Upload]) -> bool:
    """Delete the row of a staged file; return whether it was found."""
    # Wait for someone who is saving the file: DELETE has no condition but the id, so it would delete the saved upload.
    row = rows.select_for_update().first()
    if row is None:
        return False
    row.delete()
    return True


def staged_row(staged: Staged) -> QuerySet[Upload]:
    """Return the row of a staged file; nothing once it is saved or discarded."""
    return Upload.objects.staged().filter(token=staged.token)


def _new_stamp() -> str:
    return secrets.token_hex(12)


def _choices_as_json(choices: Choices) -> dict[str, Any]:
    # A list, because PostgreSQL does not preserve the order of keys.
    decisions = [{"key": key, **asdict(each)} for key, each in choices.decisions.items()]
    options = None if choices.options is None else choices.options.to_json()
    corrections = corrections_as_json(choices.corrections)
    value: dict[str, Any] = _storable(
        {"version": choices.version, "options": options, "decisions": decisions, "corrections": corrections}
    )
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
