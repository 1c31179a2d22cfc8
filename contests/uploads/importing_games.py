"""Import of files of games: the games of each event are stored together, and finalized."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext

from contests.bulk import LEAST_WRITTEN, analyze_within, chunks, insert_objects
from contests.errors import ContestError
from contests.formats import Problem
from contests.matching.titles import add_contests
from contests.models import Contest, ContestState, Standing
from contests.services.games import insert_games_of, known_games, refresh_events
from contests.services.transactions import record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from django.contrib.auth.models import User

    from contests.formats import ParsedContest, Report
    from contests.models import Series, Upload
    from contests.services.standings import PlayerRegister
    from contests.uploads.saving import ImportOptions, ImportResult

#: PostgreSQL analyzes the tables again when an import has multiplied their games by this factor.
_GROWTH = 4
#: Games that are stored together, unless one event has more.
_BATCH = 5_000
#: Events further apart are stored one after the other.
_LARGEST_GAP = timedelta(days=31)


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
            game = placed[i][1]
            if found.is_changed and game.game is not None:
                what = "The result of this game has been corrected in the series since; it is left out."
                self.report.add(Problem(what, "warning", row=game.game.row, value=f"“{game.name}”"))
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
