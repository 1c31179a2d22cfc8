"""
From stale marks to a published run, by the process that holds the lease of the series.

The lease is taken without waiting. If another process holds it, this one does nothing, because the holder looks for
marks once more after giving the lease back. So only one of ten messages leads to work, and no mark is left behind.
Inputs are read in one snapshot. Ratings are computed outside of any transaction, so progress is visible and nothing
waits. The run is published in one transaction, which also checks that the lease was not lost. Queued roll-backs come
first. Marks of a cancelled run stay paused (`ratings.publishing.leases`).
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db import connection, transaction
from django.utils import timezone

from contests.bulk import LEAST_WRITTEN, analyze_after_commit, chunks, insert_arrays, insert_rows
from contests.errors import ContestError
from contests.models import Series
from ratings.database import consistent_read
from ratings.display import width_of_pool
from ratings.models import ROLLBACK, Rating, RatingChange, Run, RunState, Scheme, StaleMark, Work
from ratings.publishing.engine import make_plan
from ratings.publishing.leases import LeaseLost, lease, mark_publication
from ratings.publishing.queue import (
    Cancelled,
    begin_run,
    end_run,
    fail_abandoned_runs,
    fail_run,
    is_due,
    is_paused,
    notify,
    stop_if_asked,
    unfinished_runs,
)
from ratings.publishing.rolling_back import read_restoration, restorable
from ratings.publishing.schemes import scheme_of
from ratings.queries.inputs import NUMBERS, RATING_COLUMNS
from ratings.systems import ENGINE_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ratings.publishing.engine import Outcome, Plan
    from ratings.publishing.leases import Held
    from ratings.queries.inputs import StoredRating

logger = logging.getLogger(__name__)

#: How often the progress of a run is stored.
REPORT_SECONDS = 0.5
#: Player ids are below this, so that a contest and a player fit into one 64-bit key.
_PLAYERS = 2**31
#: The fields of a run that are known only when it is published.
_PUBLISHED = (
    "state", "published_at", "seconds", "input_hash", "engine_version", "contests_done", "contest_count",
    "player_count", "changed_count", "result_count", "pool_mean", "pool_width",
)  # fmt: skip


class Overtaken(Exception):
    """Raised when another run of the series was published since this one read its inputs."""


def refresh_series(
    series_id: int, *, full: bool = False, progress: Callable[[int, int], None] | None = None
) -> Run | None:
    """
    Rate the stale part of a series, or with `full` all of it, and publish it; return the last run, or None.

    None means that there was nothing to do, or that another process is doing it. The run is published, or cancelled if
    someone asked for that. You can call this at any time, any number of times. An error is stored in the run and
    raised; the marks stay, so that the next attempt finds them.

    progress
        Called with the contests done and their total.
    """
    run = None
    while full or is_due(series_id):
        try:
            with lease(series_id) as held:
                if held is None:
                    return run
                fail_abandoned_runs(series_id)
                run = _carry_out_queued(series_id, held) or run
                run = _run_once(held, full, progress) or run
        except LeaseLost as lost:
            logger.warning("%s", lost)
            return run
        full = False
    if run is not None and run.state == RunState.PUBLISHED:
        notify(series_id, Work.DERIVE)
    return run


def _run_once(held: Held, full: bool, progress: Callable[[int, int], None] | None) -> Run | None:
    series_id = held.series_id
    marks = list(StaleMark.objects.filter(series_id=series_id).order_by("id"))
    if not full and (not marks or is_paused(series_id)):
        return None
    run = begin_run(
        series_id, scheme=scheme_of(series_id), cause=_cause(marks), engine_version=ENGINE_VERSION,
        actor=marks[-1].actor if marks else None, actor_name=marks[-1].actor_name if marks else "",
    )  # fmt: skip
    try:
        return _rate(run, held, full, _Reporter(run, progress))
    except Cancelled as error:
        end_run(run, RunState.CANCELLED, "")
        logger.info("series %s: %s", series_id, error)
        return Run.objects.get(pk=run.pk)
    except Overtaken as error:
        end_run(run, RunState.CANCELLED, str(error))
        logger.info("series %s, run %s: %s", series_id, run.number, error)
        return None
    except LeaseLost:
        # The process that took over has ended this run.
        raise
    except Exception as error:
        fail_run(run, error)
        raise


def _rate(run: Run, held: Held, full: bool, report: _Reporter) -> Run:
    started = time.perf_counter()
    with consistent_read():
        # Read marks and rules again, in the snapshot of the results: the run includes everything that came after it
        # began.
        marks = list(StaleMark.objects.filter(series_id=run.series_id).order_by("id"))
        run.scheme = Scheme.objects.newest(run.series_id) or run.scheme
        since = None if full else min((mark.since for mark in marks), default=None)
        plan = make_plan(run.series_id, run.scheme, since=since)
    run.kind, run.contests_total, run.cause = plan.kind, len(plan.fields), _cause(marks)
    run.save(update_fields=["scheme", "kind", "contests_total", "cause"])
    stop_if_asked(run)
    outcome = plan.compute(report)
    publish(run, plan, outcome, marks, held=held, started=started)
    _analyze(run)
    logger.info(
        "series %s, run %s published: %s, %s changes, %.2f s", run.series_id, run.number, run.kind, run.changed_count,
        run.seconds,
    )  # fmt: skip
    return run


def _analyze(run: Run) -> None:
    if run.changed_count >= LEAST_WRITTEN:
        rated = RatingChange.objects.current().filter(series=run.series_id).count()
        analyze_after_commit(run.changed_count, also=(Rating, RatingChange) if 2 * run.changed_count >= rated else ())


def _cause(marks: list[StaleMark]) -> str:
    causes = list(dict.fromkeys(mark.cause for mark in marks)) or ["All contests rated again"]
    return "; ".join(causes[:3]) + (f"; and {len(causes) - 3} more" if len(causes) > 3 else "")


class _Reporter:
    """Stores the progress of a run from time to time, for pages, and stops the run if someone asked to cancel it."""

    def __init__(self, run: Run, progress: Callable[[int, int], None] | None) -> None:
        self.run, self.progress = run, progress
        self.last = time.monotonic()

    def __call__(self, done: int) -> None:
        if self.progress is not None:
            self.progress(done, self.run.contests_total)
        now = time.monotonic()
        if now - self.last >= REPORT_SECONDS:
            self.last = now
            mine = Run.objects.filter(pk=self.run.pk, state=RunState.RUNNING, cancel_asked_at=None)
            if not mine.update(contests_done=done):
                stop_if_asked(self.run)
                raise LeaseLost(f"series {self.run.series_id}: another worker has taken over run {self.run.number}")


def _carry_out_queued(series_id: int, held: Held) -> Run | None:
    """Carry out the queued roll-backs; return the last one."""
    run = None
    for run in unfinished_runs(series_id).filter(kind=ROLLBACK, state=RunState.QUEUED).order_by("number"):
        _carry_out(run, held)
    if run is not None:
        run.refresh_from_db()
    return run


def _carry_out(run: Run, held: Held) -> None:
    """Publish a queued roll-back, unless it has ended meanwhile; an error is stored in its run."""
    started = time.perf_counter()
    if not unfinished_runs(run.series_id).filter(pk=run.pk).update(state=RunState.RUNNING):
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


@transaction.atomic(durable=True)
def publish(run: Run, plan: Plan, outcome: Outcome, marks: list[StaleMark], *, held: Held, started: float) -> None:
    """
    Write the differences from the previous run, make this run the current one, and delete the marks that it handled.

    All in one transaction, or not at all: raises Overtaken if another run was published in between, Cancelled if
    someone cancelled this one, and LeaseLost if another process has taken over the series.
    """
    mark_publication(run.series_id)
    held.check()
    # no_key: finalizing a contest inserts a mark that refers to this row, and must not wait for us.
    Series.objects.select_for_update(no_key=True).get(pk=run.series_id)
    base = Run.objects.current(run.series_id)
    newest = base.number if base else 0
    if newest != plan.base or newest > run.number:
        raise Overtaken(f"Run {newest} was published in the meantime, but this run builds on run {plan.base}.")
    stop_if_asked(run)
    difference = _difference(plan, outcome)
    close_changes(difference.closed, run=run.number)
    stop_if_asked(run)
    open_changes(run.series_id, difference.opened, run=run.number)
    stop_if_asked(run)
    _write_ratings(run.series_id, plan, outcome)
    _describe(run, plan, outcome, base, difference.count)
    StaleMark.objects.filter(pk__in=[mark.pk for mark in marks]).delete()
    run.seconds = round(time.perf_counter() - started, 3)
    # In one statement: a request to cancel either waits for it, or is visible to it.
    mine = Run.objects.filter(pk=run.pk, cancel_asked_at=None)
    if not mine.update(**{name: getattr(run, name) for name in _PUBLISHED}):
        raise Cancelled(f"Run {run.number} was cancelled while it was being published.")
    held.confirm()


@dataclass(frozen=True, slots=True)
class _Difference:
    """
    The difference from the previous run.

    closed, opened
        The ids of the changes that end with the run, and the columns of the changes that begin with it.
    count
        The number of results whose change is new, different or gone.
    """

    closed: NDArray[np.int64]
    opened: dict[str, NDArray[Any]]
    count: int


def _difference(plan: Plan, outcome: Outcome) -> _Difference:
    if plan.kind == "append":
        return _Difference(np.empty(0, dtype=np.int64), outcome.changes, len(outcome.changes["contest_id"]))
    new, old = outcome.changes, plan.current
    if plan.since is not None:
        touched = [f.contest_id for f in plan.fields if f.ends_at >= plan.since]
        new = _rows(new, np.isin(new["contest_id"], touched))
    new_key, old_key = _keys(new), _keys(old)
    order = np.argsort(old_key)
    at = np.searchsorted(old_key, new_key, sorter=order)
    at = order[np.minimum(at, len(order) - 1)] if len(order) else np.zeros(len(new_key), dtype=np.int64)
    same = old_key[at] == new_key if len(order) else np.zeros(len(new_key), dtype=bool)
    for name in NUMBERS if len(order) else ():
        same &= old[name][at] == new[name]
    closed = np.ones(len(old_key), dtype=bool)
    closed[at[same]] = False
    count = len(np.union1d(old_key[closed], new_key[~same]))
    return _Difference(old["id"][closed], _rows(new, ~same), count)


def _keys(columns: dict[str, NDArray[Any]]) -> NDArray[np.int64]:
    if len(columns["player_id"]) and columns["player_id"].max() >= _PLAYERS:
        raise OverflowError("player ids beyond 2**31 do not fit the engine's keys")
    return columns["contest_id"] * _PLAYERS + columns["player_id"]


def _rows(columns: dict[str, NDArray[Any]], chosen: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
    return {name: column[chosen] for name, column in columns.items()}


def _write_ratings(series_id: int, plan: Plan, outcome: Outcome) -> None:
    ratings: dict[int, StoredRating] = outcome.ratings
    changed = {player: rating for player, rating in ratings.items() if plan.stored.get(player) != rating}
    # An append still rates every player it was given; after a replay, some players may no longer have a rating.
    replace_ratings(series_id, changed, [player for player in plan.stored if player not in ratings])


def _describe(run: Run, plan: Plan, outcome: Outcome, base: Run | None, changed: int) -> None:
    scores = np.array(Rating.objects.filter(series_id=run.series_id).values_list("score", flat=True), dtype=np.float64)
    run.player_count = len(scores)
    if plan.kind != ROLLBACK:
        # Sorted, because the last bits of a mean depend on the order.
        run.pool_mean, run.pool_width = width_of_pool(np.sort(scores))
        run.result_count = len(outcome.changes["contest_id"])
    rated_before = base.contest_count if base is not None and plan.kind == "append" else 0
    run.contest_count = rated_before + len(outcome.rated)
    run.contests_done, run.changed_count = run.contests_total, changed
    run.input_hash = outcome.input_hash
    run.state, run.published_at = RunState.PUBLISHED, timezone.now()


def close_changes(ids: NDArray[np.int64], *, run: int) -> None:
    """End the validity of the rating changes with these ids at the given run."""
    if not len(ids):
        return
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE closing (id bigint PRIMARY KEY)")
        if connection.vendor == "postgresql":
            with cursor.copy("COPY closing (id) FROM STDIN") as copy:
                copy.write("\n".join(map(str, ids.tolist())) + "\n")
            cursor.execute("ANALYZE closing")
        else:
            cursor.executemany("INSERT INTO closing (id) VALUES (%s)", [(i,) for i in ids.tolist()])
        table = RatingChange._meta.db_table
        cursor.execute(f"UPDATE {table} SET until_run = %s WHERE id IN (SELECT id FROM closing)", [run])
        cursor.execute("DROP TABLE closing")


def open_changes(series_id: int, columns: dict[str, NDArray[Any]], *, run: int) -> None:
    """Insert rating changes (contest_id, player_id and NUMBERS as columns) that are valid from the given run on."""
    count = len(columns["contest_id"])
    insert_arrays(RatingChange, {"series_id": np.full(count, series_id), "from_run": np.full(count, run), **columns})


def replace_ratings(series_id: int, ratings: dict[int, StoredRating], gone: Sequence[int]) -> None:
    """Write these players' ratings, replacing any they have; delete the ratings of players in `gone`."""
    for part in chunks([*ratings, *gone]):
        Rating.objects.filter(series_id=series_id, player_id__in=part).delete()
    insert_rows(
        Rating,
        RATING_COLUMNS,
        (
            (
                series_id, player, r.mu, r.sigma, r.score, r.contest_count, r.peak, r.peak_contest_id,
                r.last_contest_id, r.belief,
            )
            for player, r in ratings.items()
        ),
    )  # fmt: skip
