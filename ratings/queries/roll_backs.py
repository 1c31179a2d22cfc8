"""Effects of roll-backs on contests: those that don't count, those that count again, and their earlier results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count, Exists, OuterRef

from contests.models import Contest, Standing
from ratings.models import ROLLBACK, RatingChange, Run

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.db.models import QuerySet

    from contests.models import Series

#: The number of contests to name.
NAMED = 8


@dataclass(frozen=True, slots=True)
class AffectedContests:
    """The number of affected contests, and the newest of them."""

    count: int
    named: list[Contest]

    @property
    def others(self) -> int:
        return self.count - len(self.named)


@dataclass(frozen=True, slots=True)
class RollBackEffect:
    """
    The effect of restoring an earlier run.

    left_out
        Contests that do not count because the restored run did not include them.
    amended
        Contests in both runs that were corrected later; the results before the correction count.
    gone
        Contests that count again although they have been deleted or are no longer rated.
    changes
        Number of rating changes to write.
    """

    left_out: AffectedContests
    amended: AffectedContests
    gone: AffectedContests
    changes: int


@dataclass(frozen=True, slots=True)
class RolledBack:
    """A roll-back in force: its run, the restored run, and the effect."""

    run: Run
    restored: Run | None
    effect: RollBackEffect


def rolled_back(series: Series, current: Run | None) -> RolledBack | None:
    """Return the roll-back in force, None if there is none. Call it inside `consistent_read`."""
    if current is None or current.kind != ROLLBACK:
        return None
    restored = Run.objects.filter(series=series, number=current.restores or 0).first()
    changes = RatingChange.objects.filter(series=series)
    closed, opened = changes.filter(until_run=current.number), changes.current().filter(from_run=current.number)
    return RolledBack(current, restored, _effect(series, restored, closed, opened, changes.current()))


def roll_back_effect(series: Series, restored: Run) -> RollBackEffect:
    """Return the effect of a roll-back to this run. Call it inside `consistent_read`."""
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
) -> RollBackEffect:
    closed_in, opened_in = _by_contest(closed), _by_contest(opened)
    contests = Contest.objects.filter(series=series)
    still = Exists(kept.filter(contest=OuterRef("pk")))
    shown = contests.filter(pk__in=list(opened_in))
    since = restored.created_at if restored is not None else None
    return RollBackEffect(
        left_out=_listed(contests.filter(pk__in=list(closed_in.keys() - opened_in.keys())).exclude(still)),
        amended=_listed(shown.rated().filter(amended_at__gt=since) if since else contests.none()),
        gone=_listed(shown.exclude(pk__in=contests.rated().values("pk"))),
        changes=max(sum(closed_in.values()), sum(opened_in.values())),
    )


def rates_other_results(run: Run | None, contest: Contest) -> bool:
    """
    Whether the ratings of this current run are based on places that differ from those that the contest has now.

    After a roll-back, the ratings of an amended contest can be those of the results before it was amended. Places of
    teams are not compared, since a team has several rows: any amendment counts as a difference.
    """
    if run is None or not run.restores or contest.amended_at is None:
        return False
    rated, ranked = RatingChange.objects.current().filter(contest=contest), Standing.objects.filter(contest=contest)
    if contest.has_teams:
        return rated.exists()
    same_place = ranked.ranked().filter(player=OuterRef("player"), rank=OuterRef("rank"))
    return rated.exists() and (rated.count() != ranked.ranked().count() or rated.exclude(Exists(same_place)).exists())


def _by_contest(changes: QuerySet[RatingChange]) -> dict[int, int]:
    return dict(changes.values_list("contest_id").annotate(count=Count("pk")).order_by())


def _listed(contests: Iterable[Contest]) -> AffectedContests:
    found = sorted(contests, key=lambda contest: (contest.ends_at, contest.sequence, contest.pk), reverse=True)
    return AffectedContests(len(found), found[:NAMED])
