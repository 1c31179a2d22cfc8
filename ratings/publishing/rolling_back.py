"""
Showing an earlier run of a series again, as a new run (docs/decisions/0007-roll-back.md).

A roll-back is asked for as a run that waits, and carried out by the process that holds the lease of the series: a
worker, or the caller. Results are not touched, so it lasts until they change next, or an organizer wants them rated as
they are.
"""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from contests.errors import ContestError
from contests.models import Contest, Player, PlayerMerge, Series, Standing
from contests.services.transactions import record
from ratings.database import consistent_read
from ratings.models import RatingChange, Run, RunState, StaleMark
from ratings.models.run import ROLLBACK
from ratings.publishing.cancelling import Cancelled, stop_if_asked
from ratings.publishing.leases import LeaseLost, forgive, lease
from ratings.publishing.lifecycle import at_work, begin_run, end_run, fail_abandoned_runs, fail_run, is_due
from ratings.publishing.publish import Overtaken, publish
from ratings.publishing.queue import mark_stale, notify_worker
from ratings.publishing.restoring import read_restoration

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from ratings.publishing.leases import Held

logger = logging.getLogger(__name__)

#: So many names stand in a refusal.
_NAMED = 5


def roll_back(series_id: int, number: int, *, reason: str, actor: User | None = None) -> Run:
    """
    Publish a new run that shows the ratings of run `number` again; ContestError says why that is not possible.

    When another process holds the series' lease, that one carries it out, and the run returned still waits.
    """
    run = _ask(series_id, number, reason, actor)
    forgive(series_id)
    with suppress(LeaseLost), lease(series_id) as held:
        if held is not None:
            fail_abandoned_runs(series_id)
            carry_out(run, held)
    if held is not None and is_due(series_id):
        notify_worker(series_id)
    run.refresh_from_db()
    if run.state in (RunState.FAILED, RunState.CANCELLED):
        raise ContestError(run.error or f"Run {run.number} was cancelled.")
    return run


def ask_roll_back(series_id: int, number: int, *, reason: str, actor: User | None = None) -> Run:
    """Let a worker do what `roll_back` does; return the run that waits. ContestError refuses it at once."""
    run = _ask(series_id, number, reason, actor)
    forgive(series_id)
    notify_worker(series_id)
    return run


def carry_out_waiting(series_id: int, held: Held) -> Run | None:
    """Carry out the roll-backs that wait; return the last one."""
    run = None
    for run in at_work(series_id).filter(kind=ROLLBACK, state=RunState.QUEUED).order_by("number"):
        carry_out(run, held)
    if run is not None:
        run.refresh_from_db()
    return run


def carry_out(run: Run, held: Held) -> None:
    """Publish a roll-back that waits, and nothing if it has ended meanwhile; what goes wrong is kept in its error."""
    started = time.perf_counter()
    if not at_work(run.series_id).filter(pk=run.pk).update(state=RunState.RUNNING):
        return
    try:
        with consistent_read():
            restored = restorable(run.series_id, run.restores or 0, among=run)
            plan, outcome = read_restoration(restored)
        stop_if_asked(run)
        run.pool_mean, run.pool_width = restored.pool_mean, restored.pool_width
        run.engine_version = restored.engine_version
        publish(run, plan, outcome, [], held=held, started=started)
    except Cancelled:
        end_run(run, RunState.CANCELLED, "")
    except Overtaken as error:
        end_run(run, RunState.CANCELLED, str(error))
    except ContestError as error:
        end_run(run, RunState.FAILED, str(error))
    except LeaseLost:
        raise
    except Exception as error:
        fail_run(run, error)
        raise
    else:
        logger.info("series %s, run %s shows run %s again", run.series_id, run.number, restored.number)


@transaction.atomic
def rate_as_it_is(series_id: int, *, actor: User | None = None) -> None:
    """Let a series that was rolled back be rated by its results and its scheme; nothing if it was not."""
    series = Series.objects.select_for_update(no_key=True).get(pk=series_id)
    run = Run.objects.current(series_id)
    if run is None or run.kind != ROLLBACK or StaleMark.objects.filter(series=series).exists():
        return
    first = Contest.objects.rated().filter(series=series).in_order().first()
    cause = f"Rated as the results are, after showing run {run.restores} again"
    record("run.end_roll_back", subject=f"run {run.number} of {series.slug}", series=series, actor=actor)
    mark_stale(series_id, since=first.ends_at if first else timezone.now(), cause=cause, actor=actor)


def restorable(series_id: int, number: int, *, among: Run | None = None) -> Run:
    """
    Return the run of that number, with its scheme, if the series can be rolled back to it now; else ContestError.

    among
        The run of the roll-back itself, which does not stand in its own way.
    """
    restored = Run.objects.published().select_related("scheme").filter(series_id=series_id, number=number).first()
    if restored is None:
        raise ContestError(f"There is no published run {number} to go back to.")
    if (current := Run.objects.current(series_id)) is not None and number in (current.number, current.restores):
        raise ContestError(f"Run {number} is what everybody sees now.")
    others = at_work(series_id).exclude(pk=among.pk) if among is not None else at_work(series_id)
    busy = others.order_by("-number").first()
    if busy is not None:
        raise ContestError(f"Run {busy.number} is at work; wait until it has ended, or cancel it.")
    if StaleMark.objects.filter(series_id=series_id).exists():
        raise ContestError("Results have changed and are not rated yet; let them be rated first, then roll back.")
    _refuse_other_people(restored)
    return restored


@transaction.atomic
def _ask(series_id: int, number: int, reason: str, actor: User | None) -> Run:
    if not reason.strip():
        raise ContestError("Give the reason for rolling back; everybody who organizes the series will read it.")
    restorable(series_id, number)
    # Locked only now: a run that publishes keeps the row for as long as that takes, and is refused above.
    series = Series.objects.select_for_update(no_key=True).get(pk=series_id)
    restored = restorable(series_id, number)
    current = Run.objects.current(series_id)
    run = begin_run(
        series_id, kind=ROLLBACK, state=RunState.QUEUED, restores=number, scheme=restored.scheme, actor=actor,
        cause=f"Rolled back to run {number}: {reason.strip()}",
    )  # fmt: skip
    record(
        "run.roll_back", subject=f"run {number} of {series.slug}", series=series, actor=actor, reason=reason.strip(),
        before={"run": current.number if current else None}, after={"run": run.number},
    )  # fmt: skip
    return run


def _refuse_other_people(restored: Run) -> None:
    """Raise ContestError if players of that run are not the same people today."""
    changes = RatingChange.objects.as_of(restored.number).filter(series=restored.series_id)
    merged = Player.objects.filter(pk__in=changes.values("player")).exclude(merged_into=None)
    names = [f"“{a}” (now “{b}”)" for a, b in merged.values_list("handle", "merged_into__handle")[: _NAMED + 1]]
    if names:
        raise ContestError(_other_people(restored, names, "have been merged into others", "split them first"))
    split = PlayerMerge.objects.filter(at__lte=restored.published_at, split_at__gte=restored.created_at)
    names = [
        f"“{kept}” and “{other}”"
        for pair in split.values_list("kept_id", "merged_id", "kept__handle", "merged__handle").distinct()
        for kept, other in [pair[2:]]
        if _has_results_of_another(restored, *pair[:2])
    ]
    if names:
        raise ContestError(_other_people(restored, names, "were one then and have been split", "merge them first"))


def _has_results_of_another(restored: Run, kept_id: int, merged_id: int) -> bool:
    """Whether the run rated the kept player for contests in which only the merged one stands today."""
    rated = RatingChange.objects.as_of(restored.number).filter(series=restored.series_id, player=kept_id)
    own = Standing.objects.filter(player=kept_id, contest__series=restored.series_id)
    theirs = Standing.objects.filter(player=merged_id, contest__series=restored.series_id)
    shared = theirs.filter(contest__in=rated.values("contest")).exclude(contest__in=own.values("contest"))
    return shared.exists()


def _other_people(restored: Run, names: list[str], what: str, remedy: str) -> str:
    listed = ", ".join(names[:_NAMED]) + (" and others" if len(names) > _NAMED else "")
    return f"Run {restored.number} cannot be shown again: {listed} {what} since. If it has to be, {remedy}."
