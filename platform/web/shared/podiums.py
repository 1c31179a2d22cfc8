"""The best of many series as their leaderboards list them by default, in a fixed number of queries."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.core.cache import cache
from django.db import connection
from django.db.models import OuterRef, Subquery

from contests.models import Contest, Series
from ratings.days import days_since_1970
from ratings.models import Rating
from ratings.queries.established import CONTESTS_READ, FEWEST_LISTED, SLACK, rule_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from ratings.queries.snapshot import SeriesSnapshot

PODIUM_SIZE = 3


def podiums(snapshots: Iterable[SeriesSnapshot]) -> dict[int, list[int]]:
    """
    Return the best three established and active players of each series, as ids of their ratings, best first.

    Series whose leaderboards list everyone by default are not in it. Kept for each run: two queries for those that are
    not known yet, none for the others.
    """
    keys = {f"podium:{snapshot.run.uid}": snapshot.series.pk for snapshot in snapshots if snapshot.run is not None}
    found: dict[str, list[int]] = cache.get_many(keys)
    missing = {pk: key for key, pk in keys.items() if key not in found}
    if missing:
        read = _default_podiums(missing)
        fresh = {key: read.get(pk, []) for pk, key in missing.items()}
        cache.set_many(fresh, timeout=86_400)
        found |= fresh
    return {keys[key]: ids for key, ids in found.items() if ids}


def _default_podiums(series_ids: Iterable[int]) -> dict[int, list[int]]:
    parts: list[str] = []
    parameters: list[Any] = []
    for number, (pk, ends) in enumerate(_newest_ends(series_ids).items()):
        rule = rule_of([days_since_1970(end) for end in ends])
        since = ends[0] - timedelta(days=rule.days + SLACK)
        rows = Rating.objects.filter(series=pk, contest_count__gte=rule.contests, last_contest__ends_at__gte=since)
        listed = rows.best_first().values_list("series_id", "id")[:FEWEST_LISTED]
        query, values = listed.query.sql_with_params()
        parts.append(f"SELECT * FROM ({query}) AS part{number}")
        parameters += values
    found: dict[int, list[int]] = {}
    if parts:
        with connection.cursor() as cursor:
            cursor.execute(" UNION ALL ".join(parts), parameters)
            for pk, rating in cursor.fetchall():
                found.setdefault(pk, []).append(rating)
    return {pk: ratings[:PODIUM_SIZE] for pk, ratings in found.items() if len(ratings) == FEWEST_LISTED}


def _newest_ends(series_ids: Iterable[int]) -> dict[int, Sequence[datetime]]:
    """Return the ends of the newest rated contests of each series that has any, newest first, in one query."""
    ends = Contest.objects.rated().filter(series=OuterRef("pk")).newest_first().values("ends_at")
    columns = [Subquery(ends[i : i + 1]) for i in range(CONTESTS_READ)]
    rows = Series.objects.filter(pk__in=list(series_ids)).values_list("pk", *columns)
    return {pk: [end for end in found if end is not None] for pk, *found in rows if found[0] is not None}
