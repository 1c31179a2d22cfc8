"""Changing what is said of a contest: freely while it is a draft, with a reason once it counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from contests.errors import ContestError
from contests.queries.amendments import RATED_BY, WORDS
from contests.services.audit import record
from contests.services.drafting import ContestDescription, check_description, description_as_json
from contests.services.finalizing import announce
from contests.services.locking import locked_contest, save_change

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from contests.models import Contest

#: Decided once, when the contest is finalized.
LIMITS = ("rating_lower_limit", "rating_upper_limit")


@transaction.atomic
def describe_contest(
    contest_id: int,
    *,
    description: ContestDescription,
    reason: str = "",
    version: int | None = None,
    actor: User | None = None,
) -> Contest:
    """
    Say of a contest what the description says; what is said already changes nothing.

    Of a finalized contest, a change needs a reason, and one of weight, ceiling, end or whether it is rated rates the
    series again. Its rating limits stay: who was eligible was decided when it was finalized.
    """
    contest = locked_contest(contest_id, version=version)
    check_description(description)
    before, after = description_as_json(contest), description_as_json(description)
    changed = [field for field, value in after.items() if before[field] != value]
    if not changed:
        return contest
    if contest.is_finalized:
        _check_finalized(contest, changed, reason)
    moves_ratings, earlier = rates_again(contest, description), min(contest.ends_at, description.ends_at)
    for field in changed:
        setattr(contest, field, after[field])
    if moves_ratings:
        contest.amended_at = timezone.now()
    save_change(contest, *changed, "amended_at")
    record(
        "contest.describe", subject=f"contest {contest.slug}", contest=contest, actor=actor, reason=reason,
        before={field: before[field] for field in changed}, after={field: after[field] for field in changed},
    )  # fmt: skip
    if moves_ratings:
        what = " and ".join(WORDS[field] for field in changed if field in RATED_BY)
        announce(contest, cause=f"Changed {what} of {contest.name}: {reason}", actor=actor, since=earlier)
    return contest


def rates_again(contest: Contest, description: ContestDescription) -> bool:
    """Whether ratings follow from what the description says otherwise."""
    if not contest.is_finalized:
        return False
    if not (contest.is_rated or description.is_rated):
        # It may have been rated a moment ago, and its ratings still be published: they would be looked for in vain.
        return contest.ends_at != description.ends_at
    return any(getattr(contest, field) != getattr(description, field) for field in RATED_BY)


def _check_finalized(contest: Contest, changed: list[str], reason: str) -> None:
    if set(changed) & set(LIMITS):
        raise ContestError(
            f"Who was eligible for “{contest.name}” was decided when it was finalized, and is never decided again: its "
            "rating limits stay. Put single players in or out of competition by correcting their rows."
        )
    if not reason.strip():
        raise ContestError(f"“{contest.name}” counts already; give the reason for changing what is said of it.")
