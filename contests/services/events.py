"""Events: drafts whose games come from one file, and single games that organizers enter."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.utils import timezone, translation
from django.utils.translation import gettext

from contests.bulk import analyze_after_commit
from contests.errors import ContestError
from contests.formats.base import Reading, Report
from contests.formats.games.building import GameBuilder, Place, Side
from contests.formats.games.results import Result, is_empty_side
from contests.formats.table.options import ReadingOptions
from contests.formats.values import checked_handicap
from contests.models import ContestState, Series
from contests.services.audit import record
from contests.services.contests import free_slug, insert_contest, locked_draft
from contests.services.describing import ContestDescription
from contests.services.games import discard_games, insert_games, refresh_event
from contests.services.quotas import check_contests, check_players
from contests.services.standings import PlayerRegister
from contests.services.transactions import announce, lock_players_shared, locked_contest, retried, save_change
from contests.wording import day_in_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.contrib.auth.models import User

    from contests.formats import ParsedContest
    from contests.models import Contest, Upload

#: The beginning of the slug of an event with the games of a day.
_OF_DAY = "games-"


@retried
@transaction.atomic
def save_games(
    contest_id: int,
    *,
    games: Sequence[ParsedContest],
    upload: Upload | None = None,
    register: PlayerRegister | None = None,
    version: int | None = None,
    actor: User | None = None,
    corrections: Sequence[str] = (),
) -> Contest:
    """
    Make a draft an event with these games; games that it had before are discarded.

    The weight and the ceiling of the draft become those of its games. ContestError if the draft has rating limits,
    which apply to contests only.
    """
    lock_players_shared()
    event = locked_draft(contest_id, version)
    if event.rating_lower_limit is not None or event.rating_upper_limit is not None:
        raise ContestError(
            gettext("“%(name)s” has rating limits, which do not apply to games. Remove them first.")
            % {"name": event.name}
        )
    register = register or PlayerRegister(event.series.community_id)
    before = {"games": event.game_count, "standings": event.standing_count}
    weight, ceiling, is_rated = event.weight, event.perf_ceiling, event.is_rated or event.is_event
    event.standings.all().delete()
    discard_games(event)
    event.is_event, event.is_rated, event.content_hash, event.upload = True, False, "", upload
    event.has_teams = any(game.has_teams for game in games)
    save_change(event, "is_event", "is_rated", "content_hash", "upload", "has_teams")
    insert_games(event, games, register, upload=upload)
    changed = {"weight": weight, "perf_ceiling": ceiling} | ({} if is_rated else {"is_rated": False})
    event.games.update(**changed)
    if register.created:
        check_players(event.series.community_id, actor)
    refresh_event(event.pk)
    event.refresh_from_db()
    analyze_after_commit(2 * len(games))
    after = {
        "games": event.game_count,
        "players": event.standing_count,
        "new_players": register.created,
        "file": upload.filename if upload else "",
        **({"corrections": list(corrections)} if corrections else {}),
    }
    record("contest.standings", subject=f"contest {event.slug}", contest=event, actor=actor, before=before, after=after)
    return event


@dataclass(frozen=True, slots=True)
class GameEntry:
    """
    One game that an organizer enters.

    sides
        Two handles; a team is several, joined by " + ".
    better
        1 if the first side won, -1 if the second, 0 for a draw.
    event_id
        The event that it belongs to; None for the event of its day.
    handicaps
        The advantage of each side, in rating points; None if there is none.
    scores
        The score of each side, which agrees with the result; None to store 1, ½ and 0.
    """

    sides: tuple[str, str]
    better: int
    day: date
    is_walkover: bool = False
    round: str = ""
    event_id: int | None = None
    handicaps: tuple[float | None, float | None] = (None, None)
    scores: tuple[float, float] | None = None

    def parsed(self) -> ParsedContest:
        """Return the game as a reader would; ContestError with the problem of a name."""
        reading = Reading("the form", Report(), ReadingOptions())
        scores = self.scores or {1: (1.0, 0.0), 0: (0.5, 0.5), -1: (0.0, 1.0)}[self.better]
        if self.is_walkover and self.better == 0:
            raise ContestError(gettext("A walkover can’t be a draw. Choose who won, or untick “Walkover”."))
        for text in self.sides:
            if is_empty_side(text):
                words = gettext("“%(name)s” stands for a bye, which is not a game. Enter the handles of two players.")
                raise ContestError(words % {"name": text.strip()})
        first, second = (
            Side(text.strip(), "", handicap=checked_handicap(points))
            for text, points in zip(self.sides, self.handicaps, strict=True)
        )
        moment = datetime(self.day.year, self.day.month, self.day.day, tzinfo=UTC)
        game = GameBuilder(reading).game(
            first, second, Result(self.better, *scores, is_walkover=self.is_walkover), Place(1, ""), ends_at=moment,
            round=self.round,
        )  # fmt: skip
        if game is None:
            problem = reading.report.errors[0]
            raise ContestError(f"{problem.value}: {problem.message}" if problem.value else problem.message)
        return game


@retried
@transaction.atomic
def add_game(series_id: int, *, entry: GameEntry, actor: User | None = None) -> Contest:
    """
    Add one game to a series, in an event, and finalize it; unknown handles become new players.

    If the series needs a second person, the game joins the draft event of its day, which someone else finalizes.
    """
    lock_players_shared()
    series = Series.objects.select_for_update(no_key=True).get(pk=series_id)
    parsed = entry.parsed()
    state = ContestState.DRAFT if series.needs_approval and actor is not None else ContestState.FINALIZED
    event = _event_of(series, entry, state, actor)
    register = PlayerRegister(series.community_id)
    since = insert_games(event, [parsed], register, finalized_at=timezone.now() if event.is_finalized else None)
    if register.created:
        check_players(series.community_id, actor)
    refresh_event(event.pk)
    game = event.games.order_by("-pk")[0]
    said = {"event": event.slug, "result": entry.better, "new_players": register.created}
    if parsed.has_handicaps:
        said["handicaps"] = list(entry.handicaps)
    record("game.add", subject=f"{game.name} to {event.name}", contest=game, actor=actor, after=said)
    if event.is_finalized and since is not None:
        announce(game, cause=f"Added {game.name}", actor=actor)
    return game


def _event_of(series: Series, entry: GameEntry, state: str, actor: User | None) -> Contest:
    """Return the chosen event, or the event of the day in this state, which is created if there is none."""
    if entry.event_id is not None:
        return _chosen_event(series, entry.event_id, state)
    slug = f"{_OF_DAY}{entry.day.isoformat()}"
    of_day = series.contests.filter(is_event=True, state=state, slug__startswith=slug).order_by("pk").first()
    if of_day is not None:
        return locked_contest(of_day.pk)
    check_contests(series.community_id, actor)
    name = _name_of_day(series, entry.day)
    moment = datetime(entry.day.year, entry.day.month, entry.day.day, tzinfo=UTC)
    described = ContestDescription(name, moment, moment, is_rated=False)
    finalized_at = timezone.now() if state == ContestState.FINALIZED else None
    event = insert_contest(
        series, free_slug(series, slug), described, is_event=True, state=state, finalized_at=finalized_at
    )
    record("contest.create", subject=f"contest {event.slug}", contest=event, actor=actor, after={"name": name})
    return event


def _name_of_day(series: Series, day: date) -> str:
    """
    Return the name of the event with the games of a day, which is stored in one language.

    It is the language of the newest event of this kind in the series; otherwise, that of the person who adds the game.
    """
    newest = series.contests.filter(is_event=True, slug__startswith=_OF_DAY).order_by("-pk").first()
    if newest is not None:
        # Organizers can choose such a slug for another event.
        with suppress(ValueError):
            before = date.fromisoformat(newest.slug.removeprefix(_OF_DAY)[:10])
            for code, _ in settings.LANGUAGES:
                with translation.override(code):
                    if newest.name == _games_of(before):
                        return _games_of(day)
    return _games_of(day)


def _games_of(day: date) -> str:
    return gettext("Games of %(day)s") % {"day": day_in_words(day)}


def _chosen_event(series: Series, event_id: int, state: str) -> Contest:
    event = locked_contest(event_id)
    if event.series_id != series.pk or not event.is_event:
        raise ContestError(gettext("This event is not part of the series. Reload the page and choose another one."))
    if event.is_finalized and state == ContestState.DRAFT:
        raise ContestError(
            gettext(
                "“%(name)s” is already finalized, so you can’t add this game to it: in “%(other)s”, a second organizer "
                "has to finalize new games. Choose “Other games of that day”, and ask another organizer to finalize "
                "them."
            )
            % {"name": event.name, "other": series.name}
        )
    return event
