"""Versions of what a visitor may read, with which caches detect changes, and counts that are cached with them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from django.db.models import Count, Max, OuterRef, Subquery, Sum

from contests.caching import cached
from contests.models import AuditEntry, Contest

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from contests.models import Series

#: Changes without an audit entry become visible after this time.
KEPT_SECONDS = 300


def version_of(series: QuerySet[Series]) -> str:
    """
    Return a text that changes when any of these series or their contests does, or when series join or leave them.

    Three queries. Nothing else on the site changes the text, so it reveals nothing about other series: neither in
    responses nor by the time that it takes to fill a cache again.
    """
    ids = series.order_by().values("pk")
    meant = series.order_by().aggregate(count=Count("pk"), total=Sum("pk"), greatest=Max("pk"))
    newest = [
        rows.filter(series__in=ids).order_by("-pk").values_list("pk", flat=True).first()
        for rows in (AuditEntry.objects.about_contests(), Contest.objects.all())
    ]
    return f"{newest} of {list(meant.values())}"


def newest_entries(series: QuerySet[Series]) -> dict[int, int | None]:
    """Return the id of the newest audit entry about each of these series, by series id, in one query."""
    entries = AuditEntry.objects.about_contests().filter(series=OuterRef("pk")).order_by("-pk")
    return dict(series.order_by().values_list("pk", Subquery(entries.values("pk")[:1])))


def kept_count(rows: QuerySet[Any], series: QuerySet[Series]) -> int:
    """
    Return the number of these rows, cached until one of the series that they depend on changes.

    Three queries find out whether one did. Counting hundreds of thousands of rows takes longer.
    """
    return cached(f"count:{_digest(rows, series)}", rows.count, KEPT_SECONDS)


def kept_rows(rows: QuerySet[Any], series: QuerySet[Series]) -> list[Any]:
    """Return these rows, such as counts by series, cached as `kept_count` does."""
    return cached(f"rows:{_digest(rows, series)}", lambda: list(rows), KEPT_SECONDS)


def _digest(rows: QuerySet[Any], series: QuerySet[Series]) -> str:
    query = rows.order_by().query.sql_with_params()
    return hashlib.sha256(f"{version_of(series)} {query}".encode(errors="replace")).hexdigest()
