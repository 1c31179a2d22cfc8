"""
Import a whole file of contests or games into a series: all of it, or nothing.

An import stores and finalizes every contest of its file that is new. It collects the games by event.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from django.core.files import File
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext

from contests.bulk import LEAST_WRITTEN, analyze_after_commit, analyze_within, chunks, insert_objects
from contests.errors import ContestError
from contests.formats import ParseError, Report, iter_contests
from contests.matching.titles import add_contests
from contests.models import Contest, ContestState, Series, Standing, Upload
from contests.services.audit import record
from contests.services.contests import insert_contest
from contests.services.describing import ContestDescription
from contests.services.games import insert_games_of, known_games, refresh_events
from contests.services.standings import PlayerRegister, write_standings
from contests.services.transactions import lock_players_shared, retried
from contests.signals import results_changed
from contests.uploads.games import warn_of_known
from contests.uploads.staging import format_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from django.contrib.auth.models import User

    from contests.formats import ParsedContest, Problem

#: PostgreSQL analyzes the tables again when an import has multiplied their games by this factor.
_GROWTH = 4
#: The most games to store together, unless one event has more.
_BATCH = 5_000
#: Events further apart are stored one after the other.
_LARGEST_GAP = timedelta(days=31)
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
        digest = self.register.digest(parsed.standings)
        if slug in self.existing:
            self._compare(self.existing[slug], digest, parsed)
            return
        description = self._description(parsed, slug)
        contest = insert_contest(
            self.series, slug, description, state=ContestState.FINALIZED, finalized_at=timezone.now(),
            upload=self.upload, has_teams=parsed.has_teams, has_shares=parsed.has_shares,
            has_handicaps=parsed.has_handicaps, has_times=parsed.has_times, standing_count=len(parsed.standings),
            content_hash=digest,
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
        format=format_of(path.name), created_by=actor,
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


class GameImport:
    """Collects the games of a file by event, and stores them at the end of the file."""

    def __init__(
        self, series: Series, options: ImportOptions, upload: Upload | None, register: PlayerRegister,
        result: ImportResult, report: Report, actor: User | None,
    ) -> None:  # fmt: skip
        self.series, self.options, self.upload, self.register = series, options, upload, register
        self.result, self.report, self.actor = result, report, actor
        self._games: dict[str, list[ParsedContest]] = {}

    def add(self, game: ParsedContest) -> None:
        """Collect a game."""
        named = game.game.event if game.game is not None else ""
        fallback = Path(self.upload.filename).stem if self.upload is not None else "games"
        self._games.setdefault(self.options.name or named or fallback, []).append(game)

    def store(self) -> None:
        """Store the games that the series does not have yet, several events at a time."""
        analyze_at = LEAST_WRITTEN
        for batch in self._batches():
            if self.result.created >= analyze_at:
                analyze_within(Contest, Standing)
                analyze_at = _GROWTH * self.result.created
            new = self._new(batch)
            if new:
                self._store(new)

    def _batches(self) -> Iterator[dict[str, list[ParsedContest]]]:
        """
        Yield events to be stored together, in the order of the file.

        Two events that may have a game in common are in different batches, so that the later one finds the game among
        those of the series. So are events far apart in time, so that no batch reads the years between them.
        """
        batch: dict[str, list[ParsedContest]] = {}
        taken: set[object] = set()
        moments: list[datetime] = []
        for name, games in self._games.items():
            for game in games:
                game.ends_at = game.ends_at or self._end(name)
            own = self._identities(games)
            ends = [game.ends_at for game in games if game.ends_at is not None]
            gap = max(min(ends) - max(moments), min(moments) - max(ends)) if moments else _LARGEST_GAP
            if batch and (len(moments) + len(games) > _BATCH or gap > _LARGEST_GAP or not own.isdisjoint(taken)):
                yield batch
                batch, taken, moments = {}, set(), []
                own = self._identities(games)  # again, because new players now have ids
            batch[name] = games
            taken |= own
            moments += ends
        if batch:
            yield batch

    def _identities(self, games: list[ParsedContest]) -> set[object]:
        """Return everything by which `known_games` may recognize one of these games."""
        ids, key_of = self.register.find(row for game in games for row in game.standings), self.register.key
        found: set[object] = {game.key for game in games if game.key}
        for game in games:
            keys = [key_of(row.handle) for row in game.standings]
            found.add((game.ends_at, frozenset(ids.get(key, key) for key in keys)))
        return found

    def _new(self, batch: dict[str, list[ParsedContest]]) -> dict[str, list[ParsedContest]]:
        """Return the games of each event that the series does not have, and count the others as skipped."""
        placed = [(name, game) for name, games in batch.items() for game in games]
        ids = self.register.find(row for _, game in placed for row in game.standings)
        known = known_games(self.series.pk, [game for _, game in placed], ids, self.register.key)
        self.result.skipped += len(known)
        for i, found in known.items():
            if found.is_changed:
                warn_of_known(placed[i][1], found, self.report)
        new: dict[str, list[ParsedContest]] = {}
        for i, (name, game) in enumerate(placed):
            if i not in known:
                new.setdefault(name, []).append(game)
        return new

    def _store(self, new: dict[str, list[ParsedContest]]) -> None:
        now = timezone.now()
        events = self._events(new, now)
        placed = [(events[name], games) for name, games in new.items()]
        since = insert_games_of(placed, self.register, upload=self.upload, finalized_at=now)
        refresh_events(list({event.pk: None for event, _ in placed}))
        for event, games in placed:
            record(
                "event.games", subject=f"contest {event.slug}", contest=event, actor=self.actor,
                after={"games": len(games)},
            )  # fmt: skip
            self.result.created += len(games)
            self.result.standings += sum(len(game.standings) for game in games)
        if since is not None:
            self.result.since = min(self.result.since or since, since)

    def _events(self, new: dict[str, list[ParsedContest]], now: datetime) -> dict[str, Contest]:
        """Return the event of each name: an existing one, or a new one."""
        slugs = {name: slugify(name, allow_unicode=True)[:100] or "games" for name in new}
        existing = self.series.contests.existing().select_related("series")
        by_slug = {
            event.slug: event for part in chunks(list(set(slugs.values()))) for event in existing.filter(slug__in=part)
        }
        created = []
        for name, slug in slugs.items():
            if slug in by_slug:
                self._check_takes_games(by_slug[slug])
                continue
            by_slug[slug] = self._new_event(name, slug, new[name], now)
            created.append(by_slug[slug])
        try:
            with transaction.atomic():
                insert_objects(created)
                add_contests([(event.pk, event.name) for event in created])
        except IntegrityError as error:
            raise ContestError(
                gettext(
                    "Someone else has just added one of these events to series “%(slug)s”. Import the file again. "
                    "Nothing was imported."
                )
                % {"slug": self.series.slug}
            ) from error
        return {name: by_slug[slug] for name, slug in slugs.items()}

    def _new_event(self, name: str, slug: str, games: list[ParsedContest], now: datetime) -> Contest:
        ends = [game.ends_at for game in games if game.ends_at is not None]
        return Contest(
            series=self.series, slug=slug, name=name[:300], starts_at=min(ends), ends_at=max(ends), is_rated=False,
            is_event=True, state=ContestState.FINALIZED, finalized_at=now, upload=self.upload,
        )  # fmt: skip

    def _check_takes_games(self, existing: Contest) -> None:
        if existing.is_event and existing.is_finalized:
            return
        if existing.is_event:
            what = gettext(
                "Contest “%(slug)s” of series “%(series)s” is a draft, so these games cannot be added to it."
            )
        else:
            what = gettext(
                "Contest “%(slug)s” of series “%(series)s” is not an event of games, "
                "so these games cannot be added to it."
            )
        remedy = gettext("Give the event another name with --name, or delete that contest. Nothing was imported.")
        what %= {"slug": existing.slug, "series": self.series.slug}
        raise ContestError(f"{what} {remedy}")

    def _end(self, name: str) -> datetime:
        if self.options.ends_at is None:
            raise ContestError(
                gettext(
                    "The file does not say when the games of “%(name)s” were played. Add, for example, --end "
                    "2025-05-01T18:00:00Z."
                )
                % {"name": name}
            )
        return self.options.ends_at
