"""Events: drafts whose games come from one file, and single games that organizers enter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from contests.bulk import analyze_after_commit
from contests.errors import ContestError
from contests.services.contests import locked_draft
from contests.services.games import discard_games, insert_games, refresh_event
from contests.services.quotas import check_players
from contests.services.standings import PlayerRegister
from contests.services.transactions import lock_players_shared, record, retried, save_change

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.contrib.auth.models import User

    from contests.formats import ParsedContest
    from contests.models import Contest, Upload


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
) -> Contest:
    """
    Make a draft an event with these games; games that it had before are discarded.

    The weight and the ceiling of the draft become those of its games. ContestError if the draft has rating limits,
    which apply to contests only.
    """
    lock_players_shared()
    event = locked_draft(contest_id, version)
    if event.rating_lower_limit is not None or event.rating_upper_limit is not None:
        raise ContestError(f"“{event.name}” has rating limits, which do not apply to games. Remove them first.")
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
    }
    record("contest.standings", subject=f"contest {event.slug}", contest=event, actor=actor, before=before, after=after)
    return event
