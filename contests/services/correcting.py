"""Corrections of single rows, before and after finalizing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from contests.bulk import update_rows
from contests.errors import ContestError
from contests.models import Contest, Standing, StandingStatus
from contests.services.audit import record
from contests.services.finalizing import announce
from contests.services.standings import decided_by_scores, places_from_scores, ranks_of, snapshot_of

if TYPE_CHECKING:
    from django.contrib.auth.models import User


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


@transaction.atomic(durable=True)
def correct_standing(standing_id: int, *, correction: Correction, reason: str, actor: User | None = None) -> Standing:
    """Amend one row and the ranks that follow from it; a finalized contest is rated again from here on."""
    standing = Standing.objects.select_related("player").get(pk=standing_id)
    contest = (
        Contest.objects.existing()
        .select_for_update(no_key=True, of=("self",))
        .select_related("series")
        .get(pk=standing.contest_id)
    )
    standing.refresh_from_db()
    if contest.is_finalized and not reason.strip():
        raise ContestError(
            f"“{contest.name}” has been rated; give the reason for changing the row of {standing.player.handle}."
        )
    before = snapshot_of({standing.player.handle: standing})
    if not _apply(contest, standing, correction):
        return standing
    standing.refresh_from_db()
    if contest.is_finalized:
        contest.amended_at = timezone.now()
    # The rows are no longer those of any file, so the file may be uploaded anew.
    contest.content_hash = ""
    contest.save(update_fields=["amended_at", "content_hash"])
    subject = f"{standing.player.handle} in {contest.slug}"
    after = snapshot_of({standing.player.handle: standing})
    record("standing.correct", subject=subject, contest=contest, actor=actor, reason=reason, before=before, after=after)
    if contest.is_finalized:
        announce(contest, cause=f"Corrected {standing.player.handle} in {contest.name}: {reason}", actor=actor)
    return standing


def _apply(contest: Contest, standing: Standing, correction: Correction) -> bool:
    """Write the correction into the row and the places around it; return whether anything changed."""
    if correction.status not in StandingStatus.values:
        raise ContestError(f"“{correction.status}” is no status; known are {', '.join(StandingStatus.values)}.")
    rows = list(contest.standings.select_related("player"))
    row = next(r for r in rows if r.pk == standing.pk)
    before = [_content(r) for r in rows]
    by_scores = decided_by_scores(rows)
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
