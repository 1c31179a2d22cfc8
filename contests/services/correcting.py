"""Correct rows of a contest, before and after it is finalized."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from contests.bulk import update_rows
from contests.errors import ContestError
from contests.formats.values import MAX_HANDICAP
from contests.models import Contest, Standing, StandingStatus
from contests.queries.games import game_rows
from contests.queries.teams import team_name
from contests.services.audit import record
from contests.services.describing import ContestDescription, describe_contest
from contests.services.standings import (
    decided_by_scores,
    place_by_scores,
    positions_of,
    ranks_of,
    set_flags,
    snapshot_of,
)
from contests.services.transactions import announce, locked_contest, retried, save_change
from contests.wording import grouped, listed, stored_language

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from django.contrib.auth.models import User

    from contests.services.standings import Better

#: What the place in a correction counts. Organizers mean a position that they see ("shown"). To undo a change, Podium
#: takes the place that was stored before it ("stored"), or the position that the row has in the end ("final").
Numbering = Literal["shown", "stored", "final"]


@dataclass(frozen=True, slots=True)
class Correction:
    """
    The new content of a row.

    place
        The place among all rows. With `shares_place`, the player ties with the players at that place. Otherwise the
        rows between the new and the former place move by one; without a former place, all from the new place on. With
        `keeps_place`, it is ignored, and the row stays where it is.
    score
        The score. If places follow from scores, it decides the place, and `place` is ignored.
    share
        The share of the contest that the player took part in; None for all of it.
    handicap
        Advantage in rating points; None if there is none. Teammates get the same one.
    penalty
        The penalty, or the time in seconds; None for none. Teammates get the same one. Without `sets_penalty`, it is
        ignored, and the row keeps the one it has.
    """

    status: str
    place: int | None = None
    shares_place: bool = True
    score: float | None = None
    share: float | None = None
    handicap: float | None = None
    penalty: float | None = None
    sets_penalty: bool = False
    keeps_place: bool = False

    @classmethod
    def of(cls, row: Standing, *, status: str) -> Correction:
        """Return the correction that changes only the status of a row; a ranked row gets back its place."""
        return cls(
            status, row.place, shares_place=True, score=row.score, share=row.share, handicap=row.handicap,
            keeps_place=True,
        )  # fmt: skip


def corrected_name(row: Standing, correction: Correction) -> str:
    """Return the name of the team that a correction changes, or else the handle of the player."""
    is_of_player = correction.status != row.status or (correction.share or 1.0) != (row.share or 1.0)
    return row.player.handle if is_of_player or not row.team else team_name(row)


@retried
@transaction.atomic
def correct_standings(
    contest_id: int,
    *,
    corrections: Mapping[int, Correction],
    reason: str,
    version: int | None = None,
    actor: User | None = None,
    by_scores: Better | None = None,
    numbering: Numbering = "shown",
) -> int:
    """
    Correct rows of a contest, by id, and the ranks that follow; return the number of rows that changed.

    The corrections are applied in the order given. If the contest is finalized, the series is rated again from it on,
    once for all the corrections.

    by_scores
        Which scores are better if places follow from them, else ""; None to determine it from all rows.
    """
    contest = locked_contest(contest_id, version=version)
    if contest.is_finalized and not reason.strip():
        raise ContestError(
            gettext("“%(name)s” has been rated; give the reason for changing its rows.") % {"name": contest.name}
        )
    rows = contest.standings.select_related("player").in_bulk(list(corrections))
    if len(rows) < len(corrections):
        raise ContestError(
            gettext("Someone has replaced the standings of “%(name)s”, and a row no longer exists. Reload the page.")
            % {"name": contest.name}
        )
    # Each correction can move the other rows, but the history compares with the state before all of them.
    names = {pk: corrected_name(rows[pk], correction) for pk, correction in corrections.items()}
    before = {pk: snapshot_of({names[pk]: row}) for pk, row in rows.items()}
    changed = apply_corrections(contest, corrections, by_scores=by_scores, numbering=numbering)
    if not changed:
        return 0
    corrected = []
    rows = contest.standings.select_related("player").in_bulk(changed)
    for pk in changed:
        row = rows[pk]
        record(
            "standing.correct", subject=f"{names[pk]} in {contest.slug}", contest=contest, player=row.player,
            actor=actor, reason=reason, before=before[pk], after=snapshot_of({names[pk]: row}),
        )  # fmt: skip
        corrected.append(names[pk])
    if contest.is_finalized:
        contest.amended_at = timezone.now()
    # The rows no longer match any file, so the same file can be uploaded again.
    contest.content_hash = ""
    save_change(contest, "amended_at", "content_hash", "has_shares", "has_handicaps")
    if contest.is_finalized:
        with stored_language():
            what = listed(list(dict.fromkeys(corrected)))
        announce(contest, cause=f"Corrected {what} in {contest.name}: {reason}", actor=actor)
    return len(corrected)


def correct_standing(
    standing_id: int, *, correction: Correction, reason: str, version: int | None = None, actor: User | None = None
) -> Standing:
    """Correct one row, as `correct_standings` does for several, and return the updated row."""
    standing = Standing.objects.get(pk=standing_id)
    correct_standings(
        standing.contest_id, corrections={standing_id: correction}, reason=reason, version=version, actor=actor
    )
    standing.refresh_from_db()
    return standing


@retried
@transaction.atomic
def correct_result(
    game_id: int,
    *,
    scores: tuple[float, float],
    reason: str,
    is_walkover: bool | None = None,
    version: int | None = None,
    actor: User | None = None,
) -> int:
    """
    Correct the result of a game, as `correct_standings` does for its rows; return the number of changes.

    scores
        The scores of the two sides, in the order of the file: 1, ½ and 0 for a result alone. The higher one wins.
    is_walkover
        Whether the result was awarded without play; such a game is not rated. None to leave it as it is.
    """
    game = Contest.objects.existing().filter(pk=game_id).first()
    sides = game_rows([game])[0].sides if game is not None else []
    if game is None or len(sides) != 2:
        raise ContestError(gettext("Someone has removed this game or one of its sides in the meantime."))
    changed = 0
    if is_walkover is not None and is_walkover != game.is_walkover:
        described = replace(ContestDescription.of(game), is_walkover=is_walkover, is_rated=not is_walkover)
        describe_contest(game_id, description=described, reason=reason, version=version, actor=actor)
        changed, version = 1, None
    corrections: dict[int, Correction] = {}
    # A tie-break can have decided a game with equal scores, so the same scores leave the places as they are.
    if any(row.score != score for side, score in zip(sides, scores, strict=True) for row in side.standings):
        for side, score, other, opponents in zip(sides, scores, reversed(scores), reversed(sides), strict=True):
            # Places count each member of the winning team.
            place = 1 if score >= other else 1 + len(opponents.standings)
            for row in side.standings:
                corrections[row.pk] = replace(
                    Correction.of(row, status=row.status), place=place, score=score, keeps_place=False
                )
    # In a game, the higher score wins, even if the result was entered the other way round.
    is_decided = decided_by_scores([row for side in sides for row in side.standings]) == "higher"
    changed += correct_standings(
        game_id, corrections=corrections, reason=reason, version=version, actor=actor,
        by_scores="higher" if is_decided else "",
    )  # fmt: skip
    if not changed:
        raise ContestError(gettext("Nothing changed: the game already has this result."))
    return changed


def apply_corrections(
    contest: Contest,
    corrections: Mapping[int, Correction],
    *,
    by_scores: Better | None = None,
    numbering: Numbering = "shown",
) -> list[int]:
    """
    Apply corrections to rows, by id, and adjust the places around them, in the caller's transaction.

    Podium reads the rows of the contest once and writes those that changed once. Returns the ids of the corrections
    that changed anything.

    by_scores
        Which scores are better if places follow from them, else ""; None to determine it from all rows.
    """
    rows = list(contest.standings.select_related("player"))
    by_id = {row.pk: row for row in rows}
    stored = {row.pk: _content(row) for row in rows}
    effective = []
    for pk, correction in corrections.items():
        before = [_content(row) for row in rows]
        better = decided_by_scores(rows) if by_scores is None else by_scores
        _correct(contest, rows, by_id[pk], correction, better, numbering)
        if [_content(row) for row in rows] != before:
            effective.append(pk)
    update_rows(Standing, _CONTENT, [(row.pk, *_content(row)) for row in rows if _content(row) != stored[row.pk]])
    set_flags(contest, rows)
    return effective


def _correct(
    contest: Contest,
    rows: list[Standing],
    row: Standing,
    correction: Correction,
    by_scores: Better,
    numbering: Numbering,
) -> None:
    """Apply one correction to the objects of all rows, without saving them."""
    _check(row, correction)
    row.status, row.score, row.share = correction.status, correction.score, correction.share
    if row.share == 1.0:
        row.share = None
    for each in _team_of(row, rows):
        each.handicap = correction.handicap or None
        if correction.sets_penalty:
            each.penalty = correction.penalty
    if by_scores and row.score is None and row.status == StandingStatus.RANKED:
        raise ContestError(
            gettext("The places of “%(name)s” follow from scores. Enter a score for %(handle)s.")
            % {"name": contest.name, "handle": row.player.handle}
        )
    if by_scores:
        for each in _team_of(row, rows) if row.score is not None else ():
            each.score = row.score
        place_by_scores(rows, by_scores)
    else:
        _move(rows, row, correction, numbering)
    if row.status == StandingStatus.RANKED and row.place is None:
        raise ContestError(
            gettext("Enter a place for %(handle)s, or choose a status other than “ranked”.")
            % {"handle": row.player.handle}
        )
    for each, rank in zip(rows, ranks_of(rows), strict=True):
        each.rank = rank


def positions_after(rows: list[Standing], corrections: Iterable[tuple[Standing, Correction]]) -> dict[int, int | None]:
    """Return the positions of rows after corrections of some of them, which change these objects but save nothing."""
    for row, correction in corrections:
        _move(rows, row, correction, "shown")
    return positions_of(rows)


_CONTENT = ("status", "place", "rank", "score", "penalty", "share", "handicap")


def _content(row: Standing) -> tuple[object, ...]:
    return tuple(getattr(row, name) for name in _CONTENT)


def _check(row: Standing, correction: Correction) -> None:
    """Raise ContestError for content that no row can have."""
    if correction.status not in StandingStatus.values:
        raise ContestError(
            gettext("“%(status)s” is not a valid status. Use one of: %(values)s.")
            % {"status": correction.status, "values": ", ".join(StandingStatus.values)}
        )
    if correction.score is not None and not math.isfinite(correction.score):
        raise ContestError(
            gettext("The score of %(handle)s must be a number, not %(score)s.")
            % {"handle": row.player.handle, "score": correction.score}
        )
    if correction.penalty is not None and not math.isfinite(correction.penalty):
        raise ContestError(
            gettext("The penalty of %(handle)s must be a number, not %(penalty)s.")
            % {"handle": row.player.handle, "penalty": correction.penalty}
        )
    if correction.share is not None and not 0.0 < correction.share <= 1.0:
        raise ContestError(
            gettext("The share played by %(handle)s must be above 0 and at most 1, not %(share)s.")
            % {"handle": row.player.handle, "share": f"{correction.share:g}"}
        )
    if correction.handicap is not None and not abs(correction.handicap) <= MAX_HANDICAP:
        raise ContestError(
            gettext("The handicap of %(handle)s must be a number of rating points, at most %(max_handicap)s.")
            % {"handle": row.player.handle, "max_handicap": grouped(round(MAX_HANDICAP))}
        )


def _team_of(row: Standing, rows: list[Standing]) -> list[Standing]:
    """Return the rows of the team, which share place and score; without a team, the row alone."""
    return [each for each in rows if each is row or (row.team and each.team == row.team)]


def _move(rows: list[Standing], row: Standing, correction: Correction, numbering: Numbering) -> None:
    if correction.keeps_place:
        return
    now = positions_of(rows)[row.pk] if numbering == "shown" else row.place
    if numbering != "final" and correction.place == now and correction.shares_place:
        return
    moved = [row] if correction.place is None else _team_of(row, rows)
    others = [each for each in rows if each not in moved]
    if numbering == "shown":
        _renumber(rows)
    elif numbering == "final":
        _renumber(others)
    # Stored places may have gaps, in files and after rows were removed.
    last = max(len(rows), *(each.place or 0 for each in rows))
    if correction.place is not None and not 1 <= correction.place <= last + 1:
        raise ContestError(
            gettext("Place %(place)s is out of range. Enter a place from 1 to %(last)s.")
            % {"place": correction.place, "last": last}
        )
    # A final place counts the rows that are better in the end, so rows below a tie move too.
    former = None if numbering == "final" else row.place
    first_to_move = correction.place
    for each in moved:
        each.place = correction.place
    if first_to_move is None or (correction.shares_place and numbering != "final"):
        return
    if correction.shares_place:
        first_to_move += 1
    for other in others:
        if other.place is not None:
            other.place += _step(other.place, former, first_to_move)


def _renumber(rows: list[Standing]) -> None:
    """Replace the places of rows with their positions."""
    positions = positions_of(rows)
    for row in rows:
        row.place = positions[row.pk]


def _step(place: int, former: int | None, new: int) -> int:
    """Return how far a row at `place` moves when another row leaves its former place for a new one, without sharing."""
    if former is not None and former < new:
        return -1 if former < place <= new else 0
    # The rows below the former place stay: the gap there takes up the move.
    return 1 if place >= new and (former is None or place <= former) else 0
