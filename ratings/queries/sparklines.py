"""The newest ratings of many players, for the small graphs beside their names, in one query."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from django.db import connection

from contests.bulk import chunks
from ratings.models import Rating, RatingChange

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ratings.queries.snapshot import SeriesSnapshot

#: The number of newest contests in a small graph.
CONTESTS = 24

# The index of changes by player, series and number ends each look-up after CONTESTS rows, however many there are.
_NEWEST = f"""
    SELECT r.id, c.mu, c.sigma FROM {Rating._meta.db_table} r
    JOIN {RatingChange._meta.db_table} c
        ON c.player_id = r.player_id AND c.series_id = r.series_id AND c.number > r.contest_count - %s
    WHERE r.id IN ({{ids}}) AND c.until_run IS NULL
    ORDER BY r.id, c.number
"""


def newest_ratings(pairs: Iterable[tuple[SeriesSnapshot, Rating]]) -> dict[int, list[int]]:
    """
    Return the displayed ratings after the newest contests of each player, oldest first, by the id of the rating.

    pairs
        Ratings, each with the snapshot of its series.
    """
    snapshots = {rating.pk: snapshot for snapshot, rating in pairs}
    beliefs: dict[int, list[tuple[float, float]]] = {}
    for ids in chunks(list(snapshots), 500):
        with connection.cursor() as cursor:
            cursor.execute(_NEWEST.format(ids=", ".join(["%s"] * len(ids))), [CONTESTS, *ids])
            for pk, mu, sigma in cursor.fetchall():
                beliefs.setdefault(pk, []).append((mu, sigma))
    return _displayed(snapshots, beliefs)


def _displayed(
    snapshots: dict[int, SeriesSnapshot], beliefs: dict[int, list[tuple[float, float]]]
) -> dict[int, list[int]]:
    """Return the displayed ratings of beliefs; one calculation for each series."""
    of_series: dict[int, list[int]] = {}
    for pk in beliefs:
        of_series.setdefault(snapshots[pk].series.pk, []).append(pk)
    found: dict[int, list[int]] = {}
    for ids in of_series.values():
        snapshot, rows = snapshots[ids[0]], [beliefs[pk] for pk in ids]
        mu, sigma = np.array([row for each in rows for row in each], dtype=np.float64).T
        shown = np.asarray(snapshot.mapping.show(snapshot.score(mu, sigma)))
        ends = np.cumsum([len(each) for each in rows])[:-1]
        found |= {pk: part.tolist() for pk, part in zip(ids, np.split(shown, ends), strict=True)}
    return found
