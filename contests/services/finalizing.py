"""From a draft to results that count, and away again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from contests.errors import ContestError
from contests.models import Contest, ContestState
from contests.services.audit import record
from contests.signals import results_changed

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@transaction.atomic(durable=True)
def finalize_contest(contest_id: int, *, actor: User | None = None) -> Contest:
    """Make a draft count. Finalizing what is final already changes nothing, so the request may come twice."""
    contest = (
        Contest.objects.existing()
        .select_for_update(no_key=True, of=("self",))
        .select_related("series")
        .get(pk=contest_id)
    )
    if contest.is_finalized:
        return contest
    ranked = contest.standings.ranked().count()
    if not ranked:
        raise ContestError(
            f"“{contest.name}” has no ranked participant yet; upload its standings before finalizing it."
        )
    contest.state, contest.finalized_at = ContestState.FINALIZED, timezone.now()
    contest.save(update_fields=["state", "finalized_at"])
    record(
        "contest.finalize", subject=f"contest {contest.slug}", contest=contest, actor=actor, after={"ranked": ranked}
    )
    announce(contest, cause=f"Finalized {contest.name}", actor=actor)
    return contest


@transaction.atomic(durable=True)
def delete_contest(contest_id: int, *, reason: str, actor: User | None = None) -> Contest:
    """
    Take a contest out of its series; ratings are computed as if it had never been.

    The row and its standings stay, marked as deleted, because earlier runs show them; its slug is free again.
    """
    contest = (
        Contest.objects.existing()
        .select_for_update(no_key=True, of=("self",))
        .select_related("series")
        .get(pk=contest_id)
    )
    before = {"state": contest.state, "name": contest.name, "standings": contest.standing_count}
    counted = contest.is_finalized
    if counted and not reason.strip():
        raise ContestError(f"“{contest.name}” has been rated; give the reason for deleting it.")
    contest.state = ContestState.DELETED
    contest.save(update_fields=["state"])
    record(
        "contest.delete", subject=f"contest {contest.slug}", contest=contest, actor=actor, reason=reason, before=before
    )
    if counted:
        announce(contest, cause=f"Deleted {contest.name}: {reason}", actor=actor)
    return contest


def announce(contest: Contest, *, cause: str, actor: User | None) -> None:
    """Tell whoever listens that results from this contest on have changed."""
    results_changed.send(sender=Contest, series_id=contest.series_id, since=contest.ends_at, cause=cause, actor=actor)
