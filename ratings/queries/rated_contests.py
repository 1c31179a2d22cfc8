"""
Contests as they were when a run rated them.

After a roll-back, and while an amendment waits to be rated, the ratings on display follow from an earlier weight and
earlier times than the contest has now. The audit log has the earlier ones.
"""

from __future__ import annotations

from collections import defaultdict
from copy import copy
from typing import TYPE_CHECKING, Any

from django.utils.dateparse import parse_datetime

from contests.bulk import chunks
from contests.models import AuditEntry
from ratings.models import ROLLBACK, Run, StaleMark

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contests.models import Contest

#: The fields of a contest that a run reads, by type: JSON stores times as texts.
_TIMES, _NUMBERS = ("starts_at", "ends_at"), ("weight", "perf_ceiling")


def as_rated(run: Run, contests: Iterable[Contest]) -> dict[int, Contest | None]:
    """
    Return contests, by id, with the weight, ceiling and times with which a run of their series rated them.

    Contests that have changed since are copies, which must not be saved. None stands for a contest that changed while
    the run was in progress, because it is unknown whether the run read it before or after that. Takes no query unless
    the run is a roll-back or something was amended since.
    """
    found: dict[int, Contest | None] = {contest.pk: contest for contest in contests}
    rated = _origin(run)
    # A roll-back can restore rules for which the duration counted; `amended_at` follows the rules at the time.
    suspects = [
        contest
        for contest in found.values()
        if contest is not None
        and (run.kind == ROLLBACK or (contest.amended_at is not None and contest.amended_at >= rated.created_at))
    ]
    if not suspects or _follows_results(run):
        return found
    entries = _entries(rated, suspects)
    for contest in suspects:
        # No run reads drafts, so their changes were made before.
        changes = [entry for entry in entries[contest.pk] if contest.finalized_at and entry.at >= contest.finalized_at]
        if changes:
            found[contest.pk] = _earlier(contest, rated, changes)
    return found


def counted_weights(run: Run, contests: Iterable[Contest]) -> dict[int, float | None]:
    """Return the weights with which contests counted in a run of their series, by id; None if unknown."""
    rated = as_rated(run, contests)
    return {pk: None if contest is None else run.scheme.weight_of(contest) for pk, contest in rated.items()}


def _origin(run: Run) -> Run:
    """Return the run that computed these ratings; a roll-back can restore a roll-back."""
    while run.kind == ROLLBACK:
        run = Run.objects.get(series=run.series_id, number=run.restores or 0)
    return run


def _follows_results(run: Run) -> bool:
    """Return whether the ratings of the run follow from the present results."""
    if run.kind == ROLLBACK or StaleMark.objects.filter(series=run.series_id).exists():
        return False
    return not Run.objects.published().filter(series=run.series_id, number__gt=run.number).exists()


def _entries(rated: Run, contests: list[Contest]) -> dict[int, list[AuditEntry]]:
    """Return the changes of what a run reads, since the run began, by contest; oldest first."""
    found: dict[int, list[AuditEntry]] = defaultdict(list)
    for part in chunks([contest.pk for contest in contests]):
        entries = AuditEntry.objects.filter(contest__in=part, action="contest.describe", at__gte=rated.created_at)
        for entry in entries.order_by("at", "id"):
            if entry.contest_id is not None and entry.before.keys() & {*_TIMES, *_NUMBERS}:
                found[entry.contest_id].append(entry)
    return found


def _earlier(contest: Contest, rated: Run, changes: list[AuditEntry]) -> Contest | None:
    """Return a copy of a contest as it was before these changes; None if the run may have read some of them."""
    if rated.published_at is None or changes[0].at <= rated.published_at:
        return None
    before: dict[str, Any] = {}
    for entry in reversed(changes):
        before |= entry.before
    earlier = copy(contest)
    for name in before.keys() & {*_NUMBERS}:
        setattr(earlier, name, before[name])
    for name in before.keys() & {*_TIMES}:
        setattr(earlier, name, parse_datetime(before[name]) if before[name] else None)
    return earlier
