"""Rows that were forgotten, and rows that should not be there: before and after finalizing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone

from contests.bulk import update_rows
from contests.errors import ContestError
from contests.formats import ParsedStanding
from contests.handles import MAX_LENGTH, clean_handle
from contests.models import Standing, StandingStatus
from contests.services.audit import record
from contests.services.correcting import Correction, apply_correction
from contests.services.finalizing import announce
from contests.services.locking import lock_players_shared, locked_contest, save_change
from contests.services.players import PlayerRegister
from contests.services.retrying import retried
from contests.services.standings import decided_by_scores, places_from_scores, ranks_of, snapshot_of

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from contests.models import Contest


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
) -> Standing:
    """
    Add the row of somebody who was forgotten; who is not known yet becomes a player.

    correction
        What the row says. A member of a team that is there shares its place and score, whatever is said.
    """
    lock_players_shared()
    contest = locked_contest(contest_id, version=version)
    if contest.is_finalized and not reason.strip():
        raise ContestError(f"“{contest.name}” has been rated; give the reason for adding a row.")
    handle, team = _cleaned(handle), _cleaned(team) if team.strip() else ""
    register = PlayerRegister()
    ids = register.find_or_create([ParsedStanding(None, handle, None, "ranked", "", "", "", None, 0)])
    rows = list(contest.standings.all())
    player_id = ids[register.key(handle)]
    if any(row.player_id == player_id for row in rows):
        raise ContestError(f"“{handle}” stands in “{contest.name}” already; correct that row.")
    mate = next((row for row in rows if team and row.team == team), None)
    if mate is not None:
        correction = replace(correction, place=mate.place, score=mate.score, shares_place=True)
    by_scores = decided_by_scores(rows)
    standing = Standing.objects.create(
        contest=contest, player_id=player_id, team=team, status=StandingStatus.UNOFFICIAL,
        penalty=mate.penalty if mate is not None else None,
    )  # fmt: skip
    apply_correction(contest, standing, correction, by_scores=by_scores)
    standing.refresh_from_db()
    contest.standing_count, contest.has_teams = len(rows) + 1, contest.has_teams or bool(team)
    _finish(contest, standing, "standing.add", reason, actor, after=snapshot_of({standing.player.handle: standing}))
    return standing


@transaction.atomic
def remove_standing(
    standing_id: int, *, reason: str = "", version: int | None = None, actor: User | None = None
) -> None:
    """Take away a row that should not be there; who took part and did not count is rather out of competition."""
    standing = Standing.objects.select_related("player").filter(pk=standing_id).first()
    if standing is None:
        raise ContestError("This row is not there any more: somebody has removed or replaced it meanwhile.")
    contest = locked_contest(standing.contest_id, version=version)
    if contest.is_finalized and not reason.strip():
        raise ContestError(f"“{contest.name}” has been rated; give the reason for removing a row.")
    rows = list(contest.standings.order_by("id"))
    by_scores = decided_by_scores(rows)
    rest = [row for row in rows if row.pk != standing.pk]
    if contest.is_finalized and not any(row.status == StandingStatus.RANKED for row in rest):
        raise ContestError(f"Nobody would be ranked in “{contest.name}” any more; delete the contest instead.")
    before = snapshot_of({standing.player.handle: standing})
    Standing.objects.filter(pk=standing.pk).delete()
    places = places_from_scores(rest) if by_scores else [row.place for row in rest]
    for row, place in zip(rest, places, strict=True):
        row.place = place
    ranks = ranks_of(rest)
    update_rows(Standing, ("place", "rank"), [(r.pk, r.place, rank) for r, rank in zip(rest, ranks, strict=True)])
    contest.standing_count, contest.has_teams = len(rest), any(row.team for row in rest)
    _finish(contest, standing, "standing.remove", reason, actor, before=before)


def _finish(contest: Contest, standing: Standing, action: str, reason: str, actor: User | None, **said: Any) -> None:
    if contest.is_finalized:
        contest.amended_at = timezone.now()
    # The rows are no longer those of any file, so the file may be uploaded anew.
    contest.content_hash = ""
    save_change(contest, "amended_at", "content_hash", "standing_count", "has_teams")
    handle = standing.player.handle
    record(
        action, subject=f"{handle} in {contest.slug}", contest=contest, player=standing.player, actor=actor,
        reason=reason, before=said.get("before"), after=said.get("after"),
    )  # fmt: skip
    if contest.is_finalized:
        deed = f"Added {handle} to" if action == "standing.add" else f"Removed {handle} from"
        announce(contest, cause=f"{deed} {contest.name}: {reason}", actor=actor)


def _cleaned(text: str) -> str:
    cleaned = clean_handle(text)
    if cleaned.faults:
        raise ContestError(f"“{text[:MAX_LENGTH]}”: {cleaned.faults[0]}.")
    return cleaned.handle
