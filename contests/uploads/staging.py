"""
Files on their way in: kept below `staging/` of the default storage under a random token, and in no table.

Beside the content stand small JSON records. A record is never overwritten: a new one is written under a later name and
the older ones are deleted, so that whoever reads at that moment finds one of the two, whole, on every kind of storage.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import time
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from contests.formats import ReadingOptions
from contests.handles import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.contrib.auth.models import User
    from django.core.files.base import File

    from contests.models import Contest

#: What nobody has saved by then is deleted.
KEPT = timedelta(days=2)
FOLDER = "staging"
_TOKEN = re.compile(r"[0-9a-f]{32}")
_CONTENT, _STAGED = "content", "staged.json"
#: How gzip and zip archives begin; a workbook is one of these, whatever it is called.
_PACKED = (b"\x1f\x8b", b"PK\x03\x04")

Kind = Literal["choices", "review", "progress"]


@dataclass(frozen=True, slots=True)
class Staged:
    """
    A file that waits for its organizer.

    lines
        0 where it is packed and nobody has counted.
    is_packed
        Whether what is in it is much more than its size.
    """

    token: str
    series_id: int
    contest_id: int
    user_id: int
    filename: str
    size: int
    sha256: str
    created: str
    lines: int = 0
    is_packed: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """Who is meant by a handle: a known player, or, if `player_id` is None, somebody new."""

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
    """Whether the text could name a staged file; nothing else is ever looked for in the storage."""
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
        timezone.now().isoformat(), 0 if is_packed else lines, is_packed,
    )  # fmt: skip
    content.seek(0)
    try:
        default_storage.save(_path(staged.token, _CONTENT), content)
        write_choices(staged, Choices(contest.version))
        default_storage.save(_path(staged.token, _STAGED), _as_file(asdict(staged)))
    except OSError:
        # Of a file for which there is no room nothing stays.
        discard_staged(staged.token)
        raise
    return staged


def find_staged(token: str) -> Staged | None:
    """Return the staged file of a token, None if there is none (any more)."""
    if not is_token(token):
        return None
    try:
        return Staged(**_read(token, _STAGED))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def open_content(staged: Staged) -> File[bytes]:
    """Open the file as it came; FileNotFoundError if it was discarded this moment."""
    return default_storage.open(_path(staged.token, _CONTENT), "rb")


def read_choices(staged: Staged) -> Choices:
    """Return what was chosen last."""
    stamp, said = read_record(staged, "choices") or ("", {"version": -1, "options": None, "decisions": {}})
    options = said["options"]
    return Choices(
        said["version"],
        None if options is None else ReadingOptions.from_json(options),
        {key: Decision(**each) for key, each in said["decisions"].items()},
        stamp,
    )


def write_choices(staged: Staged, choices: Choices) -> Choices:
    """Keep the choices; return them with their stamp."""
    said = {
        "version": choices.version,
        "options": None if choices.options is None else choices.options.to_json(),
        "decisions": {key: asdict(each) for key, each in choices.decisions.items()},
    }
    return replace(choices, stamp=write_record(staged, "choices", said))


def write_record(staged: Staged, kind: Kind, value: Mapping[str, Any]) -> str:
    """Keep a record in place of those of its kind; return its stamp."""
    stamp = f"{time.time_ns():020}{secrets.token_hex(2)}"
    older = _stamps(staged.token, kind)
    default_storage.save(_path(staged.token, f"{kind}.{stamp}.json"), _as_file(value))
    for each in older:
        default_storage.delete(_path(staged.token, f"{kind}.{each}.json"))
    return stamp


def read_record(staged: Staged, kind: Kind) -> tuple[str, dict[str, Any]] | None:
    """Return stamp and content of the newest record of a kind, None if there is none."""
    for _ in range(3):  # what is listed may be replaced before it is read, and what is being written is not whole yet
        for stamp in reversed(_stamps(staged.token, kind)):
            try:
                return stamp, _read(staged.token, f"{kind}.{stamp}.json")
            except (FileNotFoundError, ValueError):
                continue
    return None


def discard_staged(token: str) -> None:
    """Forget a staged file and all that was chosen for it; nothing happens a second time."""
    if not is_token(token):
        return
    # First what makes it a staged file: what is half gone is not there.
    for name in sorted(_names(token), key=lambda name: name != _STAGED):
        default_storage.delete(_path(token, name))
    default_storage.delete(f"{FOLDER}/{token}")


def sweep_staged(now: datetime | None = None) -> int:
    """Delete what has waited longer than two days; return how many files that were."""
    before = (now or timezone.now()) - KEPT
    old = [token for token in _listed(FOLDER, folders=True) if is_token(token) and _newest(token) < before]
    for token in old:
        discard_staged(token)
    return len(old)


def _newest(token: str) -> datetime:
    """Return when anything of a staged file was last written; of an empty folder, when it was made."""
    moments = [datetime.min.replace(tzinfo=UTC)]
    for path in [_path(token, name) for name in _names(token)] or [f"{FOLDER}/{token}"]:
        try:
            moments.append(default_storage.get_modified_time(path))
        except FileNotFoundError:
            continue  # replaced meanwhile, so it is in use
    return max(moments)


def _stamps(token: str, kind: Kind) -> list[str]:
    """Return the stamps of the records of a kind, oldest first."""
    pattern = re.compile(rf"{kind}\.([0-9a-f]{{24}})\.json")
    return sorted(match[1] for name in _names(token) if (match := pattern.fullmatch(name)))


def _names(token: str) -> list[str]:
    return _listed(f"{FOLDER}/{token}", folders=False)


def _listed(path: str, *, folders: bool) -> list[str]:
    try:
        return default_storage.listdir(path)[0 if folders else 1]
    except FileNotFoundError:
        return []


def _path(token: str, name: str) -> str:
    return f"{FOLDER}/{token}/{name}"


def _read(token: str, name: str) -> dict[str, Any]:
    with default_storage.open(_path(token, name), "rb") as file:
        value = json.loads(file.read())
    if not isinstance(value, dict):
        raise ValueError(f"{name} holds no object")
    return value


def _as_file(value: Mapping[str, Any]) -> ContentFile:
    return ContentFile(json.dumps(value, separators=(",", ":")).encode())
