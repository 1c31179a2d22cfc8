"""Changes of games: add one, and correct the result of one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING

from django.urls import reverse
from django.utils.translation import gettext, pgettext

from contests.changes.base import Change, ChangeDescription, contest_of, page_of
from contests.changes.of_standings import lines_about_new
from contests.errors import ContestError
from contests.handles import handle_key
from contests.models import Contest, Series
from contests.queries.games import game_rows, result_in_words
from contests.services.correcting import correct_result
from contests.services.describing import future_day_warning, is_in_future
from contests.services.events import GameEntry, add_game
from contests.services.games import known_games
from contests.services.standings import PlayerRegister
from contests.wording import day_in_words

if TYPE_CHECKING:
    from typing import Self

    from django.contrib.auth.models import User

    from contests.formats import ParsedContest

_RESULTS = {1: "1–0", 0: "½–½", -1: "0–1"}


@dataclass(frozen=True)
class AddGame(Change):
    """
    Add one game.

    day
        ISO 8601. The other fields are those of a `GameEntry`.
    """

    kind = "game.add"

    series_id: int
    sides: list[str]
    better: int
    day: str
    is_walkover: bool = False
    round: str = ""
    event_id: int | None = None
    handicaps: list[float | None] | None = None

    @classmethod
    def of(cls, series: Series, entry: GameEntry) -> Self:
        """Return the change that adds this game."""
        return cls(
            series.pk, list(entry.sides), entry.better, entry.day.isoformat(), entry.is_walkover, entry.round,
            entry.event_id, list(entry.handicaps) if any(entry.handicaps) else None,
        )  # fmt: skip

    def describe(self) -> ChangeDescription:
        series = Series.objects.filter(pk=self.series_id).first()
        if series is None:
            raise ContestError(gettext("This series no longer exists."))
        game = self._entry().parsed()
        form = reverse("organize:game-add", args=[series])
        event = Contest.objects.existing().filter(pk=self.event_id).first() if self.event_id else None
        names = {"game": game.name, "result": _RESULTS[self.better]}
        query = f"?event={event.pk}" if event is not None else ""
        return ChangeDescription(
            title=gettext("Add %(game)s, %(result)s") % names,
            button=gettext("Add game"),
            done=gettext("Added %(game)s, %(result)s.") % names,
            back=form + query,
            after=form + query,
            returns=True,
            series=[series],
            lines=self._lines(series, game, event),
            warnings=self._warnings(),
        )

    def apply(self, *, actor: User | None) -> None:
        add_game(self.series_id, entry=self._entry(), actor=actor)

    def _entry(self) -> GameEntry:
        one, other = self.sides
        day = date.fromisoformat(self.day)
        first, second = self.handicaps or (None, None)
        return GameEntry(
            (one, other), self.better, day, self.is_walkover, self.round, self.event_id, (first, second)
        )  # fmt: skip

    def _warnings(self) -> list[str]:
        """Return a warning about a day in the future."""
        day = date.fromisoformat(self.day)
        return [future_day_warning(day)] if is_in_future(datetime.combine(day, time.min, tzinfo=UTC)) else []

    def _lines(self, series: Series, game: ParsedContest, event: Contest | None) -> list[str]:
        ids = PlayerRegister(series.community_id).find(game.standings)
        day = day_in_words(date.fromisoformat(self.day))
        if event is not None:
            text = gettext("Played on %(day)s. The game will be added to “%(event)s”.")
            lines = [text % {"day": day, "event": event.name}]
        else:
            text = gettext("Played on %(day)s. The game will be listed with the games of that day.")
            lines = [text % {"day": day}]
        lines += lines_about_new(series, game.standings)
        if known_games(series.pk, [game], ids, handle_key):
            lines.append(
                gettext(
                    "The series already has a game between these players with this result on that day. Add it only if "
                    "they played again."
                )
            )
        for side, points in zip(self.sides, self.handicaps or (), strict=False):
            if points:
                text = gettext("“%(side)s” had a handicap of %(points)s rating points.")
                lines.append(text % {"side": side.strip(), "points": f"{points:+,.6g}"})
        if self.is_walkover:
            lines.append(gettext("The result was awarded without play, so it is not rated."))
        if series.needs_approval:
            lines.append(
                gettext(
                    "The game counts once the event is finalized: one organizer requests it, and another one confirms."
                )
            )
        return lines


@dataclass(frozen=True)
class CorrectResult(Change):
    """
    Correct the result of a game.

    scores
        The new scores of the two sides, in the order of the file; the side with the higher one wins.
    is_walkover
        Whether the result was awarded without play; None to leave it as it is.
    """

    kind = "game.result"

    contest_id: int
    version: int
    scores: list[float]
    is_walkover: bool | None = None

    def describe(self) -> ChangeDescription:
        game = contest_of(self.contest_id)
        (row,) = game_rows([game])
        one, other = self.scores
        is_walkover = game.is_walkover if self.is_walkover is None else self.is_walkover
        result = result_in_words((one, other), is_walkover=is_walkover)
        names = {"game": game.name, "result": result}
        return ChangeDescription(
            gettext("Correct %(game)s to %(result)s") % names,
            pgettext("button", "Correct"),
            gettext("Corrected %(game)s to %(result)s.") % names,
            page_of(game),
            [game.series],
            game,
            self._lines(game),
            differences=[(gettext("result"), row.result, result)],
        )

    def apply(self, *, actor: User | None) -> None:
        one, other = self.scores
        correct_result(
            self.contest_id, scores=(one, other), is_walkover=self.is_walkover, reason=self.reason,
            version=self.version, actor=actor,
        )  # fmt: skip

    def _lines(self, game: Contest) -> list[str]:
        if self.is_walkover in (None, game.is_walkover):
            return []
        if self.is_walkover:
            return [gettext("The result was awarded without play, so the game is no longer rated.")]
        return [gettext("The game was played, so it is rated.")]
