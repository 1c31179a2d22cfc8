"""
Save files as standings: a staged file into a draft, or a whole file of contests into a series.

Both are all or nothing. An import stores and finalizes every contest of its file that is new.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from django.core.files import File
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from contests.bulk import analyze_after_commit
from contests.errors import ChangedMeanwhile, ContestError
from contests.formats import ParseError, Report, iter_contests
from contests.models import Contest, ContestState, Player, Series, Upload, UploadState
from contests.services.contests import insert_contest, save_standings
from contests.services.describing import ContestDescription, describe_contest
from contests.services.events import save_games
from contests.services.games import known_games
from contests.services.renaming import add_alias
from contests.services.standings import PlayerRegister, content_hash, write_standings
from contests.services.transactions import lock_players_shared, locked_contest, record, retried
from contests.signals import results_changed
from contests.uploads.correcting import corrections_in_words
from contests.uploads.importing_games import GameImport
from contests.uploads.reading import options_in_use, read_sound
from contests.uploads.review import OTHER_SERIES, players_in_other_series
from contests.uploads.staging import discard_staged, open_content

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from collections.abc import Set as AbstractSet
    from datetime import datetime
    from typing import Any

    from django.contrib.auth.models import User

    from contests.formats import ParsedContest, Problem
    from contests.uploads.staging import Choices, Staged


#: Warnings kept with an upload; all are counted.
KEPT_WARNINGS = 200
#: Corrections of rows listed in the audit entry; the upload keeps all of them.
KEPT_CORRECTIONS = 50


def save_staged(
    staged: Staged, *, choices: Choices, version: int, actor: User, tell: Callable[[str, int], None] | None = None
) -> Contest:
    """
    Save the standings of a staged file in its draft, keep the file, and add the aliases: all of it, or nothing.

    version
        The version of the contest that the organizer saw; ChangedMeanwhile if there is a newer one.
    tell
        Called with a stage ("reading", "saving") and the number of rows read.

    Raises ParseError with the problems of a file that has errors. Afterwards, the file is no longer staged.
    """
    report = Report()
    parsed = read_sound(staged, choices, report, None if tell is None else lambda rows: tell("reading", rows))
    if tell is not None:
        tell("saving", len(parsed.standings))
    names: list[str] = []
    try:
        contest = _save(staged, choices, parsed, report, version=version, actor=actor, stored=names)
    finally:
        # A rollback does not delete files, so delete the files of failed attempts.
        used = set(Upload.objects.filter(file__in=names).values_list("file", flat=True)) if names else set()
        for name in set(names) - used:
            Upload._meta.get_field("file").storage.delete(name)
    discard_staged(staged.token)
    return contest


@retried
@transaction.atomic(durable=True)
def _save(
    staged: Staged, choices: Choices, parsed: ParsedContest, report: Report, *, version: int, actor: User,
    stored: list[str],
) -> Contest:  # fmt: skip
    # Lock the contest before its players, as everyone does, to avoid deadlocks.
    lock_players_shared()
    series = locked_contest(staged.contest_id, version=version).series
    decided = _resolved(choices, series.community_id)
    corrections = corrections_in_words(staged, choices)[:KEPT_CORRECTIONS]
    upload = _keep_upload(staged, choices, report, actor, stored)
    register = PlayerRegister(series.community_id, decided)
    present = {register.key(standing.handle) for standing in parsed.standings} if decided else set()
    _add_aliases(choices, decided, present, None if series.is_public else series.pk, actor)
    if parsed.games:
        games = new_games(staged, parsed, register)
        return save_games(
            staged.contest_id, games=games, upload=upload, register=register, version=version, actor=actor,
            corrections=corrections,
        )  # fmt: skip
    return save_standings(
        staged.contest_id, parsed=parsed, upload=upload, register=register, version=version, actor=actor,
        corrections=corrections,
    )  # fmt: skip


def new_games(staged: Staged, parsed: ParsedContest, register: PlayerRegister) -> list[ParsedContest]:
    """Return the games of a file that the series does not have yet; ContestError if it has all of them."""
    ids = register.find(parsed.standings)
    known = known_games(staged.series_id, parsed.games, ids, register.key, besides=staged.contest_id)
    if len(known) == len(parsed.games):
        raise ContestError(gettext("The series already has all games of this file. There is nothing to save."))
    return [game for i, game in enumerate(parsed.games) if i not in known]


def _keep_upload(staged: Staged, choices: Choices, report: Report, actor: User | None, stored: list[str]) -> Upload:
    """
    Turn a staged file into a saved upload, in the caller's transaction.

    The same file, read in the same way, is the same upload. The name of a newly stored file is added to `stored`.
    """
    series = Series.objects.select_for_update(no_key=True).get(pk=staged.series_id)
    upload = series.uploads.staged().select_for_update(no_key=True).filter(token=staged.token).first()
    if upload is None:
        raise ContestError(
            gettext("The file “%(filename)s” is no longer stored. Upload it again.") % {"filename": staged.filename}
        )
    if upload.stamp != choices.stamp:
        raise ChangedMeanwhile(
            gettext("Someone else changed the review of “%(filename)s” at the same time. Nothing was saved.")
            % {"filename": staged.filename}
        )
    options = options_in_use(staged, choices)
    reading = {} if options is None else options.to_json()
    decisions = {each.handle: each.player_id for each in choices.decisions.values()}
    for known in series.uploads.saved().filter(sha256=staged.sha256).order_by("id"):
        if (known.reading, known.decisions) == (reading, decisions) and known.file.storage.exists(
            known.file.name or ""
        ):
            upload.delete()
            known.token = staged.token
            known.save(update_fields=["token"])
            return known
    upload.state, upload.draft, upload.stamp = UploadState.SAVED, None, ""
    upload.choices = upload.review = upload.progress = upload.saving = None
    upload.reading, upload.decisions, upload.created_by, upload.created_at = reading, decisions, actor, timezone.now()
    upload.report = {
        "warnings": [str(problem) for problem in report.warnings[:KEPT_WARNINGS]],
        "warning_count": report.warning_count,
    }
    with open_content(staged) as content:
        upload.file.save(staged.sha256, content, save=False)
    stored.append(upload.file.name or "")
    upload.save()
    return upload


def apply_file_description(contest: Contest, changes: Mapping[str, Any], *, version: int, actor: User) -> Contest:
    """Change the description of a draft to that of a file; `changes` has the new values by field."""
    values = {name: getattr(contest, name) for name in ContestDescription.__slots__}
    description = ContestDescription(**{**values, **changes})
    return describe_contest(contest.pk, description=description, version=version, actor=actor)


def _resolved(choices: Choices, community: str) -> dict[str, int]:
    """Return the players that the organizer chose, following merges: key of a handle -> id."""
    chosen = choices.known_players
    locked = Player.objects.select_for_update(no_key=True, of=("self",))
    players = locked.filter(pk__in=set(chosen.values()), community=community)
    now = {player.pk: player.merged_into_id or player.pk for player in players.order_by("pk")} if chosen else {}
    for key, player_id in chosen.items():
        if player_id not in now:
            raise ContestError(
                gettext("The player chosen for “%(handle)s” no longer exists. Choose again.")
                % {"handle": choices.decisions[key].handle}
            )
    return {key: now[player_id] for key, player_id in chosen.items()}


def _add_aliases(
    choices: Choices, decided: Mapping[str, int], present: AbstractSet[str], series_id: int | None, actor: User
) -> None:
    """Add handles of the file as aliases of known players; ContestError if one belongs to another player."""
    aliases = {key: player_id for key, player_id in decided.items() if choices.decisions[key].is_alias}
    own = dict(Player.objects.filter(pk__in=set(aliases.values())).values_list("pk", "handle_key")) if aliases else {}
    foreign = players_in_other_series(aliases.values(), actor)
    for key, player_id in aliases.items():
        handle = choices.decisions[key].handle
        if key not in present or own[player_id] == key:
            continue
        if player_id in foreign:
            raise ContestError(
                gettext("“%(handle)s” cannot be remembered: %(other_series)s")
                % {"handle": handle, "other_series": OTHER_SERIES}
            )
        try:
            add_alias(player_id, handle=handle, series_id=series_id, actor=actor)
        except ContestError as error:
            raise ContestError(
                gettext(
                    "“%(handle)s” cannot be remembered as another name. %(error)s Or choose the player for this "
                    "file only."
                )
                % {"handle": handle, "error": error}
            ) from error


#: The fields by which two contests with the same ID are compared.
_COMPARED = ("slug", "content_hash", "ends_at", "weight", "perf_ceiling")


@dataclass(slots=True)
class ImportResult:
    """The outcome of an import; `skipped` counts the contests that already existed with the same content."""

    created: int = 0
    skipped: int = 0
    standings: int = 0
    players_created: int = 0
    warnings: list[Problem] = field(default_factory=list)
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """
    Options of an import.

    repair
        Whether to repair damaged names instead of rejecting them (see docs/formats.md); each repair is a warning.
    name, ends_at
        The name and end of the contest, for files that do not contain them (tables, workbooks). The name replaces
        one in the file; the end does not.
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

    An import can be repeated: it skips contests that already exist with the same content. An existing contest with
    other content is an error, because rated results change only on purpose. If there are errors, nothing is stored, and
    the ParseError contains all problems.
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
    _Import(series, options, upload, report, result, actor).run(path, progress)
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
    """One pass over a file: it stops storing at the first error, but reads on to find all problems."""

    def __init__(
        self, series: Series, options: ImportOptions, upload: Upload | None, report: Report, result: ImportResult,
        actor: User | None,
    ) -> None:  # fmt: skip
        self.series, self.options, self.upload, self.report, self.result = series, options, upload, report, result
        self.register = PlayerRegister(series.community_id, indexes_later=True)
        self.games = GameImport(series, options, upload, self.register, result, report, actor)
        self.existing = {
            contest.slug: contest for contest in series.contests.existing().filter(event=None).only(*_COMPARED)
        }

    def run(self, path: Path, progress: Callable[[int], None] | None) -> None:
        contests = iter_contests(
            path, filename=path.name, report=self.report, repair=self.options.repair, max_bytes=self.options.max_bytes
        )
        for number, parsed in enumerate(contests, start=1):
            if not self.report.errors and parsed.game is not None:
                self.games.add(parsed)
            elif not self.report.errors:
                self._store(parsed)
            if progress is not None:
                progress(number)
        if not self.report.errors:
            self.games.store()
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
            upload=self.upload, has_teams=parsed.has_teams, has_shares=parsed.has_shares,
            has_handicaps=parsed.has_handicaps, standing_count=len(parsed.standings), content_hash=digest,
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
        if parsed.key:  # tables contain no weights
            differences += [("another weight", contest.weight != parsed.weight)]
            differences += [("another performance ceiling", contest.perf_ceiling != parsed.perf_ceiling)]
        found = [name for name, differs in differences if differs]
        if found:
            raise ContestError(
                f"Contest “{contest.slug}” of series “{self.series.slug}” already exists with {' and '.join(found)}. "
                "Correct its rows on its page, or delete it there and import the file again. Nothing was imported."
            )
        self.result.skipped += 1

    def _description(self, parsed: ParsedContest, slug: str) -> ContestDescription:
        ends_at = parsed.ends_at or self.options.ends_at
        if ends_at is None:
            raise ContestError(
                gettext(
                    "The file does not say when contest “%(slug)s” ended. Add, for example, --end 2025-05-01T18:00:00Z."
                )
                % {"slug": slug}
            )
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
    """Whether this file has been imported before, and all its contests still exist unchanged."""
    for upload in series.uploads.saved().filter(sha256=digest):
        intact = upload.contests.existing().exclude(content_hash="").count()
        # A file is read again if some of its contests came from other files, because they may be gone by now.
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
