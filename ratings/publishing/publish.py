"""Making a computed run the one that everybody sees: in one transaction, or not at all."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db import connection, transaction
from django.utils import timezone

from contests.bulk import chunks, insert_arrays, insert_rows
from contests.models import Series
from ratings.display import width_of_pool
from ratings.models import Rating, RatingChange, Run, RunState, StaleMark
from ratings.models.runs import ROLLBACK
from ratings.publishing.leases import Cancelled, mark_publication, stop_if_asked
from ratings.queries.inputs import NUMBERS, RATING_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ratings.publishing.engine import Outcome, Plan
    from ratings.publishing.leases import Held
    from ratings.queries.inputs import StoredRating


def close_changes(ids: NDArray[np.int64], *, run: int) -> None:
    """End the validity of these rating changes with the given run."""
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
    """Write these players' ratings in place of any they have; players in `gone` lose theirs."""
    for part in chunks([*ratings, *gone]):
        Rating.objects.filter(series_id=series_id, player_id__in=part).delete()
    insert_rows(
        Rating,
        RATING_COLUMNS,
        (
            (
                series_id,
                player,
                r.mu,
                r.sigma,
                r.score,
                r.contest_count,
                r.peak,
                r.peak_contest_id,
                r.last_contest_id,
                r.belief,
            )
            for player, r in ratings.items()
        ),
    )


#: Player ids are below this, so that contest and player fit one 64-bit key.
_PLAYERS = 2**31

#: What a run knows of itself only when it is published.
_PUBLISHED = (
    "state", "published_at", "seconds", "input_hash", "engine_version", "contests_done", "contest_count",
    "player_count", "changed_count", "result_count", "pool_mean", "pool_width",
)  # fmt: skip


class Overtaken(Exception):
    """Another run of the series was published since this one read its inputs."""


@transaction.atomic(durable=True)
def publish(run: Run, plan: Plan, outcome: Outcome, marks: list[StaleMark], *, held: Held, started: float) -> None:
    """
    Write what differs from the run before, make this run the current one and delete the marks that it has mended.

    Raises Overtaken, and writes nothing, when another run was published in between; likewise Cancelled, when this one
    was cancelled, and LeaseLost, when another process has taken over the series.
    """
    mark_publication(run.series_id)
    held.check()
    # no_key: finalizing a contest inserts a mark that refers to this row, and must not wait for us.
    Series.objects.select_for_update(no_key=True).get(pk=run.series_id)
    base = Run.objects.current(run.series_id)
    newest = base.number if base else 0
    if newest != plan.base or newest > run.number:
        raise Overtaken(f"Run {newest} was published meanwhile; this one followed run {plan.base}.")
    stop_if_asked(run)
    difference = _difference(plan, outcome)
    close_changes(difference.closed, run=run.number)
    stop_if_asked(run)
    open_changes(run.series_id, difference.opened, run=run.number)
    stop_if_asked(run)
    _write_ratings(run.series_id, plan, outcome)
    _describe(run, plan, outcome, base, len(difference.opened["contest_id"]))
    StaleMark.objects.filter(pk__in=[mark.pk for mark in marks]).delete()
    run.seconds = round(time.perf_counter() - started, 3)
    # In one statement: a request to cancel waits for it, or is seen by it.
    mine = Run.objects.filter(pk=run.pk, cancel_asked_at=None)
    if not mine.update(**{name: getattr(run, name) for name in _PUBLISHED}):
        raise Cancelled(f"Run {run.number} was cancelled while it was being published.")
    held.confirm()


@dataclass(frozen=True, slots=True)
class _Difference:
    """Ids of the changes that end with a run, and columns of those that begin with it."""

    closed: NDArray[np.int64]
    opened: dict[str, NDArray[Any]]


def _difference(plan: Plan, outcome: Outcome) -> _Difference:
    if plan.kind == "append":
        return _Difference(np.empty(0, dtype=np.int64), outcome.changes)
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
    return _Difference(old["id"][closed], _rows(new, ~same))


def _keys(columns: dict[str, NDArray[Any]]) -> NDArray[np.int64]:
    if len(columns["player_id"]) and columns["player_id"].max() >= _PLAYERS:
        raise OverflowError("player ids beyond 2**31 do not fit the engine's keys")
    return columns["contest_id"] * _PLAYERS + columns["player_id"]


def _rows(columns: dict[str, NDArray[Any]], chosen: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
    return {name: column[chosen] for name, column in columns.items()}


def _write_ratings(series_id: int, plan: Plan, outcome: Outcome) -> None:
    ratings: dict[int, StoredRating] = outcome.ratings
    changed = {player: rating for player, rating in ratings.items() if plan.stored.get(player) != rating}
    # Everybody whom an append was given is still rated; a replay may find that somebody is not.
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
