"""The contests before and after one in its series."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Q

from contests.models import Contest

if TYPE_CHECKING:
    from contests.models.contest import ContestQuerySet


def previous_contest(contest: Contest) -> Contest | None:
    """Return the finalized contest of the same series that comes right before this one; one query."""
    end, sequence = contest.ends_at, contest.sequence
    same_end = Q(sequence__lt=sequence) | Q(sequence=sequence, id__lt=contest.pk)
    return _of_series(contest).filter(Q(ends_at__lt=end) | Q(same_end, ends_at=end)).newest_first().first()


def next_contest(contest: Contest) -> Contest | None:
    """Return the finalized contest of the same series that comes right after this one; one query."""
    return _of_series(contest).after(contest).in_order().first()


def _of_series(contest: Contest) -> ContestQuerySet:
    return Contest.objects.finalized().filter(series=contest.series_id)
