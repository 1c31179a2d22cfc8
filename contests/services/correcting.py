"""Corrections of rows, before and after finalizing: one or many of a contest at once."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone

from contests.bulk import update_rows
from contests.errors import ContestError
from contests.formats import ParsedStanding
from contests.handles import MAX_LENGTH, clean_handle
from contests.models import Standing, StandingStatus
from contests.services.contests import announce
from contests.services.standings import PlayerRegister, decided_by_scores, places_from_scores, ranks_of, snapshot_of
from contests.services.transactions import lock_players_shared, locked_contest, record, retried, save_change

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from django.contrib.auth.models import User

    from contests.models import Contest


@dataclass(frozen=True, slots=True)
class Correction:
    """
    What a row should say.

    place
        The place among all rows. With `shares_place` the player ties with who is there; otherwise who is there, and
        everybody below, moves down by one.
    score
        Where places follow from scores, a changed score decides the place, and `place` is not looked at.
    """

    status: str
    place: int | None = None
    shares_place: bool = True
    score: float | None = None


@transaction.atomic
def correct_standings(
    contest_id: int,
    *,
    corrections: Mapping[int, Correction],
    reason: str,
    version: int | None = None,
    actor: User | None = None,
) -> int:
    """
    Amend rows of a contest, given by their ids, and the ranks that follow; return how many were not so already.

    One after the other, in the order given. A finalized contest is rated again from here on, once for all of them.
    """
    contest = locked_contest(contest_id, version=version)
    if contest.is_finalized and not reason.strip():
        raise ContestError(f"“{contest.name}” has been rated; give the reason for changing its rows.")
    corrected = []
    for standing_id, correction in corrections.items():
        standing = contest.standings.select_related("player").filter(pk=standing_id).first()
        if standing is None:
            raise ContestError(f"A row is not there any more: somebody has replaced the standings of “{contest.name}”.")
        before = snapshot_of({standing.player.handle: standing})
        if not apply_correction(contest, standing, correction):
            continue
        standing.refresh_from_db()
        handle = standing.player.handle
        record(
            "standing.correct", subject=f"{handle} in {contest.slug}", contest=contest, player=standing.player,
            actor=actor, reason=reason, before=before, after=snapshot_of({handle: standing}),
        )  # fmt: skip
        corrected.append(handle)
    if not corrected:
        return 0
    if contest.is_finalized:
        contest.amended_at = timezone.now()
    # The rows are no longer those of any file, so the file may be uploaded anew.
    contest.content_hash = ""
    save_change(contest, "amended_at", "content_hash")
    if contest.is_finalized:
        announce(contest, cause=f"Corrected {listed(corrected)} in {contest.name}: {reason}", actor=actor)
    return len(corrected)


def correct_standing(
    standing_id: int, *, correction: Correction, reason: str, version: int | None = None, actor: User | None = None
) -> Standing:
    """Amend one row, as `correct_standings` does several, and return it as it is then."""
    standing = Standing.objects.get(pk=standing_id)
    correct_standings(
        standing.contest_id, corrections={standing_id: correction}, reason=reason, version=version, actor=actor
    )
    standing.refresh_from_db()
    return standing


def listed(handles: Sequence[str], most: int = 3) -> str:
    """Return handles as a person lists them: the first few, and how many more."""
    if len(handles) <= most:
        return " and ".join(filter(None, (", ".join(handles[:-1]), handles[-1])))
    return f"{', '.join(handles[:most])} and {len(handles) - most} more"


def apply_correction(
    contest: Contest, standing: Standing, correction: Correction, *, by_scores: bool | None = None
) -> bool:
    """
    Write a correction into a row and the places around it, within the caller's transaction; return whether anything
    changed.

    by_scores
        Whether places follow from scores; None: if those of all rows do.
    """
    if correction.status not in StandingStatus.values:
        raise ContestError(f"“{correction.status}” is no status; known are {', '.join(StandingStatus.values)}.")
    rows = list(contest.standings.select_related("player"))
    row = next(r for r in rows if r.pk == standing.pk)
    before = [_content(r) for r in rows]
    by_scores = decided_by_scores(rows) if by_scores is None else by_scores
    if correction.score is not None and not math.isfinite(correction.score):
        raise ContestError(f"The score of {row.player.handle} must be a number, not {correction.score}.")
    row.status, row.score = correction.status, correction.score
    if by_scores and row.score is None:
        raise ContestError(f"The places of “{contest.name}” follow from scores; give {row.player.handle} a score.")
    if by_scores:
        for each in _team_of(row, rows):
            each.score = row.score
        _set_places(rows, places_from_scores(rows))
    else:
        _move(rows, row, correction)
    if row.status == StandingStatus.RANKED and row.place is None:
        raise ContestError(f"{row.player.handle} is to be ranked: say in which place.")
    for each, rank in zip(rows, ranks_of(rows), strict=True):
        each.rank = rank
    changed = [r for r, content in zip(rows, before, strict=True) if _content(r) != content]
    update_rows(Standing, ("status", "place", "rank", "score"), [(r.pk, *_content(r)) for r in changed])
    return bool(changed)


def _content(row: Standing) -> tuple[str, int | None, int | None, float | None]:
    return row.status, row.place, row.rank, row.score


def _set_places(rows: list[Standing], places: list[int]) -> None:
    for row, place in zip(rows, places, strict=True):
        row.place = place


def _team_of(row: Standing, rows: list[Standing]) -> list[Standing]:
    """Return the rows that share place and score with this one: its team, or itself alone."""
    return [each for each in rows if each is row or (row.team and each.team == row.team)]


def _move(rows: list[Standing], row: Standing, correction: Correction) -> None:
    if correction.place == row.place and correction.shares_place:
        return
    # Places may have gaps, in files and after rows were put between others.
    last = max(len(rows), *(each.place or 0 for each in rows))
    if correction.place is not None and not 1 <= correction.place <= last + 1:
        raise ContestError(f"Place {correction.place} does not exist in a contest of {len(rows)}; give 1 to {last}.")
    moved = [row] if correction.place is None else _team_of(row, rows)
    for each in moved:
        each.place = correction.place
    if correction.place is None or correction.shares_place:
        return
    for other in rows:
        if other not in moved and other.place is not None and other.place >= correction.place:
            other.place += 1


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
    Add a row for a forgotten participant; an unknown handle becomes a new player.

    correction
        The content of the row. A member of a team in the contest gets the team's place and score.
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
        raise ContestError(f"“{handle}” is already in “{contest.name}”; correct that row.")
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
        raise ContestError("Someone has removed or replaced this row in the meantime. Load the page again.")
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
