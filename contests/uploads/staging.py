"""
Files on their way in: each is a row of `Upload` in the state "staged", and a file below `staging/` of the storage.

The row holds what changes while the file is reviewed: choices, review and progress. Each is written by one UPDATE,
which locks the row; a review and progress only as long as the choices that they belong to are the newest.
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
from django.utils import timezone

from contests.formats import ReadingOptions
from contests.handles import printable
from contests.models import Upload, UploadState

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from django.contrib.auth.models import User
    from django.core.files.base import File
    from django.db.models import QuerySet

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
        _delete_file(staged.token)
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
    _delete_file(token)


def sweep_staged(now: datetime | None = None) -> int:
    """Delete what has waited longer than two days, and old files without a row; return how many files that were."""
    before = (now or timezone.now()) - KEPT
    count = 0
    for pk, token in list(Upload.objects.staged().filter(touched_at__lt=before).values_list("pk", "token")):
        if Upload.objects.staged().filter(pk=pk, touched_at__lt=before).delete()[0]:
            _delete_file(token or "")
            count += 1
    for token in filter(is_token, _listed(FOLDER, folders=True)):
        if _newest(token) < before and not Upload.objects.filter(token=token).exists():
            _delete_file(token)
            count += 1
    return count


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


def _delete_file(token: str) -> None:
    """Delete the folder of a staged file with all that is in it; earlier versions kept more than the content there."""
    if not is_token(token):
        return
    for name in _listed(f"{FOLDER}/{token}", folders=False):
        default_storage.delete(f"{FOLDER}/{token}/{name}")
    default_storage.delete(f"{FOLDER}/{token}")


def _newest(token: str) -> datetime:
    """Return when anything in the folder of a staged file was last written; of an empty one, when it was made."""
    names = _listed(f"{FOLDER}/{token}", folders=False)
    moments = []
    for path in [f"{FOLDER}/{token}/{name}" for name in names] or [f"{FOLDER}/{token}"]:
        try:
            moments.append(default_storage.get_modified_time(path))
        except FileNotFoundError:
            continue  # deleted meanwhile
    return max(moments, default=timezone.now())


def _listed(path: str, *, folders: bool) -> list[str]:
    try:
        return default_storage.listdir(path)[0 if folders else 1]
    except FileNotFoundError:
        return []


def _path(token: str) -> str:
    return f"{FOLDER}/{token}/content"
