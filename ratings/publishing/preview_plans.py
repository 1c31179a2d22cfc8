"""
The plan of a preview: what must be rated if a change is made.

Podium makes the change in a transaction that it rolls back, and notes what must be rated. A preview can't differ from
the change, because the same services run, and the same engine makes the same plan from the same marks. The rating
follows after the transaction, so that nothing waits for a preview.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import OperationalError, connection, transaction
from django.db.models import Max

from contests.models import Contest, Player, Standing
from ratings.models import StaleMark
from ratings.publishing.engine import make_plan
from ratings.publishing.schemes import scheme_of
from ratings.queries.contest_kinds import kinds_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contests.changes.base import Change
    from ratings.publishing.engine import Plan
    from ratings.queries.contest_kinds import Kinds

#: How many rows of the contest's table a preview shows.
ROWS_SHOWN = 200
_PLANNING_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the contest after the change."""

    player_id: int
    handle: str
    rank: int | None
    status: str
    is_ineligible: bool


@dataclass(frozen=True, slots=True)
class PreviewPlan:
    """
    The contests to rate if the change is made.

    plans
        The plan of each series, by series id; empty if no rating can change.
    waiting
        The number of earlier changes that are not rated yet and are part of the plan, by series id.
    kinds
        The kinds of rated contests that each series would have, by series id.
    new_players
        The handles of players whom the change would create, by id.
    contest_id, rows, row_count
        The contest that the change is about, if there is one: its first rows after the change, and their total number.
    """

    plans: dict[int, Plan]
    waiting: dict[int, int]
    kinds: dict[int, Kinds]
    new_players: dict[int, str]
    contest_id: int | None
    rows: list[Row]
    row_count: int

    @property
    def result_count(self) -> int:
        """The number of participations to compute."""
        return sum(len(field.player_ids) for plan in self.plans.values() for field in plan.fields)


def plan_preview(change: Change) -> PreviewPlan:
    """Make the change, note what must be rated, and undo the change; ContestError if the change is refused."""
    for attempt in range(_PLANNING_ATTEMPTS):
        try:
            with _rolled_back():
                return _planned(change)
        except OperationalError:
            # Someone else changed the same rows at the same moment.
            if attempt == _PLANNING_ATTEMPTS - 1 or connection.in_atomic_block:
                raise
    raise AssertionError("unreachable")


def _planned(change: Change) -> PreviewPlan:
    before = set(StaleMark.objects.values_list("pk", flat=True))
    contest = change.describe().contest
    newest = Player.objects.aggregate(pk=Max("pk"))["pk"] or 0
    change.apply(actor=None)
    new_players = dict(Player.objects.filter(pk__gt=newest).values_list("pk", "handle"))
    marks = list(StaleMark.objects.order_by("id"))
    touched = dict.fromkeys(mark.series_id for mark in marks if mark.pk not in before)
    plans, waiting, kinds = {}, {}, {}
    for series_id in touched:
        own = [mark for mark in marks if mark.series_id == series_id]
        plans[series_id] = make_plan(series_id, scheme_of(series_id), since=min(mark.since for mark in own))
        waiting[series_id] = sum(mark.pk in before for mark in own)
        kinds[series_id] = kinds_in(series_id)
    rows = _rows(contest) if contest is not None else []
    count = contest.standings.count() if contest is not None else 0
    return PreviewPlan(plans, waiting, kinds, new_players, contest.pk if contest is not None else None, rows, count)


def _rows(contest: Contest) -> list[Row]:
    rows = Standing.objects.filter(contest=contest).for_table()[:ROWS_SHOWN]
    return [Row(row.player_id, row.player.handle, row.rank, row.status, row.is_ineligible) for row in rows]


@contextmanager
def _rolled_back() -> Iterator[None]:
    """Roll back everything that is written inside; all queries there see one snapshot."""
    is_outermost = not connection.in_atomic_block
    with transaction.atomic():
        if is_outermost and connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        try:
            yield
        finally:
            transaction.set_rollback(True)
