"""Writing what a run computed: rating changes closed and opened, ratings replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from django.db import connection

from contests.bulk import chunks, insert_arrays, insert_rows
from ratings.models import Rating, RatingChange
from ratings.queries.inputs import RATING_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

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
