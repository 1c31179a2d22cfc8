"""Add, remove and reassign rows of a contest, before and after it is finalized."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from contests.bulk import update_rows
from contests.errors import ContestError
from contests.formats.base import ParsedStanding
from contests.handles import MAX_LENGTH, clean_handle
from contests.models import Standing, StandingStatus
from contests.services.audit import record
from contests.services.correcting import apply_corrections
from contests.services.quotas import check_players
from contests.services.standings import (
    PlayerRegister,
    decided_by_scores,
    place_by_scores,
    player_with_handle,
    ranks_of,
    set_flags,
    snapshot_of,
)
from contests.services.transactions import announce, lock_players_shared, locked_contest, retried, save_change
from contests.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.contrib.auth.models import User

    from contests.models import Contest, Player
    from contests.services.correcting import Correction, Numbering

#: Why a row cannot be changed that is no longer there.
ROW_GONE = gettext_lazy("Someone has removed or replaced this row in the meantime. Reload the page.")


@retried
@transaction.atomic
def add_standing(
    contest_id: int,
    *,
    handle: str,
    correction: Correction,
    team: str = "",
    reason: str = "",
    version: int | None = None,
    actor: User | None = None,
    numbering: Numbering = "shown",
) -> Standing:
    """
    Add a row for a missing participant; an unknown handle becomes a new player.

    correction
        The content of the row. A new member of a team in the contest gets the team's place and score.
    """
    lock_players_shared()
    contest = locked_contest(contest_id, version=version)
    if contest.is_finalized and not reason.strip():
        raise ContestError(
            gettext("“%(name)s” has been rated; give the reason for adding a row.") % {"name": contest.name}
        )
    team = _cleaned(team) if team.strip() else ""
    rows = list(contest.standings.all())
    player_id = _newcomer(contest, rows, handle, actor)
    mate = teammate(rows, team)
    correction = as_member(correction, mate)
    by_scores = decided_by_scores(rows)
    standing = Standing.objects.create(
        contest=contest, player_id=player_id, team=team, status=StandingStatus.UNOFFICIAL,
        place=mate.place if mate is not None else None, penalty=mate.penalty if mate is not None else None,
    )  # fmt: skip
    apply_corrections(contest, {standing.pk: correction}, by_scores=by_scores, numbering=numbering)
    standing.refresh_from_db()
    contest.standing_count = len(rows) + 1
    _finish(contest, standing, "standing.add", reason, actor, after=snapshot_of({standing.player.handle: standing}))
    return standing


def teammate(rows: Iterable[Standing], team: str) -> Standing | None:
    """Return the first row of a team; None if there is none, and without a team."""
    return next((row for row in rows if team and row.team == team), None)


def as_member(correction: Correction, mate: Standing | None) -> Correction:
    """Return the content of a new row with what it shares with the row of a teammate, if there is one."""
    if mate is None:
        return correction
    return replace(
        correction, place=mate.place, keeps_place=True, score=mate.score, handicap=mate.handicap, penalty=mate.penalty
    )


@transaction.atomic
def remove_standing(
    standing_id: int, *, reason: str = "", version: int | None = None, actor: User | None = None
) -> None:
    """Remove a row; for a participant who took part but should not be ranked, correct the status instead."""
    standing = Standing.objects.select_related("player").filter(pk=standing_id).first()
    if standing is None:
        raise ContestError(str(ROW_GONE))
    contest = locked_contest(standing.contest_id, version=version)
    if contest.is_finalized and not reason.strip():
        raise ContestError(
            gettext("“%(name)s” has been rated; give the reason for removing a row.") % {"name": contest.name}
        )
    rows = list(contest.standings.order_by("id"))
    by_scores = decided_by_scores(rows)
    rest = [row for row in rows if row.pk != standing.pk]
    if contest.is_finalized and not any(row.status == StandingStatus.RANKED for row in rest):
        raise ContestError(
            gettext("“%(name)s” would have no ranked participants left. Delete the contest instead.")
            % {"name": contest.name}
        )
    before = snapshot_of({standing.player.handle: standing})
    Standing.objects.filter(pk=standing.pk).delete()
    if by_scores:
        place_by_scores(rest, by_scores)
    ranks = ranks_of(rest)
    update_rows(Standing, ("place", "rank"), [(r.pk, r.place, rank) for r, rank in zip(rest, ranks, strict=True)])
    contest.standing_count = len(rest)
    set_flags(contest, rest)
    _finish(contest, standing, "standing.remove", reason, actor, before=before)


@retried
@transaction.atomic
def reassign_standing(
    standing_id: int, *, handle: str, reason: str = "", version: int | None = None, actor: User | None = None
) -> Standing:
    """
    Give a row to another player, with its place and everything else; an unknown handle becomes a new player.

    The history has two entries, as if the row were removed and added again. So each of them can be undone.
    """
    lock_players_shared()
    found = Standing.objects.filter(pk=standing_id).values_list("contest_id", flat=True).first()
    contest = locked_contest(found, version=version) if found is not None else None
    # Read only now: someone else may have corrected the row until the contest was locked.
    rows = list(contest.standings.select_related("player")) if contest is not None else []
    standing = next((row for row in rows if row.pk == standing_id), None)
    if contest is None or standing is None:
        raise ContestError(str(ROW_GONE))
    if contest.is_finalized and not reason.strip():
        raise ContestError(
            gettext("“%(name)s” has been rated; give the reason for changing its rows.") % {"name": contest.name}
        )
    former = standing.player
    if player_with_handle(contest.series.community_id, _cleaned(handle)) == former:
        raise ContestError(
            gettext("“%(handle)s” is the same player as “%(former)s”. To change the handle, rename the player.")
            % {"handle": _cleaned(handle), "former": former.handle}
        )
    player_id = _newcomer(contest, rows, handle, actor)
    content = snapshot_of({former.handle: standing})[former.handle]
    # A new row, because the merges of the former player list the rows that a split gives back.
    Standing.objects.filter(pk=standing.pk).delete()
    standing.pk, standing.player_id = None, player_id
    standing.save(force_insert=True)
    standing.refresh_from_db()
    _save_rows(contest)
    _record(contest, former, "standing.remove", reason, actor, before={former.handle: content})
    _record(contest, standing.player, "standing.add", reason, actor, after={standing.player.handle: content})
    if contest.is_finalized:
        cause = f"Moved a result from {former.handle} to {standing.player.handle} in {contest.name}: {reason}"
        announce(contest, cause=cause, actor=actor)
    return standing


def _newcomer(contest: Contest, rows: list[Standing], handle: str, actor: User | None) -> int:
    """Return the id of the player with this handle, or of a new one; ContestError if the player has a row."""
    handle = _cleaned(handle)
    register = PlayerRegister(contest.series.community_id)
    ids = register.find_or_create([ParsedStanding.of_handle(handle)])
    if register.created:
        check_players(contest.series.community_id, actor)
    player_id = ids[register.key(handle)]
    if any(row.player_id == player_id for row in rows):
        raise ContestError(
            gettext("“%(handle)s” is already in “%(name)s”. Correct that row instead.")
            % {"handle": handle, "name": contest.name}
        )
    return player_id


def _finish(contest: Contest, standing: Standing, action: str, reason: str, actor: User | None, **values: Any) -> None:
    _save_rows(contest)
    _record(contest, standing.player, action, reason, actor, **values)
    if contest.is_finalized:
        handle = standing.player.handle
        words = f"Added {handle} to" if action == "standing.add" else f"Removed {handle} from"
        announce(contest, cause=f"{words} {contest.name}: {reason}", actor=actor)


def _save_rows(contest: Contest) -> None:
    if contest.is_finalized:
        contest.amended_at = timezone.now()
    # The rows no longer match any file, so the same file can be uploaded again.
    contest.content_hash = ""
    save_change(contest, "amended_at", "content_hash", "standing_count", "has_teams", "has_shares", "has_handicaps")


def _record(
    contest: Contest, player: Player, action: str, reason: str, actor: User | None,
    before: dict[str, Any] | None = None, after: dict[str, Any] | None = None,
) -> None:  # fmt: skip
    record(
        action, subject=f"{player.handle} in {contest.slug}", contest=contest, player=player, actor=actor,
        reason=reason, before=before, after=after,
    )  # fmt: skip


def _cleaned(text: str) -> str:
    cleaned = clean_handle(text)
    if cleaned.faults:
        raise ContestError(f"{quoted(text[:MAX_LENGTH])}: {cleaned.faults[0]}.")
    return cleaned.handle
