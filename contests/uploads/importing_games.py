"""Import of files of games: the games of each event are stored together, and finalized."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext

from contests.bulk import LEAST_WRITTEN, analyze_within
from contests.errors import ContestError
from contests.formats import Problem
from contests.formats.events import event_of
from contests.models import Contest, ContestState, Standing
from contests.services.contests import ContestDescription, insert_contest
from contests.services.games import insert_games, known_games, refresh_event
from contests.services.transactions import record

if TYPE_CHECKING:
    from datetime import datetime

    from django.contrib.auth.models import User

    from contests.formats import ParsedContest, Report
    from contests.models import Series, Upload
    from contests.services.standings import PlayerRegister
    from contests.uploads.saving import ImportOptions, ImportResult

#: The tables are counted again when the games of an import have multiplied by this.
_GROWTH = 4


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
        """Store the games that the series does not have yet, each event with its own."""
        analyze_at = LEAST_WRITTEN
        for name, games in self._games.items():
            if self.result.created >= analyze_at:
                analyze_within(Contest, Standing)
                analyze_at = _GROWTH * self.result.created
            for game in games:
                game.ends_at = game.ends_at or self._end(name)
            new = self._new(games)
            if new:
                self._store(name, new)

    def _new(self, games: list[ParsedContest]) -> list[ParsedContest]:
        ids = self.register.find(row for game in games for row in game.standings)
        known = known_games(self.series.pk, games, ids, self.register.key)
        self.result.skipped += len(known)
        for i, found in known.items():
            details = games[i].game
            if found.is_changed and details is not None:
                what = "The result of this game has been corrected in the series since; it is left out."
                self.report.add(Problem(what, "warning", row=details.row, value=f"“{games[i].name}”"))
        return [game for i, game in enumerate(games) if i not in known]

    def _store(self, name: str, games: list[ParsedContest]) -> None:
        event = self._event(name, games)
        now = timezone.now()
        since = insert_games(event, games, self.register, upload=self.upload, finalized_at=now)
        refresh_event(event.pk)
        record(
            "event.games", subject=f"contest {event.slug}", contest=event, actor=self.actor,
            after={"games": len(games)},
        )  # fmt: skip
        self.result.created += len(games)
        self.result.standings += sum(len(game.standings) for game in games)
        if since is not None:
            self.result.since = min(self.result.since or since, since)

    def _event(self, name: str, games: list[ParsedContest]) -> Contest:
        """Return the event of this name: an existing one, or a new one."""
        slug = slugify(name, allow_unicode=True)[:100] or "games"
        existing = self.series.contests.existing().filter(slug=slug).first()
        if existing is None:
            dates = event_of(games)
            described = ContestDescription(
                name=name[:300], ends_at=dates.ends_at or self._end(name), starts_at=dates.starts_at, is_rated=False
            )
            return insert_contest(
                self.series, slug, described, state=ContestState.FINALIZED, finalized_at=timezone.now(),
                upload=self.upload, is_event=True,
            )  # fmt: skip
        if existing.is_event and existing.is_finalized:
            return existing
        what = "is a draft" if existing.is_event else "is not an event of games"
        raise ContestError(
            gettext(
                "Contest “%(slug)s” of series “%(contest)s” %(what)s, so these games cannot be added to it. "
                "Give the event another name with --name, or delete that contest. Nothing was imported."
            )
            % {"slug": slug, "contest": self.series.slug, "what": what}
        )

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
