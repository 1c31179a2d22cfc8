"""From a draft to results that count, away again, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.utils import timezone

from contests.bulk import update_rows
from contests.errors import ContestError
from contests.models import Contest, ContestState, Standing, StandingStatus
from contests.providers import ineligible_players
from contests.services.audit import record
from contests.services.locking import lock_players_shared, locked_contest, save_change
from contests.services.standings import ranks_of
from contests.signals import results_changed

if TYPE_CHECKING:
    from datetime import datetime

    from django.contrib.auth.models import User

ALL_OUTSIDE = "All ranked participants of “{}” are outside its rating limits; widen them, or take them away."


@transaction.atomic
def finalize_contest(contest_id: int, *, version: int | None = None, actor: User | None = None) -> Contest:
    """
    Make a draft count. Finalizing what is final already changes nothing, so the request may come twice.

    Where the series needs a second person, the first one's request is kept and the contest stays a draft; ContestError
    if the same person asks again. Commands, which nobody is the actor of, need no second person.
    """
    contest = locked_contest(contest_id)
    if contest.is_finalized:
        return contest
    contest = locked_contest(contest_id, version=version)
    if not contest.standings.ranked().exists():
        raise ContestError(
            f"“{contest.name}” has no ranked participant yet; upload its standings before finalizing it."
        )
    _move_merged(contest)
    if needs_second_person(contest, actor):
        return _ask(contest, actor)
    excluded = _decide_eligibility(contest)
    contest.state, contest.finalized_at = ContestState.FINALIZED, timezone.now()
    save_change(contest, "state", "finalized_at")
    after = {"ranked": contest.standings.ranked().count()} | ({"ineligible": excluded} if excluded else {})
    record("contest.finalize", subject=f"contest {contest.slug}", contest=contest, actor=actor, after=after)
    announce(contest, cause=f"Finalized {contest.name}", actor=actor)
    return contest


def needs_second_person(contest: Contest, actor: User | None) -> bool:
    """Whether finalizing by this person would only be asking for it."""
    return contest.series.needs_approval and actor is not None and contest.asked_by_id in (None, actor.pk)


@transaction.atomic
def delete_contest(contest_id: int, *, reason: str, version: int | None = None, actor: User | None = None) -> Contest:
    """
    Take a contest out of its series; ratings are computed as if it had never been.

    The row and its standings stay, marked as deleted, because earlier runs show them and it may be restored; its slug
    is free again.
    """
    contest = locked_contest(contest_id, version=version)
    before = {"state": contest.state, "name": contest.name, "standings": contest.standing_count}
    counted = contest.is_finalized
    if counted and not reason.strip():
        raise ContestError(f"“{contest.name}” has been rated; give the reason for deleting it.")
    contest.state = ContestState.DELETED
    save_change(contest, "state")
    record(
        "contest.delete", subject=f"contest {contest.slug}", contest=contest, actor=actor, reason=reason, before=before
    )
    if counted:
        announce(contest, cause=f"Deleted {contest.name}: {reason}", actor=actor)
    return contest


@transaction.atomic
def restore_contest(contest_id: int, *, reason: str, actor: User | None = None) -> Contest:
    """
    Bring a deleted contest back as it was: what was finalized counts again, what was a draft is one.

    ContestError if its id has been taken by another contest, or if two of its players have been merged since.
    """
    lock_players_shared()
    contest = locked_contest(contest_id, among=Contest.objects.filter(state=ContestState.DELETED))
    counts = contest.finalized_at is not None
    if counts and not reason.strip():
        raise ContestError(f"“{contest.name}” would count again; give the reason for restoring it.")
    _move_merged(contest)
    contest.state = ContestState.FINALIZED if counts else ContestState.DRAFT
    try:
        with transaction.atomic():
            save_change(contest, "state")
    except IntegrityError as error:
        raise ContestError(
            f"Series “{contest.series.slug}” has another contest “{contest.slug}” by now; delete that one first."
        ) from error
    record("contest.restore", subject=f"contest {contest.slug}", contest=contest, actor=actor, reason=reason)
    if counts:
        announce(contest, cause=f"Restored {contest.name}: {reason}", actor=actor)
    return contest


def announce(contest: Contest, *, cause: str, actor: User | None, since: datetime | None = None) -> None:
    """
    Tell whoever listens that results from this contest on have changed; nobody, if it is not rated.

    since
        An earlier moment from which on they have; then it is told whether the contest is rated or not.
    """
    if since is None and not contest.is_rated:
        return
    since = since or contest.ends_at
    results_changed.send(sender=Contest, series_id=contest.series_id, since=since, cause=cause, actor=actor)


def _ask(contest: Contest, actor: User | None) -> Contest:
    if contest.asked_by_id is not None:
        raise ContestError(
            f"You have asked for finalizing “{contest.name}” already. In “{contest.series.name}” a second person "
            "has to do it: another of its organizers."
        )
    save_change(contest)
    contest.asked_by, contest.asked_at = actor, timezone.now()
    contest.save(update_fields=["asked_by", "asked_at"])
    record("contest.ask", subject=f"contest {contest.slug}", contest=contest, actor=actor)
    return contest


def _decide_eligibility(contest: Contest) -> int:
    """Put who is outside the rating limits out of competition; return how many these are."""
    if contest.rating_lower_limit is None and contest.rating_upper_limit is None:
        return 0
    excluded = ineligible_players(contest)
    rows = list(contest.standings.order_by("id"))
    for row in rows:
        row.is_ineligible = row.player_id in excluded and row.status == StandingStatus.RANKED
        if row.is_ineligible:
            row.status = StandingStatus.UNOFFICIAL
    if not any(row.status == StandingStatus.RANKED for row in rows):
        raise ContestError(ALL_OUTSIDE.format(contest.name))
    ranks = ranks_of(rows)
    update_rows(
        Standing,
        ("status", "is_ineligible", "rank"),
        [(row.pk, row.status, row.is_ineligible, rank) for row, rank in zip(rows, ranks, strict=True)],
    )
    return sum(row.is_ineligible for row in rows)


def _move_merged(contest: Contest) -> None:
    """Give the rows of players who have been merged since to whom they are now."""
    rows = list(contest.standings.exclude(player__merged_into=None).select_related("player__merged_into"))
    present = set(contest.standings.values_list("player", flat=True)) if rows else set()
    for row in rows:
        kept = row.player.merged_into
        if kept is None:
            continue
        if kept.pk in present:
            remedy = "keep only one of the two rows, or split them first" if contest.is_draft else "split them first"
            raise ContestError(
                f"“{row.player.handle}” has been merged into “{kept.handle}”, and both stand in “{contest.name}”; "
                f"{remedy}."
            )
        present.add(kept.pk)
        row.player = kept
        row.save(update_fields=["player"])
