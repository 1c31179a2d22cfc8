"""What a roll-back means for contests: which do not count while it lasts, and which it shows again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count, Exists, OuterRef

from contests.models import Contest
from ratings.models import ROLLBACK, RatingChange, Run

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.db.models import QuerySet

    from contests.models import Series

#: So many contests are named.
NAMED = 8


@dataclass(frozen=True, slots=True)
class Contests:
    """Some contests: how many there are, and the newest of them."""

    count: int
    named: list[Contest]

    @property
    def others(self) -> int:
        return self.count - len(self.named)


@dataclass(frozen=True, slots=True)
class Effect:
    """
    What showing an earlier run does to contests.

    left_out
        Rated by the run before, and not by the one that is shown again.
    amended
        Rated by both, and corrected since: shown as before the correction.
    gone
        Shown again though they do not count today: deleted, or not rated any more.
    changes
        Rating changes that are written for it.
    """

    left_out: Contests
    amended: Contests
    gone: Contests
    changes: int


@dataclass(frozen=True, slots=True)
class RolledBack:
    """A series that shows an earlier run: the run that does so, the one it shows, and what that means."""

    run: Run
    restored: Run | None
    effect: Effect


def rolled_back(series: Series, current: Run | None) -> RolledBack | None:
    """Return what the series' current run shows again, None if it was computed; call it inside a snapshot."""
    if current is None or current.kind != ROLLBACK:
        return None
    restored = Run.objects.filter(series=series, number=current.restores or 0).first()
    changes = RatingChange.objects.filter(series=series)
    closed, opened = changes.filter(until_run=current.number), changes.current().filter(from_run=current.number)
    return RolledBack(current, restored, _effect(series, restored, closed, opened, changes.current()))


def effect_of(series: Series, restored: Run) -> Effect:
    """Return what a roll-back to the run would do; call it inside a snapshot."""
    changes, number = RatingChange.objects.filter(series=series), restored.number
    closed = changes.current().filter(from_run__gt=number)
    opened = changes.filter(until_run__gt=number, from_run__lte=number)
    return _effect(series, restored, closed, opened, changes.current().filter(from_run__lte=number))


def _effect(
    series: Series,
    restored: Run | None,
    closed: QuerySet[RatingChange],
    opened: QuerySet[RatingChange],
    kept: QuerySet[RatingChange],
) -> Effect:
    closed_in, opened_in = _by_contest(closed), _by_contest(opened)
    contests = Contest.objects.filter(series=series)
    still = Exists(kept.filter(contest=OuterRef("pk")))
    shown = contests.filter(pk__in=list(opened_in))
    since = restored.created_at if restored is not None else None
    return Effect(
        left_out=_listed(contests.filter(pk__in=list(closed_in.keys() - opened_in.keys())).exclude(still)),
        amended=_listed(shown.rated().filter(amended_at__gt=since) if since else contests.none()),
        gone=_listed(shown.exclude(pk__in=contests.rated().values("pk"))),
        changes=max(sum(closed_in.values()), sum(opened_in.values())),
    )


def _by_contest(changes: QuerySet[RatingChange]) -> dict[int, int]:
    return dict(changes.values_list("contest_id").annotate(count=Count("pk")).order_by())


def _listed(contests: Iterable[Contest]) -> Contests:
    found = sorted(contests, key=lambda contest: (contest.ends_at, contest.sequence, contest.pk), reverse=True)
    return Contests(len(found), found[:NAMED])
